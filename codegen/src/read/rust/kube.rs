//! kube-derive's `#[kube(…)]`, as far as it determines the resource.

use darling::{Error, FromAttributes, FromMeta, ast::NestedMeta, util::Ignored};
use serde::{Deserialize, de::DeserializeOwned};
use syn::{Attribute, Lit, Meta};

use super::syntax::ident_text;

/// The attributes of kube-derive 5 in `#[kube(…)]`.
#[derive(Clone, Debug, FromAttributes)]
#[darling(attributes(kube))]
pub struct KubeDerive {
    /// `group`
    pub group: String,
    /// `version`
    pub version: String,
    /// `kind`
    pub kind: String,
    /// `root`: the name of the derived struct, if different from the kind.
    pub root: Option<String>,
    /// `struct`, the name of `root` in kube before 0.87.
    #[darling(rename = "struct")]
    pub struct_: Option<String>,
    /// `doc`
    pub doc: Option<String>,
    /// `plural`
    pub plural: Option<String>,
    /// `singular`
    pub singular: Option<String>,
    /// `namespaced`
    #[darling(default)]
    pub namespaced: bool,
    /// `no_spec`: the fields of the spec are at the root.
    #[darling(default)]
    pub no_spec: bool,
    /// `derive`
    #[darling(multiple, rename = "derive")]
    pub derives: Vec<String>,
    /// `status`: the path of the status type.
    #[darling(default, with = path, map = Some)]
    pub status: Option<String>,
    /// `category`
    #[darling(multiple, rename = "category")]
    pub categories: Vec<String>,
    /// `shortname`
    #[darling(multiple, rename = "shortname")]
    pub short_names: Vec<String>,
    /// `printcolumn`: one column or several in each.
    #[darling(multiple, rename = "printcolumn", with = several_columns)]
    columns: Vec<Vec<Column>>,
    /// `selectable`
    #[darling(multiple)]
    pub selectable: Vec<String>,
    /// `scale`
    #[darling(default, with = list_or_json, map = Some)]
    pub scale: Option<Scale>,
    /// `schema`
    #[darling(default)]
    pub schema: SchemaMode,
    /// `storage`
    pub storage: Option<bool>,
    /// `served`
    pub served: Option<bool>,
    /// `deprecated`, with its warning.
    #[darling(default, with = flag_or_text, map = Some)]
    pub deprecated: Option<String>,
    /// `annotation`
    #[darling(multiple, rename = "annotation", with = pair)]
    pub annotations: Vec<(String, String)>,
    /// `label`
    #[darling(multiple, rename = "label", with = pair)]
    pub labels: Vec<(String, String)>,
    #[darling(flatten)]
    _ignored: IgnoredAttributes,
}

impl KubeDerive {
    /// Returns the name of the struct that kube derives for objects.
    #[must_use]
    pub fn root_name(&self) -> &str {
        let named = self.root.as_deref().or(self.struct_.as_deref());
        named.unwrap_or(&self.kind)
    }

    /// Returns the printer columns.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().flatten()
    }
}

/// Where the schema of the derived struct comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromMeta)]
pub enum SchemaMode {
    /// From its fields.
    #[default]
    Derived,
    /// From an implementation by hand.
    Manual,
    /// There is none: another project writes the CRD.
    Disabled,
}

/// Attributes that affect only kube's own output.
#[derive(Clone, Debug, FromMeta)]
#[allow(dead_code, reason = "known, and not read")]
struct IgnoredAttributes {
    #[darling(multiple)]
    attr: Vec<Ignored>,
    // Rules for the whole object: `Item::kube_rules` holds them, with their places.
    #[darling(multiple)]
    validation: Vec<Ignored>,
    #[darling(multiple)]
    rule: Vec<Ignored>,
    #[darling(default)]
    crates: Ignored,
    #[darling(default)]
    cel: Ignored,
    #[darling(default, with = stable_definitions)]
    apiextensions: (),
}

