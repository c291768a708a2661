use serde_json::{Value, json};

use crate::{
    Options, RustPackage, Source, Sources,
    model::{Field, TypeDef, TypeKind, Verb, Version},
};

const HEAD: &str = "\
use std::collections::*;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{self as metav1, ObjectMeta};
use serde::{Deserialize, Serialize};
";

fn sources(files: &[(&str, &str)]) -> Sources {
    let files = files
        .iter()
        .map(|(name, text)| Source::new(*name, *text))
        .collect();
    Sources {
        rust: vec![RustPackage {
            group: "cloud".to_owned(),
            version: "v1".to_owned(),
            module_path: "crate::apis::cloud::v1".to_owned(),
            dir: "apis/cloud/v1".into(),
            files,
        }],
        crds: Vec::new(),
    }
}

fn options() -> Options {
    Options {
        emit: std::collections::BTreeSet::new(),
        ..Options::default()
    }
}

/// The version that the files make.
#[track_caller]
fn version(files: &[(&str, &str)]) -> Version {
    let api = crate::load(&sources(files), &options())
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    api.groups[0].versions[0].clone()
}

/// The version that a single `mod.rs` makes, after the usual imports.
#[track_caller]
fn single(text: &str) -> Version {
    version(&[("mod.rs", &format!("{HEAD}{text}"))])
}

#[track_caller]
fn errors(text: &str) -> String {
    crate::load(
        &sources(&[("mod.rs", &format!("{HEAD}{text}"))]),
        &options(),
    )
    .expect_err("no error")
    .to_string()
}

#[track_caller]
fn def<'a>(version: &'a Version, name: &str) -> &'a TypeDef {
    version.type_def(name).expect(name)
}

fn fields(def: &TypeDef) -> &[Field] {
    match &def.kind {
        TypeKind::Struct(def) => &def.fields,
        other => panic!("no struct: {other:?}"),
    }
}

