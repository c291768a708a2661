//! Checks a package: its modules, its names, and conflicts between versions.

use std::collections::BTreeMap;

use super::{Cx, at_item, attributes, has_derive};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    generator::{Generator, Home},
    model::{
        Field, Resource, Version,
        names::{is_label_1035, is_subdomain},
    },
    read::{
        markers::{
            MarkerDef, MarkerType as _, Requires,
            client::GenClient,
            package::{GroupGoName, GroupName, VersionName},
        },
        rust::{self, Item, Layout, Package},
    },
};

/// Checks that every file is a declared module, and every declared module has a file.
pub(super) fn modules(cx: &Cx<'_>, diagnostics: &mut Diagnostics) {
    let package = cx.package;
    for module in package.modules.iter() {
        let Some((name, parent)) = module.path.split_last() else {
            continue;
        };
        let parents: Vec<_> = package
            .modules
            .iter()
            .filter(|m| m.path == parent)
            .collect();
        let is_declared = parents.iter().any(|parent| {
            parent
                .declared
                .iter()
                .any(|declared| declared.name == *name)
        });
        let is_inline = !module.from_file;
        if !is_declared && !is_inline {
            let owner = if parent.is_empty() {
                "mod.rs".to_owned()
            } else {
                format!("the module `{}`", parent.join("::"))
            };
            diagnostics.push(
                Diagnostic::error(format!("`{name}` is not a module of this version"))
                    .at(module.place.clone(), "not read")
                    .help(format!(
                        "write `mod {name};` in {owner}, or remove the file"
                    )),
            );
        }
        for declared in &module.declared {
            check_file(package, &module.path, declared, diagnostics);
        }
    }
    for root in package.modules.iter().filter(|m| m.path.is_empty()) {
        for declared in &root.declared {
            check_file(package, &[], declared, diagnostics);
        }
    }
}

fn check_file(
    package: &Package,
    parent: &[String],
    declared: &crate::read::rust::Declared,
    diagnostics: &mut Diagnostics,
) {
    // A file outside of the directory is not read, and so contributes no types to the version.
    let is_outside = declared
        .path
        .as_ref()
        .is_some_and(|path| path.contains(".."));
    if declared.name.starts_with("zz_generated_") || is_outside {
        return;
    }
    let is_read = package
        .modules
        .iter()
        .any(|module| module.path.split_last() == Some((&declared.name, parent)));
    if !is_read {
        diagnostics.push(
            Diagnostic::error(format!("no file for the module `{}`", declared.name))
                .at(declared.place.clone(), "declared here")
                .help(format!("add `{0}.rs` or `{0}/mod.rs`", declared.name)),
        );
    }
}

/// Checks that the version's `mod.rs` declares the modules generated next to it.
pub(super) fn generated_modules(cx: &Cx<'_>, version: &Version, diagnostics: &mut Diagnostics) {
    let package = cx.package;
    let Some(root) = package.modules.iter().find(|m| m.path.is_empty()) else {
        return;
    };
    let has_deepcopy = version
        .types
        .iter()
        .filter_map(|def| def.item.as_ref())
        .any(|item| item.deepcopy || item.object);
    let has_register = !version.resources.is_empty();
    for generator in Generator::ALL {
        let Home::Beside {
            module: name,
            public,
        } = generator.definition().home
        else {
            continue;
        };
        let wanted = match generator {
            Generator::Deepcopy => has_deepcopy,
            _ => has_register,
        };
        if !cx.options.emits(generator) || !wanted {
            continue;
        }
        let line = if public {
            format!("pub mod {name};")
        } else {
            format!("mod {name};")
        };
        match root.declared.iter().find(|declared| declared.name == name) {
            None => diagnostics.push(
                Diagnostic::error(format!(
                    "mod.rs does not declare the generated module `{name}`"
                ))
                .at(package.place.clone(), "the version's module")
                .help(format!("add `{line}`")),
            ),
            Some(declared) if public && !declared.public => diagnostics.push(
                Diagnostic::error(format!(
                    "the module `{name}` is private, but generated code uses it"
                ))
                .at(declared.place.clone(), "private")
                .help(format!("write `{line}`")),
            ),
            Some(_) => {}
        }
    }
}