/// A printer column, as a list of arguments or as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, FromMeta)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the API's own names")]
pub struct Column {
    pub name: String,
    #[serde(rename = "type", alias = "type_")]
    pub type_: String,
    pub json_path: String,
    pub description: Option<String>,
    pub format: Option<String>,
    pub priority: Option<i32>,
}

/// The scale subresource, as a list of arguments or as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, FromMeta)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the API's own names")]
pub struct Scale {
    pub spec_replicas_path: String,
    pub status_replicas_path: String,
    pub label_selector_path: Option<String>,
}

impl KubeDerive {
    /// Reads the attributes.
    ///
    /// # Errors
    ///
    /// An attribute is unknown to kube-derive, a required one is missing, or kube-derive would
    /// reject a value.
    pub(super) fn read(attributes: &[Attribute], item: proc_macro2::Span) -> syn::Result<Self> {
        Self::from_attributes(attributes).map_err(|errors| {
            let errors = errors.flatten().into_iter().map(|error| {
                let error = error.with_span(&item);
                let text = error.to_string();
                let missing = text.strip_prefix("Missing field `");
                let missing = missing.and_then(|rest| rest.strip_suffix('`'));
                let advice = missing.map(|name| format!(": add `{name} = \"…\"`"));
                let advice = advice.unwrap_or_default();
                syn::Error::new(
                    error.span(),
                    format!("invalid `#[kube(…)]`: {text}{advice}"),
                )
            });
            let combined = errors.reduce(|mut first, next| {
                first.combine(next);
                first
            });
            combined.unwrap_or_else(|| syn::Error::new(item, "invalid `#[kube(…)]`"))
        })
    }
}

/// Parses the version of CRDs themselves, which kube-derive before 0.58 let choose.
fn stable_definitions(meta: &Meta) -> darling::Result<()> {
    match String::from_meta(meta)?.as_str() {
        "v1" => Ok(()),
        _ => Err(
            Error::custom("Kubernetes no longer has CRDs of this version: write \"v1\"")
                .with_span(meta),
        ),
    }
}

/// Parses a path, with or without quotes.
fn path(meta: &Meta) -> darling::Result<String> {
    let path = syn::Path::from_meta(meta)?;
    let segments: Vec<String> = path.segments.iter().map(|s| ident_text(&s.ident)).collect();
    Ok(segments.join("::"))
}

/// Parses `(name = "…", …)`, or kube's older form: JSON in a string.
fn list_or_json<T: FromMeta + DeserializeOwned>(meta: &Meta) -> darling::Result<T> {
    let Meta::NameValue(value) = meta else {
        return T::from_meta(meta).map_err(|errors| {
            let errors = errors.flatten().into_iter();
            Error::multiple(errors.map(|error| error.with_span(meta)).collect())
        });
    };
    of_json(&String::from_meta(meta)?, &value.value)
}

/// Parses a printer column. In its older form, a string may hold several, between commas.
fn several_columns(meta: &Meta) -> darling::Result<Vec<Column>> {
    let Meta::NameValue(value) = meta else {
        return Ok(vec![list_or_json(meta)?]);
    };
    of_json(&format!("[{}]", String::from_meta(meta)?), &value.value)
}

fn of_json<T: DeserializeOwned>(text: &str, at: &syn::Expr) -> darling::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::custom(format!("invalid JSON: {error}")).with_span(at))
}

/// Parses a flag with an optional string.
fn flag_or_text(meta: &Meta) -> darling::Result<String> {
    match meta {
        Meta::Path(_) => Ok(String::new()),
        _ => String::from_meta(meta),
    }
}

/// Parses `("key", "value")`.
fn pair(meta: &Meta) -> darling::Result<(String, String)> {
    let list = NestedMeta::parse_meta_list(meta.require_list()?.tokens.clone())?;
    match list.as_slice() {
        [
            NestedMeta::Lit(Lit::Str(key)),
            NestedMeta::Lit(Lit::Str(value)),
        ] => Ok((key.value(), value.value())),
        _ => Err(Error::custom("expected (\"key\", \"value\")").with_span(meta)),
    }
}
