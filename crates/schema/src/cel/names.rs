//! Names of properties in expressions: `a-b` is `a__dash__b`, `in` is `__in__`.

pub use kube_names::cel::{escaped, is_reserved};

/// Returns the property of an identifier: `a-b` for `a__dash__b`, `in` for `__in__`.
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
