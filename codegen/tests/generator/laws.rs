//! Properties of names, for arbitrary schemas and words.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
    sync::Arc,
};

use kube_codegen::{
    Generated, Options, Record, Source, Sources,
    model::{
        ApiSet, TypeKind,
        names::schema::{field_names, variant_names},
    },
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Property names that are illegal or reserved in Rust, or that collide when converted to Rust's
/// case.
pub(crate) const WORDS: &[&str] = &[
    "a",
    "b",
    "aB",
    "a_b",
    "a-b",
    "AB",
    "ab",
    "hostIP",
    "hostIp",
    "type",
    "self",
    "Self",
    "crate",
    "",
    "_",
    "__",
    "$ref",
    "1a",
    "x.y",
    "status",
    "spec",
    "spec status",
    "\"",
    "*/",
    "\n",
    "é",
    "\u{202e}",
    "unknown_fields",
    "fn",
    "String",
];

fn words() -> impl Strategy<Value = Vec<String>> {
    let word =
        prop_oneof![3 => prop::sample::select(WORDS).prop_map(str::to_owned), 1 => "\\PC{0,12}"];
    prop::collection::btree_set(word, 0..12).prop_map(|words| words.into_iter().collect())
}

pub(crate) fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "integer", "format": "int32"})),
        Just(json!({"x-kubernetes-int-or-string": true})),
        Just(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
        words().prop_map(|values| json!({"type": "string", "enum": if values.is_empty() { vec!["x".to_owned()] } else { values }})),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            3 => prop::collection::btree_map(prop::sample::select(WORDS), inner.clone(), 0..5)
                .prop_map(|properties| json!({"type": "object", "properties": properties})),
            1 => inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            1 => inner.prop_map(|values| json!({"type": "object", "additionalProperties": values})),
        ]
    })
}

fn load(spec: &Value) -> ApiSet {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": spec}}},
            }],
        },
    });
    let sources = Sources {
        crds: vec![Source::new("crd.json", crd.to_string())],
        ..Sources::default()
    };
    let options = Options {
        emit: [].into(),
        ..Options::default()
    };
    kube_codegen::generate(&sources, &options).unwrap().api
}

/// Returns the name of each type by path.
fn names_by_path(api: &ApiSet) -> BTreeMap<String, String> {
    api.versions()
        .flat_map(|(_, version)| &version.types)
        .map(|def| (def.path.clone(), def.name.clone()))
        .collect()
}

/// Returns the name of each field and variant by the path of its type and its name on the wire,
/// without aliases.
fn members_by_path(api: &ApiSet) -> BTreeMap<(String, String), String> {
    let mut members = BTreeMap::new();
    for def in api.versions().flat_map(|(_, version)| &version.types) {
        let named: Vec<(&String, &String)> = match &def.kind {
            TypeKind::Struct(body) => body
                .fields
                .iter()
                .map(|field| (&field.json_name, &field.rust_name))
                .collect(),
            TypeKind::Enum(body) => body
                .variants
                .iter()
                .map(|variant| (&variant.value, &variant.name))
                .collect(),
            _ => Vec::new(),
        };
        for (wire, rust) in named {
            members.insert((def.path.clone(), wire.clone()), rust.clone());
        }
    }
    members
}

fn is_identifier(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_ok()
        || syn::parse_str::<syn::Ident>(&format!("r#{name}")).is_ok()
}

fn is_unique<'a>(names: impl IntoIterator<Item = &'a String>) -> bool {
    let mut seen = BTreeSet::new();
    names.into_iter().all(|name| seen.insert(name))
}

/// Adds a property to every object of the schema, as a newer version of an API might.
fn with_another_field(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut members: Map<String, Value> = members
                .iter()
                .map(|(key, value)| (key.clone(), with_another_field(value)))
                .collect();
            // Skips maps: with its first property a map becomes a type, which may take precedence
            // over one of the same name.
            if let Some(Value::Object(properties)) = members.get_mut("properties")
                && !properties.is_empty()
            {
                properties.insert("zqzq".to_owned(), json!({"type": "object", "properties": {"zq": {"type": "string", "enum": ["Zq"]}}}));
            }
            Value::Object(members)
        }
        Value::Array(items) => Value::Array(items.iter().map(with_another_field).collect()),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_name_is_legal_and_unique(words in words()) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for names in [field_names(&words, &["unknown_fields"]), variant_names(&words)] {
            prop_assert!(names.iter().all(|name| is_identifier(name)), "{names:?}");
            prop_assert!(is_unique(&names), "{names:?}");
        }
    }

    #[test]
    fn names_of_a_schema_are_legal_and_unique(spec in schema()) {
        let names = names_by_path(&load(&spec));
        prop_assert!(names.values().all(|name| is_identifier(name)), "{names:?}");
        prop_assert!(is_unique(names.values()), "{names:?}");
    }

    #[test]
    fn adding_a_field_renames_no_member(spec in schema()) {
        let (before, after) = (load(&spec), load(&with_another_field(&spec)));
        let members = members_by_path(&after);
        for (key, name) in members_by_path(&before) {
            // A type may have been merged with another; its members are then found at the other's
            // path.
            if let Some(now) = members.get(&key) {
                prop_assert_eq!(now, &name, "member at {:?}", key);
            }
        }
    }

    #[test]
    fn any_schema_generates_rust(spec in schema()) {
        let api = load(&spec);
        let options = Options { emit: [kube_codegen::Generator::Types, kube_codegen::Generator::Deepcopy].into(), ..Options::default() };
        let tree = kube_codegen::emit::emit(&api, &options).unwrap();
        for (path, text) in tree {
            prop_assert!(syn::parse_file(&text).is_ok(), "{}:\n{text}", path.display());
        }
    }
}

