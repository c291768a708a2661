//! Checks the keywords of a CRD's schema
//! (`apiextensions-apiserver/pkg/apis/apiextensions/validation`, without CEL rules).

use serde_json::Value;

use super::props::{Props, RawAdditional};
use crate::field::Path;
use crate::field::go_quote;
use crate::field::{FieldError, FieldErrorKind};
use crate::keywords::{KEYWORDS, Role};
use crate::rules::check_form::check_form;

/// Rules that depend on a node's position in the schema.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Why defaults are forbidden, if they are.
    no_defaults: Option<&'static str>,
    inside_metadata: bool,
}

/// Returns every violation.
pub(crate) fn check_openapi(root: Props<'_>, path: &Path<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if root.flag("nullable") {
        let detail = "nullable cannot be true at the root";
        errors.push(FieldError::new(
            path.field_of("nullable"),
            FieldErrorKind::Forbidden,
            detail,
        ));
    }
    Check {
        errors: &mut errors,
    }
    .node(root, path, Place::default(), true);
    errors
}

struct Check<'a> {
    errors: &'a mut Vec<FieldError>,
}

impl Check<'_> {
    fn forbid(&mut self, path: &Path<'_>, key: &str, detail: impl Into<String>) {
        self.errors.push(FieldError::new(
            path.field_of(key),
            FieldErrorKind::Forbidden,
            detail,
        ));
    }

    fn require(&mut self, path: &Path<'_>, key: &str, detail: &str) {
        self.errors.push(FieldError::new(
            path.field_of(key),
            FieldErrorKind::Required,
            detail,
        ));
    }

    fn refuse(&mut self, path: &Path<'_>, key: &str, value: impl Into<Value>, detail: &str) {
        let field = path.field_of(key);
        self.errors.push(FieldError::with_value(
            field,
            FieldErrorKind::Invalid,
            value.into(),
            detail,
        ));
    }

    fn unsupported(&mut self, path: &Path<'_>, key: &str, value: &str, allowed: &[&str]) {
        let allowed: Vec<String> = allowed.iter().map(|value| go_quote(value)).collect();
        self.errors.push(FieldError::with_value(
            path.field_of(key),
            FieldErrorKind::NotSupported,
            value.into(),
            format!("supported values: {}", allowed.join(", ")),
        ));
    }

    fn node(&mut self, props: Props<'_>, path: &Path<'_>, place: Place, root: bool) {
        self.standard(props, path, place);
        if props.flag("uniqueItems") {
            let detail =
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.forbid(path, "uniqueItems", detail);
        }
        self.below(props, path, place, root);
        if props
            .get("x-kubernetes-preserve-unknown-fields")
            .is_some_and(|value| value == false)
        {
            self.refuse(
                path,
                "x-kubernetes-preserve-unknown-fields",
                false,
                "must be true or undefined",
            );
        }
        self.map_type(props, path);
        self.list_type(props, path);
        self.list_map_keys(props, path);
        check_form(props, path, self.errors);
    }

    fn standard(&mut self, props: Props<'_>, path: &Path<'_>, place: Place) {
        const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
        let type_name = props.type_name();
        if !type_name.is_empty() && !TYPES.contains(&type_name) {
            self.unsupported(path, "type", type_name, &TYPES);
        }
        if let Some(reason) = place.no_defaults.filter(|_| props.has("default")) {
            self.forbid(path, "default", format!("must not be set {reason}"));
        }
        let refused = KEYWORDS
            .iter()
            .filter(|keyword| keyword.role == Role::Refused);
        for key in refused.map(|keyword| keyword.name) {
            if props
                .get(key)
                .is_some_and(|value| value.as_str() != Some("") || key == "$ref")
            {
                self.forbid(path, key, format!("{key} is not supported"));
            }
        }
        if type_name == "null" {
            self.forbid(
                path,
                "type",
                "type cannot be set to null, use nullable as an alternative",
            );
        }
        if !props.list("items").is_empty() {
            self.forbid(
                path,
                "items",
                "items must be a schema object and not an array",
            );
        }
        if place.inside_metadata && props.flag("x-kubernetes-embedded-resource") {
            self.forbid(
                path,
                "x-kubernetes-embedded-resource",
                "must not be used inside of resource meta",
            );
        }
    }

    fn below(&mut self, props: Props<'_>, path: &Path<'_>, place: Place, root: bool) {
        if let Some(additional) = props.additional() {
            let closed = !matches!(additional, RawAdditional::Bool(true));
            if closed && props.properties().next().is_some() {
                let detail = "additionalProperties and properties are mutual exclusive";
                self.forbid(path, "additionalProperties", detail);
            }
            if let RawAdditional::Schema(below) = additional {
                let reason = "inside additionalProperties applying to object metadata";
                let no_defaults = if place.inside_metadata {
                    Some(reason)
                } else {
                    place.no_defaults
                };
                self.node(
                    below,
                    &path.child("additionalProperties"),
                    Place {
                        no_defaults,
                        ..place
                    },
                    false,
                );
            }
        }
        let properties = path.child("properties");
        for (name, property) in props.properties() {
            let mut place = place;
            if root || props.flag("x-kubernetes-embedded-resource") {
                let reason = match name {
                    "metadata" => Some("in top-level metadata"),
                    "kind" => Some("in top-level kind"),
                    "apiVersion" => Some("in top-level apiVersion"),
                    _ => None,
                };
                place.inside_metadata |= reason.is_some();
                if root && reason.is_some() {
                    place.no_defaults = reason;
                }
            }
            self.node(property, &properties.key(name), place, false);
        }
        if let Some(not) = props.not() {
            self.node(not, &path.child("not"), place, false);
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            let list = path.child(key);
            for (i, branch) in props.branches(key).enumerate() {
                self.node(branch, &list.index(i), place, false);
            }
        }
        if let Some(items) = props.items() {
            self.node(items, &path.child("items"), place, false);
        }
    }

    fn map_type(&mut self, props: Props<'_>, path: &Path<'_>) {
        if !props.has("x-kubernetes-map-type") {
            return;
        }
        let detail = "must be object if x-kubernetes-map-type is specified";
        match props.type_name() {
            "object" => {}
            "" => self.require(path, "type", detail),
            other => self.refuse(path, "type", other, detail),
        }
        let map_type = props.text("x-kubernetes-map-type");
        if !matches!(map_type, "atomic" | "granular") {
            self.unsupported(
                path,
                "x-kubernetes-map-type",
                map_type,
                &["atomic", "granular"],
            );
        }
    }

    fn list_type(&mut self, props: Props<'_>, path: &Path<'_>) {
        if !props.has("x-kubernetes-list-type") {
            return;
        }
        let list_type = props.text("x-kubernetes-list-type");
        let detail = "must be array if x-kubernetes-list-type is specified";
        match (props.type_name(), props.items()) {
            ("", _) => self.require(path, "type", detail),
            ("array", Some(items)) if list_type == "set" => {
                self.set_items(items, &path.child("items"))
            }
            ("array", _) => {}
            (other, _) => self.refuse(path, "type", other, detail),
        }
        if !matches!(list_type, "atomic" | "set" | "map") {
            self.unsupported(
                path,
                "x-kubernetes-list-type",
                list_type,
                &["atomic", "set", "map"],
            );
        }
    }

    fn set_items(&mut self, items: Props<'_>, path: &Path<'_>) {
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let list_type = || {
            items
                .get("x-kubernetes-list-type")
                .cloned()
                .unwrap_or_default()
        };
        match items.type_name() {
            "array" if !matches!(items.text("x-kubernetes-list-type"), "" | "atomic") => {
                self.refuse(path, "x-kubernetes-list-type", list_type(), detail);
            }
            // The server also reports the list type here.
            "object" if items.text("x-kubernetes-map-type") != "atomic" => {
                self.refuse(path, "x-kubernetes-map-type", list_type(), detail);
            }
            _ => {}
        }
    }

    fn list_map_keys(&mut self, props: Props<'_>, path: &Path<'_>) {
        let keys = props.texts("x-kubernetes-list-map-keys");
        let list_type = props.text("x-kubernetes-list-type");
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match list_type {
            "map" => {}
            _ if keys.is_empty() => {}
            "" => self.require(path, "x-kubernetes-list-type", detail),
            other => self.refuse(path, "x-kubernetes-list-type", other, detail),
        }
        if list_type == "map" {
            if keys.is_empty() {
                let detail = "must not be empty if x-kubernetes-list-type is map";
                self.require(path, "x-kubernetes-list-map-keys", detail);
            }
            match props.items() {
                None => self.require(
                    path,
                    "items",
                    "must have a schema if x-kubernetes-list-type is map",
                ),
                Some(items) => self.map_items(items, &keys, path),
            }
        }
        if let Some(items) = props.items().filter(|_| matches!(list_type, "set" | "map")) {
            self.identifiable_items(items, list_type, &keys, &path.child("items"));
        }
    }

    fn map_items(&mut self, items: Props<'_>, keys: &[&str], path: &Path<'_>) {
        let here = path.child("items");
        if items.type_name() != "object" {
            let detail = "must be object if parent array's x-kubernetes-list-type is map";
            self.refuse(&here, "type", items.type_name(), detail);
            return;
        }
        let shown = || Value::from(keys.iter().map(|key| Value::from(*key)).collect::<Vec<_>>());
        let properties = here.child("properties");
        for (i, key) in keys.iter().enumerate() {
            match items.property(key).map(Props::type_name) {
                Some("array" | "object") => {
                    let detail =
                        "must be a scalar type if parent array's x-kubernetes-list-type is map";
                    self.refuse(&properties.key(key), "type", items.type_name(), detail);
                }
                Some(_) => {}
                None => {
                    let detail = "entries must all be names of item properties";
                    self.refuse(path, "x-kubernetes-list-map-keys", shown(), detail);
                }
            }
            if keys.iter().take(i).any(|before| before == key) {
                self.refuse(
                    path,
                    "x-kubernetes-list-map-keys",
                    shown(),
                    "must not contain duplicate entries",
                );
            }
        }
    }

    fn identifiable_items(
        &mut self,
        items: Props<'_>,
        list_type: &str,
        keys: &[&str],
        path: &Path<'_>,
    ) {
        if items.flag("nullable") {
            let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
            self.forbid(path, "nullable", detail);
        }
        if list_type != "map" {
            return;
        }
        let required = items.texts("required");
        let properties = path.child("properties");
        for key in keys {
            let Some(property) = items.property(key) else {
                continue;
            };
            if !required.contains(key) && !property.has("default") {
                let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
                self.require(&properties.key(key), "default", detail);
            }
            if property.flag("nullable") {
                let detail =
                    "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
                self.forbid(&properties.key(key), "nullable", detail);
            }
        }
    }
}
