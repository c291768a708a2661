//! Descriptors: how OLM's console shows the fields of a kind.

use serde_json::{Value, json};

/// The prefix of capabilities that say how a field is edited.
const EDIT: &str = "urn:alm:descriptor:com.tectonic.ui";

/// Shows a list of conditions.
const CONDITIONS: &str = "urn:alm:descriptor:io.kubernetes.conditions";

/// How deep objects are described.
const MAX_DEPTH: usize = 3;

/// `customresourcedefinitions.owned`: an entry for each served version of a CRD.
pub(super) fn owned(definition: &Value) -> Vec<Value> {
    let spec = &definition["spec"];
    let kind = spec["names"]["kind"].as_str().unwrap_or_default();
    let versions = spec["versions"].as_array().into_iter().flatten();
    let served = versions.filter(|version| version["served"] == true);
    let entries = served.map(|version| {
        let schema = &version["schema"]["openAPIV3Schema"];
        let described = schema["description"].as_str();
        let mut entry = json!({
            "name": definition["metadata"]["name"],
            "version": version["name"],
            "kind": kind,
            "displayName": words(kind),
            "description": described.map_or_else(|| format!("A {kind}."), str::to_owned),
        });
        for (part, key) in [("spec", "specDescriptors"), ("status", "statusDescriptors")] {
            let mut found = Vec::new();
            describe(&schema["properties"][part], "", part == "spec", &mut found);
            if !found.is_empty() {
                entry[key] = found.into();
            }
        }
        if let Some(path) = version["subresources"]["scale"]["specReplicasPath"].as_str() {
            mark_replicas(&mut entry, path);
        }
        entry
    });
    entries.collect()
}

/// Describes the fields of an object, and of the objects in it.
fn describe(schema: &Value, above: &str, is_edited: bool, found: &mut Vec<Value>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = match above {
            "" => name.clone(),
            above => format!("{above}.{name}"),
        };
        let mut descriptor = json!({ "path": path, "displayName": words(name) });
        if let Some(text) = field["description"].as_str() {
            descriptor["description"] = text.into();
        }
        let capabilities = match is_edited {
            true => editor(field),
            false if name == "conditions" => vec![CONDITIONS.to_owned()],
            false => Vec::new(),
        };
        if !capabilities.is_empty() {
            descriptor["x-descriptors"] = capabilities.into();
        }
        found.push(descriptor);
        if path.split('.').count() < MAX_DEPTH {
            describe(field, &path, is_edited, found);
        }
    }
}

/// How a field is edited.
fn editor(field: &Value) -> Vec<String> {
    let one = |name: &str| vec![format!("{EDIT}:{name}")];
    if let Some(values) = field["enum"].as_array() {
        let values = values.iter().filter_map(Value::as_str);
        return values
            .map(|value| format!("{EDIT}:select:{value}"))
            .collect();
    }
    if field["x-kubernetes-int-or-string"] == true {
        return one("text");
    }
    match field["type"].as_str() {
        Some("boolean") => one("booleanSwitch"),
        Some("integer" | "number") => one("number"),
        Some("string") => one("text"),
        _ => Vec::new(),
    }
}

/// Shows the field that scales the kind as a number of pods.
fn mark_replicas(entry: &mut Value, path: &str) {
    let Some(path) = path.strip_prefix(".spec.") else {
        return;
    };
    let descriptors = entry
        .get_mut("specDescriptors")
        .and_then(Value::as_array_mut);
    let mut descriptors = descriptors.into_iter().flatten();
    if let Some(found) = descriptors.find(|descriptor| descriptor["path"] == path) {
        found["x-descriptors"] = json!([format!("{EDIT}:podCount")]);
    }
}

/// `observedGeneration` as `Observed Generation`; names that are all capitals stay.
pub(super) fn words(name: &str) -> String {
    let mut text = String::new();
    let mut is_upper = true;
    let mut starts = true;
    for c in name.chars() {
        if c == '-' {
            starts = true;
            continue;
        }
        if (starts || (c.is_uppercase() && !is_upper)) && !text.is_empty() {
            text.push(' ');
        }
        is_upper = c.is_uppercase();
        match starts {
            true => text.extend(c.to_uppercase()),
            false => text.push(c),
        }
        starts = false;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        let check = |name: &str, expected: &str| assert_eq!(words(name), expected);
        rows![check:
            ("observedGeneration", "Observed Generation"),
            ("podSet", "Pod Set"),
            ("clusterIPs", "Cluster IPs"),
            ("sample-operator", "Sample Operator"),
            ("VirtualMachine", "Virtual Machine"),
        ];
    }

    #[test]
    fn fields_are_described_by_their_schema() {
        let definition = json!({
            "metadata": {"name": "as.example.com"},
            "spec": {"names": {"kind": "A"}, "versions": [
                {"name": "v1", "served": false},
                {"name": "v2", "served": true, "subresources": {"scale": {"specReplicasPath": ".spec.size"}},
                    "schema": {"openAPIV3Schema": {"description": "It is.", "properties": {
                        "spec": {"properties": {
                            "mode": {"enum": ["a", "b"]},
                            "size": {"type": "integer", "description": "How many."},
                            "on": {"properties": {"off": {"type": "boolean"}}},
                        }},
                        "status": {"properties": {"conditions": {"type": "array"}, "size": {"type": "integer"}}},
                    }}}},
            ]},
        });
        let expected = json!([{
            "name": "as.example.com", "version": "v2", "kind": "A", "displayName": "A", "description": "It is.",
            "specDescriptors": [
                {"path": "mode", "displayName": "Mode",
                    "x-descriptors": ["urn:alm:descriptor:com.tectonic.ui:select:a", "urn:alm:descriptor:com.tectonic.ui:select:b"]},
                {"path": "on", "displayName": "On"},
                {"path": "on.off", "displayName": "Off",
                    "x-descriptors": ["urn:alm:descriptor:com.tectonic.ui:booleanSwitch"]},
                {"path": "size", "displayName": "Size", "description": "How many.",
                    "x-descriptors": ["urn:alm:descriptor:com.tectonic.ui:podCount"]},
            ],
            "statusDescriptors": [
                {"path": "conditions", "displayName": "Conditions", "x-descriptors": ["urn:alm:descriptor:io.kubernetes.conditions"]},
                {"path": "size", "displayName": "Size"},
            ],
        }]);
        let mut found = Value::from(owned(&definition));
        // The order of a schema's properties is that of its reader.
        let spec = found[0]["specDescriptors"].as_array_mut().unwrap();
        spec.sort_by_key(|descriptor| descriptor["path"].to_string());
        assert_eq!(found, expected);
    }
}
