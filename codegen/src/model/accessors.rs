//! Names of the generated methods that lead to the clients and informers of groups, versions and
//! kinds.
//!
//! A method is named after what it leads to, unless its type already has a method of that name, or
//! another group or version would have it too. Then a second name is used, and with a checksum if
//! even that is not unique. Names do not depend on the order of groups.

use super::{
    ApiSet, Group, Version,
    names::{checksum, plain_ident, snake_case},
};

/// Methods of every clientset, and of the traits that it implements.
const OF_CLIENTSETS: [&str; 3] = ["as_ref", "clone_from", "try_default"];

/// Methods of every factory of informers: its own, those of the runtime's factory, which it
/// dereferences to, and of traits.
#[rustfmt::skip]
const OF_FACTORIES: [&str; 18] = [
    "builder", "client", "clone", "clone_from", "deref", "dynamic_informer",
    "dynamic_metadata_informer", "from", "informer_for", "into", "lister_for", "metadata_informer",
    "register_metrics", "remove", "shutdown", "start", "stats", "wait_for_cache_sync",
];

/// Methods of every type that holds the informers of a group or version, or the clients of a
/// version.
const OF_HOLDERS: [&str; 4] = ["client", "clone", "clone_from", "new"];

impl ApiSet {
    /// The clientset's method for a version: `cloudnative_v1alpha1`. Two versions give the same
    /// name if they are, for example, `my` with `group-v1` and `my-group` with `v1`.
    #[must_use]
    pub fn clientset_method(&self, group: &Group, version: &Version) -> String {
        let names = |group: &Group, version: &Version| {
            let (group, version) = (&group.module, &version.module);
            [
                format!("{group}_{version}"),
                format!("{group}_version_{version}"),
            ]
        };
        let others = self.versions().filter(|(other_group, other)| {
            (&other_group.module, &other.module) != (&group.module, &version.module)
        });
        let others = others.map(|(group, version)| names(group, version));
        distinct(names(group, version), others, &OF_CLIENTSETS)
    }

    /// The informer factory's method for a group: `cloudnative`.
    #[must_use]
    pub fn factory_method(&self, group: &Group) -> String {
        let names = |group: &Group| [group.module.clone(), format!("{}_group", group.module)];
        let others = self.groups.iter();
        let others = others.filter(|other| other.module != group.module);
        distinct(names(group), others.map(names), &OF_FACTORIES)
    }
}

impl Group {
    /// The method for a version of the type that holds the group's informers: `v1alpha1`.
    #[must_use]
    pub fn informers_method(&self, version: &Version) -> String {
        let names = |version: &Version| {
            let module = &version.module;
            [module.clone(), format!("{module}_version")]
        };
        let others = self.versions.iter();
        let others = others.filter(|other| other.module != version.module);
        distinct(names(version), others.map(names), &OF_HOLDERS)
    }
}

/// The method for a kind of the types that hold a version's clients and informers, from the name of
/// its client: `virtual_machines`.
pub(crate) fn kind_method(client_name: &str) -> String {
    let name = plain_ident(&snake_case(client_name));
    if OF_HOLDERS.contains(&name.as_str()) {
        return format!("{name}_objects");
    }
    name
}

/// The first of two names that is neither `taken` nor a name of others; the second with a checksum
/// if none is. The second name of others counts only if they cannot have their first.
fn distinct(
    names: [String; 2],
    others: impl Iterator<Item = [String; 2]>,
    taken: &[&str],
) -> String {
    let others: Vec<[String; 2]> = others.collect();
    let is_taken = |name: &String| taken.contains(&name.as_str());
    let is_shared = |at: usize, name: &String| {
        let mut rest = others.iter().enumerate().filter(|(other, _)| *other != at);
        name == &names[0] || rest.any(|(_, [first, _])| first == name)
    };
    let is_of_another = |name: &String| {
        others.iter().enumerate().any(|(at, [first, second])| {
            first == name || second == name && (is_taken(first) || is_shared(at, first))
        })
    };
    let mut free = names.iter();
    if let Some(name) = free.find(|name| !is_taken(name) && !is_of_another(name)) {
        return name.clone();
    }
    let [first, second] = names;
    format!("{second}_{:08x}", checksum(&first))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn api(groups: &[(&str, &[&str])]) -> ApiSet {
        let version = |name: &&str| Version {
            name: (*name).to_owned(),
            module: (*name).to_owned(),
            path: String::new(),
            dir: String::new(),
            docs: String::new(),
            origin: crate::model::Origin::Crd,
            reexported: false,
            resources: Vec::new(),
            types: Vec::new(),
        };
        let groups = groups.iter().map(|(module, versions)| Group {
            name: (*module).to_owned(),
            module: (*module).to_owned(),
            type_prefix: String::new(),
            versions: versions.iter().map(version).collect(),
        });
        ApiSet {
            groups: groups.collect(),
            ..ApiSet::default()
        }
    }

    #[track_caller]
    fn check(groups: &[(&str, &[&str])], clientset: &[&str], factory: &[&str]) {
        let api = api(groups);
        let of_versions = api
            .versions()
            .map(|(group, version)| api.clientset_method(group, version));
        assert_eq!(of_versions.collect::<Vec<_>>(), clientset);
        let of_groups = api.groups.iter().map(|group| api.factory_method(group));
        assert_eq!(of_groups.collect::<Vec<_>>(), factory);
    }

    #[test]
    fn methods_have_names_of_their_own() {
        rows![check:
            (&[("apps", &["v1", "v2"])], &["apps_v1", "apps_v2"], &["apps"]),
            (&[("my", &["group_v1"]), ("my_group", &["v1"])],
                &["my_version_group_v1", "my_group_version_v1"], &["my", "my_group"]),
            (&[("a", &["b_v1", "version_b_v1"]), ("a_b", &["v1"])],
                &["a_version_b_v1_47957e3f", "a_version_version_b_v1", "a_b_version_v1"], &["a", "a_b"]),
            (&[("try", &["default"])], &["try_version_default"], &["try"]),
            (&[("start", &["v1"]), ("client", &["v1"]), ("clone", &["v1"])],
                &["start_v1", "client_v1", "clone_v1"], &["start_group", "client_group", "clone_group"]),
        ];
        let api = api(&[("a", &["new", "v1"])]);
        let group = &api.groups[0];
        let of_versions = group.versions.iter().map(|it| group.informers_method(it));
        assert_eq!(of_versions.collect::<Vec<_>>(), ["new_version", "v1"]);
        assert_eq!(kind_method("Clients"), "clients");
        assert_eq!(kind_method("Client"), "client_objects");
    }

    #[test]
    fn all_methods_of_the_runtimes_factory_are_known() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../runtime/src/informer/factory.rs"
        );
        let text = std::fs::read_to_string(path).expect("the runtime's factory");
        let (_, body) = text
            .split_once("\nimpl SharedInformerFactory {\n")
            .expect("its methods");
        let (body, _) = body.split_once("\n}\n").expect("their end");
        let functions = body.lines().filter_map(|line| {
            let line = line.strip_prefix("    pub ")?;
            let name = line.strip_prefix("async ").unwrap_or(line);
            name.strip_prefix("fn ")?.split(['(', '<']).next()
        });
        let functions: BTreeSet<&str> = functions.collect();
        assert!(functions.contains("start"), "{functions:?}");
        for name in functions {
            assert!(OF_FACTORIES.contains(&name), "{name}");
        }
    }
}
