use serde_json::{Value, json};

use super::{Field, sample};

fn schema() -> Value {
    json!({"type": "object", "description": "A machine.", "required": ["spec"], "properties": {
        "metadata": {"type": "object"},
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        "spec": {"type": "object", "required": ["cpu", "disks", "mode"], "properties": {
            "cpu": {"type": "integer", "minimum": 2, "maximum": 64, "description": "Cores.\n"},
            "mode": {"type": "string", "enum": ["fast", "slow"]},
            "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 5}},
            "share": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
            "disks": {"type": "array", "minItems": 1, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "required": ["name"], "properties": {
                    "name": {"type": "string", "minLength": 8},
                    "size": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true},
                }, "x-kubernetes-validations": [{"rule": "self.name != ''", "message": "needs a name"}]}},
        }},
    }})
}

fn demands(field: &Field) -> Vec<String> {
    let demands = field.demands.iter();
    demands
        .map(|it| format!("{}|{}|{}", it.label, it.value, it.note))
        .collect()
}

#[test]
fn a_path_leads_through_lists_and_maps() {
    let root = Field::of_kind("Machine", &schema());
    let size = root.at(&["spec", "disks", "size"]).unwrap();
    assert_eq!(
        (size.path.as_str(), size.ty.as_str()),
        ("spec.disks.size", "integer or string")
    );
    let (name, within) = root.at(&["spec", "disk"]).unwrap_err();
    assert_eq!((name.as_str(), within.path.as_str()), ("disk", "spec"));
    let types = ["spec", "spec.disks", "spec.labels", "metadata"].map(|path| {
        let path: Vec<&str> = path.split('.').collect();
        root.at(&path).unwrap().ty.clone()
    });
    assert_eq!(
        types,
        ["Object", "[]Object", "map[string]string", "ObjectMeta"]
    );
}

#[test]
fn every_object_has_type_and_metadata_first() {
    let root = Field::of_kind("Machine", &schema());
    let names: Vec<&str> = root.fields.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["apiVersion", "kind", "metadata", "spec", "status"]);
    assert!(
        root.fields
            .iter()
            .take(3)
            .all(|it| !it.description.is_empty())
    );
}

#[test]
fn a_field_says_all_that_its_schema_says() {
    let root = Field::of_kind("Machine", &schema());
    let check =
        |path: &[&str], expected: &[&str]| assert_eq!(demands(root.at(path).unwrap()), expected);
    check(&["spec", "cpu"], &["at least|2|", "at most|64|"]);
    check(&["spec", "mode"], &["one of|\"fast\", \"slow\"|"]);
    check(&["spec", "labels"], &["each value: maximum length|5|"]);
    check(&["spec", "share"], &["more than|0|"]);
    check(
        &["spec", "disks"],
        &[
            "minimum number of items|1|",
            "list type|map|",
            "keys of items|\"name\"|",
            "each item: rule|self.name != ''|needs a name",
        ],
    );
    // A keyword without words of its own is shown as it is.
    check(
        &["spec", "disks", "size"],
        &["anyOf|[{\"type\":\"integer\"},{\"type\":\"string\"}]|"],
    );
}

#[test]
fn a_sample_has_what_is_required() {
    let expected = json!({
        "apiVersion": "example.com/v1", "kind": "Machine", "metadata": {"name": "my-machine", "namespace": "default"},
        "spec": {"cpu": 2, "mode": "fast", "disks": [{"name": "string--"}]},
    });
    assert_eq!(
        sample("example.com/v1", "Machine", true, &schema()),
        expected
    );
}
