//! Names for the anonymous parts of a CRD schema: types, fields and variants.
//!
//! A type is named after its kind and its last property, plus as many of the properties in between
//! as make the name unique ([`TypeNames`]); fields and variants are named after their property or
//! value alone. On a collision, the first in a fixed order gets the name. If no readable name is
//! free, the name gets a suffix: a hash of its path, property or value. `codegen.toml` can pin
//! names instead.

use std::collections::{BTreeMap, BTreeSet};

use super::{is_keyword, plain_ident, snake_case, upper_camel};

/// The path of a type in its API: the kind, then property names. List items and map values share
/// their parent's path, since `a: [[{…}]]` contains at most one type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The number of segments; shorter paths sort first.
    depth: usize,
    /// The unique textual form: `VirtualMachine.spec["a.b"]`.
    text: String,
    /// The length of the kind at the start of `text`.
    kind: usize,
    /// The segments in camel case, concatenated.
    camel: String,
    /// The start of each segment in `camel`.
    starts: Vec<usize>,
}

impl Path {
    /// Returns the path of a root type.
    #[must_use]
    pub fn root(kind: &str) -> Self {
        Self {
            depth: 1,
            text: kind.to_owned(),
            kind: kind.len(),
            camel: upper_camel(kind),
            starts: vec![0],
        }
    }

    /// Returns the path of a property.
    #[must_use]
    pub fn property(&self, name: &str) -> Self {
        let plain = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
        let text = if plain {
            format!("{}.{name}", self.text)
        } else {
            format!("{}[{name:?}]", self.text)
        };
        let mut starts = Vec::with_capacity(self.starts.len() + 1);
        starts.extend(&self.starts);
        starts.push(self.camel.len());
        Self {
            depth: self.depth + 1,
            text,
            kind: self.kind,
            camel: format!("{}{}", self.camel, segment(name)),
            starts,
        }
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number of segments.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.text.get(..self.kind).unwrap_or_default()
    }

    /// The last segment in camel case: the property, or the kind for a root.
    #[must_use]
    pub fn last(&self) -> &str {
        self.segment(self.depth - 1)
    }

    /// Returns a segment in camel case.
    fn segment(&self, index: usize) -> &str {
        let start = self.starts.get(index).copied().unwrap_or_default();
        let end = self.starts.get(index + 1).copied();
        self.camel
            .get(start..end.unwrap_or(self.camel.len()))
            .unwrap_or_default()
    }

    /// Returns all segments from `index` on, in camel case.
    fn from(&self, index: usize) -> &str {
        let start = self.starts.get(index).copied().unwrap_or_default();
        self.camel.get(start..).unwrap_or_default()
    }
}

/// A longer name is chosen only if no shorter one is free.
const LONG: usize = 59;

/// A longer name is cut.
const TOO_LONG: usize = 80;

/// Prelude names, which a glob import of a version's types would shadow.
const PRELUDE: [&str; 22] = [
    "AsMut", "AsRef", "Box", "Clone", "Copy", "Debug", "Default", "Drop", "Eq", "Err", "From",
    "Hash", "Into", "Iterator", "None", "Ok", "Option", "Ord", "Result", "Some", "String", "Vec",
];

/// Type names in use, each assigned once.
#[derive(Debug, Default)]
pub struct TypeNames(BTreeSet<String>);

