//! Manifests: Kubernetes YAML for the API, formatted so that it does not differ from controller-gen's.
//!
//! Unlike Rust code, these files are outside of `src`: `emit` returns a tree relative to the crate's folder. Start at `emit`;
//! `crd` assembles one `CustomResourceDefinition` from all versions of a kind, `schema` builds the schema of a type.

mod about;
mod check;
#[cfg(test)]
mod check_tests;
#[cfg(test)]
mod crate_markers_tests;
mod crd;
mod docs;
mod files;
#[cfg(test)]
mod from_crd_tests;
pub(super) mod input;
mod refusal;
mod rules;
mod schema;
#[cfg(test)]
mod serde_tests;
mod size;
#[cfg(test)]
mod tests;
mod values;
mod wording;

use rayon::prelude::*;
use serde_json::{Value, json};

use self::{
    crd::Crd,
    input::{Crds, Input},
};
use crate::{
    diag::Diagnostics,
    emit::{
        rbac::{roles, user_roles},
        webhooks,
    },
    model::{ApiSet, Group, Origin, Resource, Version},
    options::{Compat, Faulty, Manifest, Manifests, Options, manifests},
    output::Tree,
    threads,
};

/// The manifests of all kinds, by path relative to the crate's folder; empty unless the options ask for them.
///
/// # Errors
///
/// What the API server would reject, at the position of the type or field. If CRDs with errors are skipped and others have none, these go to
/// `skipped` instead.
pub(crate) fn emit(
    api: &ApiSet,
    options: &Options,
    (warnings, skipped): (&mut Diagnostics, &mut Diagnostics),
) -> Result<Tree, Diagnostics> {
    if options.embeds_schemas() && !options.writes_crds() {
        let manifests = undescribed(options.manifests.as_ref());
        let checked = Checked::new(api, &manifests, options.compat);
        warnings.extend(checked.all()?.1);
    }
    let mut tree = Tree::new();
    let Some(manifests) = &options.manifests else {
        return Ok(tree);
    };
    let mut input = Input {
        api,
        options: manifests,
        crds: Vec::new(),
    };
    if manifests.uses_crds() {
        let checked = Checked::new(api, manifests, options.compat);
        let (crds, found) = match options.faulty {
            Faulty::Refused => checked.all()?,
            Faulty::Skipped => checked.sound(skipped)?,
        };
        warnings.extend(found);
        input.crds = crds;
    }
    for manifest in Manifest::ALL {
        if let Some(path) = manifests.path(manifest) {
            tree.extend(write(manifest, &input, path));
        }
    }
    threads::discard::<Vec<Crd>>(input.crds.into_iter().map(|(_, crd)| crd).collect());
    Ok(tree)
}

macro_rules! dispatch {
    ($($(#[doc = $doc:literal])+ $variant:ident at $path:ident from $basis:ident by $module:ident;)+) => {
        /// The files of a manifest, at or below its path.
        fn write(manifest: Manifest, input: &Input<'_>, path: &str) -> Tree {
            match manifest {
                $(Manifest::$variant => $module::emit(input, path),)+
            }
        }
    };
}

manifests!(dispatch);

/// The CRD of a kind as [`emit`] writes it, to be built later; `None` if CRDs are not requested or the kind has none.
pub(super) fn crd_of<'a>(
    api: &'a ApiSet,
    group: &'a Group,
    kind: &'a str,
    options: &'a Options,
) -> Option<impl FnOnce() -> Value + use<'a>> {
    let manifests = options.manifests.as_ref().filter(|it| it.crds.is_some())?;
    let assembly = crd::Assembly::new(api, group, kind, (manifests, options.compat));
    (!assembly.is_empty()).then_some(move || {
        let crd = assembly.finish(&mut Diagnostics::new());
        // Versions that disagree have been reported before anything is emitted.
        crd.map_or(Value::Null, |crd| crd.part().to_json())
    })
}

/// The version of a kind in its CRD, without descriptions and printer columns; `None` if the kind has no CRD.
pub(super) fn version_of(
    api: &ApiSet,
    group: &Group,
    version: &Version,
    resource: &Resource,
    options: &Options,
) -> Option<Value> {
    let manifests = undescribed(options.manifests.as_ref());
    let assembly = crd::Assembly::new(api, group, &resource.kind, (&manifests, options.compat));
    let mut versions = assembly
        .finish(&mut Diagnostics::new())?
        .versions
        .into_iter();
    let is_wanted = |one: &Value| one.get("name").is_some_and(|it| *it == *version.name);
    let (mut found, schema) = versions.find(|(one, _)| is_wanted(one))?;
    found.as_object_mut()?.remove("additionalPrinterColumns");
    found["schema"] = json!({"openAPIV3Schema": Value::from(&*schema)});
    Some(found)
}

/// The options for schemas embedded in code: no descriptions, and floats allowed if no manifests are requested.
fn undescribed(manifests: Option<&Manifests>) -> Manifests {
    Manifests {
        max_description: Some(0),
        floats: manifests.is_none_or(|manifests| manifests.floats),
        ..manifests.cloned().unwrap_or_default()
    }
}

