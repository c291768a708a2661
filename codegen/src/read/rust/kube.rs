//! `#[kube(…)]` of kube-derive, as far as it shapes the resource.

use proc_macro2::TokenStream;
use serde::Deserialize;
use syn::{Attribute, Expr, ExprLit, Lit, LitBool, LitStr, Token, meta::ParseNestedMeta};

/// What `#[kube(…)]` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KubeDerive {
    /// `group`
    pub group: String,
    /// `version`
    pub version: String,
    /// `kind`
    pub kind: String,
    /// `root`: the derived struct's name, where it is not the kind's.
    pub root: Option<String>,
    /// `doc`
    pub doc: Option<String>,
    /// `plural`
    pub plural: Option<String>,
    /// `singular`
    pub singular: Option<String>,
    /// `namespaced`
    pub namespaced: bool,
    /// `no_spec`: the fields of the spec stand at the root.
    pub no_spec: bool,
    /// `derive`
    pub derives: Vec<String>,
    /// `status`: the path of the status type.
    pub status: Option<String>,
    /// `category`
    pub categories: Vec<String>,
    /// `shortname`
    pub short_names: Vec<String>,
    /// `printcolumn`
    pub columns: Vec<Column>,
    /// `selectable`
    pub selectable: Vec<String>,
    /// `scale`
    pub scale: Option<Scale>,
    /// `storage`
    pub storage: Option<bool>,
    /// `served`
    pub served: Option<bool>,
    /// `deprecated`, with its warning.
    pub deprecated: Option<String>,
    /// `annotation`
    pub annotations: Vec<(String, String)>,
    /// `label`
    pub labels: Vec<(String, String)>,
    /// `validation`: rules of the whole object.
    pub validations: Vec<String>,
}

/// A printer column, as a list of arguments or as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs, reason = "the API's own names")]
pub struct Scale {
    pub spec_replicas_path: String,
    pub status_replicas_path: String,
    pub label_selector_path: Option<String>,
}

/// The attributes of kube-derive 5 that may stand once.
const ONCE: [&str; 17] = [
    "group",
    "version",
    "kind",
    "doc",
    "root",
    "plural",
    "singular",
    "namespaced",
    "no_spec",
    "schema",
    "status",
    "scale",
    "crates",
    "cel",
    "storage",
    "served",
    "deprecated",
];

/// The attributes of kube-derive 5 that may stand several times.
const REPEATED: [&str; 9] = [
    "derive",
    "attr",
    "category",
    "shortname",
    "printcolumn",
    "selectable",
    "annotation",
    "label",
    "validation",
];

impl KubeDerive {
    /// Reads the attributes.
    ///
    /// # Errors
    ///
    /// An attribute that kube-derive does not know, or a value that it would refuse.
    pub(super) fn read(attributes: &[Attribute], item: proc_macro2::Span) -> syn::Result<Self> {
        let mut kube = Self::default();
        let mut seen = Vec::new();
        for attribute in attributes {
            if attribute.path().is_ident("kube") {
                attribute.parse_nested_meta(|meta| {
                    let name = known(&meta)?;
                    if ONCE.contains(&name) && seen.contains(&name) {
                        return Err(meta.error(format!("`{name}` of kube is given twice")));
                    }
                    seen.push(name);
                    kube.apply(name, &meta)
                })?;
            }
        }
        for (name, value) in [
            ("group", &kube.group),
            ("version", &kube.version),
            ("kind", &kube.kind),
        ] {
            if value.is_empty() {
                let message = format!("`#[kube({name} = \"…\")]` is missing");
                return Err(syn::Error::new(item, message));
            }
        }
        Ok(kube)
    }

    fn apply(&mut self, name: &str, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match name {
            "group" => self.group = text(meta)?,
            "version" => self.version = text(meta)?,
            "kind" => self.kind = text(meta)?,
            "root" => self.root = Some(text(meta)?),
            "doc" => self.doc = Some(text(meta)?),
            "plural" => self.plural = Some(text(meta)?),
            "singular" => self.singular = Some(text(meta)?),
            "namespaced" => self.namespaced = truth(meta)?,
            "no_spec" => self.no_spec = truth(meta)?,
            "derive" => self.derives.push(text(meta)?),
            "status" => self.status = Some(path(meta)?),
            "category" => self.categories.push(text(meta)?),
            "shortname" => self.short_names.push(text(meta)?),
            "printcolumn" => self.columns.push(column(meta)?),
            "selectable" => self.selectable.push(text(meta)?),
            "scale" => self.scale = Some(scale(meta)?),
            "storage" => self.storage = Some(truth(meta)?),
            "served" => self.served = Some(truth(meta)?),
            "deprecated" => {
                self.deprecated = Some(if meta.input.peek(Token![=]) {
                    text(meta)?
                } else {
                    String::new()
                });
            }
            "annotation" => self.annotations.push(pair(meta)?),
            "label" => self.labels.push(pair(meta)?),
            "validation" => self.validations.extend(rule(meta)?),
            // `attr`, `schema`, `crates` and `cel` shape nothing but kube's own output.
            _ => skip(meta)?,
        }
        Ok(())
    }
}