impl TypeNames {
    /// Creates a set in which only the `reserved` names are taken.
    #[must_use]
    pub fn new<'a>(reserved: impl IntoIterator<Item = &'a String>) -> Self {
        Self(reserved.into_iter().cloned().collect())
    }

    /// Takes a name. Returns `false` if it is taken already.
    pub fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }

    /// Chooses a name for a type: the kind and the last property, and as many of the properties in
    /// between as needed, starting with those next to the last. If that exceeds 59 characters,
    /// tries properties without the kind.
    pub fn claim(&mut self, path: &Path) -> String {
        let names = || {
            let names = Self::after_kind(path).chain(Self::bare(path));
            names.map(|name| type_ident(&name))
        };
        for limit in [LONG, TOO_LONG] {
            let free = |name: &String| name.len() <= limit && !self.0.contains(name);
            if let Some(name) = names().find(free) {
                self.0.insert(name.clone());
                return name;
            }
        }
        let shortest = names().min_by_key(String::len);
        let shortest = shortest.unwrap_or_default();
        let cut = shortest.get(..TOO_LONG - HASH).unwrap_or(&shortest);
        claim(cut.to_owned(), &path.text, "", &mut self.0)
    }

    /// Chooses a name for a type that several kinds share: the last property, and as many of the
    /// properties before it as needed, of the first path that gives a free name. Names to avoid
    /// come after all others.
    pub fn claim_shared(&mut self, paths: &[&Path], is_avoided: impl Fn(&str) -> bool) -> String {
        let longest = paths.iter().map(|path| path.depth).max().unwrap_or(1);
        let names = || {
            let tails = (1..longest).flat_map(|words| {
                let paths = paths.iter().filter(move |path| path.depth > words);
                paths.map(move |path| type_ident(path.from(path.depth - words)))
            });
            tails.filter(|name| !PRELUDE.contains(&name.as_str()))
        };
        let free = |name: &String| name.len() <= LONG && !self.0.contains(name);
        let good = |name: &String| free(name) && !is_avoided(name);
        match names().find(good).or_else(|| names().find(free)) {
            Some(name) => {
                self.0.insert(name.clone());
                name
            }
            None => paths
                .first()
                .map(|path| self.claim(path))
                .unwrap_or_default(),
        }
    }

    /// Chooses a name for the view of a union: the struct's name, the part that distinguishes it
    /// from the struct's other unions, and `Union`.
    pub fn claim_union(&mut self, of: &str, apart: &str) -> String {
        let name = type_ident(&format!("{of}{apart}Union"));
        claim(name.clone(), &name, "", &mut self.0)
    }

    /// The candidates that start with the kind, best first.
    fn after_kind(path: &Path) -> impl Iterator<Item = String> {
        let (kind, last) = (path.segment(0), path.depth - 1);
        let root = (last == 0).then(|| kind.to_owned());
        let tails = (1..=last)
            .rev()
            .map(move |from| format!("{kind}{}", path.from(from)));
        let with_one = (1..last.saturating_sub(1)).rev();
        let with_one =
            with_one.map(move |one| format!("{kind}{}{}", path.segment(one), path.last()));
        root.into_iter().chain(tails).chain(with_one)
    }

    /// The candidates without the kind, best first.
    fn bare(path: &Path) -> impl Iterator<Item = String> {
        let tails = (1..path.depth).rev().map(|from| path.from(from).to_owned());
        tails.filter(|name| !PRELUDE.contains(&name.as_str()))
    }
}

/// Assigns each path a type name made of the full path in camel case. `pinned` names take
/// precedence and are never changed; `reserved` names are never assigned. Of paths with the same
/// name, the first keeps it, so `paths` must be sorted.
#[must_use]
pub fn type_names(
    paths: &[&Path],
    pinned: &BTreeMap<String, String>,
    reserved: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut taken = reserved.clone();
    for path in paths {
        if let Some(name) = pinned.get(&path.text) {
            taken.insert(name.clone());
            names.insert(path.text.clone(), name.clone());
        }
    }
    for path in paths {
        if !names.contains_key(&path.text) {
            let name = claim(type_ident(&path.camel), &path.text, "", &mut taken);
            names.insert(path.text.clone(), name);
        }
    }
    names
}

/// Assigns each property a field name other than the `reserved` ones, in input order.
#[must_use]
pub fn field_names(properties: &[&str], reserved: &[&str]) -> Vec<String> {
    let mut taken: BTreeSet<String> = reserved.iter().map(|&name| name.to_owned()).collect();
    allocate(properties, field_ident, canonical_field, "_", &mut taken)
}

/// The variant for values that the schema does not list. Fixed, so that a new value never renames
/// it.
pub const OPEN_VARIANT: &str = "Unrecognized";

/// Assigns each enum value a variant name, in input order.
#[must_use]
pub fn variant_names(values: &[&str]) -> Vec<String> {
    let mut taken = BTreeSet::from([OPEN_VARIANT.to_owned()]);
    allocate(
        values,
        variant_ident,
        |value| variant_ident(value) == value,
        "",
        &mut taken,
    )
}

/// Assigns names to `keys`: canonical keys choose first, then the others in key order.
fn allocate(
    keys: &[&str],
    plain: impl Fn(&str) -> String,
    canonical: impl Fn(&str) -> bool,
    separator: &str,
    taken: &mut BTreeSet<String>,
) -> Vec<String> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_cached_key(|&index| (!canonical(keys[index]), keys[index]));
    let mut names = vec![String::new(); keys.len()];
    for index in order {
        names[index] = claim(plain(keys[index]), keys[index], separator, taken);
    }
    names
}

