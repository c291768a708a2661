//! Names of clients, which are distinct within a version.

use std::collections::BTreeSet;

use crate::{
    model::{Resource, kind_method, names},
    read::crd::Crd,
};

/// Returns the plural in the case of the kind: `VirtualMachines`; or the CRD's plural if that is a
/// different word.
pub(super) fn client_name(crd: &Crd) -> String {
    let regular = names::plural(&names::upper_camel(&crd.kind));
    if regular.to_lowercase() == crd.plural {
        regular
    } else {
        names::upper_camel(&crd.plural)
    }
}

/// Renames clients that have the name of another, for kinds such as `FooBar` and `Foo-Bar`: with
/// the suffix of the kind's type, whose name is distinct, or else with a number. The kind whose
/// type has its own name keeps that of its client.
pub(super) fn tell_apart(resources: &mut [Resource]) {
    let mut order: Vec<usize> = (0..resources.len()).collect();
    order.sort_by_key(|&index| resources.get(index).is_some_and(has_another_name));
    let mut taken = BTreeSet::new();
    for index in order {
        let Some(resource) = resources.get_mut(index) else {
            continue;
        };
        let own = resource.client_name.clone();
        let kind = names::upper_camel(&resource.kind);
        let suffix = resource.root.strip_prefix(&kind).unwrap_or_default();
        let suffixed = format!("{own}{suffix}");
        let numbered = (2_u32..).map(|number| format!("{suffixed}{number}"));
        let candidates = [own, suffixed.clone()].into_iter().chain(numbered);
        for client_name in candidates {
            let accessor = kind_method(&client_name);
            if taken.insert(accessor.clone()) {
                resource.client_name = client_name;
                resource.accessor = accessor;
                break;
            }
        }
    }
}

fn has_another_name(resource: &Resource) -> bool {
    resource.root != names::upper_camel(&resource.kind)
}

#[cfg(test)]
mod tests {
    use crate::{Options, Source, Sources};

    /// Asserts the client methods of kinds of one version, given with their plurals, in the order
    /// of the kinds.
    #[track_caller]
    fn check(kinds: &[(&str, &str)], expected: &[&str]) {
        let crds = kinds.iter().map(|(kind, plural)| {
            let text = format!(
                "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{group: a.com, scope: Cluster, names: \
                 {{kind: {kind}, plural: {plural}}}, versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: \
                 {{type: object, properties: {{{plural}: {{type: string}}}}}}}}}}]}}}}"
            );
            Source::new(format!("{plural}.yaml"), text)
        });
        let sources = Sources {
            crds: crds.collect(),
            ..Sources::default()
        };
        let loaded = crate::load(&sources, &Options::default()).expect("distinct names");
        let resources = &loaded.groups[0].versions[0].resources;
        let methods: Vec<&str> = resources.iter().map(|it| it.accessor.as_str()).collect();
        assert_eq!(methods, expected);
    }

    #[test]
    fn kinds_that_differ_in_dashes_have_clients_of_their_own() {
        check(
            &[("FooBar", "foobars"), ("Foo-Bar", "foo-bars")],
            &["foo_bars023f", "foo_bars"],
        );
        check(
            &[("FooBar", "foobars"), ("Foobar", "foobar2s")],
            &["foo_bars", "foobar2s"],
        );
    }

    #[test]
    fn kinds_of_one_plural_have_clients_of_their_own() {
        check(
            &[("Box", "boxes"), ("Boxe", "boxe-s"), ("Boxes", "boxe--s")],
            &["boxes", "boxe_s", "boxe_s2"],
        );
    }
}
