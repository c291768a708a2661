//! A kind whose schema code makes, in the forms that are read.

use std::{borrow::Cow, collections::BTreeMap};

use kube::CustomResource;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The code of a plate.
static CODE: &str = "^[a-z]+$";

/// The length of the shortest code.
const SHORTEST: u32 = 2;

/// A plate, from which a press prints.
#[derive(CustomResource, JsonSchema, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "documents.example.com",
    version = "v1",
    kind = "Plate",
    namespaced,
    derive = "PartialEq",
    schema = "manual"
)]
#[serde(rename_all = "camelCase")]
pub struct PlateSpec {
    /// Its code.
    #[validate(length(min = "SHORTEST"), regex(path = "CODE"))]
    pub code: String,
    /// Settings of its maker.
    #[schemars(schema_with = "anything")]
    pub settings: BTreeMap<String, Value>,
    /// Its names, each once.
    #[schemars(schema_with = "names", length(max = 4))]
    pub names: Vec<String>,
    /// Its labels.
    #[serde(default)]
    #[schemars(schema_with = "labels")]
    pub labels: Option<BTreeMap<String, String>>,
    /// Its ink.
    pub ink: Ink,
    /// Its layers, from the lowest.
    pub layers: Vec<Layer>,
    /// How it is stored.
    #[schemars(schema_with = "Rack::by_number")]
    pub rack: Rack,
    /// How often it was used.
    #[serde(default, skip_serializing_if = "is_one")]
    pub uses: i32,
    /// How many prints it makes at once.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub prints: i32,
    /// Whether it is stored dry.
    #[serde(default, skip_serializing_if = "is_off")]
    pub dry: bool,
    /// Whatever else is known.
    #[serde(flatten)]
    #[schemars(schema_with = "anything")]
    pub rest: BTreeMap<String, Value>,
}

impl JsonSchema for Plate {
    fn schema_name() -> Cow<'static, str> {
        "Plate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let spec = generator.subschema_for::<PlateSpec>();
        json_schema!({
            "type": "object",
            "description": "A plate with a short name.",
            "properties": {
                "metadata": {
                    "type": "object",
                    "properties": {"name": {"type": "string", "maxLength": (63 - "plate-".len())}},
                },
                "spec": spec,
            },
            "required": ["metadata", "spec"],
        })
    }
}

/// An ink.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ink(pub String);

impl JsonSchema for Ink {
    fn schema_name() -> Cow<'static, str> {
        "Ink".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": ["black", "red"]})
    }
}

/// A layer, of metal or of paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer(pub BTreeMap<String, Value>);

impl JsonSchema for Layer {
    fn schema_name() -> Cow<'static, str> {
        "Layer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        #[derive(Deserialize, Serialize, JsonSchema)]
        struct Proxy {
            /// What it is made of.
            material: Material,
            /// How thick it is.
            thickness: Option<i32>,
        }

        let mut schema = Proxy::json_schema(generator);
        schema.insert("x-kubernetes-map-type".to_owned(), json!("atomic"));
        schema.insert(
            "oneOf".to_owned(),
            Value::Array(vec![
                json!({"required": ["thickness"]}),
                json!({"properties": {"sheets": {"type": "integer"}}, "required": ["sheets"]}),
            ]),
        );
        schema
    }
}

/// A material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Material {
    /// Metal.
    Metal,
    /// Paper.
    Paper,
}

/// A place in a rack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rack(pub i64);

impl Rack {
    fn by_number(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = <i64 as JsonSchema>::json_schema(generator);
        schema.insert("minimum".into(), 1.into());
        schema
    }
}

fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

fn names(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Vec::<String>::json_schema(generator);
    schema.insert("x-kubernetes-list-type".to_owned(), Value::from("set"));
    schema
}

fn labels(generator: &mut SchemaGenerator) -> Schema {
    let value = generator.subschema_for::<String>();
    json_schema!({
        "type": ["object", "null"],
        "additionalProperties": value,
        "x-kubernetes-map-type": "granular",
    })
}

fn is_one(number: &i32) -> bool {
    *number == 1
}

fn is_off(flag: &bool) -> bool {
    !flag
}

const fn one() -> i32 {
    1
}
