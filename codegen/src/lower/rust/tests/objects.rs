//! Validations, resources, verbs and related markers.

use serde_json::json;

use super::*;
use crate::model::Verb;

#[test]
fn validations_are_typed() {
    let version = single(
        r#"
        // +kubebuilder:validation:XValidation:rule="self.min <= self.max",message="min, then max"
        // +kubebuilder:validation:AtMostOneOf=a;b
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
            pub a: Option<bool>,
            pub b: Option<bool>,
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
        "[has(self.a),has(self.b)].filter(x,x==true).size() <= 1"
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

#[test]
fn fields_of_objects_are_in_camel_case_unless_their_author_says_so() {
    let version = single(
        r#"
        // +genclient
        // +genclient:noStatus
        #[derive(codegen_runtime::ApiObject)]
        pub struct Binding { pub metadata: ObjectMeta, pub role_ref: String, #[serde(rename = "x_y")] pub other: String }
        // +genclient
        // +genclient:noStatus
        #[derive(ApiObject)]
        #[serde(rename_all = "snake_case")]
        pub struct Snake { pub metadata: ObjectMeta, pub role_ref: String }
        // +genclient
        // +genclient:noStatus
        pub struct Own { pub metadata: ObjectMeta, pub role_ref: String }
        impl Serialize for Own {}
        impl<'de> Deserialize<'de> for Own {}
        #[derive(Serialize, Deserialize)]
        pub struct Nested { pub role_ref: String }
        "#,
    );
    let names = |name: &str| -> Vec<String> {
        let fields = fields(def(&version, name)).iter();
        fields.map(|field| field.json_name.clone()).collect()
    };
    assert_eq!(names("Binding"), ["metadata", "roleRef", "x_y"]);
    assert_eq!(names("Snake"), ["metadata", "role_ref"]);
    assert_eq!(names("Own"), ["metadata", "role_ref"]);
    assert_eq!(names("Nested"), ["role_ref"]);
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
    rows![check_verbs:
        ("", &Verb::ALL),
        ("// +genclient:readonly\n", &[Verb::Get, Verb::List, Verb::Watch]),
        ("// +genclient:noVerbs\n", &[]),
        ("// +genclient:onlyVerbs=get,updateStatus\n", &[Verb::UpdateStatus, Verb::Get]),
        ("// +genclient:noStatus\n// +genclient:skipVerbs=watch,patch,apply\n",
            &[Verb::Create, Verb::Update, Verb::Delete, Verb::DeleteCollection, Verb::Get, Verb::List]),
    ];
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
        #[kube(printcolumn = r#"{"name":"A","type":"string","jsonPath":".spec.a"}, {"name":"B","type":"string","jsonPath":".spec.b"}"#)]
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
    let names = resource.printer_columns.iter();
    let names: Vec<&str> = names.map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["Age", "A", "B"]);
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
fn fields_of_a_kube_spec_may_stand_at_the_root() {
    let version = single(
        r#"
        #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[kube(group = "cloud", version = "v1", kind = "Card", no_spec, cel, served = "true")]
        pub struct CardFields { pub title: String }
        "#,
    );
    let TypeKind::Struct(root) = &def(&version, "Card").kind else {
        panic!("the root is a struct");
    };
    let flattened: Vec<bool> = root.fields.iter().map(|field| field.flatten).collect();
    assert_eq!(flattened, [false, true]);
}

#[test]
fn many_errors_come_in_one_run_sorted_by_place() {
    let text = errors("pub struct A<'a>(&'a str);\n// +nonsense\npub struct B;\n");
    assert_eq!(
        text,
        "mod.rs:4:14: error: `A` borrows, but an API type owns its data\n\
         mod.rs:4:18: error: a reference cannot be part of an API type\n\
         mod.rs:5:4: error: unknown marker `+nonsense`"
    );
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
fn a_marker_may_follow_a_byte_order_mark() {
    let text = "\u{feff}// +groupName=other.example.com\n\npub struct A;\n";
    assert_eq!(api(&[("mod.rs", text)]).groups[0].name, "other.example.com");
}

#[test]
fn rules_and_webhooks_come_with_the_crate() {
    let api = api(&[(
        "mod.rs",
        r#"
        // +kubebuilder:rbac:groups=core;apps,resources=pods;deployments/status,verbs=get;list
        // +kubebuilder:webhook:path=/mutate,mutating=true,failurePolicy=fail,sideEffects=noneondryrun,patch=`{"matchConditions": []}`,groups=cloud,resources=machines,verbs=create;update,versions=v1,name=m.cloud.example.com,admissionReviewVersions=v1
        pub fn reconcile() {}

        // +kubebuilder:webhookconfiguration:mutating=true,name=cloud-webhooks
        pub const NAME: &str = "";
        "#,
    )]);
    assert_eq!(json_of(&api.rules)[0]["groups"], json!(["", "apps"]));
    let webhook = &api.webhooks[0];
    assert_eq!(webhook.side_effects.as_deref(), Some("NoneOnDryRun"));
    assert_eq!(webhook.patch, Some(json!({"matchConditions": []})));
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

#[test]
fn an_immutable_field_has_its_rule_and_an_optional_one_another_above_it() {
    let version = single(
        r#"
        // +kubebuilder:validation:AtLeastOneOf=a;b
        // +kubebuilder:validation:AtMostOneOf=a;b
        // +kubebuilder:validation:XValidation:rule="true"
        #[derive(Serialize, Deserialize)]
        pub struct Spec {
            // +k8s:immutable
            pub a: Option<String>,
            pub b: Option<String>,
            // +k8s:immutable
            pub c: String,
        }
        "#,
    );
    let spec = def(&version, "Spec");
    let rules: Vec<_> = spec
        .validation
        .rules
        .iter()
        .map(|rule| rule.rule.as_str())
        .collect();
    assert_eq!(
        rules,
        [
            "!has(oldSelf.a) || has(self.a)",
            "true",
            "[has(self.a),has(self.b)].filter(x,x==true).size() <= 1",
            "[has(self.a),has(self.b)].filter(x,x==true).size() >= 1",
        ]
    );
    let messages: Vec<_> = spec
        .validation
        .rules
        .iter()
        .map(|rule| rule.message.as_deref())
        .collect();
    assert_eq!(
        messages,
        [
            Some("field a is immutable once set"),
            None,
            Some("at most one of the fields in [a b] may be set"),
            Some("at least one of the fields in [a b] must be set"),
        ]
    );
    for index in [0, 2] {
        assert_eq!(
            json_of(&fields(spec)[index].validation),
            json!({"rules": [{"rule": "self == oldSelf", "message": "field is immutable"}]})
        );
    }
}

#[test]
fn controller_gens_default_wins_and_types_by_hand_have_no_schema() {
    let version = single(
        r#"
        #[derive(Serialize, Deserialize)]
        pub struct Spec {
            // +default="b"
            // +kubebuilder:default=a
            pub a: String,
            // +kubebuilder:validation:Schemaless
            // +kubebuilder:validation:Type=object
            pub b: serde_json::Value,
        }
        "#,
    );
    let fields = fields(def(&version, "Spec"));
    assert_eq!(fields[0].default, Some(json!("a")));
    assert_eq!(
        json_of(&fields[1].validation),
        json!({"type": "object", "schemaless": true})
    );
}

#[test]
fn a_declared_type_is_what_rules_apply_to() {
    let version = single(
        r#"
        #[derive(Serialize, Deserialize)]
        pub struct Spec {
            // +kubebuilder:validation:Type=string
            // +kubebuilder:validation:MinLength=1
            pub a: bool,
            // +kubebuilder:validation:XIntOrString
            // +kubebuilder:validation:Pattern=`^[0-9]+%?$`
            pub b: i32,
        }
        "#,
    );
    assert_eq!(fields(def(&version, "Spec")).len(), 2);
}

#[test]
fn an_empty_group_name_is_the_core_group() {
    let api = api(&[("mod.rs", "// +groupName=\n")]);
    assert_eq!(api.groups[0].name, "");
}

#[test]
fn markers_of_other_tools_are_passed_over_where_the_options_say_so() {
    let text = "// +operator-sdk:csv:customresourcedefinitions:displayName=\"Spec\"\n\
                // +acme\n// +optional-tool:x\n/// A spec.\n#[doc = \"+operator-sdk:gen\"]\npub struct Spec;\n";
    let mut options = options();
    let load = |options: &Options| crate::load(&sources(&[("mod.rs", text)]), options);
    assert!(load(&options).is_err());
    options.ignored_markers = ["operator-sdk:*", "acme", "optional*"]
        .map(str::to_owned)
        .to_vec();
    let api = load(&options).unwrap();
    assert_eq!(api.groups[0].versions[0].types[0].docs, "A spec.");
    // The table takes precedence over ignored markers.
    let text = "// +optional\npub struct Spec;\n";
    crate::load(&sources(&[("mod.rs", text)]), &options).unwrap_err();
}
