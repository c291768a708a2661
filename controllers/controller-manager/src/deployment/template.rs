//! Compares pod templates, and hashes them for the names of replica sets.

use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use codegen_runtime::k8s_openapi::api::core::v1::PodTemplateSpec;
use serde_json::Value;

use super::sets::{Set, by_age};

/// The label that distinguishes the pods of one replica set from those of its siblings.
pub const HASH_LABEL: &str = "pod-template-hash";

/// The alphabet of Kubernetes' generated names: no vowels, and no characters that look alike.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Returns the hash of `template`, which changes with `collisions`: FNV-1a over the template as
/// JSON with its fields in a fixed order, encoded in the alphabet of generated names.
///
/// kube-controller-manager hashes Go's rendering of its structs, which nothing else reproduces.
/// Clients treat the label as opaque, and replica sets are found by their template, not by their
/// hash; so a cluster can switch between the two without a new rollout.
pub fn hash(template: &PodTemplateSpec, collisions: Option<i32>) -> String {
    let mut hash: u32 = 0x811c_9dc5;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    };
    add(&serde_json::to_vec(template).unwrap_or_default());
    if let Some(collisions) = collisions {
        add(&collisions.to_le_bytes());
    }
    let digits = hash.to_string().into_bytes();
    let letters = digits
        .into_iter()
        .map(|digit| ALPHABET[usize::from(digit) % ALPHABET.len()]);
    letters.map(char::from).collect()
}

/// Returns the oldest of `sets` with the template of `deployment`, so that an accidental second one
/// does not change the choice.
pub fn find_new<'a>(deployment: &Deployment, sets: &'a [Set]) -> Option<&'a Set> {
    let same = |set: &&Set| template(set).is_some_and(|own| equal(own, &deployment.spec.template));
    sets.iter().filter(same).min_by_key(|set| by_age(set))
}

fn template(set: &ReplicaSet) -> Option<&PodTemplateSpec> {
    set.spec.template.as_ref()
}

/// Whether two templates differ at most in the hash label. An empty list equals an absent one.
pub fn equal(a: &PodTemplateSpec, b: &PodTemplateSpec) -> bool {
    let plain = |template: &PodTemplateSpec| {
        let mut template = template.clone();
        if let Some(labels) = template
            .metadata
            .as_mut()
            .and_then(|meta| meta.labels.as_mut())
        {
            labels.remove(HASH_LABEL);
        }
        template
    };
    let (a, b) = (plain(a), plain(b));
    a == b || normal(&a) == normal(&b)
}

fn normal(template: &PodTemplateSpec) -> Value {
    let mut value = serde_json::to_value(template).unwrap_or_default();
    prune(&mut value);
    value
}

/// Maps for which empty and absent are equivalent. An empty struct may be significant:
/// `emptyDir: {}`.
const MAPS: [&str; 6] = [
    "labels",
    "annotations",
    "nodeSelector",
    "limits",
    "requests",
    "metadata",
];

fn prune(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(prune),
        Value::Object(fields) => {
            fields.values_mut().for_each(prune);
            fields.retain(|name, value| match value {
                Value::Null => false,
                Value::Array(items) => !items.is_empty(),
                Value::Object(map) => !map.is_empty() || !MAPS.contains(&name.as_str()),
                _ => true,
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(value: Value) -> PodTemplateSpec {
        serde_json::from_value(value).expect("a template")
    }

    #[test]
    fn the_hash_is_stable_and_changes_with_template_and_collisions() {
        let of = |image: &str, collisions| {
            hash(
                &template(json!({"spec": {"containers": [{"name": "c", "image": image}]}})),
                collisions,
            )
        };
        assert_eq!(of("a", None), of("a", None));
        assert_ne!(of("a", None), of("b", None));
        assert_ne!(of("a", None), of("a", Some(0)));
        assert_ne!(of("a", Some(0)), of("a", Some(1)));
        let hash = of("a", None);
        assert!(
            hash.len() <= 10 && hash.bytes().all(|byte| ALPHABET.contains(&byte)),
            "{hash}"
        );
    }

    #[test]
    fn templates_are_compared_without_their_hash_and_empty_lists() {
        let check = |a: Value, b: Value, expected: bool| {
            assert_eq!(
                equal(&template(a.clone()), &template(b.clone())),
                expected,
                "{a} {b}"
            );
        };
        check(
            json!({"metadata": {"labels": {"a": "b", HASH_LABEL: "x"}}}),
            json!({"metadata": {"labels": {"a": "b"}}}),
            true,
        );
        check(
            json!({"metadata": {"labels": {HASH_LABEL: "x"}}}),
            json!({}),
            true,
        );
        check(
            json!({"metadata": {"labels": {"a": "c"}}}),
            json!({"metadata": {"labels": {"a": "b"}}}),
            false,
        );
        let container = |extra: Value| {
            let mut container = json!({"name": "c", "image": "i"});
            container["env"] = extra;
            json!({"spec": {"containers": [container]}})
        };
        check(container(json!([])), container(Value::Null), true);
        check(
            container(json!([{"name": "A", "value": "b"}])),
            container(Value::Null),
            false,
        );
        let volume = |source: Value| json!({"spec": {"containers": [], "volumes": [source]}});
        check(
            volume(json!({"name": "v", "emptyDir": {}})),
            volume(json!({"name": "v"})),
            false,
        );
    }
}
