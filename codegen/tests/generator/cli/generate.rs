//! `kube-codegen generate`.

use std::fs;

use crate::cli::sandbox::{Sandbox, copy, testdata};

#[test]
fn generate_finds_its_file_upwards() {
    let mut sandbox = Sandbox::with_apis("virtualmachine");
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox.run_in("src/apis", &["generate", "--dry-run"]);
    sandbox.run_in("src/apis", &["generate"]);
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&["inspect"]);
    sandbox.check("generate");
}

#[test]
fn a_workspace_lists_its_members() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("[workspace]\nmembers = [\"crates/*\"]\n");
    for case in ["network", "podset"] {
        let folder = format!("crates/{case}");
        let from = testdata().join("apis").join(case).join("src");
        copy(&from, &sandbox.path(&folder).join("src"));
        sandbox.write(
            &format!("{folder}/src/lib.rs"),
            "pub mod apis;\npub mod generated;\n",
        );
        sandbox.write(
            &format!("{folder}/codegen.toml"),
            "[[crate]]\n[crate.rust]\n",
        );
    }
    sandbox.run(&["generate"]);
    sandbox.run_in("crates/network", &["generate", "--check"]);
    sandbox.run(&["generate", "--check"]);
    sandbox.check("generate-workspace");
}

#[test]
fn an_error_in_one_crate_writes_no_other() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("[workspace]\nmembers = [\"a\", \"b\"]\n");
    for (folder, case) in [("a", "network"), ("b", "podset")] {
        let from = testdata().join("apis").join(case).join("src");
        copy(&from, &sandbox.path(folder).join("src"));
        sandbox.write(
            &format!("{folder}/codegen.toml"),
            "[[crate]]\n[crate.rust]\n",
        );
    }
    let types = "b/src/apis/apps/v1alpha1/types.rs";
    sandbox.edit(types, "+genclient", "+genclient:nonNamespacd");
    let before = sandbox.state();
    let run = sandbox.run(&["generate"]);
    assert_eq!(run.code, 1);
    assert!(before == sandbox.state());
    sandbox.check("generate-error");
}

#[test]
fn one_run_reports_the_errors_of_all_stages_and_crates() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("[workspace]\nmembers = [\"a\", \"b\"]\n");
    for member in ["a", "b"] {
        sandbox.write(
            &format!("{member}/codegen.toml"),
            "[[crate]]\n[crate.rust]\n",
        );
    }
    let head =
        "use kube::core::ObjectMeta;\nmod zz_generated_deepcopy;\npub mod zz_generated_register;\n";
    // An invalid marker must not hide errors of other kinds, versions and crates. Follow-up errors
    // of its own kind are not reported.
    sandbox.write(
        "a/src/apis/shop/v1/mod.rs",
        &format!(
            "{head}// +genclient\n// +kubebuilder:subresource:statu\n// +genclient:onlyVerbs=get,updateStatus\n#[derive(Debug)]\n\
             pub struct Order {{ pub metadata: ObjectMeta, pub status: Option<String> }}\n\n\
             // +genclient\n#[derive(Debug)]\npub struct Basket {{ pub spec: String }}\n"
        ),
    );
    sandbox.write(
        "a/src/apis/shop/v2/mod.rs",
        &format!(
            "{head}// +genclient\n#[derive(Debug)]\npub struct Order {{ pub metadata: ObjectMeta, pub spec: Spec }}\n"
        ),
    );
    sandbox.write("a/src/apis/web/v1/mod.rs", "pub struct Site {\n");
    sandbox.write(
        "b/src/apis/web/v1/mod.rs",
        &format!("{head}// +genclient\n#[derive(Debug)]\npub struct Page {{ pub metadata: ObjectMeta, pub spec: &'static str }}\n"),
    );
    assert_eq!(sandbox.run(&["generate"]).code, 1);
    sandbox.check("generate-all-errors");
}

