//! Checks of one value of a schema: each returns what is wrong with it.

use serde_json::{Value, json};

use super::walk::{Field, properties, required};
use crate::model::{GoValue, TypeRef};

/// Names of fields that hold what belongs into a Secret, in lower case.
const SECRETS: [&str; 6] = [
    "password",
    "passwd",
    "token",
    "apikey",
    "secretkey",
    "privatekey",
];

pub(super) fn list_type(field: &Field<'_>) -> Option<String> {
    // A list that is not a property has no place for a marker.
    if field.ty() != "array" || !field.is_property {
        return None;
    }
    let is_object = field.schema["items"]["type"] == "object";
    match field.text("x-kubernetes-list-type") {
        "" => Some("the list has no type, so that server-side apply replaces it as a whole".to_owned()),
        "set" if is_object => Some("the list of objects is a `set`: its items are merged as a whole, and compared as a whole".to_owned()),
        _ => None,
    }
}

/// Conditions of a status, also of a part of it.
pub(super) fn conditions(field: &Field<'_>) -> Option<String> {
    let items = &field.schema["items"]["properties"];
    let is_of_status = field.path == "status.conditions"
        || field.path.starts_with("status.")
            && !items["type"].is_null()
            && !items["status"].is_null();
    if field.name != "conditions" || !field.is_property || !is_of_status {
        return None;
    }
    let fields = ["type", "status", "lastTransitionTime", "reason", "message"];
    let missing = fields.iter().find(|&&name| items[name].is_null());
    let is_map = field.text("x-kubernetes-list-type") == "map"
        && field.schema["x-kubernetes-list-map-keys"] == json!(["type"]);
    match missing {
        Some(name) => Some(format!(
            "a condition has no `{name}`: clients such as `kubectl wait` expect metav1.Condition"
        )),
        None if !is_map => Some("the list of conditions is not a map with the key `type`: two controllers overwrite each other's".to_owned()),
        None => None,
    }
}

/// A list of objects none of which has a field that is required.
pub(super) fn items(field: &Field<'_>) -> Option<String> {
    let items = &field.schema["items"];
    let is_own = || field.declared().is_none_or(|it| !is_foreign(&it.ty));
    let has_own = properties(items).next().is_some() && required(items).next().is_none();
    (field.ty() == "array" && has_own && is_own()).then(|| {
        "no field of the items is required: lists that differ by a `-` in YAML are all valid"
            .to_owned()
    })
}

/// Whether the values are of a type from elsewhere, for which its own project answers.
fn is_foreign(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::List(inner)
        | TypeRef::Map(inner)
        | TypeRef::Optional(inner)
        | TypeRef::Boxed(inner) => is_foreign(inner),
        TypeRef::Known(_) | TypeRef::External(_) | TypeRef::Verbatim(_) => true,
        _ => false,
    }
}

pub(super) fn integers(field: &Field<'_>) -> Option<String> {
    let format = field.text("format");
    if field.ty() != "integer" || field.has("x-kubernetes-int-or-string") {
        return None;
    }
    // Go's unsigned integers have the formats of signed ones.
    match (format, field.go()) {
        (_, GoValue::Unsigned) => {
            Some("the integer is unsigned, which few languages have".to_owned())
        }
        ("int32" | "int64", _) => None,
        ("", _) => Some("the integer has no format: clients do not know its width".to_owned()),
        (format, _) => Some(format!(
            "the integer has the format `{format}`, which few clients know"
        )),
    }
}

pub(super) fn floats(field: &Field<'_>) -> Option<String> {
    (field.ty() == "number").then(|| {
        "the number may have a fraction, which encoders of different languages round differently"
            .to_owned()
    })
}

pub(super) fn maps(field: &Field<'_>) -> Option<String> {
    let values = field.schema.get("additionalProperties")?;
    let ty = values["type"].as_str().unwrap_or_default();
    let is_text = ty == "string" || values["x-kubernetes-int-or-string"] == true;
    (values.is_object() && !is_text).then(|| {
        "the map holds more than text: its values have no name, and no order for merging".to_owned()
    })
}

pub(super) fn durations(field: &Field<'_>) -> Option<String> {
    // The schema of Go's durations is that of any text or number.
    let is_go = ["string", "integer"].contains(&field.ty()) && field.go() == GoValue::Duration;
    let is_text = field.ty() == "string";
    (is_go || field.text("format") == "duration").then(|| {
        match is_text {
            true => "the duration is text in Go's form (`1h30m`), which each client has to parse",
            false => "the duration is in nanoseconds, which its name does not say",
        }
        .to_owned()
    })
}

pub(super) fn names(field: &Field<'_>) -> Option<String> {
    let mut letters = field.name.chars();
    let is_camel = letters
        .next()
        .is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|letter| letter.is_ascii_alphanumeric());
    (field.is_property && !is_camel).then(|| format!("`{}` is not in lower camel case", field.name))
}

pub(super) fn phases(field: &Field<'_>) -> Option<String> {
    let is_phase = field.name.to_lowercase().contains("phase");
    (field.is_property && is_phase).then(|| {
        format!(
            "`{}` is a state of a machine: clients break when a value is added",
            field.name
        )
    })
}

pub(super) fn references(field: &Field<'_>) -> Option<String> {
    let name = field.name;
    let short = name
        .replace("References", "Refs")
        .replace("Reference", "Ref");
    (field.is_property && short != name).then(|| format!("`{name}` is `{short}` in other APIs"))
}