/// The two paths are equal in camel case, but a type is named after its last property only.
#[test]
fn paths_that_read_alike_have_names_of_their_own() {
    let object = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    let mut rollout = object("a");
    rollout["properties"] = json!({"strategy": object("b")});
    let both = json!({"type": "object", "properties": {"rolloutStrategy": object("a"), "rollout": rollout}});
    let both = names_by_path(&load(&both));
    assert_eq!(both["Widget.spec.rolloutStrategy"], "WidgetRolloutStrategy");
    assert_eq!(both["Widget.spec.rollout.strategy"], "WidgetStrategy");
}

/// There is one type for each shape and property. Of two shapes with equally ranked paths, the
/// first gets the short name.
#[test]
fn types_of_one_shape_and_property_are_one() {
    let object = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    let with =
        |property: &str, value: Value| json!({"type": "object", "properties": {property: value}});
    let spec = json!({"type": "object", "properties": {
        "a": with("port", object("x")),
        "b": with("port", object("x")),
        "c": with("port", object("y")),
        "d": with("portal", object("x")),
    }});
    let api = load(&spec);
    let mut names: Vec<&str> = api
        .versions()
        .flat_map(|(_, version)| &version.types)
        .map(|def| def.name.as_str())
        .collect();
    names.retain(|name| name.contains("ort"));
    // `status` has the same schema as `spec`, and adds no types.
    assert_eq!(names, ["WidgetCPort", "WidgetPort", "WidgetPortal"]);
}

/// Adding or removing a few properties, as a release of a project does, renames almost no type.
/// Objects in properties of one name lose the same ones, since in Go they are usually of one type.
#[test]
fn names_outlive_releases() {
    let mut drops = |holder: &str, name: &str| {
        let mut hasher = DefaultHasher::new();
        (holder, name).hash(&mut hasher);
        hasher.finish().is_multiple_of(50)
    };
    let (kept, total) = kept_names(&mut drops, None);
    assert!(
        kept * 100 >= total * 99,
        "{kept} of {total} types keep their names"
    );
}

/// With a record, it does not matter where the properties are.
#[test]
fn recorded_names_outlive_any_release() {
    for seed in 1..4 {
        let mut random = Random(seed);
        let (kept, total) = kept_names(&mut |_, _| random.below(50) == 0, Some(""));
        assert!(
            kept * 1000 >= total * 999,
            "{kept} of {total} types keep their names"
        );
    }
}

/// Leaves out the properties that `drops` chooses by their object's and their own name. Returns how
/// many types have the same name with and without these, of all that both have; with a record, the
/// names of the former are recorded in it.
fn kept_names(drops: &mut dyn FnMut(&str, &str) -> bool, record: Option<&str>) -> (usize, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/crds");
    let (mut kept, mut total) = (0, 0);
    for project in ["cert-manager", "gateway-api", "kubevirt"] {
        let newer = crds(&folder.join(project));
        let mut older = newer.clone();
        for crd in &mut older {
            without_some_properties(crd, "", drops);
        }
        let older = generate_crds(&older, record);
        let newer = generate_crds(&newer, older.names.as_deref());
        let now = names_by_version(&newer.api);
        for (path, name) in names_by_version(&older.api) {
            if let Some(newer) = now.get(&path) {
                total += 1;
                kept += usize::from(*newer == name);
            }
        }
    }
    (kept, total)
}

/// Reads the CRDs in a folder, sorted by file.
fn crds(folder: &Path) -> Vec<Value> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        })
        .collect();
    files.sort();
    let texts = files
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap());
    texts
        .flat_map(|text| serde_saphyr::from_multiple::<Value>(&text).unwrap())
        .filter(|document| document["kind"] == "CustomResourceDefinition")
        .collect()
}

/// Generates from CRDs, with the names of a record.
fn generate_crds(crds: &[Value], record: Option<&str>) -> Generated {
    let source =
        |(index, crd): (usize, &Value)| Source::new(format!("{index}.json"), crd.to_string());
    let sources = Sources {
        crds: crds.iter().enumerate().map(source).collect(),
        ..Sources::default()
    };
    let record = record.map(|text| Record::parse(&Source::new("names.toml", text)).unwrap());
    let options = Options {
        emit: [].into(),
        record: record.map(Arc::new),
        ..Options::default()
    };
    kube_codegen::generate(&sources, &options).unwrap()
}

/// Returns the name of each type by group, version and first path.
fn names_by_version(api: &ApiSet) -> BTreeMap<(String, String, String), String> {
    let mut names = BTreeMap::new();
    for (group, version) in api.versions() {
        for def in &version.types {
            let key = (group.name.clone(), version.name.clone(), def.path.clone());
            names.insert(key, def.name.clone());
        }
    }
    names
}

/// Removes the properties of a schema that `drops` chooses.
fn without_some_properties(
    schema: &mut Value,
    holder: &str,
    drops: &mut dyn FnMut(&str, &str) -> bool,
) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                let parts = ["metadata", "spec", "status"];
                properties.retain(|name, _| parts.contains(&name.as_str()) || !drops(holder, name));
                for (name, property) in properties {
                    without_some_properties(property, name, drops);
                }
            }
            let others = members.iter_mut().filter(|(name, _)| *name != "properties");
            others.for_each(|(_, value)| without_some_properties(value, holder, drops));
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|value| without_some_properties(value, holder, drops)),
        _ => {}
    }
}

/// A deterministic random number generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
