//! `kube-codegen crd` and `kube-codegen crate`.

use std::{fs, process::Command};

use crate::cli::sandbox::{Sandbox, testdata};

const CRD: &str = "testdata/buildscript/crds/virtualmachine.yaml";

pub(super) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("crds/virtualmachine.yaml", &crd());
    sandbox
}

fn crd() -> String {
    fs::read_to_string(testdata().join("buildscript/crds/virtualmachine.yaml")).expect(CRD)
}

#[test]
fn crds_come_from_files_folders_and_standard_input() {
    let mut sandbox = sandbox();
    sandbox.run(&["crd", "crds", "--output", "a"]);
    sandbox.run(&["crd", "crds/virtualmachine.yaml", "--output", "b"]);
    sandbox.run_with(&["crd", "-", "--output", "c"], &crd());
    sandbox.list();
    for file in [
        "apis/cloudnative/v1alpha1/mod.rs",
        "generated/clientset/mod.rs",
    ] {
        let text = sandbox.read(&format!("a/{file}"));
        assert_eq!(text, sandbox.read(&format!("b/{file}")));
        assert_eq!(text, sandbox.read(&format!("c/{file}")));
    }
    sandbox.check("crd");
}

/// Diagnostics that concern several CRDs refer to the source again; a pipe must not be read a
/// second time for them.
#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_a_file_is_read_once() {
    let sandbox = Sandbox::new();
    let twice = format!("{}---\n{}", crd(), crd());
    let run = sandbox.quiet_with(&["crd", "/dev/stdin", "--output", "src"], &twice);
    run.says("is defined twice");
}

#[test]
#[cfg(unix)]
fn what_is_no_file_in_a_folder_of_crds_is_passed_over() {
    let sandbox = Sandbox::new();
    sandbox.write("crds/a.yaml", &crd());
    // A socket stands for pipes and devices too, which might never end.
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("crds/b.yaml")).unwrap();
    let run = sandbox.quiet(&["crd", "crds", "--output", "src"]);
    assert_eq!(run.stderr, "");
}

/// Returns a CRD of one version. `properties` must be indented like the properties of the root
/// schema.
pub(super) fn crd_text(kind: &str, plural: &str, properties: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec:
  group: example.com
  names: {{kind: {kind}, plural: {plural}}}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
{properties}"
    )
}

