//! Errors of conversions that cannot be planned.

use std::collections::{BTreeMap, BTreeSet};

use super::{How, Plan, plans, versions};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{Field, FieldConversion, Group, TypeDef, TypeKind, Version, Versioned},
};

/// Checks that each kind with several versions has one to convert to and from, and that markers are
/// of use.
pub(crate) fn check(group: &Group, diagnostics: &mut Diagnostics) {
    check_hubs(group, diagnostics);
    let plans = plans(group);
    for plan in &plans {
        check_crate(group, plan, diagnostics);
        check_names(group, plan, diagnostics);
    }
    check_markers(group, &plans, diagnostics);
}

fn check_hubs(group: &Group, diagnostics: &mut Diagnostics) {
    let mut kinds: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for it in versions(group) {
        kinds.entry(&it.resource.kind).or_default().push(it);
    }
    for (kind, versions) in kinds {
        let has_hub = versions.iter().any(|it| it.resource.storage);
        if let ([_, _, ..], false) = (versions.as_slice(), has_hub) {
            let message = format!(
                "{kind} of {} has no version that the others are converted to",
                group.name
            );
            let help = "mark the version that is stored with `+kubebuilder:storageversion`; of CRDs, keep it with the filters";
            diagnostics.push(Diagnostic::error(message).help(help));
        }
    }
}

/// The crate of a type alone may implement traits for it.
fn check_crate(group: &Group, plan: &Plan<'_>, diagnostics: &mut Diagnostics) {
    let Versioned { version, resource } = plan.spoke;
    if version.is_elsewhere(resource) {
        let message = format!(
            "{} of {}/{} is a type of another crate, which alone can convert it",
            resource.kind, group.name, version.name
        );
        let help = "generate `conversion` in that crate, and leave it out here";
        diagnostics.push(Diagnostic::error(message).help(help));
    }
}

/// Paths separate names with dots.
fn check_names(group: &Group, plan: &Plan<'_>, diagnostics: &mut Diagnostics) {
    for table in &plan.tables {
        let rules = table.rules.iter();
        let names = rules.filter(|it| !matches!(it.how, How::Same | How::Scaled(..)));
        let dotted = names.flat_map(|it| &it.paths).find(|it| it.contains('.'));
        let is_moved =
            |path: &str| table.types[0] == plan.spoke.resource.root && path.contains('.');
        if let Some(name) = dotted.filter(|name| !is_moved(name)) {
            diagnostics.push(Diagnostic::error(format!(
                "`{name}` of {} in {} cannot be converted by rules: its name has a dot",
                table.types[1], group.name
            )));
        }
    }
}

/// A marker that changes nothing is a mistake.
fn check_markers(group: &Group, plans: &[Plan<'_>], diagnostics: &mut Diagnostics) {
    for version in &group.versions {
        let used: BTreeSet<(&str, &str)> = plans
            .iter()
            .flat_map(|plan| {
                let own = plan.used.iter();
                own.filter(|(side, ..)| plan.side(*side).version.name == version.name)
            })
            .map(|(_, owner, field)| (*owner, *field))
            .collect();
        for def in &version.types {
            for field in marked(def) {
                if !used.contains(&(def.name.as_str(), field.json_name.as_str())) {
                    diagnostics.push(unused(group, version, def, field));
                }
            }
        }
    }
}

fn marked(def: &TypeDef) -> impl Iterator<Item = &Field> {
    let fields = match &def.kind {
        TypeKind::Struct(def) => def.fields.as_slice(),
        _ => &[],
    };
    let says_more = |field: &&Field| {
        let said = field.conversion.as_deref();
        // Go's generator takes its marker without a counterpart, too.
        said.is_some_and(|it| {
            *it != FieldConversion {
                by_hand: it.by_hand,
                ..FieldConversion::default()
            }
        })
    };
    fields.iter().filter(says_more)
}

fn unused(group: &Group, version: &Version, def: &TypeDef, field: &Field) -> Diagnostic {
    let marked = field.conversion.as_deref().cloned().unwrap_or_default();
    let what = match marked.place {
        Some(_) => "entry",
        None => "marker",
    };
    let help = match (&marked.lossy, field.required) {
        (Some(_), true) => format!(
            "a field that must be there comes back in any case: make it optional, or remove the {what}"
        ),
        (Some(_), false) => format!("all versions have the field: remove the {what}"),
        (None, _) => format!(
            "no version has the field under the old name or path, or as a number or value of the old form: correct the {what}, or remove it"
        ),
    };
    let message = format!(
        "the {what} of `{}.{}` in {}/{} changes no conversion",
        def.name, field.json_name, group.name, version.name
    );
    let error = Diagnostic::error(message).help(help);
    match marked.place.as_ref().or_else(|| field.declared.place()) {
        Some(place) => error.at(place.clone(), ""),
        None => error,
    }
}
