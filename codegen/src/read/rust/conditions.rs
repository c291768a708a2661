//! Conditional attributes: `cfg`, and attributes added by `cfg_attr`.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::{Attribute, Meta, Token, punctuated::Punctuated};

use super::syntax::derive_spans;

/// The attributes of an item, field or variant, including those that `cfg_attr` adds under any
/// condition.
pub(super) struct Attributes {
    all: Vec<Attribute>,
    /// The condition of each attribute, if any.
    conditions: Vec<Option<String>>,
}

impl Attributes {
    pub(super) fn new(attributes: &[Attribute]) -> Self {
        let mut found = Self {
            all: Vec::with_capacity(attributes.len()),
            conditions: Vec::with_capacity(attributes.len()),
        };
        for attribute in attributes.iter().filter(|a| !a.path().is_ident("doc")) {
            found.add(attribute.clone(), None);
        }
        found
    }

    fn add(&mut self, attribute: Attribute, condition: Option<String>) {
        let list = Punctuated::<Meta, Token![,]>::parse_terminated;
        let conditioned = attribute
            .path()
            .is_ident("cfg_attr")
            .then(|| attribute.parse_args_with(list));
        // rustc reports everything except a list.
        let Some(Ok(metas)) = conditioned else {
            self.all.push(attribute);
            self.conditions.push(condition);
            return;
        };
        let mut metas = metas.into_iter();
        let own = metas.next().map(|meta| meta.to_token_stream().to_string());
        let condition = match (condition, own) {
            (Some(outer), Some(own)) => Some(format!("all({outer}, {own})")),
            (outer, own) => outer.or(own),
        };
        for meta in metas {
            let added = Attribute {
                meta,
                ..attribute.clone()
            };
            self.add(added, condition.clone());
        }
    }

    /// All attributes except documentation.
    pub(super) fn all(&self) -> &[Attribute] {
        &self.all
    }

    /// The derives.
    pub(super) fn derives(&self) -> Derives {
        let derived: Vec<_> = self.all.iter().map(derive_spans).collect();
        let conditions = || derived.iter().zip(&self.conditions);
        let has = |derived: &[(String, Span)], name: &str| derived.iter().any(|(it, _)| it == name);
        let is_always = |name: &str| {
            conditions().any(|(derived, condition)| condition.is_none() && has(derived, name))
        };
        let clone_if = conditions()
            .filter(|(derived, _)| has(derived, "Clone") && !is_always("Clone"))
            .filter_map(|(_, condition)| condition.clone())
            .collect();
        let mut names: Vec<String> = derived
            .iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        names.retain(|name| !["Clone", "Copy"].contains(&name.as_str()) || is_always(name));
        names.sort();
        names.dedup();
        Derives {
            names,
            clone_if,
            spans: derived.into_iter().flatten().collect(),
        }
    }
}

/// The derives of an item, by their last path segment.
pub(super) struct Derives {
    /// Sorted; `Clone` and `Copy` only if derived unconditionally.
    pub(super) names: Vec<String>,
    /// The conditions under which `Clone` is derived, if it is conditional.
    pub(super) clone_if: Vec<String>,
    /// The span of each derive.
    pub(super) spans: Vec<(String, Span)>,
}

/// Returns the predicates of `cfg` attributes.
pub(super) fn cfg(attributes: &[Attribute]) -> Vec<String> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .filter_map(|attribute| Some(attribute.meta.require_list().ok()?.tokens.to_string()))
        .collect()
}
