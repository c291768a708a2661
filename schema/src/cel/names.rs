//! Names of properties in expressions: `a-b` is `a__dash__b`, `in` is `__in__`.

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

/// The property that an identifier names: `a__dash__b` is `a-b`, `__in__` is `in`.
pub(crate) fn unescaped(field: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("underscores", "__"),
        ("dot", "."),
        ("dash", "-"),
        ("slash", "/"),
    ];
    let whole = field
        .strip_prefix("__")
        .and_then(|rest| rest.strip_suffix("__"));
    if let Some(word) =
        whole.filter(|word| !word.contains("__") && WORDS.iter().all(|(name, _)| name != word))
    {
        return word.to_owned();
    }
    let mut text = String::with_capacity(field.len());
    let mut rest = field;
    while let Some((before, after)) = rest.split_once("__") {
        text.push_str(before);
        let word = WORDS.iter().find_map(|(name, sign)| {
            let after = after.strip_prefix(name)?.strip_prefix("__")?;
            Some((*sign, after))
        });
        match word {
            Some((sign, after)) => {
                text.push_str(sign);
                rest = after;
            }
            None => {
                text.push_str("__");
                rest = after;
            }
        }
    }
    text + rest
}
