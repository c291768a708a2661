//! Names of groups: the module that holds a group, and the prefix for type names that mention it.

use std::collections::{BTreeMap, BTreeSet};

use super::{is_kubernetes_version, plain_ident, snake_case, upper_camel};

/// Returns the module for a group, from the first label of its name: `cloudnative.czs` →
/// `cloudnative`, `my-group.io` → `my_group`.
///
/// The core group (empty name) becomes `core`. A keyword is returned without `r#`; `ident` adds it.
#[must_use]
pub fn module_name(group: &str) -> String {
    if group.is_empty() {
        return "core".to_owned();
    }
    plain_ident(&snake_case(first_label(group)))
}

/// Returns the module for a group, from its full name: `networking.istio.io` →
/// `networking_istio_io`.
#[must_use]
pub fn qualified_module_name(group: &str) -> String {
    if group.is_empty() {
        return "core".to_owned();
    }
    plain_ident(&snake_case(group))
}

/// Returns the module for a version: `v1alpha1`, `v1_0` for `v1-0`.
///
/// A version `mod` becomes `mod_`, since the file of its module would be that of the group's,
/// `mod.rs`; and `informer` becomes `informer_`, since the module of a group's informers imports
/// the runtime's.
#[must_use]
pub fn version_module(version: &str) -> String {
    match plain_ident(&snake_case(version)) {
        name if name == "mod" || name == "informer" => format!("{name}_"),
        name => name,
    }
}

/// Assigns a unique module to each group of a set.
///
/// A group gets [`module_name`], unless another group of the set shares it or it clashes with
/// another name in or around generated code; then it gets [`qualified_module_name`], and groups
/// that share even that get a checksum of their name as suffix. Names are therefore independent of
/// the order of groups, and each is built from the group's own name. Groups of `x-k8s.io`, which
/// Kubernetes projects use without API review, yield to all others, so adding one next to a group
/// of `k8s.io` renames no module. Groups with a recorded module keep it, and others yield to them.
pub fn module_names<'a>(
    groups: impl IntoIterator<Item = &'a str>,
    recorded: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let groups: BTreeSet<&str> = groups.into_iter().collect();
    let short = count(&groups, module_name);
    let settled = groups.iter().filter(|group| !is_experimental(group));
    let settled = count(&settled.copied().collect(), module_name);
    let long = count(&groups, qualified_module_name);
    let kept = groups.iter().filter_map(|&group| recorded.get(group));
    let kept: BTreeSet<&String> = kept.collect();
    let is_free = |module: &String| !kept.contains(module);
    groups
        .iter()
        .map(|group| {
            if let Some(module) = recorded.get(*group) {
                return ((*group).to_owned(), module.clone());
            }
            let name = module_name(group);
            let qualified = qualified_module_name(group);
            let rivals = match is_experimental(group) {
                true => &short,
                false => &settled,
            };
            let is_alone = rivals.get(&name) == Some(&1);
            let is_apart = long.get(&qualified) == Some(&1) && !short.contains_key(&qualified);
            let module = if is_alone && !is_reserved(&name) && is_free(&name) {
                name
            } else if is_apart && is_free(&qualified) {
                qualified
            } else {
                summed_module_name(group)
            };
            ((*group).to_owned(), module)
        })
        .collect()
}

/// Whether the group can have this module in some set of groups.
#[must_use]
pub fn is_module_of(module: &str, group: &str) -> bool {
    let is_plain = module == module_name(group) || module == qualified_module_name(group);
    (is_plain && !is_reserved(module)) || module == summed_module_name(group)
}

fn summed_module_name(group: &str) -> String {
    let checksum = checksum(group);
    format!("{}_{checksum:08x}", qualified_module_name(group))
}

/// Returns the type-name prefix of a group: `cloudnative.czs` → `Cloudnative`, `my-group.io` →
/// `MyGroup`.
#[must_use]
pub fn go_name(group: &str) -> String {
    if group.is_empty() {
        return "Core".to_owned();
    }
    match upper_camel(first_label(group)) {
        name if name == "Self" => "SelfGroup".to_owned(),
        name => plain_ident(&name),
    }
}

/// Whether the module name would clash with surrounding modules, with versions inside it, with
/// `mod.rs`, with features that every crate has, or with a name that Rust reserves.
fn is_reserved(module: &str) -> bool {
    #[rustfmt::skip]
    const RESERVED: [&str; 12] = [
        "apis", "codec", "crate_", "default", "fake", "informers", "latest", "listers", "mod",
        "self_", "super_", "typed",
    ];
    RESERVED.contains(&module) || is_kubernetes_version(module) || is_version_feature(module)
}

