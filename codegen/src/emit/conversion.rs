//! `zz_generated_conversion.rs`: the conversion of a version's kinds to and from the versions that are stored.

mod decisions;

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

pub(crate) use self::decisions::{Undecided, undecided};
use super::{
    Emit, Files,
    context::{api_version, docs, ident, module_docs, path},
    register,
};
use crate::{
    conversion::{How, Plan, Rule, Side, plans},
    model::{Group, Version, names},
};

/// Emits the file beside the types of every version; that of a version that nothing is converted from is empty.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    for group in &cx.api.groups {
        for version in &group.versions {
            files.rust(
                format!("{}/zz_generated_conversion.rs", version.dir),
                || emit_file(cx, group, version),
            );
        }
    }
}

fn emit_file(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let name = api_version(group, version);
    let plans = plans(group);
    let own = plans
        .iter()
        .filter(|plan| plan.spoke.version.name == version.name);
    let own: Vec<&Plan<'_>> = own.collect();
    if own.is_empty() {
        return module_docs(&format!(
            "No kind of `{name}` is converted to another version."
        ));
    }
    let module = module_docs(&format!(
        "Conversion of `{name}` to and from the versions that are stored."
    ));
    let runtime = cx.runtime();
    let is_used = |used: fn(&How<'_>) -> bool| {
        let mut rules = own
            .iter()
            .flat_map(|plan| &plan.tables)
            .flat_map(|table| &table.rules);
        rules.any(|rule| used(&rule.how))
    };
    let side = is_used(|how| {
        matches!(
            how,
            How::Kept(_) | How::Dropped(_) | How::Made(..) | How::Defaulted(..) | How::Scaled(..)
        )
    });
    let side = side.then(|| quote!(, Side));
    let mut taken = BTreeSet::new();
    let named = own.iter().map(|plan| Named::new(plan, &mut taken));
    let kinds: Vec<TokenStream> = named.map(|named| emit_kind(cx, group, &named)).collect();
    let tests = emit_tests(cx, group, &own);
    quote! {
        #module
        use #runtime::conversion::{self, Rule #side};

        #(#kinds)*
        #tests
    }
}

/// ```ignore
/// impl conversion::Spoke for super::Order {
///     type Hub = crate::apis::shop::v1::Order;
///
///     fn rules() -> &'static [Rule] {
///         &ORDER
///     }
/// }
///
/// impl TryFrom<super::Order> for crate::apis::shop::v1::Order { /* … */ }
/// impl TryFrom<crate::apis::shop::v1::Order> for super::Order { /* … */ }
///
/// /// `Order` of v1beta1 and v1.
/// static ORDER: [Rule; 1] = [Rule::within("spec", "spec", &ORDER_SPEC)];
/// ```
fn emit_kind(cx: &Emit<'_>, group: &Group, named: &Named<'_, '_>) -> TokenStream {
    let plan = named.plan;
    let spoke = plan.spoke;
    let own = ident(&spoke.resource.root);
    let stored = stored(plan);
    let table = named.table(0);
    let items = [
        quote! {
            impl conversion::Spoke for super::#own {
                type Hub = #stored;

                #[inline]
                fn rules() -> &'static [Rule] {
                    &#table
                }
            }
        },
        try_from(
            &quote!(super::#own),
            &stored,
            &quote!(conversion::to_hub(&object)),
        ),
        try_from(
            &stored,
            &quote!(super::#own),
            &quote!(conversion::from_hub(&object)),
        ),
    ];
    let decisions = decisions::emit(cx, plan);
    let tables = (0..plan.tables.len()).filter(|index| plan.is_used(*index));
    let tables = tables.map(|index| emit_table(named, index));
    let items = items.into_iter().chain(decisions).chain(tables);
    // Both versions' types are behind the feature of the kind.
    let items = items.map(|item| cx.behind_kind(group, spoke.version, spoke.resource, item));
    quote!(#(#items)*)
}

fn try_from(from: &TokenStream, to: &TokenStream, convert: &TokenStream) -> TokenStream {
    quote! {
        impl TryFrom<#from> for #to {
            type Error = conversion::Error;

            #[inline]
            fn try_from(object: #from) -> Result<Self, Self::Error> {
                #convert
            }
        }
    }
}