/// Checks the names in package markers, which are used in URLs, paths and identifiers.
pub(super) fn package_names(package: &Package, diagnostics: &mut Diagnostics) {
    let markers = &package.markers;
    let mut check = |def: MarkerDef, name: &str, place: &Place, legal: bool, wanted: &str| {
        if !legal {
            diagnostics.push(
                Diagnostic::error(format!("invalid value `{name}` of `+{}`", def.name))
                    .at(place.clone(), "not valid")
                    .help(wanted),
            );
        }
    };
    if let Some(group) = markers.get::<GroupName>() {
        let name = group.name.as_str();
        let legal = name.is_empty() || is_subdomain(name);
        check(GroupName::DEF, name, group.place, legal, GROUP);
    }
    if let Some(version) = markers.get::<VersionName>() {
        let legal = is_label_1035(&version.name);
        check(
            VersionName::DEF,
            &version.name,
            version.place,
            legal,
            VERSION,
        );
    }
    if let Some(group) = markers.get::<GroupGoName>() {
        let legal = is_camel_case(&group.name);
        let wanted = "write the name in camel case, such as `Cloudnative`";
        check(GroupGoName::DEF, &group.name, group.place, legal, wanted);
    }
}

const GROUP: &str = "a group is a DNS name in lower case, such as `cloudnative.czs`";
const VERSION: &str = "a version is a DNS label in lower case, such as `v1alpha1`";

/// Checks the names that come from directories: names of served types must be valid.
pub(super) fn folder_names(
    cx: &Cx<'_>,
    group: &str,
    version: &Version,
    diagnostics: &mut Diagnostics,
) {
    let package = cx.package;
    if version.resources.is_empty() {
        return;
    }
    let mut report = |what: &str, name: &str, help: &str| {
        diagnostics.push(
            Diagnostic::error(format!("invalid {what} name `{name}`"))
                .at(package.place.clone(), "in a directory of that name")
                .help(help),
        );
    };
    let is_named = package.markers.has::<GroupName>();
    if group == package.group && !is_named && !is_subdomain(group) {
        report(
            "group",
            group,
            "a group is a DNS name in lower case: write one here, such as `// +groupName=cloudnative.czs`",
        );
    }
    let is_named = package.markers.has::<VersionName>();
    if !is_named && !is_label_1035(&version.name) {
        report(
            "version",
            &version.name,
            "a version is a DNS label in lower case: write one here, such as `// +versionName=v1alpha1`",
        );
    }
}

pub(super) fn is_camel_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name != "Self"
}

/// Reports a type name declared twice: in a version's directory in whatever modules, in a crate in
/// one module.
pub(super) fn second_item(cx: &Cx<'_>, item: &Item, diagnostics: &mut Diagnostics) {
    let Some(first) = cx.item(cx.key(item)) else {
        return;
    };
    let conditions = [first, item].map(|item| cx.conditions(item));
    let are_alternatives = conditions[0] != conditions[1];
    let (within, help) = match cx.package.layout {
        Layout::Version if are_alternatives => (
            "version",
            "conditions (`cfg`) are not evaluated, since generated code is the same for all features: declare the type once, or give the \
             alternatives distinct names",
        ),
        Layout::Version => (
            "version",
            "types of one version need distinct names, even in different modules",
        ),
        Layout::Crate => (
            "module",
            "conditions (`cfg`) are not evaluated: give the types distinct names or modules",
        ),
    };
    let message = format!("`{}` is declared twice in this {within}", item.name);
    let error = at_item(item, message, "the second time")
        .at(first.place.clone(), "the first time")
        .help(help);
    diagnostics.push(error);
}