/// The length of the longest hash in a name.
const HASH: usize = 16;

/// Returns the plain name if it is free, or else the plain name with a hash of the key.
fn claim(plain: String, key: &str, separator: &str, taken: &mut BTreeSet<String>) -> String {
    if !taken.contains(&plain) {
        taken.insert(plain.clone());
        return plain;
    }
    let hash = format!("{:016x}", fnv1a(key));
    // A name that ends in `_` is an escaped keyword; the hash makes it legal without the `_`.
    let stem = plain.trim_end_matches('_');
    let suffixed = [4, 8, 16].map(|digits| format!("{stem}{separator}{}", &hash[..digits]));
    let free = suffixed.into_iter().find(|name| !taken.contains(name));
    let mut name = free.unwrap_or_else(|| format!("{plain}{separator}{hash}"));
    while taken.contains(&name) {
        name.push('0');
    }
    taken.insert(name.clone());
    name
}

/// Whether [`TypeNames`] could assign the name to the type of a property.
#[must_use]
pub fn is_type_name(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(is_word)
        && !is_keyword(name)
        && !PRELUDE.contains(&name)
}

/// Returns the segment of a path for a property: `Image` for `image`, `Field` for one without ASCII
/// letters and digits.
fn segment(property: &str) -> String {
    let ascii: String = property.chars().filter(char::is_ascii).collect();
    match upper_camel(&ascii) {
        camel if camel.is_empty() => "Field".to_owned(),
        camel => camel,
    }
}

fn type_ident(camel: &str) -> String {
    plain_ident(&legal(camel, "Type", "T"))
}

/// Returns the field name for a property, without `r#`: `host_ip` for `hostIP`, `type` for `type`,
/// `self_` for `self`.
fn field_ident(property: &str) -> String {
    plain_ident(&legal(&snake_case(property), "field", "_"))
}

/// Whether the property follows Kubernetes' naming conventions, which gives it priority for its
/// field name.
fn canonical_field(property: &str) -> bool {
    property.starts_with(|c: char| c.is_ascii_lowercase())
        && property.chars().all(|c| c.is_ascii_alphanumeric())
}

fn variant_ident(value: &str) -> String {
    if value.is_empty() {
        return "Empty".to_owned();
    }
    // A sign before a digit carries meaning: `-1` is not `1`.
    let negative = value
        .strip_prefix('-')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let camel = match negative {
        Some(rest) => format!("Minus{}", upper_camel(rest)),
        None => upper_camel(value),
    };
    let named = if camel.is_empty() {
        value.chars().map(symbol_name).collect()
    } else {
        camel
    };
    let mut legal = legal(&named, "Value", "V");
    // Of `Ünit`, only `nit` is legal.
    if let Some(first) = legal.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if is_keyword(&legal) {
        format!("{legal}_")
    } else {
        legal
    }
}

/// Makes a name legal: ASCII, not empty, no leading digit.
fn legal(name: &str, if_empty: &str, before_digit: &str) -> String {
    let ascii: String = name
        .chars()
        .filter(|&c| c.is_ascii_alphanumeric() || c == '_')
        .collect();
    if ascii.trim_matches('_').is_empty() {
        if_empty.to_owned()
    } else if ascii.starts_with(|c: char| c.is_ascii_digit()) {
        format!("{before_digit}{ascii}")
    } else {
        ascii
    }
}

/// Words for values that consist of symbols only, such as the operators `=~` and `!=`.
fn symbol_name(c: char) -> &'static str {
    match c {
        '=' => "Equal",
        '!' => "Not",
        '~' => "Tilde",
        '<' => "Less",
        '>' => "Greater",
        '*' => "Star",
        '+' => "Plus",
        '-' => "Minus",
        '/' => "Slash",
        '%' => "Percent",
        '&' => "And",
        '|' => "Or",
        '^' => "Caret",
        '.' => "Dot",
        ',' => "Comma",
        ':' => "Colon",
        ';' => "Semicolon",
        '?' => "Question",
        '@' => "At",
        '#' => "Hash",
        '$' => "Dollar",
        ' ' => "Space",
        '_' => "Underscore",
        _ => "",
    }
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
