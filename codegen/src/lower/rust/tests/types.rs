//! Types, names and comments.

use serde_json::{Value, json};

use super::*;

/// Checks the type of the only field of the only struct.
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
    rows![check_type:
        ("bool", json!("bool")),
        ("u16", json!({"integer": "u16"})),
        ("Vec<Option<String>>", json!({"list": {"optional": "string"}})),
        ("[f32; 4]", json!({"list": "float32"})),
        ("BTreeMap<String, Box<i64>>", json!({"map": {"boxed": "int64"}})),
        ("std::collections::BTreeSet<i32>", json!({"list": "int32"})),
        ("metav1::Time", json!({"known": "Time"})),
        ("serde_json::Value", json!("any")),
        ("std::borrow::Cow<'static, str>", json!("string")),
        ("(u8, u8)", json!({"verbatim": "(u8, u8)"})),
        ("::other::Thing<u8>", json!({"external": "::other::Thing<u8>"})),
    ];
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
fn a_type_in_a_private_module_is_named_by_its_export() {
    let version = version(&[
        ("mod.rs", "mod types;\npub use types::*;"),
        (
            "types.rs",
            "mod inner;\npub use inner::*;\npub mod open { pub struct Open; }\npub use open::Open;",
        ),
        (
            "types/inner.rs",
            "pub struct Inner; pub(super) mod near { pub struct Near; }",
        ),
    ]);
    let module = |name: &str| def(&version, name).item.as_ref().unwrap().module.clone();
    assert_eq!(module("Inner"), [""; 0]);
    assert_eq!(module("Open"), ["types", "open"]);
    assert_eq!(module("Near"), ["types", "inner", "near"]);
}

#[test]
fn conditions_are_those_of_the_type_and_its_modules() {
    let version = version(&[
        (
            "mod.rs",
            "#[cfg(feature = \"a\")] mod types;\n#[cfg(unix)] pub mod near { #[cfg(b)] #[cfg(not(c))] pub struct Near; }",
        ),
        ("types.rs", "#![cfg(d)]\npub struct Far;"),
    ]);
    let cfg = |name: &str| def(&version, name).item.as_ref().unwrap().cfg.clone();
    assert_eq!(cfg("Near"), ["unix", "b", "not (c)"]);
    assert_eq!(cfg("Far"), ["feature = \"a\"", "d"]);
}

#[test]
fn attributes_under_conditions_count() {
    let version = single(
        r#"
        #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "camelCase"))]
        #[cfg_attr(all(a, b), cfg_attr(c, derive(Clone, Copy)))]
        #[cfg_attr(d, derive(Clone))]
        pub struct Spec { pub host_ip: String, #[cfg_attr(feature = "serde", serde(rename = "x"))] pub other: String }
        #[derive(Clone)]
        #[cfg_attr(d, derive(Clone, Copy))]
        pub struct Always;
        #[derive(Clone)]
        #[cfg_attr(feature = "kube", derive(kube::CustomResource), kube(group = "cloud", version = "v1", kind = "Machine"))]
        pub struct MachineSpec { pub cpus: i32 }
        "#,
    );
    let item = |name: &str| def(&version, name).item.clone().unwrap();
    assert_eq!(item("Spec").derives, ["Deserialize", "Serialize"]);
    assert_eq!(item("Spec").clone_if, ["all(all (a , b), c)", "d"]);
    assert_eq!(item("Always").derives, ["Clone"]);
    assert_eq!(item("Always").clone_if, [""; 0]);
    let names: Vec<_> = fields(def(&version, "Spec"))
        .iter()
        .map(|field| field.json_name.as_str())
        .collect();
    assert_eq!(names, ["hostIp", "x"]);
    assert_eq!(version.resources[0].kind, "Machine");
}

#[test]
fn an_enum_is_open_by_a_tuple_only() {
    let version = single(
        r#"
        pub enum Phase { Ready, #[serde(untagged)] Other(String) }
        pub enum Source { Nothing, #[serde(untagged)] Other { value: String } }
        "#,
    );
    let kind = |name: &str| json_of(&def(&version, name).kind);
    assert_eq!(kind("Phase")["enum"]["open"], "Other");
    assert_eq!(kind("Source")["union"]["variants"][1]["named"], true);
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
        // +1 is not a marker
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
fn what_is_not_read_back_is_a_warning() {
    let check = |types: &str, expected: &[&str]| {
        let derive = "#[derive(Clone, Debug, Serialize, Deserialize)]\n";
        let text = format!("{HEAD}{derive}{types}\n");
        let generated = crate::generate(&sources(&[("mod.rs", &text)]), &options()).unwrap();
        let warnings = generated.warnings.to_string();
        let found: Vec<_> = warnings
            .lines()
            .filter_map(|line| {
                line.split_once("warning: `")?
                    .1
                    .split_once("` is written under")
            })
            .map(|(name, _)| name)
            .collect();
        assert_eq!(found, expected, "{types}\n{warnings}");
    };
    let differ = |word: &str, write: &str, read: &str| {
        format!("#[serde({word}(serialize = \"{write}\", deserialize = \"{read}\"))]")
    };
    let renamed = differ("rename", "out", "in");
    let cases = differ("rename_all", "camelCase", "snake_case");
    let of_fields = differ("rename_all_fields", "camelCase", "snake_case");
    let same = differ("rename_all", "camelCase", "camelCase");
    let variants = differ("rename_all", "PascalCase", "kebab-case");
    for (types, expected) in [
        (format!("pub struct A {{ {renamed} pub a: i32 }}"), &["out"][..]),
        (format!("pub struct A {{ {} pub a: i32 }}", differ("rename", "out", "out")), &[]),
        (format!("pub struct A {{ {renamed} #[serde(alias = \"out\")] pub a: i32 }}"), &[]),
        (format!("pub struct A {{ {renamed} #[serde(skip_serializing)] pub a: i32 }}"), &[]),
        ("pub struct A { #[serde(rename(serialize = \"a\"))] pub a: i32 }".to_owned(), &[]),
        (
            "pub struct A { #[serde(rename(serialize = \"b\", deserialize = \"a\", deserialize = \"b\"))] pub a: i32 }"
                .to_owned(),
            &[],
        ),
        (format!("{cases} pub struct A {{ pub a: i32, pub host_ip: i32 }}"), &["hostIp"]),
        (format!("{same} pub struct A {{ pub host_ip: i32 }}"), &[]),
        (
            format!("{cases} pub struct A {{ #[serde(rename = \"ip\")] pub host_ip: i32, #[serde(alias = \"podIp\")] pub pod_ip: i32 }}"),
            &[],
        ),
        (
            "#[serde(rename_all(deserialize = \"camelCase\"))] pub struct A { pub host_ip: i32 }".to_owned(),
            &["host_ip"],
        ),
        (format!("{variants} pub enum A {{ Ready, #[serde(alias = \"Lost\")] Lost }}"), &["Ready"]),
        (format!("{variants} #[serde(untagged)] pub enum A {{ Ready {{ a: i32 }} }}"), &[]),
        (
            format!("{of_fields} pub enum A {{ Ready {{ host_ip: i32 }}, #[serde(rename_all = \"camelCase\")] Lost {{ pod_ip: i32 }} }}"),
            &["hostIp"],
        ),
        (format!("pub enum A {{ {cases} Ready {{ host_ip: i32 }} }}"), &["hostIp"]),
    ] {
        check(&types, expected);
    }
}