/// The name of an attribute.
fn known(meta: &ParseNestedMeta<'_>) -> syn::Result<&'static str> {
    let name = meta.path.get_ident().map(ToString::to_string);
    let name = name.unwrap_or_default();
    let mut known = ONCE.into_iter().chain(REPEATED);
    known.find(|known| *known == name).ok_or_else(|| {
        let help = crate::suggest::closest(&name, ONCE.into_iter().chain(REPEATED))
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        meta.error(format!("unknown attribute `{name}` of kube{help}"))
    })
}

fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

/// A flag, alone or with a value, which may be in quotes.
fn truth(meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
    if !meta.input.peek(Token![=]) {
        return Ok(true);
    }
    let value = meta.value()?;
    if value.peek(LitStr) {
        return Ok(value.parse::<LitStr>()?.parse::<LitBool>()?.value);
    }
    Ok(value.parse::<LitBool>()?.value)
}

/// A path, in quotes or not.
fn path(meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
    let value = meta.value()?;
    if value.peek(LitStr) {
        let text = value.parse::<LitStr>()?;
        text.parse::<syn::Path>()?;
        return Ok(text.value());
    }
    let path = value.parse::<syn::Path>()?;
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    Ok(segments.join("::"))
}

/// A rule as text; one built by an expression is kube's business.
fn rule(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    match meta.value()?.parse::<Expr>()? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok(Some(text.value())),
        _ => Ok(None),
    }
}

/// `("key", "value")`
fn pair(meta: &ParseNestedMeta<'_>) -> syn::Result<(String, String)> {
    let content;
    syn::parenthesized!(content in meta.input);
    let key = content.parse::<LitStr>()?.value();
    content.parse::<Token![,]>()?;
    Ok((key, content.parse::<LitStr>()?.value()))
}

fn skip(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<TokenStream>()?;
    }
    Ok(())
}

fn column(meta: &ParseNestedMeta<'_>) -> syn::Result<Column> {
    let column = if meta.input.peek(Token![=]) {
        json::<Column>(meta)?
    } else {
        let mut column = Column::default();
        meta.parse_nested_meta(|inner| {
            let name = inner.path.get_ident().map(ToString::to_string);
            match name.as_deref().unwrap_or_default() {
                "name" => column.name = text(&inner)?,
                "type_" => column.type_ = text(&inner)?,
                "json_path" => column.json_path = text(&inner)?,
                "description" => column.description = Some(text(&inner)?),
                "format" => column.format = Some(text(&inner)?),
                "priority" => {
                    let number = inner.value()?.parse::<syn::LitInt>()?;
                    column.priority = Some(number.base10_parse()?);
                }
                unknown => return Err(unknown_argument(&inner, unknown, &COLUMN)),
            }
            Ok(())
        })?;
        column
    };
    for (name, value) in [
        ("name", &column.name),
        ("type_", &column.type_),
        ("json_path", &column.json_path),
    ] {
        if value.is_empty() {
            return Err(meta.error(format!("`printcolumn` needs `{name}`")));
        }
    }
    Ok(column)
}

const COLUMN: [&str; 6] = [
    "name",
    "type_",
    "json_path",
    "description",
    "format",
    "priority",
];

const SCALE: [&str; 3] = [
    "spec_replicas_path",
    "status_replicas_path",
    "label_selector_path",
];

fn scale(meta: &ParseNestedMeta<'_>) -> syn::Result<Scale> {
    let scale = if meta.input.peek(Token![=]) {
        json::<Scale>(meta)?
    } else {
        let mut scale = Scale::default();
        meta.parse_nested_meta(|inner| {
            let name = inner.path.get_ident().map(ToString::to_string);
            match name.as_deref().unwrap_or_default() {
                "spec_replicas_path" => scale.spec_replicas_path = text(&inner)?,
                "status_replicas_path" => scale.status_replicas_path = text(&inner)?,
                "label_selector_path" => scale.label_selector_path = Some(text(&inner)?),
                unknown => return Err(unknown_argument(&inner, unknown, &SCALE)),
            }
            Ok(())
        })?;
        scale
    };
    for (name, value) in [
        ("spec_replicas_path", &scale.spec_replicas_path),
        ("status_replicas_path", &scale.status_replicas_path),
    ] {
        if value.is_empty() {
            return Err(meta.error(format!("`scale` needs `{name}`")));
        }
    }
    Ok(scale)
}

fn unknown_argument(meta: &ParseNestedMeta<'_>, unknown: &str, known: &[&str]) -> syn::Error {
    let help = crate::suggest::closest(unknown, known.iter().copied())
        .map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default();
    meta.error(format!("unknown argument `{unknown}`{help}"))
}

/// kube's older form: JSON in a text.
fn json<T: for<'de> Deserialize<'de>>(meta: &ParseNestedMeta<'_>) -> syn::Result<T> {
    let literal = meta.value()?.parse::<LitStr>()?;
    serde_json::from_str(&literal.value())
        .map_err(|error| syn::Error::new(literal.span(), format!("no such JSON: {error}")))
}
