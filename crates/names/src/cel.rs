//! Names of properties in the Common Expression Language: `a-b` is `a__dash__b`, `in` is `__in__`.

/// Words that CEL keeps for itself, which properties are escaped for.
const KEYWORDS: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Whether properties of the name are escaped.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// The name of a property in CEL; none if it has characters that cannot be escaped.
#[must_use]
pub fn escaped(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__"));
    }
    let is_known = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    name.chars().all(is_known).then(|| {
        name.replace("__", "__underscores__")
            .replace('.', "__dot__")
            .replace('-', "__dash__")
            .replace('/', "__slash__")
    })
}
