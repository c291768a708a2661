//! A row of the registry.

/// The part of the evaluation that runs a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// Not all arguments are evaluated.
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
    /// It is not evaluated here.
    Unknown,
}

/// What the cost of a call follows from, beside its arguments' own costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// It costs 1.
    One,
    /// Only one of two arguments is evaluated.
    Choice,
    /// It costs nothing itself.
    Logic,
    Append,
    Concat,
    Equality,
    Comparison,
    /// Each item is looked at once.
    Search,
    Encode,
    Decode,
    Quote,
    Affix,
    Contains,
    Matches,
    Find,
    Items,
    /// The text is read once.
    Text,
    /// The text is read twice.
    TextTwice,
    /// The text is read once, and the result is at most as long.
    SameText,
    Replace,
    Split,
    Join,
    Address,
    AddressText,
    Network,
    NetworkText,
    Validate,
    /// Each item of one list is compared with each of another.
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

/// Signatures of a function that cost the same and are evaluated by one library.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) library: Library,
    pub(super) cost: Cost,
    /// `receiver.(arguments) result`, separated by ` | `; `A` and `B` are any types, `ORDERED`, `COMPARED` and `NUMBER` each of
    /// several.
    pub(super) signatures: &'static str,
}

/// A row of the registry.
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