pub(super) fn timestamps(field: &Field<'_>) -> Option<String> {
    let name = field.name;
    let is_stamp = name.to_lowercase().contains("timestamp");
    let short = name
        .replace("TimeStamp", "Time")
        .replace("Timestamp", "Time");
    (field.is_property && is_stamp).then(|| format!("`{name}` is `{short}` in other APIs"))
}

pub(super) fn nullable(field: &Field<'_>) -> Option<String> {
    (field.schema["nullable"] == true).then(|| {
        "null and absent are two values that mean one thing, and clients drop one of them"
            .to_owned()
    })
}

pub(super) fn bools(field: &Field<'_>) -> Option<String> {
    (field.ty() == "boolean")
        .then(|| "a boolean cannot get a third value in a later release".to_owned())
}

pub(super) fn defaults(field: &Field<'_>) -> Option<String> {
    (field.has("default") && field.is_required()).then(|| {
        "it is required and has a default: the default is set first, so nobody has to write it"
            .to_owned()
    })
}

/// Whether Rust can make a value of the field's type without being told how.
pub(super) fn has_default(field: &Field<'_>) -> bool {
    let plain = |ty: &TypeRef| {
        !matches!(
            ty,
            TypeRef::Local(_) | TypeRef::External(_) | TypeRef::Verbatim(_)
        ) && !matches!(ty, TypeRef::Boxed(_) | TypeRef::Known(_))
    };
    let declared = field.declared();
    declared.is_some_and(|it| it.go.is_some() || plain(&it.ty))
}

pub(super) fn descriptions(field: &Field<'_>) -> Option<String> {
    (field.is_property && field.text("description").trim().is_empty())
        .then(|| "there is no description: `kubectl explain` shows an empty line".to_owned())
}

pub(super) fn description_start(field: &Field<'_>) -> Option<String> {
    let text = field.text("description").trim_start();
    let first = text.split_whitespace().next()?;
    let is_name = first.trim_end_matches([':', ',', '.']) == field.name;
    (field.is_property && !is_name).then(|| {
        format!(
            "the description starts with `{first}`, not with `{}`",
            field.name
        )
    })
}

pub(super) fn untyped(field: &Field<'_>) -> Option<String> {
    let is_open = field.schema["x-kubernetes-preserve-unknown-fields"] == true;
    let is_embedded = field.schema["x-kubernetes-embedded-resource"] == true;
    (is_open && !is_embedded).then(|| "anything is stored here, unchecked".to_owned())
}

pub(super) fn enums(field: &Field<'_>) -> Option<String> {
    let values = field.schema["enum"].as_array()?;
    let is_pascal = |text: &str| {
        let is_word = text.chars().all(|letter| letter.is_ascii_alphanumeric());
        text.is_empty() || is_word && text.starts_with(|first: char| first.is_ascii_uppercase())
    };
    let odd = values
        .iter()
        .filter_map(Value::as_str)
        .find(|text| !is_pascal(text))?;
    Some(format!("the value `{odd}` is not in upper camel case"))
}

pub(super) fn unions(field: &Field<'_>) -> Option<String> {
    let members = field.schema["oneOf"].as_array();
    let listed = members.is_some_and(|members| {
        members.len() > 1 && members.iter().all(|member| required(member).count() == 1)
    });
    let rules = field.schema["x-kubernetes-validations"].as_array();
    let mut rules = rules.into_iter().flatten();
    let counted = rules.any(|rule| rule["rule"].as_str().is_some_and(counts_fields));
    let has_enum = properties(field.schema).any(|(name, below)| {
        below.get("enum").is_some() && required(field.schema).any(|it| it == name)
    });
    ((listed || counted) && !has_enum).then(|| {
        "one of several fields is set, and no field says which: a client that does not know a new one sees none"
            .to_owned()
    })
}

/// Whether a rule in CEL is that of `+kubebuilder:validation:ExactlyOneOf` and its like.
fn counts_fields(rule: &str) -> bool {
    let is_of_fields = rule.starts_with("[has(self.");
    is_of_fields
        && [".size() == 1", ".size() <= 1"]
            .iter()
            .any(|end| rule.ends_with(end))
}

pub(super) fn unbounded_rules(field: &Field<'_>) -> Option<String> {
    (field.has("x-kubernetes-validations") && !field.is_bounded).then(|| {
        "a rule in CEL runs for each item of a list or map without a bound, which counts against the limit of costs"
            .to_owned()
    })
}

pub(super) fn unreached_defaults(field: &Field<'_>) -> Option<String> {
    let is_optional = field.is_property && !field.is_required() && !field.has("default");
    let default = properties(field.schema).find(|(_, below)| below.get("default").is_some());
    let (name, _) = default.filter(|_| is_optional && field.ty() == "object")?;
    Some(format!(
        "the default of `{name}` is only set in objects that have `{}`",
        field.name
    ))
}

pub(super) fn secrets(field: &Field<'_>) -> Option<String> {
    let name = field.name.to_lowercase();
    let is_secret = SECRETS.iter().any(|secret| name.ends_with(secret));
    let is_in_spec = field.path.starts_with("spec");
    (field.is_property && is_in_spec && field.ty() == "string" && is_secret).then(|| {
        format!(
            "`{}` looks like a secret, and everybody who may read the object can read it",
            field.name
        )
    })
}