#[test]
fn little_input_is_warned_of() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    let beside = "mod zz_generated_deepcopy;\npub mod zz_generated_register;\n";
    let file = "src/apis/shop/v1/mod.rs";
    sandbox.note("a version without types");
    sandbox.write(file, beside);
    sandbox.run(&["generate", "--dry-run"]);
    sandbox.note("types without a kind");
    sandbox.write(
        file,
        &format!("{beside}#[derive(Clone)]\npub struct Order;\n"),
    );
    sandbox.run(&["inspect"]);
    sandbox.note("a kind without a client");
    let root = "#[derive(Debug)]\npub struct Order { pub metadata: kube::core::ObjectMeta }\n";
    sandbox.write(
        file,
        &format!("{beside}\n// +kubebuilder:object:root=true\n{root}"),
    );
    let run = sandbox.run(&["generate"]);
    assert_eq!(run.code, 0);
    sandbox.check("generate-little");
}

#[test]
fn without_a_file_generate_says_what_to_do() {
    let mut sandbox = Sandbox::new();
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--config", "nowhere.toml"]);
    sandbox.check("generate-no-file");
}

#[test]
fn a_group_that_goes_takes_its_files_along() {
    let mut sandbox = Sandbox::with_apis("multiversion");
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox.quiet(&["generate"]);
    sandbox.configure("[[crate]]\n[crate.rust]\ngroups = [\"shop:v1\"]\n");
    sandbox.note("codegen.toml now names shop:v1 only");
    sandbox.run(&["generate", "--check"]);
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--check"]);
    let left = "src/apis/shop/v1beta1/zz_generated_deepcopy.rs";
    assert!(!sandbox.path(left).exists());
    assert!(sandbox.path("src/apis/shop/v1beta1/types.rs").exists());
    sandbox.check("generate-orphans");
}

/// Creates a crate with the groups `shop` and `web`.
fn two_groups() -> Sandbox {
    let sandbox = Sandbox::with_apis("multiversion");
    let from = testdata().join("apis/network/src/apis/samplecrd");
    copy(&from, &sandbox.path("src/apis/web"));
    sandbox
}

#[test]
fn crates_over_one_folder_of_types_leave_each_others_files() {
    let mut sandbox = two_groups();
    sandbox.write("src/lib.rs", "pub mod apis;\npub mod shop;\npub mod web;\n");
    sandbox.write("src/web/mod.rs", "pub mod generated;\n");
    sandbox.configure(
        "[[crate]]\ngenerated = \"shop\"\n[crate.rust]\ngroups = [\"shop:v1,v1beta1\"]\n\
         [[crate]]\noutput = \"src/web\"\n[crate.rust]\n",
    );
    sandbox.note("the second crate names no groups, so it owns the whole folder");
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--check"]);
    sandbox.configure(
        "[[crate]]\ngenerated = \"shop\"\n[crate.rust]\ngroups = [\"shop:v1\"]\n\
         [[crate]]\noutput = \"src/web\"\n[crate.rust]\ngroups = [\"shop:v1beta1\", \"web:v1\"]\n",
    );
    sandbox.note("each crate names a version of shop, the second one web too");
    sandbox.run(&["generate", "--dry-run"]);
    sandbox.run(&["generate"]);
    sandbox.run(&["generate", "--check"]);
    for module in ["shop/v1", "shop/v1beta1", "web/v1"] {
        let file = format!("src/apis/{module}/zz_generated_deepcopy.rs");
        assert!(sandbox.path(&file).exists(), "{file}");
    }
    sandbox.check("generate-shared");
}

#[test]
fn groups_that_a_crate_does_not_name_are_not_its_own() {
    let sandbox = two_groups();
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox.quiet(&["generate"]);
    sandbox.configure("[[crate]]\n[crate.rust]\ngroups = [\"shop:v1,v1beta1\"]\n");
    sandbox.quiet(&["generate"]);
    assert!(!sandbox.path("src/generated/listers/web").exists());
    let beside = "src/apis/web/v1/zz_generated_deepcopy.rs";
    assert!(sandbox.path(beside).exists());
}

