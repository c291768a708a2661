//! How many pods are created at once.

/// The maximum number of pods that one reconciliation creates or deletes.
pub const BURST: usize = 500;

/// Returns the sizes of the batches in which `count` pods are created: 1, 2, 4 and so on, at most
/// [`BURST`] in total.
///
/// The first batch that fails is the last, so a template that the server rejects or an exhausted
/// quota costs one request instead of hundreds.
pub fn slow_start(count: usize) -> impl Iterator<Item = usize> {
    let (mut left, mut next) = (count.min(BURST), 1);
    std::iter::from_fn(move || {
        let batch = left.min(next);
        left -= batch;
        next = batch.saturating_mul(2);
        (batch > 0).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_double_until_the_burst_is_used_up() {
        let check = |count, expected: &[usize]| {
            assert_eq!(slow_start(count).collect::<Vec<_>>(), expected, "{count}");
        };
        check(0, &[]);
        check(1, &[1]);
        check(10, &[1, 2, 4, 3]);
        check(5000, &[1, 2, 4, 8, 16, 32, 64, 128, 245]);
        assert_eq!(slow_start(5000).sum::<usize>(), BURST);
    }
}