/// The CRDs of all kinds with their groups and plurals, ordered by group and kind. Kinds that were read from CRDs are included
/// only if the API comes from [`generate`](crate::generate) with [`Options::manifests`] that request CRDs.
///
/// # Errors
///
/// What the API server would reject, at the position of the type or field.
pub fn crds(
    api: &ApiSet,
    manifests: &Manifests,
    compat: Compat,
) -> Result<Vec<(String, String, Value)>, Diagnostics> {
    whole(Checked::new(api, manifests, compat))
}

/// The CRDs as [`crds`] returns them, whatever the API server says of them: for comparisons with something else.
///
/// # Errors
///
/// What no CRD can say, at the position of the type or field.
#[cfg(feature = "cli")]
pub(crate) fn unjudged(
    api: &ApiSet,
    manifests: &Manifests,
    compat: Compat,
) -> Result<Vec<(String, String, Value)>, Diagnostics> {
    whole(Checked::with(false, api, manifests, compat))
}

/// All CRDs with their groups and plurals.
fn whole(checked: Checked<'_>) -> Result<Vec<(String, String, Value)>, Diagnostics> {
    let (crds, _) = checked.all()?;
    let crds = crds.into_par_iter().with_max_len(1);
    Ok(crds
        .map(|(group, crd)| {
            let json = crd.part().to_json();
            (group.to_owned(), crd.plural, json)
        })
        .collect())
}

/// The CRDs of all kinds, each with what was found in it.
struct Checked<'a> {
    crds: Vec<(Option<(&'a str, Crd)>, Diagnostics)>,
    /// Findings about the selection of CRDs.
    found: Diagnostics,
}

impl<'a> Checked<'a> {
    fn new(api: &'a ApiSet, manifests: &Manifests, compat: Compat) -> Self {
        Self::with(true, api, manifests, compat)
    }

    /// The CRDs, judged as the API server judges them or not.
    fn with(judged: bool, api: &'a ApiSet, manifests: &Manifests, compat: Compat) -> Self {
        let mut assemblies = Vec::new();
        for group in &api.groups {
            let mut kinds: Vec<&Resource> = Vec::new();
            for version in &group.versions {
                for resource in &version.resources {
                    let is_whole = version.origin != Origin::Crd || resource.rest.is_some();
                    let is_wanted =
                        !resource.foreign && manifests.selects(&group.name, &resource.kind);
                    let is_new = kinds.iter().all(|known| known.kind != resource.kind);
                    if is_whole && is_wanted && is_new {
                        kinds.push(resource);
                    }
                }
            }
            kinds.sort_by(|a, b| a.kind.cmp(&b.kind));
            for kind in kinds {
                let crd = crd::Assembly::new(api, group, &kind.kind, (manifests, compat));
                let crd = if judged { crd.judged() } else { crd };
                assemblies.push((group.name.as_str(), crd));
            }
        }
        let assembled = assemblies.into_par_iter().with_max_len(1);
        let assembled = assembled.map(|(group, crd)| {
            let mut found = Diagnostics::new();
            (crd.finish(&mut found).map(|crd| (group, crd)), found)
        });
        let mut found = Diagnostics::new();
        let from_crates = api
            .versions()
            .any(|(_, version)| version.reexported || version.path.contains('/'));
        if !from_crates {
            let names = api.groups.iter().flat_map(|group| {
                let resources = group.versions.iter().flat_map(|version| &version.resources);
                resources.map(|one| (group.name.as_str(), one.kind.as_str()))
            });
            manifests.check_selection(names, &mut found);
        }
        Self {
            crds: assembled.collect(),
            found,
        }
    }

    /// Returns all CRDs, with warnings.
    ///
    /// # Errors
    ///
    /// A CRD has errors.
    fn all(self) -> Result<(Crds<'a>, Diagnostics), Diagnostics> {
        let mut found = self.found;
        let mut crds = Vec::new();
        for (crd, of_crd) in self.crds {
            crds.extend(crd);
            found.extend(of_crd);
        }
        found.finish_with_warnings(crds)
    }

    /// Returns the CRDs without errors, with warnings; the errors of the others go to `skipped`.
    ///
    /// # Errors
    ///
    /// All CRDs have errors.
    fn sound(mut self, skipped: &mut Diagnostics) -> Result<(Crds<'a>, Diagnostics), Diagnostics> {
        let is_sound =
            |(crd, found): &(Option<_>, Diagnostics)| crd.is_some() && !found.has_errors();
        if !self.crds.iter().any(is_sound) {
            return self.all();
        }
        let (sound, faulty): (Vec<_>, Vec<_>) = self.crds.into_iter().partition(is_sound);
        for (_, mut found) in faulty {
            skipped.extend(found.split_errors());
            self.found.extend(found);
        }
        self.crds = sound;
        self.all()
    }
}
