//! The functions of CEL's extensions and of Kubernetes' libraries.

mod lists;
mod net;
mod quantity;
mod semver;
mod strings;
mod url;

use super::{Outcome, Val};

/// The functions of each library, by their last names.
const LIBRARIES: [&[&str]; 6] = [
    &strings::NAMES,
    &lists::NAMES,
    &net::NAMES,
    &url::NAMES,
    &quantity::NAMES,
    &semver::NAMES,
];

/// Functions whose names have a prefix.
const QUALIFIED: [&str; 14] = [
    "sets.contains",
    "sets.equivalent",
    "sets.intersects",
    "lists.range",
    "optional.of",
    "optional.ofNonZeroValue",
    "optional.none",
    "optional.unwrap",
    "ip.isCanonical",
    "format.dns1123Label",
    "format.dns1123Subdomain",
    "format.dns1035Label",
    "format.uuid",
    "strings.quote",
];

/// Whether a last name is that of a function.
pub(super) fn is_known(name: &str) -> bool {
    is_qualified(name) || LIBRARIES.iter().any(|names| names.contains(&name))
}

/// Whether a name with its prefix is that of a function.
pub(super) fn is_qualified(name: &str) -> bool {
    QUALIFIED.contains(&name)
}

/// Calls a function; none if it is not one of these, or not for these arguments.
pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    strings::call(name, args)
        .or_else(|| lists::call(name, args))
        .or_else(|| net::call(name, args))
        .or_else(|| url::call(name, args))
        .or_else(|| quantity::call(name, args))
        .or_else(|| semver::call(name, args))
}
