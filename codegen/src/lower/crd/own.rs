//! Which objects of a schema have types of their own: what a person named, what the record names, and what is none of Kubernetes' types.

use std::collections::BTreeMap;

use super::recognise::{Recognised, Unlike, recognise};
use crate::{
    model::names::schema::Path,
    options::{KubernetesTypes, KubernetesVersion, Options},
    read::crd::schema::Schema,
    record::{Line, Names},
};

/// Which schemas have types of their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types<'a> {
    /// Which others become types of k8s-openapi.
    pub(super) wanted: KubernetesTypes,
    /// The least version of Kubernetes whose types they are.
    pub(super) version: KubernetesVersion,
    /// Names by path: what has one, or has one below it, has a type of its own.
    pub(super) pinned: &'a BTreeMap<String, String>,
    /// The names of types before.
    pub(super) recorded: Option<&'a Names>,
    /// Whether what has a recorded name has a type of its own, too.
    pub(super) holds_own: bool,
}

impl<'a> Types<'a> {
    /// As the options say.
    pub(super) fn of(
        options: &'a Options,
        pinned: &'a BTreeMap<String, String>,
        (group, version): (&str, &str),
    ) -> Self {
        let record = options.record.as_deref();
        Self {
            wanted: options.kubernetes_types,
            version: options.least_kubernetes_version(),
            pinned,
            recorded: record.and_then(|record| record.names(group, version)),
            holds_own: record.is_some_and(|record| record.holds_own_types(options.recognition())),
        }
    }

    /// The line for a property of a type that has a line itself, or is a kind's.
    pub(super) fn line(self, holder: Option<&str>, property: &str) -> Option<&'a Line> {
        self.recorded?.line(holder?, property)
    }

    /// The type of Kubernetes that the objects of a schema are, which stands at a property and has a line in the record.
    pub(super) fn kubernetes_type<'s>(
        self,
        path: &Path,
        property: &str,
        line: Option<&Line>,
        schema: &'s Schema,
    ) -> Result<Recognised, Unlike<'s>> {
        if self.wanted == KubernetesTypes::None {
            return Err(Unlike::Unwanted);
        }
        let mut pinned = self.pinned.keys();
        if pinned.any(|pin| is_at_or_below(pin, path.as_str())) {
            return Err(Unlike::Pinned);
        }
        let known = recognise(property, schema, self.wanted, self.version)?;
        match line {
            Some(line) if self.holds_own => {
                let (name, kubernetes) = (line.name.clone(), known.ty.path());
                Err(Unlike::Recorded(name, kubernetes.unwrap_or_default()))
            }
            _ => Ok(known),
        }
    }
}

/// Whether a path is another, or leads through it.
pub(super) fn is_at_or_below(path: &str, other: &str) -> bool {
    let rest = path.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
