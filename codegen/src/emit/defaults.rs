//! `zz_generated_defaults.rs`: the defaults of objects, gated by the crate's feature `defaults`.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::{Map, Value};

use super::{
    Emit, Files,
    context::{api_version, docs, ident, json_literal, module_docs},
    manifests,
};
use crate::model::{Group, Resource, Version, names};

/// The keywords that decide where defaults are set.
const KEYWORDS: [&str; 6] = [
    "type",
    "nullable",
    "default",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
    "x-kubernetes-embedded-resource",
];

/// Emits the file beside the types of every version.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    for (group, version) in cx.api.versions() {
        files.rust(format!("{}/zz_generated_defaults.rs", version.dir), || {
            emit_file(cx, group, version)
        });
    }
}

/// ```ignore
/// impl defaults::DefaultFields for super::VirtualMachine {
///     fn defaults() -> &'static defaults::Defaults {
///         static DEFAULTS: LazyLock<defaults::Defaults> = LazyLock::new(|| defaults::of_schema(r#"{…}"#));
///         &DEFAULTS
///     }
/// }
/// ```
fn emit_file(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let docs = module_docs(&format!(
        "Defaults of objects of `{}`.",
        api_version(group, version)
    ));
    let resources = version.resources.iter();
    let items = resources.filter_map(|resource| {
        let found = manifests::version_of(cx.api, group, version, resource, cx.options)?;
        let schema = found.pointer("/schema/openAPIV3Schema")?;
        let json = json_literal(&outline(schema, Within::Optional).unwrap_or_else(object));
        Some(emit_kind(cx, group, version, resource, &json))
    });
    let items: Vec<TokenStream> = items.collect();
    let imports = (!items.is_empty()).then(|| {
        let runtime = cx.runtime();
        quote! {
            use ::std::sync::LazyLock;

            use #runtime::defaults;
        }
    });
    quote! {
        #docs
        #![cfg(feature = "defaults")]
        #imports
        #(#items)*
    }
}

/// For a type of another crate, which alone can implement traits for it:
///
/// ```ignore
/// /// The defaults of [`VirtualMachine`](super::VirtualMachine), a type of another crate.
/// pub fn virtual_machine_defaults() -> &'static defaults::Defaults { /* … */ }
/// ```
fn emit_kind(
    cx: &Emit<'_>,
    group: &Group,
    version: &Version,
    resource: &Resource,
    json: &proc_macro2::Literal,
) -> TokenStream {
    let body = quote! {
        static DEFAULTS: LazyLock<defaults::Defaults> = LazyLock::new(|| defaults::of_schema(#json));
        &DEFAULTS
    };
    let root = &resource.root;
    if version.is_elsewhere(resource) {
        let docs = docs(&format!(
            "The defaults of [`{root}`](super::{root}), a type of another crate."
        ));
        let name = ident(&format!("{}_defaults", names::snake_case(root)));
        return quote! {
            #docs
            #[must_use]
            pub fn #name() -> &'static defaults::Defaults {
                #body
            }
        };
    }
    let root = ident(root);
    let implementation = quote! {
        impl defaults::DefaultFields for super::#root {
            fn defaults() -> &'static defaults::Defaults {
                #body
            }
        }
    };
    cx.behind_kind(group, version, resource, implementation)
}

/// Where a schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Within a schema with a default, whose values it describes.
    Default,
    /// Elsewhere: without a default it is of no use.
    Optional,
}

/// What of a schema decides where defaults are set; `None` if there are none in it.
fn outline(schema: &Value, within: Within) -> Option<Value> {
    let schema = schema.as_object()?;
    let below = match schema.contains_key("default") {
        true => Within::Default,
        false => within,
    };
    let mut kept = Map::new();
    let mut has_some = below == Within::Default;
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let properties = properties.iter();
        let properties: Map<String, Value> = properties
            .filter_map(|(name, property)| Some((name.clone(), outline(property, below)?)))
            .collect();
        if !properties.is_empty() {
            has_some = true;
            kept.insert("properties".to_owned(), Value::Object(properties));
        }
    }
    for key in ["items", "additionalProperties"] {
        match schema.get(key) {
            Some(Value::Bool(any)) => {
                kept.insert(key.to_owned(), Value::Bool(*any));
            }
            Some(inner) => {
                // Structural schemas say what items are.
                let found = outline(inner, below);
                has_some |= found.is_some();
                let shape = || outline(inner, Within::Default);
                kept.extend(found.or_else(shape).map(|inner| (key.to_owned(), inner)));
            }
            None => {}
        }
    }
    let keywords = KEYWORDS.iter();
    kept.extend(keywords.filter_map(|key| Some(((*key).to_owned(), schema.get(*key)?.clone()))));
    has_some.then_some(Value::Object(kept))
}

/// The outline of a kind without defaults.
fn object() -> Value {
    serde_json::json!({"type": "object"})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_leads_to_defaults_or_describes_them_is_kept() {
        let schema = json!({"type": "object", "required": ["spec"], "properties": {
            "metadata": {"type": "object"},
            "spec": {"type": "object", "properties": {
                "size": {"type": "integer", "minimum": 0, "default": 1},
                "name": {"type": "string", "pattern": "a"},
                "look": {"type": "object", "default": {"color": "red"}, "properties": {"color": {"type": "string", "enum": ["red"]}}},
                "parts": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {
                    "count": {"type": "integer", "default": 2}, "note": {"type": "string"},
                }}},
                "tags": {"type": "array", "items": {"type": "string"}},
            }},
        }});
        let expected = json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "size": {"type": "integer", "default": 1},
                "look": {"type": "object", "default": {"color": "red"}, "properties": {"color": {"type": "string"}}},
                "parts": {"type": "array", "items": {"type": "object", "properties": {"count": {"type": "integer", "default": 2}}}},
            }},
        }});
        assert_eq!(outline(&schema, Within::Optional), Some(expected));
        let without = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(outline(&without, Within::Optional), None);
    }
}
