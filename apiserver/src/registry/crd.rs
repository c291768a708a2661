//! Resources from CustomResourceDefinition objects.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::{Origin, Registry, Resource, Rules, ScalePaths, Version};
use crate::names::NameRule;
use crate::object::{at, text};
use crate::schema::{FieldError, Structural};
use crate::table::Column;

fn texts(object: &Value, path: &[&str]) -> Vec<String> {
    at(object, path)
        .and_then(Value::as_array)
        .map(|list| {
            list.iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        })
        .unwrap_or_default()
}

fn array<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The resource that a CustomResourceDefinition defines.
///
/// # Errors
/// The violations of the structural-schema rules.
pub(crate) fn read_crd(registry: &Registry, crd: &Value) -> Result<Resource, Vec<FieldError>> {
    let group = text(crd, &["spec", "group"]).to_owned();
    let plural = text(crd, &["spec", "names", "plural"]).to_owned();
    let kind = text(crd, &["spec", "names", "kind"]).to_owned();
    let or = |value: &str, default: String| {
        if value.is_empty() {
            default
        } else {
            value.to_owned()
        }
    };
    let mut versions = Vec::new();
    let mut errors = Vec::new();
    for (index, version) in array(&crd["spec"], "versions").iter().enumerate() {
        match read_version(registry, crd, index, version) {
            Ok(version) => versions.push(version),
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    versions.sort_by(|a, b| version_order(&a.name, &b.name));
    Ok(Resource {
        id: registry.id(&group, &plural),
        singular: or(
            text(crd, &["spec", "names", "singular"]),
            kind.to_lowercase(),
        ),
        list_kind: or(
            text(crd, &["spec", "names", "listKind"]),
            format!("{kind}List"),
        ),
        short_names: texts(crd, &["spec", "names", "shortNames"]),
        categories: texts(crd, &["spec", "names", "categories"]),
        namespaced: text(crd, &["spec", "scope"]) != "Cluster",
        origin: Origin::Custom,
        uid: text(crd, &["metadata", "uid"]).into(),
        generation: crate::object::generation(crd),
        rules: Rules {
            names: NameRule::Subdomain,
            unconditional_update: false,
            create_on_update: false,
            generation: true,
            returns_deleted: false,
            delete_collection: true,
        },
        group,
        plural,
        kind,
        versions,
    })
}

fn read_version(
    registry: &Registry,
    crd: &Value,
    index: usize,
    version: &Value,
) -> Result<Version, Vec<FieldError>> {
    let name = text(version, &["name"]).to_owned();
    let path = if shares_schema(crd) {
        "spec.validation.openAPIV3Schema".to_owned()
    } else {
        format!("spec.versions[{index}].schema.openAPIV3Schema")
    };
    let schema = match at(version, &["schema", "openAPIV3Schema"]) {
        Some(schema) => Some(Structural::compile_at(&path, schema)?),
        None => None,
    };
    let subresources = &version["subresources"];
    let scale = subresources
        .get("scale")
        .filter(|s| s.is_object())
        .map(|scale| ScalePaths {
            spec_replicas: text(scale, &["specReplicasPath"]).to_owned(),
            status_replicas: text(scale, &["statusReplicasPath"]).to_owned(),
            label_selector: Some(text(scale, &["labelSelectorPath"]).to_owned())
                .filter(|p| !p.is_empty()),
        });
    let schema_id = registry.next_schema();
    Ok(Version {
        served: version["served"] == json!(true),
        deprecation: deprecation(crd, version),
        schema_id,
        stored_schema: schema_id,
        schema,
        columns: columns(version),
        status: subresources.get("status").is_some_and(|s| !s.is_null()),
        scale,
        subresources: &[],
        selectable: array(version, "selectableFields")
            .iter()
            .map(|field| {
                text(field, &["jsonPath"])
                    .trim_start_matches('.')
                    .to_owned()
            })
            .collect(),
        conversion: None,
        name,
    })
}

/// Whether all versions have one schema, which the API server then reports at the top of the spec.
fn shares_schema(crd: &Value) -> bool {
    let versions = array(&crd["spec"], "versions");
    versions
        .windows(2)
        .all(|pair| pair[0].get("schema") == pair[1].get("schema"))
}

fn deprecation(crd: &Value, version: &Value) -> Option<String> {
    if version["deprecated"] != json!(true) {
        return None;
    }
    Some(match version["deprecationWarning"].as_str() {
        Some(warning) => warning.to_owned(),
        None => format!(
            "{}/{} {} is deprecated",
            text(crd, &["spec", "group"]),
            text(version, &["name"]),
            text(crd, &["spec", "names", "kind"]),
        ),
    })
}

fn columns(version: &Value) -> Vec<Column> {
    let given = array(version, "additionalPrinterColumns");
    if given.is_empty() {
        return vec![Column::path("Age", "date", ".metadata.creationTimestamp").described(
            "CreationTimestamp is a timestamp representing the server time when this object was created. \
It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. \
It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
        )];
    }
    given
        .iter()
        .map(|column| {
            Column::path(
                text(column, &["name"]),
                text(column, &["type"]),
                text(column, &["jsonPath"]),
            )
            .described(text(column, &["description"]))
            .formatted(text(column, &["format"]))
            .with_priority(column["priority"].as_i64().unwrap_or_default())
        })
        .collect()
}

/// Kubernetes' order of preference: stable before beta before alpha, higher numbers first, other names last by alphabet.
pub(crate) fn version_order(a: &str, b: &str) -> Ordering {
    match (version_rank(a), version_rank(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn version_rank(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let major: u64 = rest[..end].parse().ok()?;
    let suffix = &rest[end..];
    if suffix.is_empty() {
        return Some((2, major, 0));
    }
    let (stage, number) = match (suffix.strip_prefix("beta"), suffix.strip_prefix("alpha")) {
        (Some(number), _) => (1, number),
        (_, Some(number)) => (0, number),
        _ => return None,
    };
    Some((stage, major, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_preferred_stable_first() {
        let mut versions = [
            "v1alpha1", "foo", "v2", "v1beta2", "v10", "v1", "v2beta1", "bar",
        ];
        versions.sort_by(|a, b| version_order(a, b));
        assert_eq!(
            versions,
            [
                "v10", "v2", "v1", "v2beta1", "v1beta2", "v1alpha1", "bar", "foo"
            ]
        );
    }

    #[test]
    fn a_crd_gives_its_names_versions_and_subresources() {
        let crd = json!({"spec": {"group": "g.io", "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing", "shortNames": ["th"]},
        "versions": [
            {"name": "v1alpha1", "served": true, "storage": false, "deprecated": true,
             "schema": {"openAPIV3Schema": {"type": "object"}}},
            {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
             "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}},
             "selectableFields": [{"jsonPath": ".spec.color"}]}
        ]}});
        let resource = read_crd(&Registry::default(), &crd).unwrap();
        assert_eq!(resource.singular, "thing");
        assert_eq!(resource.list_kind, "ThingList");
        let v1 = &resource.versions[0];
        assert!(v1.status && v1.scale.is_some());
        assert_eq!(v1.selectable, ["spec.color"]);
        assert_eq!(
            resource.versions[1].deprecation.as_deref(),
            Some("g.io/v1alpha1 Thing is deprecated")
        );
    }
}
