//! Derives of `Default` other than Rust's own: those of educe, derivative and smart-default.

use syn::{Attribute, Expr, Meta, Token, punctuated::Punctuated};

use super::{literal::Literal, syntax::ident_text};

/// The derives, each with the attribute that it reads.
const DERIVES: [(&str, &str); 3] = [
    ("Derivative", "derivative"),
    ("Educe", "educe"),
    ("SmartDefault", "default"),
];

/// The attribute of the derive that implements `Default` for a type, if one does.
pub(super) fn attribute_of(derives: &[String], attributes: &[Attribute]) -> Option<&'static str> {
    let found = DERIVES
        .iter()
        .find(|(derive, _)| derives.iter().any(|it| it == derive));
    let (_, attribute) = found?;
    let is_meant = |it: &Attribute| argument(it, attribute).is_some();
    (*attribute == "default" || attributes.iter().any(is_meant)).then_some(attribute)
}

/// Whether an attribute chooses a variant.
pub(super) fn chooses(attribute: &Attribute) -> bool {
    let mut names = ["derivative", "educe"].into_iter();
    names.any(|name| argument(attribute, name).is_some())
}

/// Returns the `Default` value of a struct, unless all of its fields have that of their type.
pub(super) fn of_fields(fields: &syn::Fields, attribute: &str) -> Option<Literal> {
    let syn::Fields::Named(fields) = fields else {
        return None;
    };
    let own = |field: &syn::Field| {
        let mut own = field.attrs.iter().filter_map(|it| value(it, attribute));
        own.next()
    };
    let values: Vec<_> = fields.named.iter().map(own).collect();
    if values.iter().all(Option::is_none) {
        return None;
    }
    let of_type = || Literal::Named(vec!["Default".to_owned(), "default".to_owned()]);
    let fields = fields.named.iter().zip(values).map(|(field, own)| {
        let name = field.ident.as_ref().map(ident_text).unwrap_or_default();
        (name, own.unwrap_or_else(of_type))
    });
    Some(Literal::Struct(fields.collect(), None))
}

/// The argument `Default` of an attribute of educe or derivative.
fn argument(attribute: &Attribute, name: &str) -> Option<Meta> {
    if !attribute.path().is_ident(name) {
        return None;
    }
    let arguments = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let mut arguments = arguments.ok()?.into_iter();
    arguments.find(|it| it.path().is_ident("Default"))
}

/// The value that an attribute gives a field.
fn value(attribute: &Attribute, name: &str) -> Option<Literal> {
    let given = match name {
        "default" if attribute.path().is_ident(name) => attribute.meta.clone(),
        "default" => return None,
        _ => argument(attribute, name)?,
    };
    match given {
        Meta::Path(_) => None,
        Meta::NameValue(given) => Some(Literal::of(&given.value)),
        // `default(3)`, `Default(expression = 3)`, `Default(value = "3")`
        Meta::List(given) => Some(match given.parse_args::<Expr>() {
            Ok(Expr::Assign(assigned)) => match Literal::of(&assigned.right).text() {
                Some(code) if name == "derivative" => {
                    syn::parse_str(&code).map_or(Literal::Unknown, |code| Literal::of(&code))
                }
                Some(text) => Literal::Known(text.into()),
                None => Literal::of(&assigned.right),
            },
            Ok(expression) => Literal::of(&expression),
            Err(_) => Literal::Unknown,
        }),
    }
}
