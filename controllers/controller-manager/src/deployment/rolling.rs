//! The steps of a rolling update.

use super::limits::Limits;
use super::sets::{Set, size, still_available};

/// Returns the next size of the new replica set, which has `size` of `total` pods: as large as the
/// surge permits.
pub fn new_size(limits: Limits, total: i32, size: i32) -> i32 {
    if size >= limits.replicas {
        return limits.replicas;
    }
    let room = limits.most().saturating_sub(total).max(0);
    size + room.min(limits.replicas - size)
}

/// Returns the sizes to which old replica sets, oldest first, should shrink, with their indices in
/// `old`.
///
/// Unavailable pods go first, since they cost no availability; then as many available ones as the
/// strategy permits. Unavailable pods of the new replica set do not count as unavailable old pods:
/// if it never becomes ready, the old ones stay.
pub fn old_sizes(limits: Limits, new: &Set, old: &[Set]) -> Vec<(usize, i32)> {
    let (new_size, new_available) = (size(new), still_available(new));
    let mut sizes: Vec<i32> = old.iter().map(|set| size(set)).collect();
    let total = sizes.iter().sum::<i32>() + new_size;
    let may_go = total - limits.fewest_available() - (new_size - new_available);
    if may_go <= 0 {
        return Vec::new();
    }
    let mut left = may_go;
    for (size, set) in sizes.iter_mut().zip(old) {
        let unhealthy = (*size - still_available(set)).max(0);
        let go = unhealthy.min(left);
        (*size, left) = (*size - go, left - go);
    }
    let all_available = old.iter().map(|set| still_available(set)).sum::<i32>() + new_available;
    let mut left = (all_available - limits.fewest_available()).max(0);
    for size in &mut sizes {
        let go = (*size).min(left);
        (*size, left) = (*size - go, left - go);
    }
    let changed = sizes
        .into_iter()
        .enumerate()
        .filter(|(index, to)| size(&old[*index]) != *to);
    changed.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn set(size: i32, available: i32) -> Set {
        let value = json!({"spec": {"replicas": size, "selector": {}}, "status": {"replicas": size, "availableReplicas": available}});
        Arc::new(serde_json::from_value(value).expect("a replica set"))
    }

    fn limits(replicas: i32, surge: i32, unavailable: i32) -> Limits {
        Limits {
            replicas,
            surge,
            unavailable,
        }
    }

    #[test]
    fn the_new_set_grows_into_the_surge() {
        assert_eq!(new_size(limits(10, 3, 2), 10, 0), 3);
        assert_eq!(new_size(limits(10, 3, 2), 13, 3), 3);
        assert_eq!(new_size(limits(10, 3, 2), 11, 3), 5);
        assert_eq!(new_size(limits(2, 5, 0), 2, 0), 2);
        assert_eq!(new_size(limits(3, 1, 0), 9, 5), 3);
    }

    fn check(limits: Limits, new: (i32, i32), old: &[(i32, i32)], expected: &[(usize, i32)]) {
        let old: Vec<Set> = old
            .iter()
            .map(|(size, available)| set(*size, *available))
            .collect();
        assert_eq!(old_sizes(limits, &set(new.0, new.1), &old), expected);
    }

    #[test]
    fn old_sets_shrink_by_what_may_be_missing() {
        check(limits(10, 3, 2), (3, 0), &[(10, 10)], &[(0, 8)]);
        check(limits(10, 3, 2), (5, 3), &[(8, 8)], &[(0, 5)]);
        check(limits(3, 1, 0), (1, 0), &[(3, 3)], &[]);
        check(limits(3, 1, 0), (1, 1), &[(3, 3)], &[(0, 2)]);
    }

    #[test]
    fn what_is_unhealthy_goes_first_and_from_the_oldest_on() {
        check(limits(10, 3, 2), (3, 0), &[(4, 4), (6, 1)], &[(1, 4)]);
        check(limits(4, 0, 2), (0, 0), &[(2, 0), (2, 2)], &[(0, 0)]);
    }

    #[test]
    fn a_status_that_lags_behind_the_size_makes_nothing_available() {
        // 8 of 10 old pods remain, and the status still counts all of them.
        check(limits(10, 3, 2), (5, 5), &[(8, 10)], &[(0, 3)]);
    }

    #[test]
    fn a_new_set_that_never_gets_ready_leaves_the_old_ones() {
        check(limits(4, 1, 1), (2, 0), &[(3, 3)], &[]);
    }
}
