//! The hash space of sharded lists and watches (KEP-5866), and the selectors of its parts.
//!
//! An object belongs to the range that contains the 64-bit FNV-1a hash of a metadata field. The
//! embedded API server selects by it, and the runtime's sharded controllers decide by it who
//! reconciles what: both must agree to the bit.

use std::fmt;

/// The parameter of list and watch requests that holds a [`Selector`].
pub const PARAMETER: &str = "shardSelector";

/// How the messages start with which a server refuses an invalid selector.
pub const INVALID: &str = "invalid shard selector: ";

/// The first hexadecimal bound that is too large for a hash: 2^64, the end of the whole space.
const END: &str = "0x10000000000000000";

/// Returns the 64-bit FNV-1a hash of a field's value.
#[must_use]
pub fn hash(value: &str) -> u64 {
    value.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A metadata field by whose hash objects are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `metadata.uid`
    Uid,
    /// `metadata.namespace`, empty for cluster-scoped objects.
    Namespace,
}

impl Field {
    /// All fields that selectors may name.
    pub const ALL: [Self; 2] = [Self::Uid, Self::Namespace];

    /// Returns the field as selectors write it.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Uid => "object.metadata.uid",
            Self::Namespace => "object.metadata.namespace",
        }
    }

    /// Returns the field with this path.
    ///
    /// # Errors
    /// The API server's message for a field that selectors may not name.
    pub fn parse(path: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|field| field.path() == path);
        found.ok_or_else(|| {
            let [uid, namespace] = Self::ALL.map(Self::path);
            format!("unsupported field path \"{path}\"; supported: {uid}, {namespace}")
        })
    }
}

/// A range of hashes that is not empty, by its first and its last hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    first: u64,
    last: u64,
}

impl Range {
    /// The whole space.
    pub const ALL: Self = Self {
        first: 0,
        last: u64::MAX,
    };

    /// Creates the range of the hashes from `first` to `last`; `None` if there are none.
    #[must_use]
    pub fn new(first: u64, last: u64) -> Option<Self> {
        (first <= last).then_some(Self { first, last })
    }

    /// Creates the range between two bounds as selectors write them, the second one exclusive: `0x`
    /// and 16 hexadecimal digits, or 2^64.
    ///
    /// # Errors
    /// The API server's message for an invalid bound, or a range without hashes.
    pub fn parse(start: &str, end: &str) -> Result<Self, String> {
        let first = parse_bound("hexStart", start)?;
        let after = parse_bound("hexEnd", end)?;
        // Only 2^64 has no number.
        let last = after.map_or(Some(u64::MAX), |after| after.checked_sub(1));
        let range = first.zip(last);
        let range = range.and_then(|(first, last)| Self::new(first, last));
        range.ok_or_else(|| format!("shard range start {start} must be less than end {end}"))
    }

    /// Returns the first hash.
    #[must_use]
    pub fn first(self) -> u64 {
        self.first
    }

    /// Returns the last hash.
    #[must_use]
    pub fn last(self) -> u64 {
        self.last
    }

    /// Whether the range contains a hash.
    #[must_use]
    pub fn contains(self, hash: u64) -> bool {
        (self.first..=self.last).contains(&hash)
    }
}

impl fmt::Display for Range {
    /// Writes the bounds as selectors do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'0x{:016x}', ", self.first)?;
        match self.last.checked_add(1) {
            Some(end) => write!(f, "'0x{end:016x}'"),
            None => write!(f, "'{END}'"),
        }
    }
}