/// Whether a feature of this name selects a Kubernetes version: `v1_33`.
fn is_version_feature(module: &str) -> bool {
    let minor = module.strip_prefix("v1_");
    minor.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|it| it.is_ascii_digit()))
}

/// Whether the group is an `x-k8s.io` group, which Kubernetes projects use without API review.
fn is_experimental(group: &str) -> bool {
    group.ends_with(".x-k8s.io")
}

fn first_label(group: &str) -> &str {
    group.split('.').next().unwrap_or(group)
}

fn count(groups: &BTreeSet<&str>, name: fn(&str) -> String) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for group in groups {
        *counts.entry(name(group)).or_insert(0) += 1;
    }
    counts
}

/// FNV-1a, 32 bits: unlike `DefaultHasher`, stable across Rust versions.
pub(crate) fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module_names<'a>(groups: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
        super::module_names(groups, &BTreeMap::new())
    }

    #[test]
    fn the_first_label_names_the_module() {
        assert_eq!(module_name("cloudnative.czs"), "cloudnative");
        assert_eq!(module_name("my-group.example.com"), "my_group");
        assert_eq!(module_name("3scale.net"), "_3scale");
        assert_eq!(module_name(""), "core");
        assert_eq!(module_name("type.example.com"), "type");
        assert_eq!(module_name("crate.example.com"), "crate_");
        assert_eq!(go_name("my-group.example.com"), "MyGroup");
        assert_eq!(go_name("cloudnative.czs"), "Cloudnative");
    }

    #[test]
    fn no_version_has_the_file_of_its_group() {
        assert_eq!(version_module("v1alpha1"), "v1alpha1");
        assert_eq!(version_module("v1-0"), "v1_0");
        assert_eq!(version_module("type"), "type");
        assert_eq!(version_module("mod"), "mod_");
        assert_eq!(version_module("informer"), "informer_");
    }

    #[test]
    fn groups_keep_out_of_the_way_of_other_modules() {
        let groups = [
            "apis.kcp.io",
            "default.x.y",
            "mod.x",
            "self.x",
            "v1.x",
            "v2v.x",
            "fake",
            "latest.x",
            "v1-33.x",
        ];
        let names = module_names(groups);
        assert_eq!(names["apis.kcp.io"], "apis_kcp_io");
        assert_eq!(names["default.x.y"], "default_x_y");
        assert_eq!(names["mod.x"], "mod_x");
        assert_eq!(names["self.x"], "self_x");
        assert_eq!(names["v1.x"], "v1_x");
        assert_eq!(names["v2v.x"], "v2v");
        assert!(names["fake"].starts_with("fake_"));
        assert_eq!(names["latest.x"], "latest_x");
        assert_eq!(names["v1-33.x"], "v1_33_x");
        assert_eq!(go_name("self.x"), "SelfGroup");
    }

    #[test]
    fn experimental_groups_give_way() {
        let both = ["gateway.networking.k8s.io", "gateway.networking.x-k8s.io"];
        let names = module_names(both);
        assert_eq!(names[both[0]], "gateway");
        assert_eq!(names[both[1]], "gateway_networking_x_k8s_io");
        assert_eq!(module_names([both[1]])[both[1]], "gateway");
        let three = [both[0], both[1], "gateway.io"];
        assert_eq!(module_names(three)[both[0]], "gateway_networking_k8s_io");
        let two = ["a.x-k8s.io", "a.b.x-k8s.io"];
        assert_eq!(module_names(two)[two[0]], "a_x_k8s_io");
    }

    #[test]
    fn groups_that_share_a_first_label_use_their_whole_name() {
        let names = module_names([
            "networking.k8s.io",
            "networking.istio.io",
            "apps",
            "a-b.c",
            "a.b.c",
            "a.b-c",
        ]);
        assert_eq!(names["networking.k8s.io"], "networking_k8s_io");
        assert_eq!(names["networking.istio.io"], "networking_istio_io");
        assert_eq!(names["apps"], "apps");
        assert_eq!(names["a-b.c"], "a_b");
        assert!(names["a.b.c"].starts_with("a_b_c_"));
        let unique: BTreeSet<_> = names.values().collect();
        assert_eq!(unique.len(), names.len());
    }
}
