//! Checks of the whole model that no single reader can make.
//!
//! Names must not clash, whichever reader they come from, and the versions of a kind must agree on
//! what they share. The model has no source positions, so findings name group, version and kind
//! instead.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    conversion,
    diag::{Diagnostic, Diagnostics},
    generator::Generator,
    model::{
        ApiSet, Conversion, Field, Group, Origin, Resource, TypeDef, TypeKind, Version, Versioned,
    },
    options::Options,
};

/// Checks the model across readers. A mistake that controller-gen accepts is a warning in its mode.
///
/// # Errors
///
/// Every finding that stops generation.
pub fn check(
    api: &ApiSet,
    options: &Options,
    warnings: &mut Diagnostics,
) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    // The test packages of a Go module may declare a kind several times.
    if !options.uses_kinds() {
        return diagnostics.finish(());
    }
    check_modules(api, &mut diagnostics);
    for group in &api.groups {
        check_versions(group, &mut diagnostics);
        check_kinds(group, &mut diagnostics);
        check_stored(group, options, &mut diagnostics, warnings);
        if options.emits(Generator::Conversion) {
            conversion::check(group, &mut diagnostics);
        }
        if options.writes_crds() {
            check_losses(group, warnings);
        }
        for version in &group.versions {
            check_names(group, version, &mut diagnostics);
            check_references(group, version, &mut diagnostics);
        }
    }
    diagnostics.finish(())
}

/// Groups have distinct module names.
fn check_modules(api: &ApiSet, diagnostics: &mut Diagnostics) {
    for (first, second) in clashes(&api.groups, |group| &group.module) {
        let has_folder = |group: &&Group| {
            let mut versions = group.versions.iter();
            versions.any(|version| version.origin == Origin::Rust)
        };
        // The modules of CRDs and Go packages have the names of their groups.
        let rename = [first, second].into_iter().find(has_folder);
        let rename = rename.map(|group| format!(", or rename the folder of {}", group.name));
        let crates = "generate them into different crates";
        diagnostics.push(
            Diagnostic::error(format!(
                "the groups {} and {} would both be in the module `{}`",
                first.name, second.name, first.module
            ))
            .help(format!("{crates}{}", rename.unwrap_or_default())),
        );
    }
}

/// A version occurs once per group.
fn check_versions(group: &Group, diagnostics: &mut Diagnostics) {
    for (first, second) in clashes(&group.versions, |version| &version.module) {
        diagnostics.push(
            Diagnostic::error(if first.name == second.name {
                format!("{}/{} is declared twice", group.name, first.name)
            } else {
                format!(
                    "{0}/{1} and {0}/{2} would both be in the module `{3}`",
                    group.name, first.name, second.name, first.module
                )
            })
            .help("declare each version of a group once, as annotated Rust or as CRDs"),
        );
    }
}

/// Within a version, kinds, plurals and the names derived from them are distinct.
fn check_names(group: &Group, version: &Version, diagnostics: &mut Diagnostics) {
    let place = format!("{}/{}", group.name, version.name);
    let mut report = |what: &str, name: fn(&Resource) -> &String, help: &str| {
        for (first, second) in clashes(&version.resources, name) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "two kinds of {place} have the {what} `{}`: {} and {}",
                    name(first),
                    first.kind,
                    second.kind
                ))
                .help(help),
            );
        }
    };
    report("kind", |resource| &resource.kind, "remove one of them");
    report(
        "plural",
        |resource| &resource.plural,
        "give one of them another plural, in annotated Rust with `+resourceName`",
    );
    report(
        "client method",
        |resource| &resource.accessor,
        "rename one of the kinds",
    );
    for resource in &version.resources {
        if version.type_def(&resource.root).is_none() {
            diagnostics.push(Diagnostic::error(format!(
                "the kind {} of {place} has no type `{}`",
                resource.kind, resource.root
            )));
        }
    }
}

/// The kinds of a group, each with its versions.
fn kinds(group: &Group) -> BTreeMap<&str, Vec<(&Version, &Resource)>> {
    let mut kinds: BTreeMap<&str, Vec<(&Version, &Resource)>> = BTreeMap::new();
    for version in &group.versions {
        for resource in &version.resources {
            let versions = kinds.entry(&resource.kind).or_default();
            versions.push((version, resource));
        }
    }
    kinds
}

