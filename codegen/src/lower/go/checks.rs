//! Checks a module: its markers, the names of its types, and the type paths of the options.

use std::collections::BTreeMap;

use super::{
    cx::{Cx, Pkg},
    modules::ApiVersion,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Severity},
    model::{Marshals, TypeDef, TypeKind, TypeRef},
    options::Options,
    read::go::Module,
    suggest,
};

/// Warns about `--type-path` of a type that its package, which was read, does not declare.
pub(super) fn check_type_paths(cx: &Cx<'_>, diagnostics: &mut Diagnostics) {
    for key in cx.options.type_paths.keys() {
        let Some((path, name)) = key.rsplit_once('.') else {
            continue;
        };
        let Some(pkg) = cx.pkg(path).filter(|pkg| pkg.decl(name).is_none()) else {
            continue;
        };
        let warning =
            Diagnostic::warning(format!("type path of {key}: the package has no such type"));
        let types = pkg.package.types.iter().map(|decl| decl.name.as_str());
        diagnostics.push(warning.help(match suggest::closest(name, types) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "correct its name, or remove the type path".to_owned(),
        }));
    }
}

/// Reports findings in markers: errors if an output depends on the markers, else warnings.
pub(super) fn report_markers(module: &Module, options: &Options, diagnostics: &mut Diagnostics) {
    for (found, is_used) in [
        (&module.rules, options.uses_schemas()),
        (&module.crate_findings, options.uses_crate_markers()),
    ] {
        for mut found in found.as_slice().iter().cloned() {
            if !is_used {
                found.severity = Severity::Warning;
            }
            diagnostics.push(found);
        }
    }
}

/// Reports types with the same name in several packages of a version: those that were renamed, and
/// those that could not be.
pub(super) fn check_names(
    cx: &Cx<'_>,
    version: &ApiVersion<'_>,
    types: &[TypeDef],
    diagnostics: &mut Diagnostics,
) {
    if version.packages.len() < 2 {
        return;
    }
    for package in &version.packages {
        for (name, rust) in cx.renamed(&package.path) {
            let def = types.iter().find(|def| def.name == rust);
            let Some(place) = def.and_then(|def| def.declared.place()) else {
                continue;
            };
            let message = format!("`{name}` is named `{rust}`");
            let label = format!("another package of {} also uses the name", version.name);
            let warning = Diagnostic::warning(message).at(place.clone(), label);
            diagnostics.push(warning.help(format!(
                "choose another name with `--type-path '{}.{name}=…'`",
                package.path
            )));
        }
    }
    let mut by_name: BTreeMap<&str, &TypeDef> = BTreeMap::new();
    for def in types {
        let Some(first) = by_name.insert(&def.name, def) else {
            continue;
        };
        let message = format!(
            "two packages of the version {} of {} have a type `{}`",
            version.name, version.group, def.name
        );
        let places = [(def, "the second"), (first, "the first")];
        let error = places
            .into_iter()
            .fold(
                Diagnostic::error(message),
                |error, (def, label)| match def.declared.place() {
                    Some(place) => error.at(place.clone(), label),
                    None => error,
                },
            );
        diagnostics.push(error.help(format!(
            "give one of them another name with `--type-path '<import path>.{name}=Other{name}'`, or generate the packages into separate crates",
            name = def.name
        )));
    }
}

/// Warns about types that marshal themselves without a marker that says as what, where a schema
/// depends on it.
pub(super) fn check_marshalers(
    cx: &Cx<'_>,
    types: &BTreeMap<String, Vec<TypeDef>>,
    diagnostics: &mut Diagnostics,
) {
    let mut unknown: BTreeMap<String, &TypeDef> = BTreeMap::new();
    for (package, defs) in types {
        let is_own = |pkg: &Pkg<'_>| pkg.package.version.is_none() && pkg.package.module != "std";
        let Some(home) = cx
            .home(package)
            .filter(|_| cx.pkg(package).is_some_and(is_own))
        else {
            continue;
        };
        let is_unknown =
            |def: &&TypeDef| def.marshals == Some(Marshals::Json) && def.validation.type_.is_none();
        let of_package = defs.iter().filter(is_unknown);
        unknown.extend(of_package.map(|def| (format!("{}::{}", home.path, def.name), def)));
    }
    if unknown.is_empty() {
        return;
    }
    for (package, defs) in types {
        let home = cx.home(package).map_or("", |home| home.path.as_str());
        let structs = defs.iter().filter_map(|def| match &def.kind {
            TypeKind::Struct(body) => Some(&body.fields),
            _ => None,
        });
        for field in structs.flatten() {
            let rules = &field.validation;
            if field.undeclared || rules.schemaless || rules.type_.is_some() {
                continue;
            }
            let path = match field.ty.element() {
                TypeRef::Local(name) => format!("{home}::{name}"),
                ty => ty.path().unwrap_or_default(),
            };
            if let Some(def) = unknown.remove(&path) {
                diagnostics.push(marshaler(def));
            }
        }
    }
}

fn marshaler(def: &TypeDef) -> Diagnostic {
    let message = format!(
        "`{}` has a `MarshalJSON`, and no marker says what it writes",
        def.name
    );
    let warning = Diagnostic::warning(message).help(
        "declare what is in JSON: `// +kubebuilder:validation:Type=…` above the type, or on its fields with `+kubebuilder:validation:Schemaless`",
    );
    match def.declared.place() {
        Some(place) => warning.at(
            place.clone(),
            "its schema is that of its Go type, as in controller-gen",
        ),
        None => warning,
    }
}
