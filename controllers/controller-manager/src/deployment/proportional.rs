//! Proportional scaling: distributes a change of scale during a rollout over all replica sets.

use std::cmp::Reverse;

use super::limits::Limits;
use super::revision::{MAX_REPLICAS, number};
use super::sets::{Set, by_age, size, total};

/// Returns the new sizes of the `active` replica sets, with their indices. The difference to the
/// deployment's former size is distributed in proportion to their sizes, the largest first; what
/// rounding leaves over goes to the first.
///
/// Among sets of equal size, the newest grows first and the oldest shrinks first. `pods` is the
/// deployment's number of pods, for replica sets without the annotation that records the
/// deployment's size when they were last sized.
pub fn sizes(limits: Limits, pods: i32, active: &[Set]) -> Vec<(usize, i32)> {
    let allowed = if limits.replicas > 0 {
        limits.most()
    } else {
        0
    };
    let change = allowed.saturating_sub(total(active));
    let mut order: Vec<usize> = (0..active.len()).collect();
    let key = |index: &usize| Reverse(size(&active[*index]));
    if change > 0 {
        order.sort_by_key(|index| (key(index), Reverse(by_age(&active[*index]))));
    } else {
        order.sort_by_key(|index| (key(index), by_age(&active[*index])));
    }
    let mut left = change;
    let mut sizes = Vec::with_capacity(order.len());
    for index in order {
        let share = share(limits, pods, &active[index], left);
        left -= share;
        sizes.push((index, size(&active[index]) + share));
    }
    if let Some((_, first)) = sizes.first_mut() {
        *first = (*first + left).max(0);
    }
    sizes
}

/// Returns the share of `set` in a change of which `left` is not distributed yet.
fn share(limits: Limits, pods: i32, set: &Set, left: i32) -> i32 {
    let own = size(set);
    if own == 0 || left == 0 {
        return 0;
    }
    let fraction = fraction(limits, pods, set, own);
    if left > 0 {
        fraction.min(left)
    } else {
        fraction.max(left)
    }
}

fn fraction(limits: Limits, pods: i32, set: &Set, own: i32) -> i32 {
    if limits.replicas == 0 {
        return -own;
    }
    let before = number(set, MAX_REPLICAS)
        .filter(|before| *before != 0)
        .unwrap_or(pods);
    if before == 0 {
        return 0;
    }
    let scaled = f64::from(own) * f64::from(limits.most()) / f64::from(before);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float that does not fit saturates"
    )]
    let rounded = scaled.round() as i32;
    rounded.saturating_sub(own)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    /// Checks the new sizes of sets with the sizes `from`, oldest first, of a deployment that had
    /// `before` pods.
    fn check(limits: (i32, i32), before: i32, from: &[i32], expected: &[i32]) {
        let sets: Vec<Set> = from
            .iter()
            .enumerate()
            .map(|(index, size)| {
                let value = json!({"metadata": {"name": format!("set-{index}"), "annotations": {MAX_REPLICAS: before.to_string()},
                    "creationTimestamp": format!("2026-01-01T00:00:{index:02}Z")}, "spec": {"replicas": size, "selector": {}}});
                Arc::new(serde_json::from_value(value).expect("a replica set"))
            })
            .collect();
        let limits = Limits {
            replicas: limits.0,
            surge: limits.1,
            unavailable: 0,
        };
        let mut found = sizes(limits, 0, &sets);
        found.sort_unstable();
        let found: Vec<i32> = found.into_iter().map(|(_, size)| size).collect();
        assert_eq!(found, expected, "{from:?} from {before} to {limits:?}");
    }

    #[test]
    fn growth_is_shared_by_size() {
        check((20, 0), 10, &[5, 5], &[10, 10]);
        check((15, 0), 10, &[8, 2], &[12, 3]);
        check((50, 3), 13, &[8, 5], &[33, 20]);
        check((30, 3), 13, &[8, 5], &[20, 13]);
    }

    #[test]
    fn what_rounding_leaves_goes_to_the_largest_or_the_newest() {
        check((11, 0), 10, &[5, 5], &[5, 6]);
        check((9, 0), 10, &[5, 5], &[4, 5]);
        check((12, 0), 10, &[3, 3, 4], &[3, 4, 5]);
    }

    #[test]
    fn zero_takes_all() {
        check((0, 0), 10, &[7, 3], &[0, 0]);
    }

    #[test]
    fn nothing_changes_if_nothing_is_to_be_changed() {
        check((10, 3), 13, &[8, 5], &[8, 5]);
    }
}
