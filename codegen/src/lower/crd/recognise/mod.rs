//! Recognition of Kubernetes' own types in the schemas of CRDs, by structure.
//!
//! A schema is a type of k8s-openapi where every property of the schema is a field of the type, with the same type and
//! rules, and where nothing is added when a value is written ([`fit`]). Fields of a type that holds numbers go through the
//! runtime's codec, which keeps what k8s-openapi's own serde would change, and leaves out what the schema does not ask for.
//! Several types may fit a small schema; then descriptions and the name of the property decide, or the schema keeps a type of
//! its own ([`evidence`]).
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
    model::TypeRef,
    options::{KubernetesTypes, KubernetesVersion},
    read::crd::schema::Schema,
};

/// Why an object of a schema has a type of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unlike<'s> {
    /// No type of Kubernetes is wanted.
    Unwanted,
    /// A person named the type, or one within.
    Pinned,
    /// The record names the type, which could be the one with this path.
    Recorded(String, String),
    /// No type has all its properties.
    NoType,
    /// The nearest type, and the difference.
    Misfit(&'static str, Misfit<'s>),
    /// Several types fit.
    Ambiguous(Vec<&'static str>),
    /// A type fits, and nothing but a few common names speaks for it.
    Slight(&'static str),
    /// A type fits, and the schema lacks some of its fields, which only `all` permits.
    Inexact(&'static str),
}

impl fmt::Display for Unlike<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwanted => f.write_str("`kubernetes-types` is `none`"),
            Self::Pinned => f.write_str("a rename names it, or something below it"),
            Self::Recorded(name, kubernetes) => write!(
                f,
                "the record of names has it as {name}; without that line it is {kubernetes}"
            ),
            Self::NoType => f.write_str("no Kubernetes type has all its properties"),
            Self::Misfit(name, misfit) => write!(f, "not {name}: {misfit}"),
            Self::Ambiguous(names) => write!(
                f,
                "fits several types alike: {}; neither descriptions nor the name of the property decide",
                names.join(", ")
            ),
            Self::Slight(name) => write!(
                f,
                "fits {name}; neither descriptions nor the name of the property nor enough properties speak for it"
            ),
            Self::Inexact(name) => write!(f, "fits {name}, but lacks some of its fields"),
        }
    }
}

/// A type of Kubernetes that a schema describes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recognised {
    pub(super) ty: TypeRef,
    /// Whether texts that k8s-openapi always writes are left out when empty.
    pub(super) sparse: bool,
}

/// The Kubernetes type of the objects of a schema, which stands at a property, in a version of Kubernetes and every later one.
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
                let deeper = nearest
                    .as_ref()
                    .is_none_or(|(_, other)| other.depth() < misfit.depth());
                if deeper {
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

/// The type that most speaks for, if no other has as much. Of types with the same descriptions, one for which enough speaks; of those with the
/// same evidence, one that needs no text left out.
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
