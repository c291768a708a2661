//! A program's own metrics, declared as the runtime's are: one table, from which their series,
//! their registration, their documentation and their panels derive.

use std::sync::OnceLock;

use super::series::{self, Family, FloatGauge, Registry, exponential_buckets};
use super::{MetricInfo, Metrics};

/// Declares a program's own metrics as a table of groups, each row a name in Rust, the type, the
/// name of the series with its labels, and what it means. Expands to a `static` for each row, which
/// any code may count with, to `GROUPS`, which [the dashboard](super::monitor::dashboard) and
/// [the page](super::monitor::page) show, and to a function `register`.
///
/// The types are [`Counter`], [`Gauge`] and [`Histogram`]. As Prometheus advises, names end with
/// their unit (`_seconds`, `_bytes`), and those of counters with `_total`.
///
/// ```
/// use codegen_runtime::metrics::Metrics;
///
/// codegen_runtime::own_metrics! {
///     "Racks" {
///         RACKS_FILLED_TOTAL = Counter racks_filled_total(room)
///             "Racks that have become full";
///         RACK_FREE_BYTES = Gauge rack_free_bytes(room, rack)
///             "Space that is left";
///     }
/// }
///
/// # fn main() -> Result<(), std::fmt::Error> {
/// let metrics = Metrics::new();
/// register(&metrics);
/// RACKS_FILLED_TOTAL.inc(["cellar"]);
/// RACK_FREE_BYTES.set(["cellar", "a"], 1e9);
/// # #[cfg(feature = "prometheus")]
/// assert!(metrics.encode()?.contains("racks_filled_total{room=\"cellar\"} 1"));
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! own_metrics {
    ($($title:literal {
        $($name:ident = $kind:ident $metric:ident($($label:ident),* $(,)?) $help:literal;)*
    })*) => {
        $($(
            #[doc = $help]
            pub static $name: $crate::metrics::custom::$kind<
                { $crate::metrics::custom::count(&[$(stringify!($label)),*]) },
            > = $crate::metrics::custom::$kind::new($crate::metrics::MetricInfo::new(
                $crate::metrics::MetricKind::$kind,
                stringify!($metric),
                &[$(stringify!($label)),*],
                $help,
            ));
        )*)*

        /// The metrics of the table.
        pub const GROUPS: &[$crate::metrics::MetricGroup] = &[$(
            $crate::metrics::MetricGroup::new($title, &[$(
                $crate::metrics::MetricInfo::new(
                    $crate::metrics::MetricKind::$kind,
                    stringify!($metric),
                    &[$(stringify!($label)),*],
                    $help,
                )
            ),*])
        ),*];

        /// Registers the metrics of the table.
        pub fn register(metrics: &$crate::metrics::Metrics) {
            $($($name.register(metrics);)*)*
            let _ = metrics;
        }
    };
}

/// The number of labels, for the macro.
#[doc(hidden)]
#[must_use]
pub const fn count(labels: &[&str]) -> usize {
    labels.len()
}

/// The labels of one series.
type Labels = Vec<(&'static str, String)>;

/// The series of one metric, which exist from their first use until they are removed.
type Series<S> = Family<Labels, S, fn() -> S>;

/// A metric with its series.
struct Own<S> {
    info: MetricInfo,
    family: OnceLock<Series<S>>,
}

impl<S> Own<S> {
    const fn new(info: MetricInfo) -> Self {
        let family = OnceLock::new();
        Self { info, family }
    }

    fn labels(&self, values: &[&str]) -> Labels {
        let values = values.iter().map(|value| (*value).to_owned());
        self.info.labels.iter().copied().zip(values).collect()
    }

    fn family(&self, create: fn() -> S) -> &Series<S> {
        let new = || Family::new_with_constructor(create);
        self.family.get_or_init(new)
    }
}

/// Declares a type of metric by its series, how one is created, and its methods.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident($series:ty = $create:expr) {
        $($(#[$method_doc:meta])* $method:ident($($value:ident: $type:ty)?);)+
    })+) => {$(
        $(#[$doc])*
        pub struct $name<const N: usize>(Own<$series>);

        impl<const N: usize> $name<N> {
            /// Declares the metric. `N` is the number of its labels.
            #[must_use]
            pub const fn new(info: MetricInfo) -> Self {
                Self(Own::new(info))
            }

            $(
                $(#[$method_doc])*
                pub fn $method(&self, labels: [&str; N] $(, $value: $type)?) {
                    let labels = self.0.labels(&labels);
                    self.family().get_or_create_owned(&labels).$method($($value)?);
                }
            )+

            /// Removes the series with these labels, such as those of an object that is gone.
            pub fn remove(&self, labels: [&str; N]) {
                self.family().remove(&self.0.labels(&labels));
            }

            /// Serves the series with `metrics`.
            pub fn register(&self, metrics: &Metrics) {
                let registry: &mut Registry = &mut metrics.inner.registry.lock();
                self.0.info.register(registry, self.family().clone());
            }

            fn family(&self) -> &Series<$series> {
                self.0.family($create)
            }
        }

        impl<const N: usize> std::fmt::Debug for $name<N> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0.info.name).finish()
            }
        }
    )+};
}

kinds! {
    /// A sum that only grows, by the values of `N` labels. Declared by
    /// [`own_metrics!`](crate::own_metrics).
    Counter(series::Counter = series::Counter::default) {
        /// Adds one.
        inc();
        /// Adds an amount.
        inc_by(amount: u64);
    }
    /// A value that grows and falls, by the values of `N` labels. Declared by
    /// [`own_metrics!`](crate::own_metrics).
    Gauge(FloatGauge = FloatGauge::default) {
        /// Sets the value.
        set(value: f64);
        /// Adds one.
        inc();
        /// Subtracts one.
        dec();
    }
    /// Counts of observations, by the values of `N` labels: 20 buckets that double from a
    /// thousandth, for times up to nine minutes. Declared by [`own_metrics!`](crate::own_metrics).
    Histogram(series::Histogram = buckets) {
        /// Counts a value.
        observe(value: f64);
    }
}

fn buckets() -> series::Histogram {
    series::Histogram::new(exponential_buckets(0.001, 2.0, 20))
}