fn json_of(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// The type of the only field of the only struct.
#[track_caller]
fn check_type(source: &str, expected: Value) {
    let version = single(&format!(
        "#[derive(Serialize, Deserialize)] pub struct Spec {{ pub it: {source} }}"
    ));
    assert_eq!(
        json_of(&fields(def(&version, "Spec"))[0].ty),
        expected,
        "{source}"
    );
}

#[test]
fn types_are_known_by_what_they_mean() {
    check_type("bool", json!("bool"));
    check_type("u16", json!({"integer": "u16"}));
    check_type(
        "Vec<Option<String>>",
        json!({"list": {"optional": "string"}}),
    );
    check_type("[f32; 4]", json!({"list": "float32"}));
    check_type(
        "BTreeMap<String, Box<i64>>",
        json!({"map": {"boxed": "int64"}}),
    );
    check_type("std::collections::BTreeSet<i32>", json!({"list": "int32"}));
    check_type("metav1::Time", json!({"known": "Time"}));
    check_type("serde_json::Value", json!("any"));
    check_type("std::borrow::Cow<'static, str>", json!("string"));
    check_type("(u8, u8)", json!({"external": "(u8, u8)"}));
    check_type(
        "::other::Thing<u8>",
        json!({"external": "::other::Thing<u8>"}),
    );
}

#[test]
fn names_are_followed_through_modules_and_imports() {
    let version = version(&[
        (
            "mod.rs",
            "mod types;\npub mod sizes { pub mod deep { pub struct Deep; } pub use deep::Deep as Renamed; }\npub use types::*;",
        ),
        (
            "types.rs",
            "use super::sizes::{self, Renamed};\nuse crate::apis::cloud::v1::sizes::deep;\nuse crate::apis::other::v1::Foreign;\n\
             pub type Text = String;\n\
             pub struct Spec { pub a: sizes::Renamed, pub b: deep::Deep, pub c: self::Text, pub d: super::sizes::deep::Deep, pub e: Renamed, pub f: Foreign, pub g: super::super::v2::Spec }",
        ),
    ]);
    let found: Vec<Value> = fields(def(&version, "Spec"))
        .iter()
        .map(|field| json_of(&field.ty))
        .collect();
    let deep = json!({"local": "Deep"});
    assert_eq!(
        found,
        [
            deep.clone(),
            deep.clone(),
            json!({"local": "Text"}),
            deep.clone(),
            deep,
            json!({"external": "crate::apis::other::v1::Foreign"}),
            json!({"external": "crate::apis::cloud::v2::Spec"}),
        ]
    );
    let item = def(&version, "Deep").item.as_ref().unwrap();
    assert_eq!(item.module, ["sizes", "deep"]);
}

#[test]
fn imports_in_a_circle_end() {
    let version = version(&[(
        "mod.rs",
        "mod a { pub use super::b::*; pub use super::b::T; } mod b { pub use super::a::*; pub use super::a::T; }\npub struct S { pub t: a::T }",
    )]);
    assert!(json_of(&fields(def(&version, "S"))[0].ty)["external"].is_string());
}

#[test]
fn serde_decides_the_names_on_the_wire() {
    let version = single(
        r#"
        #[derive(Serialize, Deserialize)]
        #[serde(rename_all(serialize = "camelCase", deserialize = "snake_case"), default)]
        pub struct Spec {
            pub r#type: String,
            pub host_ip: String,
            #[serde(rename = "$ref")]
            pub reference: String,
            #[serde(flatten)]
            pub rest: BTreeMap<String, String>,
            #[serde(skip)]
            pub hidden: String,
        }
        #[derive(Serialize, Deserialize)]
        #[serde(tag = "kind", content = "value", rename_all = "kebab-case", rename_all_fields = "camelCase")]
        pub enum Source { GitRepo { deploy_key: String }, Nothing }
        #[derive(Serialize, Deserialize)]
        pub enum Phase { Ready, #[serde(rename = "not-ready")] NotReady, #[serde(untagged)] Other(String) }
        "#,
    );
    let spec = fields(def(&version, "Spec"));
    let names: Vec<_> = spec.iter().map(|field| field.json_name.as_str()).collect();
    assert_eq!(names, ["type", "hostIp", "$ref", "rest", "hidden"]);
    assert_eq!(spec[0].rust_name, "type");
    assert!(spec[3].flatten && spec[4].skip);
    assert!(spec.iter().all(|field| !field.required));
    let source = json_of(&def(&version, "Source").kind);
    assert_eq!(source["union"]["tag"], "kind");
    assert_eq!(source["union"]["variants"][0]["jsonName"], "git-repo");
    assert_eq!(
        source["union"]["variants"][0]["fields"][0]["jsonName"],
        "deployKey"
    );
    let phase = json_of(&def(&version, "Phase").kind);
    assert_eq!(phase["enum"]["open"], "Other");
    assert_eq!(phase["enum"]["variants"][1]["value"], "not-ready");
}

#[test]
fn markers_stand_in_every_place_that_belongs_to_a_field() {
    let version = single(
        r#"
        #[derive(Serialize, Deserialize)]
        pub struct Spec {
            // +nullable

            /// Above the documentation, a line apart.
            pub a: Option<String>,
            /// In the documentation.
            /// +nullable
            ///
            /// ```diff
            /// +added
            /// ```
            pub b: Option<String>,
            #[serde(default)]
            // +nullable
            #[serde(rename = "see")]
            pub c: Option<String>,
            #[doc = "In an attribute."]
            #[doc = "+nullable"]
            pub d: Option<String>, // a remark
            // +nullable
            pub e: Option<String>,
            pub f: Option<String>,
        }
        "#,
    );
    let spec = fields(def(&version, "Spec"));
    let nullable: Vec<_> = spec.iter().map(|field| field.nullable).collect();
    assert_eq!(nullable, [true, true, true, true, true, false]);
    assert_eq!(spec[0].docs, "Above the documentation, a line apart.");
    assert_eq!(
        spec[1].docs,
        "In the documentation.\n\n```diff\n+added\n```"
    );
    assert_eq!(spec[3].docs, "In an attribute.");
}

#[test]
fn markers_in_code_are_no_markers() {
    let version = single(
        r##"
        pub const TEXT: &str = "
            // +nonsense
        ";
        pub const RAW: &str = r#"// +nonsense"#;
        pub fn sum() -> i32 {
            // +nonsense, since this is code
            1 // +one
        }
        // +1 is no marker
        pub struct Spec;
        #[cfg(test)]
        mod tests {
            // +nonsense
            struct Hidden;
        }
        "##,
    );
    assert_eq!(version.types.len(), 1);
}

#[test]
fn package_markers_stand_above_the_first_item() {
    let text = "// +groupName=cloud.example.com\n\n//! Docs.\n//! +k8s:deepcopy-gen=package\n\n// +kubebuilder:validation:Optional\n";
    let api = crate::load(&sources(&[("mod.rs", text)]), &options()).unwrap();
    assert_eq!(api.groups[0].name, "cloud.example.com");
    assert_eq!(api.groups[0].versions[0].docs, "Docs.");
    let text = "//! Docs.\n\n// +k8s:deepcopy-gen=package\n\n/// Spec.\n// +k8s:deepcopy-gen=false\npub struct Spec;\npub struct Other;\n";
    let version = version(&[("mod.rs", text)]);
    let deepcopy = |name: &str| def(&version, name).item.as_ref().unwrap().deepcopy;
    assert!(!deepcopy("Spec") && deepcopy("Other"));
}

#[test]
fn presence_follows_type_then_markers() {
    let version = single(
        r#"
        // +kubebuilder:validation:Optional
        #[derive(Serialize)]
        pub struct Loose { pub a: String, // a remark
            // +required
            pub b: String,
            // +kubebuilder:validation:Required
            pub c: Option<String> }
        #[derive(Serialize, Deserialize)]
        pub struct Strict { pub a: String, pub b: Option<String>, #[serde(default)] pub c: String }
        "#,
    );
    let required = |name: &str| -> Vec<bool> {
        fields(def(&version, name))
            .iter()
            .map(|field| field.required)
            .collect()
    };
    assert_eq!(required("Loose"), [false, true, true]);
    assert_eq!(required("Strict"), [true, false, false]);
    assert!(
        fields(def(&version, "Loose"))[2].nullable,
        "required and an Option is null when absent"
    );
}

#[test]
fn validations_are_typed() {
    let version = single(
        r#"
        // +kubebuilder:validation:XValidation:rule="self.min <= self.max",message="min, then max"
        // +kubebuilder:validation:AtMostOneOf=min;max
        #[derive(Serialize, Deserialize)]
        pub struct Spec {
            // +kubebuilder:validation:Minimum=1
            // +kubebuilder:validation:ExclusiveMinimum=true
            // +kubebuilder:default=3
            pub min: i32,
            // +kubebuilder:validation:Pattern=`^[a-z]{1,3}$`
            // +kubebuilder:validation:Enum=a;b
            pub max: String,
            // +kubebuilder:validation:MaxItems=3
            // +kubebuilder:validation:items:MaxLength=8
            // +listType=set
            pub names: Vec<Name>,
        }
        // +kubebuilder:validation:MinLength=1
        #[derive(Serialize, Deserialize)]
        pub struct Name(pub String);
        "#,
    );
    let spec = json_of(def(&version, "Spec"));
    assert_eq!(spec["validation"]["rules"][0]["message"], "min, then max");
    assert_eq!(
        spec["validation"]["rules"][1]["rule"],
        "[has(self.min),has(self.max)].filter(x,x==true).size() <= 1"
    );
    let fields = &spec["kind"]["struct"]["fields"];
    assert_eq!(
        fields[0]["validation"],
        json!({"minimum": 1, "exclusiveMinimum": true})
    );
    assert_eq!(fields[0]["default"], 3);
    assert_eq!(
        fields[1]["validation"],
        json!({"pattern": "^[a-z]{1,3}$", "enum": ["a", "b"]})
    );
    assert_eq!(
        fields[2]["validation"],
        json!({"maxItems": 3, "listType": "set", "element": {"maxLength": 8}})
    );
    assert_eq!(
        json_of(def(&version, "Name"))["validation"],
        json!({"minLength": 1})
    );
}

const ROOT: &str = "pub struct Machine { pub metadata: ObjectMeta, pub spec: String, pub status: Option<String> }\n";

#[track_caller]
fn check_verbs(markers: &str, expected: &[Verb]) {
    let version = single(&format!("// +genclient\n{markers}{ROOT}"));
    let verbs: Vec<Verb> = version.resources[0].verbs.0.iter().copied().collect();
    assert_eq!(verbs, expected, "{markers}");
}

#[test]
fn verbs_follow_the_markers() {
    check_verbs("", &Verb::ALL);
    check_verbs(
        "// +genclient:readonly\n",
        &[Verb::Get, Verb::List, Verb::Watch],
    );
    check_verbs("// +genclient:noVerbs\n", &[]);
    check_verbs(
        "// +genclient:onlyVerbs=get,updateStatus\n",
        &[Verb::UpdateStatus, Verb::Get],
    );
    check_verbs(
        "// +genclient:noStatus\n// +genclient:skipVerbs=watch,patch,apply\n",
        &[
            Verb::Create,
            Verb::Update,
            Verb::Delete,
            Verb::DeleteCollection,
            Verb::Get,
            Verb::List,
        ],
    );
}

#[test]
fn an_unserved_version_has_no_client() {
    let version = single(&format!(
        "// +genclient\n// +kubebuilder:unservedversion\n{ROOT}"
    ));
    assert!(!version.resources[0].client);
}

#[test]
fn a_list_type_is_an_object_but_no_resource() {
    let version = single(&format!(
        "// +genclient\n{ROOT}\n// +k8s:deepcopy-gen:interfaces=runtime.Object\npub struct MachineList {{ pub metadata: metav1::ListMeta, pub items: Vec<Machine> }}"
    ));
    assert_eq!(version.resources.len(), 1);
    assert!(def(&version, "MachineList").item.as_ref().unwrap().object);
}

#[test]
fn nested_types_may_be_generic() {
    let version = single(
        "pub struct Page<T, const N: usize> { pub items: Vec<T> }\npub struct Spec { pub page: Page<u8, 4> }",
    );
    assert_eq!(
        def(&version, "Page").item.as_ref().unwrap().generics,
        "<T, const N: usize>"
    );
    assert_eq!(
        json_of(&fields(def(&version, "Page"))[0].ty),
        json!({"list": {"external": "T"}})
    );
    assert_eq!(
        json_of(&fields(def(&version, "Spec"))[0].ty),
        json!({"external": "crate::apis::cloud::v1::Page<u8, 4>"})
    );
}

#[test]
fn kube_derive_is_read_in_both_of_its_forms() {
    let version = single(
        r##"
        #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[kube(group = "cloud", version = "v1", kind = "Doc", root = "Document", namespaced, status = DocStatus)]
        #[kube(shortname = "d", category = "all", plural = "docs", singular = "doc", deprecated = "old", storage = true)]
        #[kube(printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#)]
        #[kube(scale = r#"{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}"#)]
        #[kube(annotation("a", "b"), crates(kube_core = "kube::core"), schema = "disabled")]
        pub struct DocSpec { pub n: i32 }
        #[derive(Serialize, Deserialize)]
        pub struct DocStatus { pub n: i32 }
        "##,
    );
    let resource = &version.resources[0];
    assert_eq!(
        (resource.kind.as_str(), resource.root.as_str()),
        ("Doc", "Document")
    );
    assert_eq!(
        resource.printer_columns[0].json_path,
        ".metadata.creationTimestamp"
    );
    assert_eq!(
        resource
            .scale_subresource
            .as_ref()
            .unwrap()
            .status_replicas_path,
        ".status.n"
    );
    assert_eq!(resource.deprecation.as_deref(), Some("old"));
    assert!(resource.status_subresource && resource.client);
    assert_eq!(def(&version, "DocStatus").path, "Doc.status");
    assert!(def(&version, "Document").item.as_ref().unwrap().kube_derive);
}

#[test]
fn many_errors_come_in_one_run_sorted_by_place() {
    let text = errors("pub struct A<'a>(&'a str);\n// +nonsense\npub struct B;\n");
    assert_eq!(text, "mod.rs:5:4: error: unknown marker `+nonsense`");
    let text = errors("pub struct A(&'static str);\npub struct B(&'static str);\n");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn a_byte_order_mark_moves_no_place() {
    let text = format!("\u{feff}#!/usr/bin/env run\n{HEAD}// +nonsense\npub struct A;\n");
    let error = crate::load(&sources(&[("mod.rs", &text)]), &options()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "mod.rs:5:4: error: unknown marker `+nonsense`"
    );
}

#[test]
fn rules_and_webhooks_come_with_the_version() {
    let version = single(
        r#"
        // +kubebuilder:rbac:groups=core;apps,resources=pods;deployments/status,verbs=get;list
        // +kubebuilder:webhook:path=/mutate,mutating=true,failurePolicy=fail,sideEffects=None,groups=cloud,resources=machines,verbs=create;update,versions=v1,name=m.cloud.example.com,admissionReviewVersions=v1
        pub fn reconcile() {}

        // +kubebuilder:webhookconfiguration:mutating=true,name=cloud-webhooks
        pub const NAME: &str = "";
        "#,
    );
    assert_eq!(json_of(&version.rules)[0]["groups"], json!(["", "apps"]));
    let webhook = &version.webhooks[0];
    assert_eq!(webhook.failure_policy, "Fail");
    assert_eq!(webhook.verbs, ["CREATE", "UPDATE"]);
    assert_eq!(webhook.configuration.as_deref(), Some("cloud-webhooks"));
}

#[test]
fn metadata_of_the_crd_comes_with_the_resource() {
    let version = single(&format!(
        "// +genclient\n// +kubebuilder:metadata:annotations=\"a.example.com/b=c=d\",labels={{app=x, tier=y}}\n{ROOT}"
    ));
    let resource = &version.resources[0];
    assert_eq!(resource.annotations["a.example.com/b"], "c=d");
    assert_eq!(resource.labels.len(), 2);
}

#[test]
fn a_path_attribute_names_the_file_of_a_module() {
    let version = version(&[
        (
            "mod.rs",
            "#[path = \"v1_types.rs\"]\nmod types;\npub use types::*;",
        ),
        ("v1_types.rs", "pub struct Spec;"),
    ]);
    let item = def(&version, "Spec").item.as_ref().unwrap();
    assert_eq!(item.module, ["types"]);
}

#[test]
fn a_type_may_hold_itself() {
    let version = single(
        "#[derive(Serialize, Deserialize)] pub struct Tree { pub a: Vec<Self>, pub b: Option<Box<Tree>> }",
    );
    let tree = fields(def(&version, "Tree"));
    assert_eq!(json_of(&tree[0].ty), json!({"list": {"local": "Tree"}}));
    assert_eq!(json_of(&tree[1].ty), json!({"boxed": {"local": "Tree"}}));
    assert!(tree[1].option && !tree[1].required);
}

#[test]
fn macros_may_declare_what_is_not_seen() {
    let version = single("declare! { Hidden }\npub struct Spec { pub a: Hidden }");
    assert_eq!(
        json_of(&fields(def(&version, "Spec"))[0].ty),
        json!({"external": "Hidden"})
    );
}
