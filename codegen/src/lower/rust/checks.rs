//! Checks of a package: its modules, its name, and versions that cannot stand together.

use super::{Cx, at_item, resource::is_dns_label};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::Version,
    options::Generator,
    read::rust::{Item, Package},
};

/// Every file is a declared module, and every declared module has a file.
pub(super) fn modules(cx: &Cx<'_>, diagnostics: &mut Diagnostics) {
    let package = cx.package;
    for module in &package.modules {
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
                Diagnostic::error(format!("`{name}` is no module of this version"))
                    .at(module.place.clone(), "read by nobody")
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
    // A file outside of the folder is not read, and so has no types of the version.
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

/// The version's `mod.rs` declares what is generated beside it.
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
    for (generator, name, wanted, public) in [
        (
            Generator::Deepcopy,
            "zz_generated_deepcopy",
            has_deepcopy,
            false,
        ),
        (
            Generator::Register,
            "zz_generated_register",
            has_register,
            true,
        ),
    ] {
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

/// The names that package markers give go into URLs, paths and identifiers.
pub(super) fn package_names(package: &Package, diagnostics: &mut Diagnostics) {
    let mut check = |marker: &str, legal: fn(&str) -> bool, wanted: &str| {
        let Some(marker) = package.markers.get(marker) else {
            return;
        };
        let name = marker.text("").unwrap_or_default();
        if !legal(name) {
            diagnostics.push(
                Diagnostic::error(format!("`{name}` is no value of `+{}`", marker.def.name))
                    .at(marker.place.clone(), "not legal")
                    .help(wanted),
            );
        }
    };
    check(
        "groupName",
        is_dns_name,
        "a group is a DNS name in lower case, such as `cloudnative.czs`",
    );
    check(
        "versionName",
        is_dns_label,
        "a version is a DNS label in lower case, such as `v1alpha1`",
    );
    check(
        "groupGoName",
        is_camel_case,
        "the name is in camel case, such as `Cloudnative`",
    );
}

/// What is served has legal names, wherever they come from: here, those that only folders give.
pub(super) fn folder_names(
    cx: &Cx<'_>,
    group: &str,
    version: &Version,
    diagnostics: &mut Diagnostics,
) {
    let package = cx.package;
    let mut check = |what: &str, name: &str, legal: fn(&str) -> bool, help: &str| {
        let is_named = package.markers.has(&format!("{what}Name"));
        if !is_named && !version.resources.is_empty() && !legal(name) {
            diagnostics.push(
                Diagnostic::error(format!("`{name}` is no name of a {what}"))
                    .at(package.place.clone(), "in a folder of that name")
                    .help(help),
            );
        }
    };
    if group == package.group {
        let help = "a group is a DNS name in lower case: write one here, such as `// +groupName=cloudnative.czs`";
        check("group", group, is_dns_name, help);
    }
    let help = "a version is a DNS label in lower case: write one here, such as `// +versionName=v1alpha1`";
    check("version", &version.name, is_dns_label, help);
}

pub(super) fn is_dns_name(name: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

pub(super) fn is_camel_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name != "Self"
}

/// A type's name stands once in a version, whatever its module.
pub(super) fn second_item(cx: &Cx<'_>, item: &Item, diagnostics: &mut Diagnostics) {
    if let Some(first) = cx.item(&item.name) {
        diagnostics.push(
            at_item(
                item,
                format!("`{}` is declared twice in this version", item.name),
                "the second time",
            )
            .at(first.place.clone(), "the first time")
            .help("types of one version have different names, in whatever module they stand"),
        );
    }
}

/// Options of the client without a client.
pub(super) fn no_root(cx: &Cx<'_>, item: &Item, diagnostics: &mut Diagnostics) {
    let is_list = cx.listed_kind(item).is_some();
    for marker in &item.markers.0 {
        let name = marker.def.name;
        let needs_client = name.starts_with("genclient:") || name == "resourceName";
        let needs_root = matches!(
            name,
            "kubebuilder:resource"
                | "kubebuilder:subresource:status"
                | "kubebuilder:subresource:scale"
                | "kubebuilder:printcolumn"
                | "kubebuilder:selectablefield"
                | "kubebuilder:storageversion"
                | "kubebuilder:unservedversion"
                | "kubebuilder:skipversion"
                | "kubebuilder:deprecatedversion"
                | "kubebuilder:metadata"
        );
        if !needs_client && !needs_root {
            continue;
        }
        let missing =
            Diagnostic::error(format!("`+{name}` stands above a type that is no resource"))
                .at(marker.place.clone(), "without effect");
        diagnostics.push(if is_list {
            missing.help("it belongs above the type that is listed")
        } else if needs_client {
            missing.help("add `+genclient`")
        } else {
            missing.help("add `+genclient`, or `+k8s:deepcopy-gen:interfaces=runtime.Object`")
        });
    }
    if is_list && let Some(marker) = item.markers.get("genclient") {
        diagnostics.push(
            Diagnostic::error("a list has no client of its own")
                .at(marker.place.clone(), "above a list")
                .help("put it above the type that is listed"),
        );
    }
}

/// Versions of one group differ in name.
pub(super) fn same_group(
    group: &str,
    versions: &[(&Package, Version)],
    diagnostics: &mut Diagnostics,
) {
    for (index, (package, version)) in versions.iter().enumerate() {
        let before = &versions[..index];
        if let Some((first, _)) = before.iter().find(|(_, other)| other.name == version.name) {
            diagnostics.push(
                Diagnostic::error(format!("two folders are {group}/{}", version.name))
                    .at(package.place.clone(), "this one")
                    .at(first.place.clone(), "and this one")
                    .help("name their groups apart with `+groupName`"),
            );
        }
        let name_of = |package: &Package| package.markers.text("groupGoName").map(str::to_owned);
        if let (Some(own), Some((other, _))) = (
            package.markers.get("groupGoName"),
            before.iter().find(|(other, _)| name_of(other).is_some()),
        ) && name_of(other).as_deref() != own.text("")
        {
            diagnostics.push(
                Diagnostic::error(format!(
                    "the versions of {group} have different names for it"
                ))
                .at(own.place.clone(), "another name than in the other version"),
            );
        }
    }
}