/// Parses a bound; `None` for 2^64.
fn parse_bound(name: &str, text: &str) -> Result<Option<u64>, String> {
    let Some(digits) = text.strip_prefix("0x") else {
        return Err(format!("{name} must have '0x' prefix, got \"{text}\""));
    };
    if digits.is_empty() {
        return Err(format!("{name}: hex value is required after '0x'"));
    }
    // Go counts bytes.
    if digits.len() > 17 {
        let length = digits.len();
        return Err(format!(
            "{name}: hex value too long ({length} chars, max 17): \"{digits}\""
        ));
    }
    let is_hex = |c: &char| matches!(c, '0'..='9' | 'a'..='f');
    if let Some(c) = digits.chars().find(|c| !is_hex(c)) {
        return Err(format!(
            "{name}: invalid hex character \"{c}\" in \"{text}\""
        ));
    }
    match digits.len() {
        17 if text == END => Ok(None),
        17 => Err(format!(
            "{name}: 17-digit hex value must be '{END}' (2^64), got \"{text}\""
        )),
        16 => Ok(u64::from_str_radix(digits, 16).ok()),
        _ => Err(format!(
            "{name} must be a 0x-prefixed 16-digit hex value, got \"{text}\" (did you mean \"0x{digits:0>16}\"?)"
        )),
    }
}

/// A shard selector: the objects whose field's hash is in one of the ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The field.
    pub field: Field,
    /// The ranges, in the order of the request.
    pub ranges: Vec<Range>,
}

impl Selector {
    /// Whether objects whose field has this value are selected.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        let hash = hash(value);
        self.ranges.iter().any(|range| range.contains(hash))
    }
}

impl fmt::Display for Selector {
    /// Writes the selector as the API server repeats it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, range) in self.ranges.iter().enumerate() {
            let or = if at > 0 { " || " } else { "" };
            write!(f, "{or}shardRange({}, {range})", self.field.path())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test vectors of FNV-1a.
    #[test]
    fn hashes_are_those_of_fnv_1a() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_selector_is_written_as_the_server_repeats_it() {
        let half = Range::parse("0x0000000000000000", "0x8000000000000000").unwrap();
        let rest = Range::parse("0x8000000000000000", END).unwrap();
        assert_eq!((half.first(), half.last()), (0, (1 << 63) - 1));
        assert_eq!((rest.first(), rest.last()), (1 << 63, u64::MAX));
        let selector = Selector {
            field: Field::Uid,
            ranges: vec![half, rest],
        };
        assert_eq!(
            selector.to_string(),
            "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || \
             shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
        );
        assert!(selector.matches("") && selector.matches("a"));
    }

    #[track_caller]
    fn refuses(start: &str, end: &str, message: &str) {
        assert_eq!(Range::parse(start, end).unwrap_err(), message);
    }

    /// Messages of kube-apiserver 1.36.3.
    #[test]
    fn invalid_bounds_are_refused_in_the_servers_words() {
        let (zero, half) = ("0x0000000000000000", "0x8000000000000000");
        refuses(
            half,
            zero,
            "shard range start 0x8000000000000000 must be less than end 0x0000000000000000",
        );
        refuses(
            half,
            half,
            "shard range start 0x8000000000000000 must be less than end 0x8000000000000000",
        );
        refuses(
            END,
            END,
            "shard range start 0x10000000000000000 must be less than end 0x10000000000000000",
        );
        refuses(
            "0x0",
            half,
            "hexStart must be a 0x-prefixed 16-digit hex value, got \"0x0\" (did you mean \"0x0000000000000000\"?)",
        );
        refuses(
            "0000000000000000",
            half,
            "hexStart must have '0x' prefix, got \"0000000000000000\"",
        );
        refuses(zero, "0x", "hexEnd: hex value is required after '0x'");
        refuses(
            zero,
            "0x10000000000000001",
            "hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got \"0x10000000000000001\"",
        );
        refuses(
            "0x000000000000000000000",
            half,
            "hexStart: hex value too long (21 chars, max 17): \"000000000000000000000\"",
        );
        refuses(
            "0xA000000000000000",
            half,
            "hexStart: invalid hex character \"A\" in \"0xA000000000000000\"",
        );
        refuses(
            "0x000000000000é00",
            half,
            "hexStart: invalid hex character \"é\" in \"0x000000000000é00\"",
        );
        assert_eq!(
            Field::parse("uid").unwrap_err(),
            "unsupported field path \"uid\"; supported: object.metadata.uid, object.metadata.namespace"
        );
    }
}