#[test]
fn crds_that_are_written_again_stay_the_same_from_then_on() {
    let sandbox = sandbox();
    let write = |from: &str, to: &str| {
        let arguments = ["manifests", "--from-crd", from, "--output", to];
        let run = sandbox.quiet(&arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        sandbox.read(&format!(
            "{to}/config/crd/bases/cloudnative.czs_virtualmachines.yaml"
        ))
    };
    let first = write("crds", "a");
    assert!(first.contains("kind: VirtualMachine\n"), "{first}");
    assert_eq!(write("a/config", "b"), first);
    // A command line may name only some CRDs of a group: the others are kept.
    let beside = "a/config/crd/bases/cloudnative.czs_disks.yaml";
    sandbox.write(beside, &first);
    assert_eq!(write("crds", "a"), first);
    assert_eq!(sandbox.read(beside), first);
}

#[test]
fn standard_output_names_each_file() {
    let sandbox = sandbox();
    let run = sandbox.quiet(&["crd", "crds", "--stdout", "--emit", "types"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let names: Vec<_> = run
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("// ==> ")?.strip_suffix(" <=="))
        .collect();
    assert!(names.contains(&"apis/mod.rs"), "{names:?}");
    assert!(names.is_sorted());
    let default = sandbox.quiet(&["crd", "crds", "--emit", "types"]);
    assert_eq!(default.stdout, run.stdout);
}

#[test]
fn warnings_are_shown_when_all_went_well() {
    let mut sandbox = Sandbox::new();
    let crd = crd();
    let with_default = crd.replacen(
        "type: string",
        "type: string\n                  default: 5",
        1,
    );
    assert_ne!(crd, with_default);
    sandbox.write("crds/virtualmachine.yaml", &with_default);
    sandbox.run(&["crd", "crds", "--output", "src", "--emit", "types"]);
    sandbox.run(&[
        "crd", "crds", "--output", "src", "--emit", "types", "--check",
    ]);
    sandbox.check("crd-warnings");
}

#[test]
fn types_have_builders_and_attributes_where_asked_for() {
    let mut sandbox = sandbox();
    let crd = ["crd", "crds", "--output", "src", "--emit", "types"];
    let run = sandbox.run(
        &[
            &crd[..],
            &["--builders", "--type-derive", "VirtualMachineSpec=Eq"],
            &["--type-derive", "VirtualMachinSpec*=Eq"],
            &["--type-attribute", "Zzz*=#[non_exhaustive]"],
        ]
        .concat(),
    );
    assert_eq!(run.code, 0);
    let types = sandbox.read("src/apis/cloudnative/v1alpha1/virtual_machine.rs");
    assert!(types.contains("::bon::Builder, Eq)]"), "{types}");
    for flag in [
        ["--type-derive", "A=Vec<u8>"],
        ["--type-derive", "Eq"],
        ["--type-attribute", "*=non_exhaustive"],
    ] {
        assert_eq!(sandbox.run(&[&crd[..], &flag].concat()).code, 2);
    }
    sandbox.check("crd-types");
}

#[test]
fn what_is_no_yaml_in_a_folder_is_passed_over() {
    let mut sandbox = sandbox();
    sandbox.write(
        "crds/deployment.yaml",
        "kind: Deployment\nmetadata:\n  {{- with .Values.labels }}\n  labels: {{ . }}\n",
    );
    let arguments = ["--output", "src", "--emit", "types"];
    sandbox.run(&[&["crd", "crds"], arguments.as_slice()].concat());
    sandbox.note("named itself");
    sandbox.run(&[&["crd", "crds/deployment.yaml"], arguments.as_slice()].concat());
    sandbox.note("with a CRD in it");
    sandbox.write(
        "crds/deployment.yaml",
        "kind: CustomResourceDefinition\nmetadata:\n  {{- with .Values.labels }}\n",
    );
    sandbox.run(&[&["crd", "crds"], arguments.as_slice()].concat());
    sandbox.check("crd-passed-over");
}

#[test]
fn versions_that_are_not_served_are_named() {
    let mut sandbox = sandbox();
    let unserved = crd().replace("served: true", "served: false");
    sandbox.write("unserved.yaml", &unserved);
    sandbox.run(&["crd", "unserved.yaml", "--output", "src"]);
    sandbox.check("crd-unserved");
}

#[test]
fn what_is_not_utf8_has_a_place() {
    let mut sandbox = Sandbox::new();
    sandbox.write("latin1.yaml", "");
    fs::write(sandbox.path("latin1.yaml"), b"kind: List\n# caf\xe9\n").expect("a file");
    sandbox.write("utf16.yaml", "");
    fs::write(sandbox.path("utf16.yaml"), b"\xff\xfea\0:").expect("a file");
    sandbox.run(&["crd", "latin1.yaml", "--output", "src"]);
    sandbox.run(&["crd", "utf16.yaml", "--output", "src"]);
    sandbox.check("crd-not-utf8");
}

/// PowerShell writes the output of kubectl in UTF-16, which kubectl reads.
#[test]
fn utf16_with_a_byte_order_mark_is_read() {
    let sandbox = sandbox();
    let utf8 = sandbox.quiet(&["crd", "crds", "--stdout"]);
    for (name, bytes) in [
        ("le.yaml", u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("be.yaml", u16::to_be_bytes),
    ] {
        let text = format!("\u{feff}{}", crd());
        let text: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
        sandbox.write(name, "");
        fs::write(sandbox.path(name), text).expect("a file");
        let utf16 = sandbox.quiet(&["crd", name, "--stdout"]);
        assert_eq!((utf16.code, utf16.stderr), (0, String::new()));
        assert_eq!(utf16.stdout, utf8.stdout);
    }
}

#[test]
fn files_of_a_folder_that_are_no_text_are_skipped() {
    let mut sandbox = sandbox();
    sandbox.write("crds/image.json", "");
    fs::write(sandbox.path("crds/image.json"), b"\xff\xd8{\0").expect("a file");
    sandbox.run(&["crd", "crds", "--output", "src"]);
    sandbox.write("crds/latin1.yaml", "");
    let text = b"kind: CustomResourceDefinition # caf\xe9\n";
    fs::write(sandbox.path("crds/latin1.yaml"), text).expect("a file");
    sandbox.run(&["crd", "crds", "--output", "src"]);
    sandbox.check("crd-folder-no-text");
}

#[test]
fn versions_that_are_not_served_can_be_kept() {
    let sandbox = Sandbox::new();
    let unserved = crd().replace("served: true", "served: false");
    sandbox.write("unserved.yaml", &unserved);
    let arguments = ["crd", "unserved.yaml", "--all-versions", "--stdout"];
    let run = sandbox.quiet(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("pub struct VirtualMachineSpec {"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("TypedClient<"), "{}", run.stdout);
}

#[test]
fn filters_keep_what_they_name() {
    let mut sandbox = sandbox();
    sandbox.run(&[
        "crd",
        "crds",
        "--output",
        "a",
        "--kind",
        "VirtualMachine",
        "--dry-run",
    ]);
    sandbox.run(&["crd", "crds", "--output", "a", "--group", "other.io"]);
    assert!(!sandbox.path("a").exists());
    sandbox.check("crd-filters");
}

#[test]
fn an_output_folder_that_is_a_file_is_named() {
    let mut sandbox = sandbox();
    sandbox.write("file", "");
    let run = sandbox.run(&["crd", "crds", "--output", "file"]);
    assert_eq!(run.code, 2);
    run.says("cannot write to file: not a directory");
}

#[test]
fn bad_input_is_told_and_writes_nothing() {
    let mut sandbox = sandbox();
    sandbox.write("empty/README.md", "");
    sandbox.write("broken.yaml", "a: [\n");
    sandbox.run(&["crd", "nowhere.yaml", "--output", "a"]);
    sandbox.run(&["crd", "nowhere.yaml", "neither.yaml", "--output", "a"]);
    sandbox.run(&["crd", "empty", "--output", "a"]);
    sandbox.run(&["crd", "crds", "broken.yaml", "--output", "a"]);
    sandbox.run(&["crd", "crds", "--check"]);
    sandbox.run(&["crd", "crds", "--emit", "tpyes", "--output", "a"]);
    sandbox.run(&["crd", "crds", "--rename", "x", "--output", "a"]);
    assert!(!sandbox.path("a").exists());
    sandbox.check("crd-errors");
}

#[test]
fn a_handwritten_file_in_the_way_stops_everything() {
    let mut sandbox = sandbox();
    sandbox.write("src/apis/mod.rs", "//! Mine.\n");
    let before = sandbox.state();
    let run = sandbox.run(&["crd", "crds", "--output", "src"]);
    assert_eq!(run.code, 2);
    assert!(before == sandbox.state());
    sandbox.check("crd-handwritten");
}

#[test]
fn nothing_of_the_command_line_is_in_the_output() {
    let sandbox = sandbox();
    let files = |folder: &str, arguments: &[&str]| {
        let run = sandbox.quiet(&[&["crd"], arguments, &["--output", folder]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let state = sandbox.state().into_iter();
        let below = sandbox.path(folder);
        state
            .filter_map(|(path, text, _)| Some((path.strip_prefix(&below).ok()?.to_owned(), text)))
            .collect::<Vec<_>>()
    };
    let relative = files("one", &["crds"]);
    let absolute = sandbox.path("crds/virtualmachine.yaml");
    let other = files(
        "two/three",
        &["--color", "always", absolute.to_str().unwrap()],
    );
    assert!(relative == other);
}

#[test]
fn a_crate_is_written_once_and_generated_again() {
    let mut sandbox = sandbox();
    let arguments = [
        "crate",
        "crds",
        "--output",
        "vm-client",
        "--name",
        "vm-client",
    ];
    sandbox.run(&arguments);
    sandbox.list();
    for file in ["Cargo.toml", "src/lib.rs", "README.md"] {
        sandbox.note(file);
        let text = sandbox.read(&format!("vm-client/{file}"));
        for line in text.lines() {
            sandbox.note(&format!("  {line}"));
        }
    }
    sandbox.write("vm-client/README.md", "Mine.\n");
    sandbox.run(&arguments);
    assert_eq!(sandbox.read("vm-client/README.md"), "Mine.\n");
    sandbox.run(&["crate", "crds", "--output", "x", "--name", "../x"]);
    sandbox.run(&[
        "crate",
        "crds",
        "--output",
        "x",
        "--name",
        "x",
        "--runtime",
        "]",
    ]);
    sandbox.check("crate");
}

#[test]
fn a_group_that_is_new_to_a_crate_needs_a_feature() {
    let mut sandbox = sandbox();
    let arguments = ["crate", "crds", "--output", "vm", "--name", "vm"];
    sandbox.quiet(&arguments);
    sandbox.write(
        "crds/other.yaml",
        &crd().replace("cloudnative.czs", "other.io"),
    );
    sandbox.run(&arguments);
    let manifest = sandbox.read("vm/Cargo.toml");
    let manifest = manifest.replace("[features]\n", "[features]\nother = []\n");
    sandbox.write("vm/Cargo.toml", &manifest);
    sandbox.note("added the feature");
    sandbox.run(&arguments);
    sandbox.check("crate-new-group");
}

#[test]
fn a_crate_has_a_feature_for_each_kind_where_asked_for() {
    let mut sandbox = sandbox();
    let other = crd()
        .replace("virtualmachine", "network")
        .replace("VirtualMachine", "Network");
    sandbox.write("crds/network.yaml", &other);
    let arguments = ["crate", "crds", "--output", "vm", "--name", "vm"];
    let more = ["--kind-features", "--kubernetes-version", "1.36"];
    assert_eq!(sandbox.run(&[&arguments[..], &more].concat()).code, 0);
    for file in [
        "Cargo.toml",
        "README.md",
        "src/apis/cloudnative/v1alpha1/mod.rs",
    ] {
        sandbox.note(file);
        for line in sandbox.read(&format!("vm/{file}")).lines() {
            sandbox.note(&format!("  {line}"));
        }
    }
    for more in [
        ["--visibility", "crate"],
        ["--visibility", "private"],
        ["--kubernetes-version", "1.99"],
    ] {
        assert_eq!(sandbox.run(&[&arguments[..], &more].concat()).code, 2);
    }
    sandbox.check("crate-kinds");
}

#[test]
fn a_crate_with_schemas_has_those_of_kubernetes_types() {
    let sandbox = sandbox();
    for (emit, runtime) in [("all", true), ("types", false)] {
        let arguments = ["crate", "crds", "--output", emit, "--name", "vm", "--emit"];
        sandbox.quiet(&[&arguments[..], &[emit, "--schemars"]].concat());
        let manifest = sandbox.read(&format!("{emit}/Cargo.toml"));
        let line = "k8s-openapi = { version = \"0.29\", features = [\"schemars\"] }\n";
        assert!(manifest.contains(line), "{manifest}");
        assert_eq!(manifest.contains("codegen-runtime = "), runtime);
    }
}

#[test]
fn the_example_crate_is_what_is_generated() {
    // The crate is a member of the workspace, so its features and the example in its documentation
    // are compiled.
    let output = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .args([
            "crate",
            "crds",
            "--output",
            ".",
            "--name",
            "scaffold-example",
        ])
        .args(["--runtime", "{ path = \"../../runtime\" }", "--check"])
        .current_dir(testdata().join("scaffold"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&text)
    );
}

#[test]
fn the_others_are_generated_where_it_keeps_going() {
    let mut sandbox = sandbox();
    sandbox.write("crds/broken.yaml", "kind: [CustomResourceDefinition");
    let run = sandbox.quiet(&["crd", "crds", "--output", "a"]);
    assert_eq!(run.code, 1);
    assert!(!sandbox.path("a").exists());
    sandbox.run(&["crd", "crds", "--output", "a", "--keep-going"]);
    assert!(
        sandbox
            .path("a/apis/cloudnative/v1alpha1/virtual_machine.rs")
            .exists()
    );
    sandbox.check("crd-keep-going");
}

#[test]
fn a_box_that_no_field_is_for_is_an_error() {
    let mut sandbox = sandbox();
    let crd = ["crd", "crds", "--output", "src", "--emit", "types"];
    for path in [
        "VirtualMachine.spec.nothing",
        "VirtualMachine.spec.resource",
    ] {
        let run = sandbox.run(&[&crd[..], &["--boxed", path]].concat());
        assert_eq!(run.code, 1, "{path}");
    }
    let run = sandbox.run(&[&crd[..], &["--boxed", "VirtualMachine.status"]].concat());
    assert_eq!(run.code, 0);
    let types = sandbox.read("src/apis/cloudnative/v1alpha1/virtual_machine.rs");
    assert!(types.contains("Box<VirtualMachineStatus>"), "{types}");
    sandbox.check("crd-boxed");
}