#[test]
fn markers_of_other_tools_are_passed_over_where_the_file_says_so() {
    let mut sandbox = Sandbox::with_apis("podset");
    let types = "src/apis/apps/v1alpha1/types.rs";
    let text = sandbox.read(types);
    sandbox.write(
        types,
        &format!("{text}\n// +operator-sdk:csv:owned=true\n/// A part.\npub struct Part;\n"),
    );
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    assert_eq!(sandbox.run(&["generate"]).code, 1);
    sandbox.configure("[[crate]]\n[crate.rust]\nignore-markers = [\"operator-sdk:*\"]\n");
    sandbox.quiet(&["generate"]);
}

#[test]
fn a_file_that_two_crates_want_with_different_texts_is_an_error() {
    let mut sandbox = two_groups();
    sandbox.configure(
        "[[crate]]\n[crate.rust]\n\
         [[crate]]\noutput = \"src/web\"\nruntime-path = \"crate::runtime\"\n[crate.rust]\n",
    );
    let before = sandbox.state();
    let run = sandbox.run(&["generate"]);
    assert_eq!(run.code, 2);
    assert!(before == sandbox.state());
    sandbox.check("generate-twice");
}

#[test]
fn a_group_has_one_name_whichever_command_finds_it() {
    let sandbox = Sandbox::with_apis("multiversion");
    copy(
        &sandbox.path("src/apis/shop"),
        &sandbox.path("src/apis/my_shop"),
    );
    fs::remove_dir_all(sandbox.path("src/apis/shop")).unwrap();
    sandbox.configure("[[crate]]\n[crate.rust]\n");
    sandbox.succeeds(&["generate"]);
    for group in ["my_shop", "my-shop", "my.shop"] {
        let group = format!("{group}:v1,v1beta1");
        let arguments = [
            "groups",
            "all",
            "src/generated",
            "src/apis",
            &group,
            "--check",
        ];
        let run = sandbox.quiet(&arguments);
        assert_eq!(run.code, 0, "{group}: {}{}", run.stdout, run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn colors_are_for_terminals_or_on_request() {
    let sandbox = Sandbox::new();
    let colored = |arguments: &[&str]| sandbox.quiet(arguments).stderr.contains('\u{1b}');
    assert!(!colored(&["generate"]));
    assert!(colored(&["generate", "--color", "always"]));
    assert!(!colored(&["generate", "--color", "never"]));
}

#[test]
fn a_crate_without_types_gets_its_roles() {
    let mut sandbox = Sandbox::new();
    sandbox.configure("[[crate]]\n[crate.manifests]\nroles = \"./deploy/role.yaml\"\n");
    sandbox.write("Cargo.toml", "[package]\nname = \"loops\"\n");
    sandbox.write(
        "src/lib.rs",
        "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list\npub fn reconcile() {}\n",
    );
    let run = sandbox.run(&["generate"]);
    assert_eq!(run.code, 0);
    let role = sandbox.read("deploy/role.yaml");
    assert!(role.contains("- deployments\n  verbs:\n  - get\n  - list\n"));
    assert!(!sandbox.path("src/generated").exists());
    assert_eq!(sandbox.run(&["generate", "--check"]).code, 0);
}

#[test]
fn a_crate_below_a_go_module_reads_the_folder_around_it() {
    let sandbox = Sandbox::new();
    sandbox.write("go.mod", "module example.com/api\n\ngo 1.25\n");
    let types = "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                 type Shelf struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n";
    sandbox.write("v1/types.go", types);
    sandbox.write("rust/src/lib.rs", "");
    let config = "[[crate]]\npath = \"rust\"\n[[crate.go]]\ndir = \"..\"\npackages = [\"./v1\"]\n";
    sandbox.configure(config);
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let types = sandbox.read("rust/src/apis/example/v1/types.rs");
    assert!(types.contains("pub struct Shelf"), "{types}");
}

#[test]
fn filters_and_type_paths_of_go_name_what_is_there() {
    let sandbox = Sandbox::new();
    sandbox.write("go.mod", "module example.com/api\n\ngo 1.25\n");
    let types = "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                 type Shelf struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n";
    sandbox.write("v1/types.go", types);
    let check = |arguments: &[&str], code: u8, expected: &str| {
        let run = sandbox.quiet(&[&["go", "./v1", "--output", "src"], arguments].concat());
        assert_eq!(i32::from(code), run.code, "{}", run.stderr);
        assert_eq!(run.stderr, expected);
    };
    check(
        &["--kind", "Shelv"],
        1,
        "error[K0007]: no kind `Shelv` in the input\n |\n = help: did you mean `Shelf`?\n\n",
    );
    check(
        &["--group", "shop"],
        1,
        "error[K0007]: no group `shop` in the input\n |\n = help: the only group is `shop.example.com`\n\n",
    );
    assert!(!sandbox.path("src").exists());
    check(
        &["--type-path", "example.com/api/v1.Shelve=Other"],
        0,
        "warning: type path of example.com/api/v1.Shelve: the package has no such type\n |\n = help: did you mean `Shelf`?\n\n",
    );
    check(&["--kind", "Shelf", "--version", "v1"], 0, "");
}

#[test]
fn filters_of_crds_leave_go_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write("go.mod", "module example.com/api\n\ngo 1.25\n");
    let types = "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                 type Shelf struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\n\
                 // +kubebuilder:object:root=true\ntype Board struct{}\n";
    sandbox.write("v1/types.go", types);
    let schema = "{openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}";
    let crd = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: lamps.lights.example.com}}\n\
         spec: {{group: lights.example.com, scope: Cluster, names: {{kind: Lamp, plural: lamps}}, \
         versions: [{{name: v1, served: true, storage: true, schema: {schema}}}]}}\n"
    );
    sandbox.write("rust/crds/crd.yaml", &crd);
    sandbox.write(
        "codegen.toml",
        "[[crate]]\npath = \"rust\"\n[crate.crd]\nfiles = [\"crds\"]\nkinds = [\"Lamp\"]\n\
         [[crate.go]]\ndir = \"..\"\npackages = [\"./v1\"]\n",
    );
    sandbox.write(
        "rust/Cargo.toml",
        "[package]\nname = \"rust\"\nedition = \"2024\"\n",
    );
    sandbox.write("rust/src/lib.rs", "");
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(sandbox.path("rust/src/apis/shop/v1").exists());
    let left_out = "warning: `Board` is marked as an object but has no `metav1.TypeMeta`\n";
    assert!(run.stderr.contains(left_out), "{}", run.stderr);
}

/// As in Karmada's `ResourceInterpreterContext`, which its webhooks receive.
#[test]
fn types_of_an_object_without_metadata_are_read_from_other_modules() {
    let sandbox = Sandbox::new();
    let requires = "require example.com/other v0.0.0\n\nreplace example.com/other => ./other\n";
    sandbox.write(
        "go.mod",
        &format!("module example.com/api\n\ngo 1.25\n\n{requires}"),
    );
    sandbox.write("other/go.mod", "module example.com/other\n\ngo 1.25\n");
    sandbox.write(
        "other/types.go",
        "package other\n\ntype Ref struct {\n\tKind string `json:\"kind\"`\n}\n",
    );
    let types = "// +groupName=example.com\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"example.com/other\"\n)\n\n\
                 type Shelf struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\n\
                 // +kubebuilder:object:root=true\ntype Review struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tRef other.Ref `json:\"ref\"`\n}\n";
    sandbox.write("v1/types.go", types);
    sandbox.write("rust/src/lib.rs", "");
    let config = "[[crate]]\npath = \"rust\"\n[[crate.go]]\ndir = \"..\"\npackages = [\"./v1\"]\n";
    sandbox.configure(config);
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}
