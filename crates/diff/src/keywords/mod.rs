//! The comparisons of keywords, in one table. A keyword without a row is compared by searching for
//! an object that shows the change.

mod bounds;
mod combinations;
mod lists;
mod texts;
mod types;
mod values;

use kube_schema::KEYWORDS;
use serde_json::Value;

use crate::change::{Change, Node, Outlook};
use crate::finding::Who;
use crate::rules;

/// Compares keywords that belong together.
struct Row {
    keywords: &'static [&'static str],
    compare: fn(Node<'_>) -> Vec<Change>,
}

const fn row(keywords: &'static [&'static str], compare: fn(Node<'_>) -> Vec<Change>) -> Row {
    Row { keywords, compare }
}

/// The keywords with a comparison of their own.
const ROWS: &[Row] = &[
    row(&["type", "x-kubernetes-int-or-string"], types::compare),
    row(&["nullable"], types::nullable),
    row(&["format"], texts::format),
    row(&["pattern"], texts::pattern),
    row(&["enum"], values::listed),
    row(&["default"], values::default),
    row(&["required"], values::required),
    row(&["maximum", "exclusiveMaximum"], |it| {
        bounds::numeric(it, ["maximum", "exclusiveMaximum"])
    }),
    row(&["minimum", "exclusiveMinimum"], |it| {
        bounds::numeric(it, ["minimum", "exclusiveMinimum"])
    }),
    row(&["multipleOf"], bounds::multiple_of),
    row(&["maxLength"], |it| {
        bounds::counted(it, "maxLength", bounds::texts)
    }),
    row(&["minLength"], |it| {
        bounds::counted(it, "minLength", bounds::texts)
    }),
    row(&["maxItems"], |it| {
        bounds::counted(it, "maxItems", bounds::lists)
    }),
    row(&["minItems"], |it| {
        bounds::counted(it, "minItems", bounds::lists)
    }),
    row(&["maxProperties"], |it| {
        bounds::counted(it, "maxProperties", bounds::objects)
    }),
    row(&["minProperties"], |it| {
        bounds::counted(it, "minProperties", bounds::objects)
    }),
    row(&["x-kubernetes-validations"], combinations::rules),
    row(&["allOf"], combinations::all_of),
    row(&["anyOf"], combinations::any_of),
    row(&["oneOf"], combinations::one_of),
    row(&["not"], combinations::not),
    row(&["x-kubernetes-preserve-unknown-fields"], lists::preserved),
    row(&["x-kubernetes-embedded-resource"], lists::embedded),
    row(
        &["x-kubernetes-list-type", "x-kubernetes-list-map-keys"],
        lists::list_type,
    ),
    row(&["x-kubernetes-map-type"], lists::map_type),
    row(
        &["description", "title", "externalDocs", "example"],
        described,
    ),
    // The parts of a node have findings of their own.
    row(&["properties", "items", "additionalProperties"], |_| {
        Vec::new()
    }),
];

/// Compares all keywords of a node.
pub(crate) fn compare(node: Node<'_>) -> Vec<Change> {
    let mut found = Vec::new();
    for row in ROWS.iter().filter(|row| node.differs(row.keywords)) {
        // Other keywords fit their own type alone.
        let is_whole = row.keywords.contains(&"type");
        let reverts = row.keywords.iter().filter(|_| !is_whole);
        let reverts: Vec<String> = reverts.map(|it| (*it).to_owned()).collect();
        found.extend((row.compare)(node).into_iter().map(|change| Change {
            reverts: reverts.clone(),
            ..change
        }));
    }
    for keyword in others(node) {
        found.push(other(node, keyword));
    }
    let is_judged = |change: &&mut Change| !matches!(change.outlook, Outlook::Harmless(_));
    let mut judged = found.iter_mut().filter(is_judged);
    if let (Some(change), None) = (judged.next(), judged.next()) {
        change.alone = true;
    }
    found
}

/// The keywords that differ and have no row.
fn others(node: Node<'_>) -> Vec<String> {
    let has_row = |name: &str| ROWS.iter().any(|row| row.keywords.contains(&name));
    let known = KEYWORDS.iter().map(|keyword| keyword.name);
    let maps = [node.old, node.new]
        .into_iter()
        .filter_map(Value::as_object);
    let own = maps.flat_map(|map| map.keys().map(String::as_str));
    let mut names: Vec<String> = known
        .chain(own)
        .filter(|name| !has_row(name) && node.differs(&[name]))
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn other(node: Node<'_>, keyword: String) -> Change {
    let (old, new) = node.both(&keyword);
    let message = format!("`{keyword}`: {} → {}", shown(old), shown(new));
    let who = vec![Who::Stored, Who::Writers];
    let change = Change::new(rules::KEYWORD_CHANGED, "", message, Outlook::Searched(who));
    Change {
        reverts: vec![keyword],
        ..change
    }
}

fn described(node: Node<'_>) -> Vec<Change> {
    let names = ["description", "title", "externalDocs", "example"];
    let names = names.into_iter().filter(|name| node.differs(&[name]));
    let names: Vec<&str> = names.collect();
    let message = format!("`{}` changed", names.join("`, `"));
    let outlook = Outlook::Harmless("only people read it".to_owned());
    let keyword = names.first().copied().unwrap_or_default();
    vec![Change::new(
        rules::DESCRIPTION_CHANGED,
        keyword,
        message,
        outlook,
    )]
}

/// A value in a message: cut if it is long.
pub(crate) fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "none".to_owned();
    };
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use kube_schema::Form;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_keyword_that_differs_is_a_change() {
        for keyword in KEYWORDS {
            let value = match keyword.name {
                "properties" | "items" | "additionalProperties" => continue,
                "type" => json!("string"),
                "x-kubernetes-validations" => json!([{"rule": "true"}]),
                "x-kubernetes-list-type" => json!("set"),
                "x-kubernetes-map-type" => json!("atomic"),
                "not" => json!({"required": ["a"]}),
                "multipleOf" => json!(2),
                _ => match keyword.form {
                    Form::Number => json!(3),
                    Form::Flag => json!(true),
                    Form::List | Form::Texts => json!(["a"]),
                    Form::Schemas => json!([{"required": ["a"]}]),
                    _ => json!("a"),
                },
            };
            let mut old = json!({});
            if keyword.name.starts_with("exclusive") {
                old = json!({"minimum": 1, "maximum": 1});
            }
            let mut new = old.clone();
            new[keyword.name] = value;
            for (old, new) in [(&old, &new), (&new, &old)] {
                let found = compare(Node { old, new });
                assert!(!found.is_empty(), "{}", keyword.name);
            }
        }
        let new = json!({"x-kubernetes-new": 1});
        assert_eq!(
            compare(Node {
                old: &json!({}),
                new: &new
            })
            .len(),
            1
        );
    }
}