/// The versions of a kind agree on scope and plural.
fn check_kinds(group: &Group, diagnostics: &mut Diagnostics) {
    for (kind, versions) in kinds(group) {
        let Some((&(first_version, first), others)) = versions.split_first() else {
            continue;
        };
        for (version, resource) in others {
            let differ = |what: &str| {
                let error = Diagnostic::error(format!(
                    "{kind} has a different {what} in {} than in {} of {}",
                    version.name, first_version.name, group.name
                ))
                .help("versions of a kind share names and scope");
                at_roots(error, &[(*version, *resource), (first_version, first)])
            };
            if resource.scope != first.scope {
                diagnostics.push(differ("scope"));
            }
            if resource.plural != first.plural {
                diagnostics.push(differ("plural"));
            }
        }
    }
}

/// At most one version of a kind is the storage version. Only CRDs depend on it, and Go modules may
/// belong to other authors.
fn check_stored(
    group: &Group,
    options: &Options,
    errors: &mut Diagnostics,
    warnings: &mut Diagnostics,
) {
    for (kind, versions) in kinds(group) {
        let stored = versions.iter().filter(|(_, resource)| resource.storage);
        let stored: Vec<_> = stored.copied().collect();
        if stored.len() > 1 {
            let names: Vec<_> = stored.iter().map(|(one, _)| one.name.as_str()).collect();
            let message = format!(
                "{kind} of {} is stored in several versions: {}",
                group.name,
                names.join(", ")
            );
            let is_of_go = stored.iter().all(|(one, _)| one.origin == Origin::Go);
            let is_used = options.writes_crds() || !is_of_go;
            let (found, diagnostics) = match is_used && options.compat.is_strict() {
                true => (Diagnostic::error(message), &mut *errors),
                false => (Diagnostic::warning(message), &mut *warnings),
            };
            let help = "exactly one version is stored, in annotated Rust and Go with `+kubebuilder:storageversion`";
            diagnostics.push(at_roots(found.help(help), &stored));
        }
    }
}

/// Attaches the positions of the kinds' root types to an error, as far as they are known.
fn at_roots(error: Diagnostic, kinds: &[(&Version, &Resource)]) -> Diagnostic {
    let roots = kinds
        .iter()
        .filter_map(|(version, resource)| version.type_def(&resource.root));
    let places = roots.filter_map(|root| root.declared.place().cloned());
    places.fold(error, |error, place| error.at(place, ""))
}

/// Type names are distinct, and every reference to a type of the version resolves.
fn check_references(group: &Group, version: &Version, diagnostics: &mut Diagnostics) {
    let place = format!("{}/{}", group.name, version.name);
    for (first, _) in clashes(&version.types, |def| &def.name) {
        diagnostics.push(Diagnostic::error(format!(
            "two types of {place} are called `{}`",
            first.name
        )));
    }
    let names: BTreeSet<&str> = version.types.iter().map(|def| def.name.as_str()).collect();
    for def in &version.types {
        for_each_reference(def, &mut |name| {
            if !names.contains(name) {
                diagnostics.push(Diagnostic::error(format!(
                    "`{}` of {place} names a type `{name}` that is not part of the API",
                    def.name
                )));
            }
        });
    }
}

/// Calls `found` with the name of every local type that a type refers to.
fn for_each_reference(def: &TypeDef, found: &mut impl FnMut(&str)) {
    let mut in_fields = |fields: &[Field]| {
        for field in fields {
            if let Some(name) = field.ty.local() {
                found(name);
            }
        }
    };
    match &def.kind {
        TypeKind::Struct(def) => in_fields(&def.fields),
        TypeKind::Union(def) => {
            for variant in &def.variants {
                in_fields(&variant.fields);
            }
        }
        TypeKind::Alias(alias) => {
            if let Some(name) = alias.target.local() {
                found(name);
            }
        }
        TypeKind::Enum(_) => {}
    }
}

