//! What only the user can decide: a trait with a function for each such field.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::{
    Emit,
    context::{docs, ident, path},
    reference,
};
use crate::{
    conversion::{How, Plan, Rule, Side, plans},
    model::{Group, TypeRef, Version, names},
};

/// What the user has to write for the conversion of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undecided {
    /// The kind.
    pub(crate) kind: String,
    /// The version that has the trait.
    pub(crate) spoke: String,
    /// The version that is stored.
    pub(crate) hub: String,
    /// The name of the trait.
    pub(crate) name: String,
    /// The names of its functions.
    pub(crate) functions: Vec<String>,
}

/// A function of the trait: the type of its argument and of its result.
struct Function<'a> {
    name: Ident,
    docs: String,
    argument: (Side, Argument<'a>),
    result: (Side, &'a TypeRef),
}

enum Argument<'a> {
    /// The value of a field.
    Value(&'a TypeRef),
    /// The object that would have the field.
    Object(&'a str),
}

/// ```ignore
/// /// What rules cannot decide in the conversion of `Order` between v1beta1 and v1.
/// #[diagnostic::on_unimplemented(message = "…", label = "…", note = "…")]
/// pub trait OrderConversion {
///     /// Converts `seconds` of `OrderSpec` to `timeout`.
///     fn order_spec_seconds_to_hub(value: i64) -> Result<String, conversion::BoxError>;
/// }
/// ```
///
/// Nothing if there is nothing to decide.
pub(super) fn emit(cx: &Emit<'_>, plan: &Plan<'_>) -> Option<TokenStream> {
    let functions = functions_of(plan);
    let names: Vec<String> = functions
        .iter()
        .map(|it| format!("`{}`", it.name))
        .collect();
    if names.is_empty() {
        return None;
    }
    let name = trait_ident(plan);
    let kind = &plan.spoke.resource.kind;
    let (from, to) = (&plan.spoke.version.name, &plan.hub.version.name);
    let about = docs(&format!(
        "What rules cannot decide in the conversion of `{kind}` between {from} and {to}: implement it for the `{kind}` of {from}."
    ));
    let message = format!("the conversion of {kind} between {from} and {to} is not decided");
    let label = format!("implement `{name}` for this type");
    let note = format!("rules cannot decide {}", names.join(", "));
    let methods = functions.iter().map(|it| method(cx, plan, it));
    Some(quote! {
        #about
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #name {
            #(#methods)*
        }
    })
}

/// ```ignore
/// Rule::called(
///     "seconds",
///     "timeout",
///     |value| conversion::call(value, <super::Order as OrderConversion>::order_spec_seconds_to_hub),
///     |value| conversion::call(value, <super::Order as OrderConversion>::order_spec_seconds_from_hub),
/// )
/// ```
pub(super) fn emit_rule(plan: &Plan<'_>, types: [&str; 2], rule: &Rule<'_>) -> TokenStream {
    let (root, decisions) = (ident(&plan.spoke.resource.root), trait_ident(plan));
    let [spoke, hub] = &rule.paths;
    let functions = functions(plan, types, rule);
    let calls = functions.iter().map(|Function { name, .. }| {
        quote!(|value| conversion::call(value, <super::#root as #decisions>::#name))
    });
    match rule.how {
        How::Made(of, _) => {
            let of = super::side(of);
            quote!(Rule::made(#of, #hub, #(#calls),*))
        }
        _ => quote!(Rule::called(#spoke, #hub, #(#calls),*)),
    }
}

fn trait_ident(plan: &Plan<'_>) -> Ident {
    let kind = names::upper_camel(&plan.spoke.resource.kind);
    ident(&format!("{kind}Conversion"))
}

/// The functions that a plan needs.
fn functions_of<'a>(plan: &Plan<'a>) -> Vec<Function<'a>> {
    let mut found = Vec::new();
    for table in &plan.tables {
        for rule in &table.rules {
            found.extend(functions(plan, table.types, rule));
        }
    }
    found
}

/// What the conversions of a group's kinds leave to the user.
pub(crate) fn undecided(group: &Group) -> Vec<Undecided> {
    let plans = plans(group);
    let undecided = plans.iter().map(|plan| Undecided {
        kind: plan.spoke.resource.kind.clone(),
        spoke: plan.spoke.version.name.clone(),
        hub: plan.hub.version.name.clone(),
        name: trait_ident(plan).to_string(),
        functions: functions_of(plan)
            .iter()
            .map(|it| it.name.to_string())
            .collect(),
    });
    undecided.filter(|it| !it.functions.is_empty()).collect()
}

/// The functions that a rule needs.
fn functions<'a>(plan: &Plan<'_>, types: [&'a str; 2], rule: &Rule<'a>) -> Vec<Function<'a>> {
    let name_of = |side: Side| plan.side(side).version.name.as_str();
    let [spoke, hub] = &rule.paths;
    let about = |side: Side, field: &str| {
        format!("`{field}` of `{}` in {}", of(types, side), name_of(side))
    };
    match rule.how {
        How::Called([own, stored]) => {
            let (here, there) = (about(Side::Spoke, spoke), about(Side::Hub, hub));
            let name = |direction: &str| function_ident(plan, types, Side::Spoke, spoke, direction);
            vec![
                Function {
                    name: name("to_hub"),
                    docs: format!("Converts {here} to {there}."),
                    argument: (Side::Spoke, Argument::Value(own)),
                    result: (Side::Hub, stored),
                },
                Function {
                    name: name("from_hub"),
                    docs: format!("Converts {there} to {here}."),
                    argument: (Side::Hub, Argument::Value(stored)),
                    result: (Side::Spoke, own),
                },
            ]
        }
        How::Made(side, field) => {
            let direction = match side {
                Side::Hub => "to_hub",
                Side::Spoke => "from_hub",
            };
            let source = side.other();
            vec![Function {
                name: function_ident(plan, types, side, hub, direction),
                docs: format!(
                    "Makes {}, which must be there, of what {} has.",
                    about(side, hub),
                    name_of(source)
                ),
                argument: (source, Argument::Object(of(types, source))),
                result: (side, &field.ty),
            }]
        }
        _ => Vec::new(),
    }
}

fn of([spoke, hub]: [&str; 2], side: Side) -> &str {
    match side {
        Side::Spoke => spoke,
        Side::Hub => hub,
    }
}

/// The name of a function, `order_spec_size_to_hub`: that of the side's type, and of the other type if it has several counterparts.
fn function_ident(
    plan: &Plan<'_>,
    types: [&str; 2],
    side: Side,
    field: &str,
    direction: &str,
) -> Ident {
    let owner = of(types, side);
    let tables = plan.tables.iter();
    let own = tables.filter(|table| of(table.types, side) == owner);
    let other = match own.count() {
        0 | 1 => String::new(),
        _ => format!("_{}", names::snake_case(of(types, side.other()))),
    };
    let (owner, field) = (names::snake_case(owner), names::snake_case(field));
    ident(&format!("{owner}{other}_{field}_{direction}"))
}

fn method(cx: &Emit<'_>, plan: &Plan<'_>, function: &Function<'_>) -> TokenStream {
    let Function {
        name,
        docs: about,
        argument: (source, argument),
        result: (target, result),
    } = function;
    let about = docs(&format!(
        "{about}\n\n# Errors\n\nThe object cannot be converted."
    ));
    let source = plan.side(*source).version;
    let argument = match argument {
        Argument::Value(ty) => type_tokens(cx, source, ty),
        Argument::Object(name) => local(source, name),
    };
    let result = type_tokens(cx, plan.side(*target).version, result);
    quote! {
        #about
        fn #name(value: #argument) -> Result<#result, conversion::BoxError>;
    }
}

/// The type of a value, by its whole path; `serde_json::Value` for one that cannot be named from here.
fn type_tokens(cx: &Emit<'_>, version: &Version, ty: &TypeRef) -> TokenStream {
    let inner = |ty: &TypeRef| type_tokens(cx, version, ty);
    match ty {
        TypeRef::Bool => quote!(bool),
        TypeRef::Int32 => quote!(i32),
        TypeRef::Int64 => quote!(i64),
        TypeRef::Integer(name) => {
            let name = ident(name);
            quote!(#name)
        }
        TypeRef::Float => quote!(f64),
        TypeRef::Float32 => quote!(f32),
        TypeRef::String => quote!(String),
        TypeRef::Local(name) => local(version, name),
        TypeRef::List(item) => {
            let item = inner(item);
            quote!(Vec<#item>)
        }
        TypeRef::Map(value) => {
            let value = inner(value);
            quote!(::std::collections::BTreeMap<String, #value>)
        }
        TypeRef::Optional(value) => {
            let value = inner(value);
            quote!(Option<#value>)
        }
        TypeRef::Boxed(value) => inner(value),
        TypeRef::Known(_) | TypeRef::External(_) => reference::emit(cx, ty),
        TypeRef::Any | TypeRef::Verbatim(_) => quote!(::serde_json::Value),
    }
}

/// A type of a version; one in a module of its own cannot be named from here.
fn local(version: &Version, name: &str) -> TokenStream {
    let item = version.type_def(name).and_then(|def| def.item.as_ref());
    if item.is_some_and(|item| !item.exported) {
        return quote!(::serde_json::Value);
    }
    let (module, name) = (path(&version.path), ident(name));
    quote!(#module::#name)
}