/// Reports two kinds of one version with the same plural.
pub(super) fn same_plural<'a>(
    item: &'a Item,
    resource: &Resource,
    plurals: &mut BTreeMap<String, &'a Item>,
    diagnostics: &mut Diagnostics,
) {
    let Some(first) = plurals.insert(resource.plural.clone(), item) else {
        return;
    };
    diagnostics.push(
        at_item(
            item,
            format!(
                "two kinds of this version have the plural `{}`",
                resource.plural
            ),
            "the second kind",
        )
        .at(first.place.clone(), "the first kind")
        .help("give one of them another plural with `+resourceName`"),
    );
}

/// Reports client options on a type without a client.
pub(super) fn no_root(cx: &Cx<'_>, item: &Item, diagnostics: &mut Diagnostics) {
    let is_list = cx.listed_kind(item).is_some();
    for marker in &item.markers.0 {
        let MarkerDef { name, requires, .. } = marker.def;
        if *requires == Requires::Nothing {
            continue;
        }
        let missing =
            Diagnostic::error(format!("`+{name}` is above a type that is not a resource"))
                .at(marker.place.clone(), "without effect");
        diagnostics.push(if is_list {
            missing.help("put it above the type that is listed")
        } else if *requires == Requires::Client {
            missing.help("add `+genclient`")
        } else {
            missing.help("add `+genclient`, or `+k8s:deepcopy-gen:interfaces=runtime.Object`")
        });
    }
    if is_list && let Some(marker) = item.markers.get::<GenClient>() {
        diagnostics.push(
            Diagnostic::error("a list has no client of its own")
                .at(marker.place.clone(), "above a list")
                .help("put it above the type that is listed"),
        );
    }
}

/// Reports versions of one group with the same name, or with different Go names for the group.
pub(super) fn same_group(
    group: &str,
    versions: &[(&Package, Version)],
    diagnostics: &mut Diagnostics,
) {
    for (index, (package, version)) in versions.iter().enumerate() {
        let before = &versions[..index];
        let is_same = |(other, named): &&(&Package, Version)| {
            let are_crates = [package.layout, other.layout] == [Layout::Crate; 2];
            named.name == version.name && !are_crates
        };
        if let Some((first, _)) = before.iter().find(is_same) {
            diagnostics.push(
                Diagnostic::error(format!("two directories declare {group}/{}", version.name))
                    .at(package.place.clone(), "this one")
                    .at(first.place.clone(), "and this one")
                    .help("give them different groups with `+groupName`"),
            );
        }
        let name_of = |package: &Package| {
            let marker = package.markers.get::<GroupGoName>();
            marker.map(|marker| marker.marker.name)
        };
        if let (Some(own), Some(other)) = (
            package.markers.get::<GroupGoName>(),
            before.iter().find_map(|(other, _)| name_of(other)),
        ) && other != own.name
        {
            diagnostics.push(
                Diagnostic::error(format!(
                    "the versions of {group} have different Go names for it"
                ))
                .at(own.place.clone(), "differs from the other version"),
            );
        }
    }
}

/// Warns about JSON names with underscores that nothing asks for: by the Kubernetes API conventions
/// they are in camel case.
pub(super) fn report_snake_case(
    item: &Item,
    lowered: &[Field],
    fields: &[rust::Field],
    diagnostics: &mut Diagnostics,
) {
    // Types with the attributes of schemars are read unchanged.
    let is_own = item.has_attribute_macros || attributes::derives_schema(item);
    if !has_derive(item, "Serialize") || is_own {
        return;
    }
    let on_wire = lowered.iter().zip(fields).filter(|(field, source)| {
        let name = field.json_name.trim_matches('_');
        name.contains('_') && source.serde.rename.is_none() && !field.skip && !field.flatten
    });
    let mut on_wire = on_wire.map(|(field, source)| (field.json_name.as_str(), &source.place));
    let Some((name, place)) = on_wire.next() else {
        return;
    };
    let warning = Diagnostic::warning(format!(
        "`{name}` of `{}` is not in camel case in JSON",
        item.name
    ));
    diagnostics.push(
        warning
            .at(place.clone(), "written under its Rust name")
            .help("add `#[serde(rename_all = \"camelCase\")]` to the type; to keep the name, add `#[serde(rename = \"…\")]` to the field"),
    );
}