/// Versions of a kind without conversion have the same fields, since the API server drops the
/// others when it serves another version. The authors of CRDs from YAML cannot be asked.
fn check_losses(group: &Group, warnings: &mut Diagnostics) {
    for (kind, versions) in kinds(group) {
        let was_read = |(version, _): &(&Version, &Resource)| version.origin == Origin::Crd;
        let converts =
            |(_, resource): &(&Version, &Resource)| resource.conversion != Conversion::None;
        if versions.iter().any(|one| was_read(one) || converts(one)) {
            continue;
        }
        let Some(stored) = versions.iter().find(|(_, resource)| resource.storage) else {
            continue;
        };
        let others = versions
            .iter()
            .filter(|(version, resource)| resource.served && version.name != stored.0.name);
        for other in others {
            for (has, lacks) in [(other, stored), (stored, other)] {
                let versioned = |(version, resource)| Versioned { version, resource };
                let missing = versioned(*has).missing_from(versioned(*lacks));
                if let Some((first, more)) = missing.split_first() {
                    let more = match more.len() {
                        0 => String::new(),
                        more => format!(" and {more} more"),
                    };
                    let message = format!(
                        "{kind} of {} loses `{first}`{more} of {} in {}, since its versions have no conversion",
                        group.name, has.0.name, lacks.0.name
                    );
                    let warning = Diagnostic::warning(message).help(
                        "give both versions the fields, or convert with `+kubebuilder:conversion:webhook` \
                         (`kube-codegen create webhook --conversion` in an operator)",
                    );
                    warnings.push(at_roots(warning, &[*has]));
                }
            }
        }
    }
}

