//! Decides which objects of a schema get generated types: pinned ones, recorded ones, and those
//! that are not Kubernetes types.

use std::collections::BTreeMap;

use super::recognise::{Recognised, Unlike, recognise};
use crate::{
    diag::Diagnostic,
    generator::Generator,
    kubernetes::{KubernetesTypes, KubernetesVersion},
    model::names::schema::Path,
    options::Options,
    read::crd::schema::Schema,
    record::{Line, Names},
};

/// The settings that decide which schemas get generated types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types<'a> {
    /// Which of the others become types of k8s-openapi.
    pub(super) wanted: KubernetesTypes,
    /// The oldest Kubernetes version whose types may be used.
    pub(super) version: KubernetesVersion,
    /// Pinned names by path: an object with a pinned name at or below its path gets a generated
    /// type.
    pub(super) pinned: &'a BTreeMap<String, String>,
    /// The recorded type names.
    pub(super) recorded: Option<&'a Names>,
    /// Whether objects with a recorded name also keep generated types.
    pub(super) holds_own: bool,
    /// Whether to look for objects that a later Kubernetes version would recognise: if types are
    /// generated, for no version in particular.
    hints: bool,
}

impl<'a> Types<'a> {
    /// Derives the settings from the options.
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
            hints: options.kubernetes_version.is_none() && options.emit.contains(&Generator::Types),
        }
    }

    /// Returns the line for a property of a recorded type or kind.
    pub(super) fn line(self, holder: Option<&str>, property: &str) -> Option<&'a Line> {
        self.recorded?.line(holder?, property)
    }

    /// Returns the Kubernetes type for the objects of a schema at a property with a recorded line.
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

impl Types<'_> {
    /// Returns the first later Kubernetes version with which the objects of a schema are a
    /// Kubernetes type, and that type.
    pub(super) fn later(
        self,
        path: &Path,
        property: &str,
        schema: &Schema,
    ) -> Option<(KubernetesVersion, Recognised)> {
        let with = |version: KubernetesVersion| {
            let types = Self { version, ..self };
            types.kubernetes_type(path, property, None, schema).ok()
        };
        // Most objects are of no type in any version.
        with(KubernetesVersion::LATEST)?;
        let mut versions = self.version.and_later().skip(1);
        versions.find_map(|version| Some((version, with(version)?)))
    }

    /// [`later`](Self::later), if it is worth a hint.
    pub(super) fn hinted(
        self,
        path: &Path,
        property: &str,
        schema: &Schema,
    ) -> Option<KubernetesVersion> {
        let is_wanted = self.hints && self.wanted != KubernetesTypes::None;
        let found = is_wanted.then(|| self.later(path, property, schema))?;
        found.map(|(version, _)| version)
    }
}

/// The note about objects that would be Kubernetes types with a later version, by the first such
/// version of each.
pub(super) fn hint(later: &[KubernetesVersion]) -> Option<Diagnostic> {
    let version = later.iter().max()?;
    let objects = match later.len() {
        1 => "1 more object a type".to_owned(),
        several => format!("{several} more objects types"),
    };
    let least = KubernetesVersion::EARLIEST;
    Some(
        Diagnostic::note_of(format!(
            "`--kubernetes-version {version}` would make {objects} of Kubernetes"
        ))
        .help(format!("this is `kubernetes-version` in codegen.toml: the code then requires k8s-openapi's feature {} or a later one; `{least}` keeps the generated types without this note", version.feature())),
    )
}

/// Whether `path` equals `other` or is below it.
pub(super) fn is_at_or_below(path: &str, other: &str) -> bool {
    let rest = path.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