/// The path of the kind's type in the hub.
fn stored(plan: &Plan<'_>) -> TokenStream {
    let module = path(&plan.hub.version.path);
    let root = ident(&plan.hub.resource.root);
    quote!(#module::#root)
}

/// A plan with the names of its tables.
struct Named<'p, 'a> {
    plan: &'p Plan<'a>,
    tables: Vec<Ident>,
}

impl<'p, 'a> Named<'p, 'a> {
    /// Names the tables after the spoke's types; those that are taken, by other kinds too, also after the kind or the hub's type.
    fn new(plan: &'p Plan<'a>, taken: &mut BTreeSet<String>) -> Self {
        let kind = &plan.spoke.resource.kind;
        let name = |[spoke, hub]: [&str; 2]| {
            let longer = [
                spoke.to_owned(),
                format!("{kind}_{spoke}"),
                format!("{spoke}_{hub}"),
                format!("{kind}_{spoke}_{hub}"),
            ];
            let mut names = longer
                .into_iter()
                .map(|name| names::snake_case(&name).to_uppercase());
            let free = names.find(|name| taken.insert(name.clone()));
            ident(&free.unwrap_or_default())
        };
        let tables = plan.tables.iter().map(|table| table.types).map(name);
        Self {
            plan,
            tables: tables.collect(),
        }
    }

    fn table(&self, index: usize) -> Option<&Ident> {
        self.tables.get(index)
    }
}

fn emit_table(named: &Named<'_, '_>, index: usize) -> TokenStream {
    let plan = named.plan;
    let (Some(table), Some(name)) = (plan.tables.get(index), named.table(index)) else {
        return TokenStream::new();
    };
    let [spoke, hub] = table.types;
    let (from, to) = (&plan.spoke.version.name, &plan.hub.version.name);
    let docs = docs(&match spoke == hub {
        true => format!("`{spoke}` of {from} and {to}."),
        false => format!("`{spoke}` of {from} and `{hub}` of {to}."),
    });
    let rules = table
        .rules
        .iter()
        .map(|rule| emit_rule(named, table.types, rule));
    let length = proc_macro2::Literal::usize_unsuffixed(table.rules.len());
    quote! {
        #docs
        static #name: [Rule; #length] = [#(#rules),*];
    }
}

fn emit_rule(named: &Named<'_, '_>, types: [&str; 2], rule: &Rule<'_>) -> TokenStream {
    let [spoke, hub] = &rule.paths;
    match &rule.how {
        How::Same => quote!(Rule::moved(#spoke, #hub)),
        How::Within {
            table,
            entries,
            keys,
        } => {
            let table = named.table(*table);
            match (entries, keys.as_slice()) {
                (true, _) => quote!(Rule::entries(#spoke, #hub, &#table)),
                (false, []) => quote!(Rule::within(#spoke, #hub, &#table)),
                (false, keys) => quote!(Rule::items(#spoke, #hub, &[#(#keys),*], &#table)),
            }
        }
        How::Values(values) => {
            let pairs = values.iter().map(|(spoke, hub)| quote!((#spoke, #hub)));
            quote!(Rule::values(#spoke, #hub, &[#(#pairs),*]))
        }
        How::Scaled(larger, factor) => {
            let (larger, factor) = (side(*larger), proc_macro2::Literal::u64_unsuffixed(*factor));
            quote!(Rule::scaled(#spoke, #hub, #larger, #factor))
        }
        How::Kept(of) => {
            let of = side(*of);
            quote!(Rule::kept(#of, #hub))
        }
        How::Dropped(of) => {
            let of = side(*of);
            quote!(Rule::dropped(#of, #hub))
        }
        How::Defaulted(of, default) => {
            let (of, json) = (side(*of), super::context::json_literal(default));
            quote!(Rule::defaulted(#of, #hub, #json))
        }
        How::Called(_) | How::Made(..) => decisions::emit_rule(named.plan, types, rule),
    }
}

fn side(side: Side) -> TokenStream {
    match side {
        Side::Spoke => quote!(Side::Spoke),
        Side::Hub => quote!(Side::Hub),
    }
}

/// ```ignore
/// #[cfg(test)]
/// mod tests {
///     #[test]
///     fn an_order_of_v1beta1_survives_its_conversion() -> Result<(), String> {
///         conversion::check::<super::super::Order>(&<super::super::Order as kube::core::CustomResourceExt>::crd())
///     }
/// }
/// ```
///
/// Only kinds whose CRD the crate has are tested: objects are made from its schemas.
fn emit_tests(cx: &Emit<'_>, group: &Group, plans: &[&Plan<'_>]) -> Option<TokenStream> {
    let with_crd = plans
        .iter()
        .filter(|plan| register::has_crd(cx, plan.spoke.version, plan.spoke.resource));
    let tests = with_crd.map(|plan| {
        let root = ident(&plan.spoke.resource.root);
        let kind = names::snake_case(&plan.spoke.resource.kind);
        let name = ident(&format!("{kind}_survives_conversion_there_and_back"));
        let test = quote! {
            #[test]
            fn #name() -> Result<(), String> {
                conversion::check::<#root>(&#root::crd())
            }
        };
        let import = cx.behind_kind(
            group,
            plan.spoke.version,
            plan.spoke.resource,
            quote!(use super::super::#root;),
        );
        (
            import,
            cx.behind_kind(group, plan.spoke.version, plan.spoke.resource, test),
        )
    });
    let (imports, tests): (Vec<TokenStream>, Vec<TokenStream>) = tests.unzip();
    if tests.is_empty() {
        return None;
    }
    let runtime = cx.runtime();
    Some(quote! {
        #[cfg(test)]
        mod tests {
            use #runtime::conversion;
            use #runtime::kube::core::CustomResourceExt as _;

            #(#imports)*

            #(#tests)*
        }
    })
}
