//! The generator's release, and what it asks of the runtime.

/// The series of the release, such as `0.1`: code that is generated needs a runtime that serves
/// this series.
pub(crate) const SERIES: &str = concat!(
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR")
);

/// The dependency on that runtime, as a TOML value.
#[cfg(feature = "cli")]
pub(crate) const RUNTIME: &str = concat!(
    "\"",
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR"),
    "\""
);
