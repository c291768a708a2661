//! Builds resources from CustomResourceDefinition objects.

use serde_json::{Value, json};

use super::schemas;
use crate::field::FieldError;
use crate::metadata::object::{self, at, list, text};
use crate::metadata::rules::Rules;
use crate::registry::{
    self, Origin, Persistence, Plain, Registry, Resource, ScalePaths, Selectable, Version,
};
use crate::schema::Structural;
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

/// Builds the resource that a CustomResourceDefinition defines.
///
/// # Errors
/// Violations of the structural-schema rules.
pub(crate) fn read(registry: &Registry, crd: &Value) -> Result<Resource, Vec<FieldError>> {
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
    let schemas = schemas(crd)?;
    let mut versions: Vec<Version> = super::versions(crd)
        .iter()
        .zip(schemas)
        .map(|(version, schema)| read_version(registry, crd, version, schema))
        .collect();
    // All versions are stored in the form of the storage version.
    let stored = super::versions(crd)
        .iter()
        .position(|v| v["storage"] == json!(true))
        .and_then(|index| Some(versions.get(index)?.schema_id));
    for version in &mut versions {
        version.stored_schema = stored.unwrap_or(version.schema_id);
    }
    versions.sort_by(|a, b| registry::version_order(&a.name, &b.name));
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
        strategy: &Plain,
        persistence: Persistence::Stored,
        uid: text(crd, &["metadata", "uid"]).into(),
        generation: object::generation(crd),
        rules: Rules::CUSTOM,
        group,
        plural,
        kind,
        versions,
        webhook: Some(&crd["spec"]["conversion"])
            .filter(|it| text(it, &["strategy"]) == "Webhook")
            .map(|it| it["webhook"].clone()),
    })
}

fn read_version(
    registry: &Registry,
    crd: &Value,
    version: &Value,
    schema: Option<Structural>,
) -> Version {
    let name = text(version, &["name"]).to_owned();
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
    let schema_id = registry.next_schema(&name);
    Version {
        served: version["served"] == json!(true),
        deprecation: deprecation(crd, version),
        schema_id,
        stored_schema: schema_id,
        schema,
        columns: columns(version),
        status: subresources.get("status").is_some_and(|s| !s.is_null()),
        scale,
        subresources: &[],
        selectable: list(&version["selectableFields"])
            .iter()
            .map(|field| Selectable::at(text(field, &["jsonPath"]).trim_start_matches('.')))
            .collect(),
        conversion: None,
        name,
    }
}

fn deprecation(crd: &Value, version: &Value) -> Option<String> {
    if version["deprecated"] != json!(true) {
        return None;
    }
    Some(match version["deprecationWarning"].as_str() {
        Some(warning) => warning.to_owned(),
        None => default_deprecation(crd, text(version, &["name"])),
    })
}

/// Returns the warning about a deprecated version without a custom one: it recommends the best
/// version preferred over it.
fn default_deprecation(crd: &Value, name: &str) -> String {
    let group = text(crd, &["spec", "group"]);
    let kind = text(crd, &["spec", "names", "kind"]);
    let better = super::versions(crd)
        .iter()
        .filter(|v| v["served"] == json!(true) && v["deprecated"] != json!(true))
        .map(|v| text(v, &["name"]))
        .filter(|v| registry::version_order(v, name).is_lt())
        .min_by(|a, b| registry::version_order(a, b));
    let hint = better.map_or_else(String::new, |v| format!("; use {group}/{v} {kind}"));
    format!("{group}/{name} {kind} is deprecated{hint}")
}

fn columns(version: &Value) -> Vec<Column> {
    let given = list(&version["additionalPrinterColumns"]);
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let resource = read(&Registry::default(), &crd).unwrap();
        assert_eq!(resource.singular, "thing");
        assert_eq!(resource.list_kind, "ThingList");
        let v1 = &resource.versions[0];
        assert!(v1.status && v1.scale.is_some());
        assert_eq!(v1.selectable, [Selectable::at("spec.color")]);
        assert_eq!(
            resource.versions[1].deprecation.as_deref(),
            Some("g.io/v1alpha1 Thing is deprecated; use g.io/v1 Thing")
        );
    }
}
