//! How lists and maps merge, and which fields are kept.

use serde_json::{Value, json};

use super::shown;
use crate::change::{Change, Node, Outlook, set};
use crate::finding::{Harm, Severity, Who};
use crate::place::{list, text};
use crate::rules;
use crate::sample::Demand;

pub(super) fn list_type(node: Node<'_>) -> Vec<Change> {
    let topology = |schema: &Value| match text(schema, &["x-kubernetes-list-type"]) {
        "" => "atomic".to_owned(),
        "map" => {
            let keys = list(schema, &["x-kubernetes-list-map-keys"]).iter();
            let keys: Vec<&str> = keys.filter_map(Value::as_str).collect();
            format!("map by {}", keys.join(", "))
        }
        name => name.to_owned(),
    };
    let (old, new) = (topology(node.old), topology(node.new));
    let message = format!("list type {old} → {new}");
    if old == new {
        let outlook = Outlook::Harmless("`atomic` is what a list is without a type".to_owned());
        return vec![Change::new(
            rules::LIST_TYPE_CHANGED,
            "x-kubernetes-list-type",
            message,
            outlook,
        )];
    }
    let outlook = Outlook::Searched(Vec::new());
    let mut change = Change::new(
        rules::LIST_TYPE_CHANGED,
        "x-kubernetes-list-type",
        message,
        outlook,
    );
    let severity = match old.starts_with("map") && new.starts_with("map") {
        true => Severity::Incompatible,
        false => Severity::Risk,
    };
    let note = "server-side apply merges items and owns them otherwise; no single object shows it";
    change
        .stated
        .push(Harm::stated([Who::Meaning], severity, note));
    let items = [node.old, node.new]
        .into_iter()
        .filter_map(|it| it.get("items"));
    let item = Demand::of(items).least();
    vec![change.trying([json!([item.clone(), item])])]
}

pub(super) fn map_type(node: Node<'_>) -> Vec<Change> {
    let kind = |schema: &'_ Value| match text(schema, &["x-kubernetes-map-type"]) {
        "" => "granular".to_owned(),
        name => name.to_owned(),
    };
    let (old, new) = (kind(node.old), kind(node.new));
    let message = format!("map type {old} → {new}");
    if old == new {
        let outlook = Outlook::Harmless("`granular` is what a map is without a type".to_owned());
        return vec![Change::new(
            rules::MAP_TYPE_CHANGED,
            "x-kubernetes-map-type",
            message,
            outlook,
        )];
    }
    let mut change = Change::new(
        rules::MAP_TYPE_CHANGED,
        "x-kubernetes-map-type",
        message,
        Outlook::Searched(Vec::new()),
    );
    let note = "server-side apply merges fields and owns them otherwise; no single object shows it";
    change
        .stated
        .push(Harm::stated([Who::Meaning], Severity::Risk, note));
    vec![change]
}

pub(super) fn preserved(node: Node<'_>) -> Vec<Change> {
    let is_kept = set(node.new, "x-kubernetes-preserve-unknown-fields").is_some();
    let (message, outlook) = match is_kept {
        true => (
            "fields that the schema does not name are kept now",
            Outlook::Harmless("nothing that was kept is pruned".to_owned()),
        ),
        false => (
            "fields that the schema does not name are pruned now",
            Outlook::Searched(vec![Who::Data]),
        ),
    };
    let keyword = "x-kubernetes-preserve-unknown-fields";
    let change = Change::new(rules::UNKNOWN_FIELDS_CHANGED, keyword, message, outlook);
    let mut value = node.demand().least();
    if !value.is_object() {
        value = json!({});
    }
    value["unlisted"] = json!("value");
    vec![change.trying([value.clone(), json!([value])])]
}

pub(super) fn embedded(node: Node<'_>) -> Vec<Change> {
    let keyword = "x-kubernetes-embedded-resource";
    let (old, new) = node.both(keyword);
    let message = format!("`{keyword}`: {} → {}", shown(old), shown(new));
    let outlook = Outlook::Searched(vec![Who::Data, Who::Stored, Who::Writers]);
    let change = Change::new(rules::EMBEDDED_CHANGED, keyword, message, outlook);
    let least = node.demand().least();
    let mut whole = least.clone();
    if let Some(map) = whole.as_object_mut() {
        map.insert("apiVersion".to_owned(), json!("v1"));
        map.insert("kind".to_owned(), json!("Pod"));
        map.insert("metadata".to_owned(), json!({"name": "a"}));
    }
    vec![change.trying([json!({}), least, whole])]
}
