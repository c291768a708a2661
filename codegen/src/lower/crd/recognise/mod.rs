//! Recognition of Kubernetes' own types in the schemas of CRDs, by structure.
//!
//! A schema is a type of k8s-openapi where every property of the schema is a field of the type, with the same type and
//! rules, and where nothing is added when a value is written ([`fit`]). Several types may fit a small schema; then
//! descriptions and the name of the property decide, or the schema keeps a type of its own ([`evidence`]).
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
    fit::{Needs, fits},
    table::{Kubernetes, Table},
};
use crate::{
    model::{ExternalType, KnownType, TypeRef},
    options::KubernetesTypes,
    read::crd::schema::Schema,
};

pub(super) use self::misfit::Misfit;

/// A Kubernetes type in the place of a schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recognised {
    pub(super) ty: TypeRef,
}

/// Why an object of a schema has a type of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unlike {
    /// No type has all its properties.
    NoType,
    /// The nearest type, and the difference.
    Misfit(&'static str, Misfit),
    /// Several types fit.
    Ambiguous(Vec<&'static str>),
    /// A type fits, and nothing but a few common names speaks for it.
    Slight(&'static str),
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoType => f.write_str("no Kubernetes type has all its properties"),
            Self::Misfit(name, misfit) => write!(f, "not {name}: {misfit}"),
            Self::Ambiguous(names) => write!(
                f,
                "fits several types alike: {}; neither descriptions nor the name of the property decide",
                names.join(", ")
            ),
            Self::Slight(name) => write!(
                f,
                "fits {name}, which has many more fields; neither descriptions nor the name of the property speak for it"
            ),
        }
    }
}

/// The Kubernetes type of the objects of a schema, which stands at a property.
pub(super) fn recognise(
    property: &str,
    schema: &Schema,
    wanted: KubernetesTypes,
) -> Result<Recognised, Unlike> {
    let table = Table::get();
    let names = schema.properties.iter().map(|(name, _)| name.as_str());
    let candidates = table.with_fields(names);
    let mut fitting: Vec<(Evidence, &Kubernetes)> = Vec::new();
    let mut nearest: Option<(&Kubernetes, Misfit)> = None;
    for known in candidates {
        match fits(table, schema, known).and_then(is_plain) {
            Ok(()) => {
                let evidence = Evidence::gather(table, property, schema, known);
                fitting.push((evidence, known));
            }
            Err(misfit) => {
                let deeper = nearest
                    .as_ref()
                    .is_none_or(|(_, other)| other.depth() < misfit.depth());
                if deeper {
                    nearest = Some((known, misfit));
                }
            }
        }
    }
    let misfit = nearest.map(|(known, misfit)| Unlike::Misfit(known.name(), misfit));
    let known = choose(fitting, wanted).map_err(|unlike| match unlike {
        Unlike::NoType => misfit.unwrap_or(Unlike::NoType),
        unlike => unlike,
    })?;
    Ok(Recognised {
        ty: reference(known),
    })
}

/// The type that most speaks for, if no other has as much.
fn choose(
    mut fitting: Vec<(Evidence, &Kubernetes)>,
    wanted: KubernetesTypes,
) -> Result<&Kubernetes, Unlike> {
    let alone = fitting.len() == 1;
    let best = fitting.iter().max_by_key(|(evidence, _)| *evidence);
    let Some((best, known)) = best.map(|(evidence, known)| (*evidence, *known)) else {
        return Err(Unlike::NoType);
    };
    fitting.retain(|(evidence, _)| *evidence == best);
    if fitting.len() > 1 {
        let names = fitting.iter().map(|(_, known)| known.name());
        return Err(Unlike::Ambiguous(names.collect()));
    }
    let enough = match wanted {
        KubernetesTypes::All => best.suffices(alone),
        KubernetesTypes::Exact => best.is_exact() && best.suffices(alone),
        KubernetesTypes::None => false,
    };
    if enough {
        Ok(known)
    } else {
        Err(Unlike::Slight(known.name()))
    }
}

fn is_plain(needs: Needs) -> Result<(), Misfit> {
    if needs.numbers {
        return Err(Misfit::new("has quantities or int-or-strings"));
    }
    if needs.omission {
        return Err(Misfit::new("has texts that k8s-openapi would add"));
    }
    Ok(())
}

fn reference(known: &Kubernetes) -> TypeRef {
    match KnownType::at(&known.below) {
        Some(known) => TypeRef::Known(known),
        None => {
            let segments = ["k8s_openapi"].iter().chain(&known.below);
            let segments = segments.map(|&segment| segment.to_owned()).collect();
            TypeRef::External(ExternalType::new(segments))
        }
    }
}
