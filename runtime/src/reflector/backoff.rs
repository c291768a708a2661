//! The reflector's back-off: client-go's `NewExponentialBackoffManager` with the reflector's
//! parameters.

use std::time::Duration;

use rand::RngExt;
use tokio::time::Instant;

/// An exponential back-off with jitter that restarts after a quiet period.
#[derive(Clone, Debug)]
pub struct Backoff {
    initial: Duration,
    max: Duration,
    factor: f64,
    jitter: f64,
    reset_after: Duration,
    next: Duration,
    last: Option<Instant>,
}

impl Backoff {
    /// Returns the reflector's back-off: 800 ms doubling to 30 s, each step extended by up to its
    /// own length, reset after two minutes.
    pub fn reflector() -> Self {
        Self::new(
            Duration::from_millis(800),
            Duration::from_secs(30),
            Duration::from_secs(120),
            2.0,
            1.0,
        )
    }

    /// Creates a back-off from `initial` to `max` by `factor`. A step lasts between its base and
    /// `1 + jitter` times its base. After `reset_after` without a step the next one is `initial`
    /// again.
    pub fn new(
        initial: Duration,
        max: Duration,
        reset_after: Duration,
        factor: f64,
        jitter: f64,
    ) -> Self {
        Self {
            initial,
            max,
            factor,
            jitter,
            reset_after,
            next: initial,
            last: None,
        }
    }

    /// Returns the next delay.
    pub fn step(&mut self) -> Duration {
        let now = Instant::now();
        if self
            .last
            .is_some_and(|last| now.duration_since(last) > self.reset_after)
        {
            self.next = self.initial;
        }
        self.last = Some(now);
        let base = self.next;
        // A product outside the range of a duration either exceeds the longest delay or is
        // meaningless.
        let times = |factor: f64| Duration::try_from_secs_f64(base.as_secs_f64() * factor);
        self.next = times(self.factor).unwrap_or(self.max).min(self.max);
        times(1.0 + self.jitter * rand::rng().random::<f64>()).unwrap_or(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn back_off_doubles_from_800_ms_to_30_s_with_jitter_of_one() {
        let mut backoff = Backoff::reflector();
        for base in [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000] {
            let step = backoff.step();
            let base = Duration::from_millis(base);
            assert!(step >= base && step <= base * 2, "{step:?} for {base:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn back_off_resets_after_two_quiet_minutes() {
        let mut backoff = Backoff::reflector();
        for _ in 0..8 {
            backoff.step();
        }
        tokio::time::advance(Duration::from_secs(121)).await;
        assert!(backoff.step() <= Duration::from_millis(1_600));
    }
}
