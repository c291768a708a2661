//! The types of the runtime's series: Prometheus' with the feature `prometheus`, else empty types
//! of the same names that compile to nothing.

#[cfg(not(feature = "prometheus"))]
pub(crate) use self::empty::{Counter, Family, FloatGauge, Gauge, Histogram, exponential_buckets};
#[cfg(not(feature = "prometheus"))]
pub use self::empty::{Metric, Registry};
#[cfg(feature = "prometheus")]
pub(crate) use prometheus_client::metrics::{
    counter::Counter,
    family::Family,
    gauge::Gauge,
    histogram::{Histogram, exponential_buckets},
};
/// A gauge of floating-point numbers.
#[cfg(feature = "prometheus")]
pub(crate) type FloatGauge = Gauge<f64, std::sync::atomic::AtomicU64>;
#[cfg(feature = "prometheus")]
pub use prometheus_client::registry::{Metric, Registry};

#[cfg(not(feature = "prometheus"))]
#[expect(
    clippy::unused_self,
    reason = "the signatures are those of prometheus-client"
)]
mod empty {
    use std::marker::PhantomData;

    /// An empty counter.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Counter;

    impl Counter {
        pub(crate) fn inc(&self) -> u64 {
            0
        }

        pub(crate) fn inc_by(&self, _amount: u64) -> u64 {
            0
        }
    }

    /// An empty gauge.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Gauge;

    impl Gauge {
        pub(crate) fn set(&self, _value: i64) -> i64 {
            0
        }

        pub(crate) fn inc(&self) -> i64 {
            0
        }

        pub(crate) fn dec(&self) -> i64 {
            0
        }
    }

    /// An empty gauge of floating-point numbers.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct FloatGauge;

    impl FloatGauge {
        pub(crate) fn set(&self, _value: f64) -> f64 {
            0.0
        }

        pub(crate) fn inc(&self) -> f64 {
            0.0
        }

        pub(crate) fn dec(&self) -> f64 {
            0.0
        }
    }

    /// An empty histogram.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Histogram;

    impl Histogram {
        pub(crate) fn new(_buckets: impl IntoIterator<Item = f64>) -> Self {
            Self
        }

        pub(crate) fn observe(&self, _value: f64) {}
    }

    /// Returns no buckets.
    pub(crate) fn exponential_buckets(
        _start: f64,
        _factor: f64,
        _length: u16,
    ) -> impl Iterator<Item = f64> {
        std::iter::empty()
    }

    /// A family of empty series.
    pub(crate) struct Family<L, S, C = fn() -> S>(PhantomData<fn(L, C) -> S>);

    impl<L, S: Default, C> Family<L, S, C> {
        pub(crate) fn new_with_constructor(_constructor: C) -> Self {
            Self(PhantomData)
        }

        pub(crate) fn get_or_create(&self, _labels: &L) -> S {
            S::default()
        }

        pub(crate) fn get_or_create_owned(&self, _labels: &L) -> S {
            S::default()
        }

        pub(crate) fn remove(&self, _labels: &L) -> bool {
            false
        }
    }

    impl<L, S, C> Default for Family<L, S, C> {
        fn default() -> Self {
            Self(PhantomData)
        }
    }

    impl<L, S, C> Clone for Family<L, S, C> {
        fn clone(&self) -> Self {
            Self(PhantomData)
        }
    }

    impl<L, S, C> std::fmt::Debug for Family<L, S, C> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Family")
        }
    }

    /// What can be registered: anything.
    pub trait Metric {}

    impl<M> Metric for M {}

    /// An empty registry.
    #[derive(Debug, Default)]
    pub struct Registry;

    impl Registry {
        pub(crate) fn register(&mut self, _name: &str, _help: &str, _metric: impl Metric) {}
    }
}