/// Pairs of items that have the same name.
fn clashes<'a, T>(items: &'a [T], name: impl Fn(&'a T) -> &'a String) -> Vec<(&'a T, &'a T)> {
    let mut sorted: Vec<&T> = items.iter().collect();
    sorted.sort_by(|a, b| name(a).cmp(name(b)));
    sorted
        .windows(2)
        .filter(|pair| name(pair[0]) == name(pair[1]))
        .map(|pair| (pair[0], pair[1]))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::Compat;
    use crate::{Manifests, Options, RustPackage, Source, Sources};

    const ROOT: &str = "{ pub metadata: kube::api::ObjectMeta, pub status: Option<String> }";

    fn package(group: &str, version: &str, text: &str) -> RustPackage {
        RustPackage {
            group: group.to_owned(),
            version: version.to_owned(),
            module_path: format!("crate::apis::{group}::{version}"),
            dir: format!("apis/{group}/{version}").into(),
            files: vec![Source::new(
                format!("{group}/{version}/mod.rs"),
                text.replace("ROOT", ROOT),
            )],
        }
    }

    #[track_caller]
    fn check(rust: Vec<RustPackage>, expected: &str) {
        let options = Options {
            emit: BTreeSet::new(),
            ..Options::default()
        };
        let sources = Sources {
            rust,
            ..Sources::default()
        };
        let errors = crate::load(&sources, &options).expect_err("no error");
        assert_eq!(errors.to_string(), expected);
    }

    #[test]
    fn kinds_have_client_methods_of_their_own() {
        let box_ = "// +genclient\n#[derive(Debug)]\npub struct Box ROOT\n";
        let boxe =
            "// +genclient\n// +resourceName=crates\n#[derive(Debug)]\npub struct Boxe ROOT\n";
        check(
            vec![package("a", "v1", &format!("{box_}{boxe}"))],
            "error: two kinds of a/v1 have the client method `boxes`: Box and Boxe",
        );
    }

    #[test]
    fn kinds_of_which_nothing_is_made_may_clash() {
        let kinds = "// +genclient\n#[derive(Debug)]\npub struct Box ROOT\n\
                     // +genclient\n// +resourceName=crates\n#[derive(Debug)]\npub struct Boxe ROOT\n";
        let sources = Sources {
            rust: vec![package("a", "v1", kinds)],
            ..Sources::default()
        };
        let result = |crds: Option<&str>, user_roles: Option<&str>| {
            let manifests = Manifests {
                crds: crds.map(str::to_owned),
                user_roles: user_roles.map(str::to_owned),
                ..Manifests::default()
            };
            let options = Options {
                emit: BTreeSet::new(),
                manifests: Some(manifests),
                ..Options::default()
            };
            crate::generate(&sources, &options)
        };
        result(None, None).expect("roles and webhooks alone");
        assert!(result(Some("crds"), None).is_err());
        assert!(result(None, Some("roles")).is_err());
    }

    #[test]
    fn versions_of_a_kind_agree() {
        let plain = "// +genclient\npub struct A ROOT\n";
        let cluster =
            "// +genclient\n// +genclient:nonNamespaced\n// +resourceName=aas\npub struct A ROOT\n";
        check(
            vec![package("g", "v1", plain), package("g", "v2", cluster)],
            "g/v1/mod.rs:2:12: error: A has a different plural in v1 than in v2 of g\n\
             g/v1/mod.rs:2:12: error: A has a different scope in v1 than in v2 of g",
        );
        let stored = "// +genclient\n// +kubebuilder:storageversion\npub struct A ROOT\n";
        check(
            vec![package("g", "v1", stored), package("g", "v2", stored)],
            "g/v2/mod.rs:3:12: error: A of g is stored in several versions: v2, v1",
        );
        // controller-gen accepts this CRD.
        let sources = Sources {
            rust: vec![package("g", "v1", stored), package("g", "v2", stored)],
            ..Sources::default()
        };
        let options = Options {
            emit: BTreeSet::new(),
            compat: Compat::ControllerGen,
            ..Options::default()
        };
        let warnings = crate::generate(&sources, &options).unwrap().warnings;
        assert!(
            warnings
                .to_string()
                .contains("warning: A of g is stored in several versions"),
            "{warnings}"
        );
    }

    #[test]
    fn fields_that_versions_without_conversion_lose_are_warned_of() {
        let spec = |fields: &str| {
            format!(
                "#[derive(Clone, Debug, Serialize, Deserialize)]\npub struct ASpec {{ {fields} }}\n"
            )
        };
        let root = "// +genclient\n#[derive(Debug)]\npub struct A { pub metadata: kube::api::ObjectMeta, pub spec: ASpec }\n";
        let stored = "// +kubebuilder:storageversion\n";
        let warnings = |markers: &str| {
            let v1 = format!(
                "{stored}{markers}{root}{}",
                spec("pub a: String, pub b: String")
            );
            let v2 = format!("{root}{}", spec("pub a: String, pub c: String, pub d: i32"));
            let sources = Sources {
                rust: vec![
                    package("g.example.com", "v1", &v1),
                    package("g.example.com", "v2", &v2),
                ],
                ..Sources::default()
            };
            let options = Options {
                emit: BTreeSet::new(),
                manifests: Some(crate::Manifests::default()),
                ..Options::default()
            };
            let generated = crate::generate(&sources, &options);
            generated
                .unwrap_or_else(|errors| panic!("{errors}"))
                .warnings
                .to_string()
        };
        let found = warnings("");
        for expected in [
            "g.example.com/v1/mod.rs:4:12: warning: A of g.example.com loses `.spec.b` of v1 in v2, since",
            "g.example.com/v2/mod.rs:3:12: warning: A of g.example.com loses `.spec.c` and 1 more of v2 in v1, since",
        ] {
            assert!(found.contains(expected), "{found}");
        }
        let found = warnings("// +kubebuilder:conversion:webhook\n");
        assert!(!found.contains("loses"), "{found}");
    }

    #[test]
    fn groups_stand_in_modules_of_their_own() {
        let named = |group: &str| format!("// +groupName={group}\n");
        check(
            vec![
                package("a-b", "v1", &named("one.example.com")),
                package("a_b", "v1", &named("two.example.com")),
            ],
            "error: the groups one.example.com and two.example.com would both be in the module `a_b`",
        );
    }

    #[test]
    fn a_type_that_is_skipped_is_named_by_none() {
        let text = "// +kubebuilder:skip\npub struct A;\npub struct B { pub a: A }\n";
        check(
            vec![package("g", "v1", text)],
            "error: `B` of g/v1 names a type `A` that is not part of the API",
        );
    }
}
