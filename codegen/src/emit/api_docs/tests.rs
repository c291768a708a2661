use std::path::Path;

use super::emit;
use crate::{Options, RustPackage, Source, Sources};

/// The reference of a kind with additional types, from the heading of its spec on.
fn reference(types: &str) -> String {
    let text = format!(
        "use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;\nuse serde::{{Deserialize, Serialize}};\n\
         mod zz_generated_deepcopy;\npub mod zz_generated_register;\n\
         // +genclient\n// +k8s:deepcopy-gen:interfaces=runtime.Object\n#[derive(Debug)]\npub struct Vm {{\n    \
         pub metadata: ObjectMeta,\n    pub spec: Spec,\n}}\n{types}"
    );
    let sources = Sources {
        rust: vec![RustPackage {
            group: "cloud".to_owned(),
            version: "v1".to_owned(),
            module_path: "crate::apis::cloud::v1".to_owned(),
            dir: "apis/cloud/v1".into(),
            files: vec![Source::new("mod.rs", text)],
        }],
        ..Sources::default()
    };
    let api = crate::load(&sources, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut pages = emit(&api, "docs");
    let page = pages.remove(Path::new("docs/cloud_v1.md")).expect("a page");
    let end = page.find("### ").expect("types");
    page[end..].to_owned()
}

const DERIVE: &str = "#[derive(Clone, Debug, Serialize, Deserialize)]";

#[track_caller]
fn check(types: &str, expected: &str) {
    let types = types.replace("DERIVE", DERIVE);
    assert_eq!(reference(&types), expected, "{types}");
}

#[test]
fn fields_say_what_they_demand() {
    check(
        "DERIVE pub struct Spec {\n\
         /// How many | of `them`.\n/// +kubebuilder:validation:Minimum=1\n/// +kubebuilder:default=3\npub count: u32,\n\
         pub names: Option<Vec<Name>>,\n}\n\
         /// A name.\n/// +kubebuilder:validation:MaxLength=5\nDERIVE pub struct Name(pub String);",
        "### Name\n\nA name.\n\nUsed by [Spec](#spec).\n\nType: string.\n* Must have at most 5 characters.\n\n\
         ### Spec\n\nUsed by [Vm](#vm).\n\n\
         - **count** (integer)\n\n  How many \\| of `them`.\n  * Must be at least 1.\n  * Defaults to `3`.\n\n\
         - **names** (list of [Name](#name))\n",
    );
}

#[test]
fn flattened_fields_are_properties() {
    check(
        "DERIVE pub struct Spec {\n#[serde(flatten)] pub common: Common,\npub own: Option<bool>,\n}\n\
         DERIVE pub struct Common {\n/// Both.\npub shared: String,\n}",
        "### Spec\n\nUsed by [Vm](#vm).\n\n- **shared** (string), required\n\n  Both.\n\n- **own** (boolean)\n",
    );
}

#[test]
fn what_is_flattened_without_fields_is_no_property() {
    let page = reference(
        &"DERIVE pub struct Spec {\n#[serde(flatten)] pub disk: Disk,\n#[serde(flatten)] pub more: Option<Box<Disk>>,\n\
          /// Labels.\n#[serde(flatten)] pub rest: std::collections::BTreeMap<String, u8>,\n}\nDERIVE pub enum Disk {\nA(u8) }"
            .replace("DERIVE", DERIVE),
    );
    let (_, spec) = page.split_once("### Spec\n\n").expect("the spec");
    let expected = "Used by [Vm](#vm).\n\n- the properties of [Disk](#disk)\n\n- the properties of [Disk](#disk)\n\n\
                    - any other property (integer)\n\n  Labels.\n";
    assert_eq!(spec, expected);
}

#[test]
fn enums_with_data_say_how_they_are_written() {
    let variants = "pub struct Spec {\npub disk: Disk,\n}\nDERIVE ATTRIBUTE pub enum Disk {\n\
         /// No disk.\nNone,\nImage(Image),\nEmpty {\n/// In GiB.\nsize: u32 },\n}\nDERIVE pub struct Image {\npub name: String,\n}";
    let check = |attribute: &str, expected: &str| {
        let types = format!("DERIVE {variants}").replace("ATTRIBUTE", attribute);
        let page = reference(&types.replace("DERIVE", DERIVE));
        let end = page.find("### Image").expect("the image");
        assert_eq!(
            &page[..end],
            format!("### Disk\n\nUsed by [Spec](#spec).\n\n{expected}\n\n")
        );
    };
    rows![check:
        ("",
            "One of these, by the name of the only property:\n\n- the string `None`\n\n  No disk.\n\n- **Image** ([Image](#image))\n\n\
         - **Empty** (object)\n\n  - **size** (integer), required\n\n    In GiB."),
        ("#[serde(tag = \"type\")]",
            "One of these, selected by `type`:\n\n- `type: None`\n\n  No disk.\n\n- `type: Image`, with the properties of [Image](#image)\n\n\
         - `type: Empty`, with\n\n  - **size** (integer), required\n\n    In GiB."),
        ("#[serde(untagged)]",
            "One of these:\n\n- null\n\n  No disk.\n\n- [Image](#image)\n\n- object\n\n  - **size** (integer), required\n\n    In GiB."),
        ("#[serde(tag = \"type\", content = \"value\")]",
            "One of these, selected by `type`:\n\n- `type: None`\n\n  No disk.\n\n- `type: Image`, with **value** ([Image](#image))\n\n\
         - `type: Empty`, with **value** (object)\n\n  - **size** (integer), required\n\n    In GiB."),
    ];
}

#[test]
fn types_that_contain_themselves_are_documented_once() {
    check(
        "DERIVE pub struct Spec {\npub parent: Option<Box<Spec>>,\n}",
        "### Spec\n\nUsed by [Spec](#spec), [Vm](#vm).\n\n- **parent** ([Spec](#spec))\n",
    );
}
