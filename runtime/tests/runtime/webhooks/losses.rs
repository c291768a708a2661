//! What conversions lose.

use codegen_runtime::codec;
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use codegen_runtime::webhook::lost_fields;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

mod v1 {
    use super::*;

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(super) struct Lamp {
        pub(super) metadata: ObjectMeta,
        pub(super) spec: Spec,
    }

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(super) struct Spec {
        pub(super) watts: i32,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) color: Option<String>,
        #[serde(default)]
        pub(super) bulbs: Vec<Bulb>,
    }

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(super) struct Bulb {
        pub(super) base: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(super) maker: Option<String>,
    }

    codec::kinds! {
        "example.com" / "v1";
        Lamp, "lamps", NamespaceResourceScope;
    }
}

mod v2 {
    use super::*;

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(super) struct Lamp {
        pub(super) metadata: ObjectMeta,
        pub(super) spec: Spec,
    }

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(super) struct Spec {
        pub(super) milliwatts: i64,
        #[serde(default)]
        pub(super) bulbs: Vec<String>,
    }

    codec::kinds! {
        "example.com" / "v2";
        Lamp, "lamps", NamespaceResourceScope;
    }
}

impl TryFrom<v1::Lamp> for v2::Lamp {
    type Error = String;

    fn try_from(old: v1::Lamp) -> Result<Self, String> {
        if old.spec.watts < 0 {
            return Err("it makes power".to_owned());
        }
        let bulbs = old.spec.bulbs.into_iter().map(|bulb| bulb.base);
        let spec = v2::Spec {
            milliwatts: i64::from(old.spec.watts) * 1000,
            bulbs: bulbs.collect(),
        };
        Ok(Self {
            metadata: old.metadata,
            spec,
        })
    }
}

impl From<v2::Lamp> for v1::Lamp {
    fn from(new: v2::Lamp) -> Self {
        let bulb = |base| v1::Bulb { base, maker: None };
        let spec = v1::Spec {
            watts: i32::try_from(new.spec.milliwatts / 1000).unwrap_or(i32::MAX),
            color: None,
            bulbs: new.spec.bulbs.into_iter().map(bulb).collect(),
        };
        Self {
            metadata: new.metadata,
            spec,
        }
    }
}

/// The definition, with a schema for the power in each version.
fn crd(watts: Value, milliwatts: Value) -> CustomResourceDefinition {
    let text = json!({"type": "string"});
    let schema = |spec: Value, required: &str| {
        json!({"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
            "metadata": {"type": "object"},
            "spec": {"type": "object", "required": [required], "properties": spec},
        }}})
    };
    let bulb = json!({"type": "object", "required": ["base"], "properties": {"base": text, "maker": text}});
    let v1 = json!({"watts": watts, "color": text, "bulbs": {"type": "array", "items": bulb}});
    let v2 = json!({"milliwatts": milliwatts, "bulbs": {"type": "array", "items": text}});
    let crd = json!({
        "metadata": {"name": "lamps.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Lamp", "plural": "lamps"},
            "versions": [
                {"name": "v1", "served": true, "storage": false, "schema": schema(v1, "watts")},
                {"name": "v2", "served": true, "storage": true, "schema": schema(v2, "milliwatts")},
            ],
        },
    });
    serde_json::from_value(crd).unwrap()
}

#[test]
fn fields_that_a_conversion_drops_or_rounds_are_lost() {
    let integer = json!({"type": "integer"});
    assert_eq!(
        lost_fields::<v1::Lamp, v2::Lamp>(&crd(integer.clone(), integer)),
        Ok(vec![
            "v1 loses .spec.bulbs[].maker in v2".to_owned(),
            "v1 loses .spec.color in v2".to_owned(),
            // One milliwatt is no watt.
            "v2 loses .spec.milliwatts in v1".to_owned(),
        ])
    );
}

#[test]
fn an_example_of_the_schema_decides_the_value() {
    let watts = json!({"type": "integer"});
    let milliwatts = json!({"type": "integer", "example": 5000});
    let lost = lost_fields::<v1::Lamp, v2::Lamp>(&crd(watts, milliwatts.clone())).unwrap();
    assert_eq!(lost.len(), 2, "{lost:?}");
    let negative = json!({"type": "integer", "example": -1});
    let error = lost_fields::<v1::Lamp, v2::Lamp>(&crd(negative, milliwatts)).unwrap_err();
    assert!(
        error.contains("does not convert to v2: it makes power"),
        "{error}"
    );
}
