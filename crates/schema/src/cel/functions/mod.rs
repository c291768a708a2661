//! The single registry of the functions that rules can call: the rows of `table`, from which the
//! checker, the cost estimate and the evaluation derive.

mod row;
mod table;

use std::{collections::BTreeMap, fmt, sync::LazyLock};

pub(crate) use self::row::{Cost, Library};
use self::{row::Row, table::ROWS};
use super::types::{SCALARS, Type};

/// A signature of a function.
#[derive(Debug)]
pub struct Overload {
    pub(crate) style: Style,
    pub(crate) cost: Cost,
    pub(crate) library: Library,
    /// The types of the arguments; the receiver is the first, if there is one.
    pub(crate) args: Vec<Type<'static>>,
    pub(crate) result: Type<'static>,
    /// The number of type parameters.
    pub(crate) params: usize,
}

/// The style of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `size(x)`
    Global,
    /// `x.size()`
    Member,
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(self.style, self.args.iter().map(Type::to_string)))
    }
}

/// The types of a call, displayed as `string.(int, int)`.
pub struct Call<'c, 'd>(pub Style, pub &'c [Type<'d>]);

impl Call<'_, '_> {
    /// Formats the call as cel-go does.
    pub(crate) fn go(&self) -> String {
        written(self.0, self.1.iter().map(Type::go))
    }
}

impl fmt::Display for Call<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(self.0, self.1.iter().map(Type::to_string)))
    }
}

fn written(style: Style, mut types: impl Iterator<Item = String>) -> String {
    let receiver = match style {
        Style::Member => types.next().map(|it| it + "."),
        Style::Global => None,
    };
    let args: Vec<String> = types.collect();
    format!("{}({})", receiver.unwrap_or_default(), args.join(", "))
}

/// Returns the signatures of a function; `None` if it does not exist.
pub fn overloads(name: &str) -> Option<&'static [Overload]> {
    TABLE.get(name).map(Vec::as_slice)
}

/// Returns the names of all functions and operators.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    TABLE.keys().copied()
}

/// Returns the names of all functions that are called by name.
pub fn names() -> impl Iterator<Item = &'static str> {
    let names = TABLE.keys().copied();
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

static TABLE: LazyLock<BTreeMap<&'static str, Vec<Overload>>> = LazyLock::new(|| {
    let mut table: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in ROWS {
        let overloads = table.entry(row.name).or_default();
        for signature in row.signatures.split(" | ") {
            // A signature of any ordered type, or of any number, expands to one signature per type.
            match FAMILIES.iter().find(|(word, _)| signature.contains(word)) {
                Some((word, types)) => {
                    let each = types.iter().map(|ty| signature.replace(word, ty));
                    overloads.extend(each.filter_map(|one| overload(row, &one)));
                }
                None => overloads.extend(overload(row, signature)),
            }
        }
    }
    table
});

/// Parses `string.(int) bool` or `(int, int) bool`.
fn overload(row: &Row, signature: &str) -> Option<Overload> {
    let (receiver, rest) = signature.split_once('(')?;
    let (args, result) = rest.rsplit_once(") ")?;
    let style = if receiver.is_empty() {
        Style::Global
    } else {
        Style::Member
    };
    let receiver = receiver.strip_suffix('.');
    let args: Option<Vec<Type<'static>>> = receiver
        .into_iter()
        .chain(split(args))
        .map(read_type)
        .collect();
    let args = args?;
    let params = ["A", "B"].iter().filter(|it| signature.contains(**it));
    Some(Overload {
        style,
        cost: row.cost,
        library: row.library,
        args,
        result: read_type(result)?,
        params: params.count(),
    })
}

/// Splits a list of types at its commas, except for those within `<…>`.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(list.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(list.get(start..));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn read_type(text: &str) -> Option<Type<'static>> {
    let text = text.trim();
    if let Some((name, within)) = text.strip_suffix('>').and_then(|it| it.split_once('<')) {
        let mut within = split(within).into_iter().map(read_type);
        let first = within.next()??;
        return match name {
            "list" => Some(Type::list(first)),
            "optional" => Some(Type::optional(first)),
            "map" => Some(Type::map(first, within.next()??)),
            _ => None,
        };
    }
    match text {
        "dyn" => return Some(Type::Dyn),
        "A" => return Some(Type::Param(0)),
        "B" => return Some(Type::Param(1)),
        _ => {}
    }
    let scalar = SCALARS.iter().find(|(name, _)| *name == text);
    if let Some((_, scalar)) = scalar {
        return Some(Type::Scalar(*scalar));
    }
    let library = LIBRARY.iter().find(|name| **name == text)?;
    Some(Type::Library(library))
}

/// The types of Kubernetes' libraries.
const LIBRARY: [&str; 6] = ["quantity", "ip", "cidr", "url", "semver", "format"];

/// Placeholders in signatures, with the types that each expands to.
const FAMILIES: [(&str, &[&str]); 3] = [
    (
        "ORDERED",
        &[
            "int",
            "uint",
            "double",
            "bool",
            "duration",
            "timestamp",
            "string",
            "bytes",
        ],
    ),
    // Types that are both ordered and comparable.
    (
        "COMPARED",
        &["int", "uint", "double", "bool", "duration", "timestamp"],
    ),
    ("NUMBER", &["int", "uint", "double", "duration"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        for row in ROWS {
            for signature in row.signatures.split(" | ") {
                let words = FAMILIES.iter();
                let one = words.fold(signature.to_owned(), |text, (word, _)| {
                    text.replace(word, "int")
                });
                assert!(overload(row, &one).is_some(), "{row:?} {signature}");
            }
            assert!(overloads(row.name).is_some_and(|found| !found.is_empty()));
        }
        assert_eq!(overloads("_<_").map(<[_]>::len), Some(14));
    }

    #[test]
    fn a_signature_is_shown_as_it_is_called() {
        let shown = |name: &str| overloads(name).unwrap()[0].to_string();
        assert_eq!(shown("contains"), "string.(string)");
        assert_eq!(shown("optional.none"), "()");
        assert_eq!(shown("cel.@mapInsert"), "(map(any, any), any, any)");
    }
}
