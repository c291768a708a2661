//! Recognises Kubernetes types in CRD schemas, by structure.
//!
//! A k8s-openapi type fits a schema if every property of the schema is a field of the type, with
//! the same type and rules, and if writing a value adds nothing ([`fit`]). Fields of types with
//! numbers go through the codec, which preserves values that k8s-openapi's own serde would change,
//! and omits values that the schema does not require. Several types may fit a small schema; then
//! descriptions and the property name decide, or else the schema gets a generated type
//! ([`evidence`]).
//!
//! Start reading at [`recognise`].

mod evidence;
mod fit;
mod misfit;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use self::{
    evidence::Evidence,
    fit::{Fit, Texts},
    misfit::Misfit,
    table::{Kubernetes, Table},
};
use crate::{
    kubernetes::{KubernetesTypes, KubernetesVersion},
    model::TypeRef,
    read::crd::schema::Schema,
};

/// Why an object of a schema gets a generated type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unlike<'s> {
    /// Recognition is disabled.
    Unwanted,
    /// A rename pins the name of the type or of a type within it.
    Pinned,
    /// The record names the type, which could otherwise be the Kubernetes type with this path.
    Recorded(String, String),
    /// No Kubernetes type has all of its properties.
    NoType,
    /// The closest type, and the difference.
    Misfit(&'static str, Misfit<'s>),
    /// Several types fit.
    Ambiguous(Vec<&'static str>),
    /// A type fits, but the only evidence is a few common names.
    Slight(&'static str),
    /// A type fits but the schema lacks some of its fields, which only `all` permits.
    Inexact(&'static str),
}

impl fmt::Display for Unlike<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwanted => f.write_str("`kubernetes-types` is `none`"),
            Self::Pinned => f.write_str("a rename pins its name, or one below it"),
            Self::Recorded(name, kubernetes) => write!(
                f,
                "the record names it {name}; without that line it is {kubernetes}"
            ),
            Self::NoType => f.write_str("no Kubernetes type has all its properties"),
            Self::Misfit(name, misfit) => write!(f, "not {name}: {misfit}"),
            Self::Ambiguous(names) => write!(
                f,
                "fits several types equally: {}; neither descriptions nor the property name decide",
                names.join(", ")
            ),
            Self::Slight(name) => write!(
                f,
                "fits {name}, but neither descriptions, the property name nor the number of properties confirm it"
            ),
            Self::Inexact(name) => write!(f, "fits {name}, but lacks some of its fields"),
        }
    }
}

/// The Kubernetes type for a schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recognised {
    pub(super) ty: TypeRef,
    /// Whether to omit empty strings that k8s-openapi always writes.
    pub(super) sparse: bool,
}

/// Returns the Kubernetes type for the objects of a schema at a property, in a Kubernetes version
/// and all later ones.
pub(super) fn recognise<'s>(
    property: &str,
    schema: &'s Schema,
    wanted: KubernetesTypes,
    version: KubernetesVersion,
) -> Result<Recognised, Unlike<'s>> {
    let table = Table::get(version);
    let names = schema.properties.iter().map(|(name, _)| name.as_str());
    let mut fitting: Vec<(Evidence, Fit)> = Vec::new();
    let mut nearest: Option<(&Kubernetes, Misfit<'s>)> = None;
    for root in table.with_fields(names) {
        match Fit::find(table, root, schema) {
            Ok(fit) => {
                let evidence = Evidence::gather(table, property, schema, root);
                fitting.push((evidence, fit));
            }
            Err(misfit) => {
                // Of types that differ at the same depth, the one that APIs share: many kinds of
                // Kubernetes have conditions of their own.
                let rank = |(root, misfit): (&Kubernetes, &Misfit<'_>)| {
                    (misfit.depth(), root.is_condition())
                };
                let nearer = nearest
                    .as_ref()
                    .is_none_or(|(other, known)| rank((other, known)) < rank((root, &misfit)));
                if nearer {
                    nearest = Some((root, misfit));
                }
            }
        }
    }
    let misfit = nearest.map(|(known, misfit)| Unlike::Misfit(known.name(), misfit));
    match choose(fitting, wanted) {
        Ok(fit) => Ok(Recognised {
            ty: fit.root.reference(),
            sparse: fit.texts == Texts::Sparse,
        }),
        Err(Unlike::NoType) => Err(misfit.unwrap_or(Unlike::NoType)),
        Err(unlike) => Err(unlike),
    }
}

/// Chooses the type with the strongest evidence, if it is unique. Among types with equally many
/// matching descriptions, sufficient evidence wins; among those with the same evidence, a type that
/// does not need strings omitted.
fn choose(
    mut fitting: Vec<(Evidence, Fit)>,
    wanted: KubernetesTypes,
) -> Result<Fit, Unlike<'static>> {
    let is_full = |(_, fit): &(Evidence, Fit)| fit.texts == Texts::Full;
    let all = fitting.len();
    let full = fitting.iter().filter(|one| is_full(one)).count();
    let suffices = |one: &(Evidence, Fit)| {
        let alone = all == 1 || (full == 1 && is_full(one));
        one.0.suffices(alone)
    };
    let rank = |one: &(Evidence, Fit)| (one.0.described(), suffices(one), one.0);
    let Some(best) = fitting.iter().map(rank).max() else {
        return Err(Unlike::NoType);
    };
    fitting.retain(|one| rank(one) == best);
    if fitting.iter().any(is_full) {
        fitting.retain(is_full);
    }
    let [only @ (_, fit)] = &fitting[..] else {
        let names = fitting.iter().map(|(_, fit)| fit.root.name());
        return Err(Unlike::Ambiguous(names.collect()));
    };
    if !suffices(only) {
        return Err(Unlike::Slight(fit.root.name()));
    }
    match wanted {
        KubernetesTypes::All => Ok(*fit),
        KubernetesTypes::Exact if only.0.is_exact() => Ok(*fit),
        KubernetesTypes::Exact | KubernetesTypes::None => Err(Unlike::Inexact(fit.root.name())),
    }
}
