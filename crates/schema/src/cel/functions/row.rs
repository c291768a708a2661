//! The rows of the registry.

/// The part of the evaluator that implements a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// Functions that do not evaluate all arguments.
    Lazy,
    /// CEL's own operators and functions.
    Core,
    Strings,
    Format,
    Lists,
    Net,
    Url,
    Quantity,
    Semver,
    /// Functions that are not implemented.
    Unknown,
}

/// The cost rule of a call, in addition to the costs of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// It costs 1.
    One,
    /// Only one of two arguments is evaluated, as with `?:`.
    Choice,
    /// The operator itself is free.
    Logic,
    Append,
    Concat,
    Equality,
    Comparison,
    /// Each item is visited once.
    Search,
    Encode,
    Decode,
    Quote,
    Affix,
    Contains,
    Matches,
    Find,
    Items,
    /// The string is read once.
    Text,
    /// The string is read twice.
    TextTwice,
    /// The string is read once, and the result is at most as long.
    SameText,
    Replace,
    Split,
    Join,
    Address,
    AddressText,
    Network,
    NetworkText,
    Validate,
    /// Each item of one list is compared with each of the other.
    Pairs,
    PairsTwice,
    Slice,
    Flatten,
    Range,
    Reverse,
    Distinct,
    Sort,
    SortBy,
}

/// Signatures of a function that share a cost rule and a library.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) library: Library,
    pub(super) cost: Cost,
    /// `receiver.(arguments) result`, separated by ` | `; `A` and `B` are any types, and `ORDERED`,
    /// `COMPARED` and `NUMBER` expand to several types.
    pub(super) signatures: &'static str,
}

/// Creates a row of the registry.
pub(super) const fn row(
    name: &'static str,
    library: Library,
    cost: Cost,
    signatures: &'static str,
) -> Row {
    Row {
        name,
        library,
        cost,
        signatures,
    }
}
