//! `--evaluate`: CRDs of kinds that only the compiler knows. Small crates stand for kube and
//! serde_json, so that each build takes a second.

use super::sandbox::{Run, Sandbox};

/// Stands for kube's derive: each kind has a CRD with the property `asked`.
const DERIVE: &str = r##"
extern crate proc_macro;
use proc_macro::TokenStream;

#[proc_macro_derive(JsonSchema, attributes(schemars, serde))]
pub fn schema(_: TokenStream) -> TokenStream { TokenStream::new() }

#[proc_macro_derive(CustomResource, attributes(kube))]
pub fn resource(input: TokenStream) -> TokenStream {
    let text = input.to_string();
    let word = |key: &str| {
        let rest = text.split(&format!("{key} = \"")).nth(1).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let (kind, version) = (word("kind"), word("version"));
    let plural = kind.to_lowercase() + "s";
    let json = format!(r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"{plural}.example.com"}},"spec":{{"group":"example.com","names":{{"kind":"{kind}","plural":"{plural}","singular":"{}"}},"scope":"Namespaced","versions":[{{"name":"{version}","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","properties":{{"asked":{{"type":"string"}}}}}}}}}}}}}}]}}}}"#, kind.to_lowercase());
    format!("pub struct {kind}; impl ::kube::CustomResourceExt for {kind} {{ fn crd() -> String {{ {json:?}.to_owned() }} }}").parse().unwrap()
}
"##;

const ODD: &str = "pub fn odd(_: &mut u8) -> String {\n    let mut text = String::new();\n    for _ in 0..2 {\n        text.push('a');\n    }\n    text\n}\n";

fn kind(name: &str, version: &str, attribute: &str) -> String {
    format!(
        "/// A kind.\n#[derive(CustomResource, JsonSchema)]\n#[kube(group = \"example.com\", version = \"{version}\", kind = \"{name}\", namespaced)]\n\
         pub struct {name}Spec {{\n    /// Its size.\n    {attribute}\n    pub size: u16,\n}}\n"
    )
}

/// Creates a crate with kinds in its module `crd`.
fn operator(kinds: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    let dependencies = "[workspace]\nexclude = [\"stubs\"]\n[dependencies]\nkube = { path = \"stubs/kube\" }\nserde_json = { path = \"stubs/serde_json\" }\n";
    sandbox.write("Cargo.toml", &manifest("operator", dependencies));
    sandbox.write("src/lib.rs", "pub mod crd;\n");
    sandbox.write(
        "src/crd.rs",
        &format!("use kube::{{CustomResource, JsonSchema}};\n{kinds}\n{ODD}"),
    );
    let derive = "[dependencies]\nderive = { path = \"../derive\" }\n";
    sandbox.write("stubs/kube/Cargo.toml", &manifest("kube", derive));
    sandbox.write(
        "stubs/kube/src/lib.rs",
        "pub use derive::{CustomResource, JsonSchema};\npub trait CustomResourceExt { fn crd() -> String; }\n",
    );
    sandbox.write("stubs/serde_json/Cargo.toml", &manifest("serde_json", ""));
    sandbox.write(
        "stubs/serde_json/src/lib.rs",
        "pub fn to_string(text: &String) -> Result<String, ()> { Ok(text.clone()) }\n",
    );
    let derive = manifest("derive", "[lib]\nproc-macro = true\n");
    sandbox.write("stubs/derive/Cargo.toml", &derive);
    sandbox.write("stubs/derive/src/lib.rs", DERIVE);
    sandbox
}

#[track_caller]
fn evaluated(sandbox: &Sandbox) -> Run {
    let run = sandbox.quiet(&["manifests", ".", "--evaluate"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    run
}

const BOATS: &str = "config/crd/bases/example.com_boats.yaml";
const SHIPS: &str = "config/crd/bases/example.com_ships.yaml";
const BY_CODE: &str = "#[schemars(schema_with = \"odd\")]";

#[test]
fn the_compiler_is_asked_only_for_what_cannot_be_read() {
    let kinds = kind("Boat", "v1", "") + &kind("Ship", "v1", BY_CODE);
    let sandbox = operator(&kinds);
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("--evaluate");
    assert!(!sandbox.path("target").exists());

    evaluated(&sandbox);
    let (boats, ships) = (sandbox.read(BOATS), sandbox.read(SHIPS));
    assert!(
        boats.contains("size:") && !boats.contains("asked:"),
        "{boats}"
    );
    assert!(ships.contains("asked:"), "{ships}");

    // What was asked is kept: without cargo, the next run has the same answer.
    sandbox.write("stubs/serde_json/src/lib.rs", "not Rust");
    evaluated(&sandbox);
    assert_eq!(sandbox.read(SHIPS), ships);
    let text = sandbox.read("src/crd.rs") + "// changed\n";
    sandbox.write("src/crd.rs", &text);
    let run = sandbox.quiet(&["manifests", ".", "--evaluate"]);
    assert_eq!(run.code, 1);
    run.says("cannot evaluate the kinds of");
    run.says("src/crd.rs:");
}

/// A default that only code knows: without it, the CRD is not that of kube.
#[test]
fn the_compiler_is_asked_for_defaults_that_code_makes() {
    let made = "pub fn made() -> u16 { (1..3).sum() }\n";
    let kinds = kind("Boat", "v1", "#[serde(default)]")
        + &kind("Ship", "v1", "#[serde(default = \"made\")]")
        + made;
    let sandbox = operator(&kinds);
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("warning: the schema has no default for `size`");
    run.says("or ask the compiler: `--evaluate`");
    let run = evaluated(&sandbox);
    assert_eq!(run.stderr, "");
    assert!(sandbox.read(SHIPS).contains("asked:"));
    assert!(sandbox.read(BOATS).contains("default: 0"));
}

#[test]
fn versions_of_an_evaluated_kind_are_one_crd() {
    let kinds = kind("Ship", "v1", BY_CODE);
    let sandbox = operator(&kinds);
    let older = kind("Ship", "v1beta1", "");
    sandbox.write("src/lib.rs", "pub mod crd;\npub mod older;\n");
    sandbox.write(
        "src/older.rs",
        &format!("use kube::{{CustomResource, JsonSchema}};\n{older}"),
    );
    let config = "[[crate]]\nemit = []\n[crate.rust]\n[crate.manifests]\nevaluate = true\n";
    sandbox.write("codegen.toml", config);
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let ships = sandbox.read(SHIPS);
    assert_eq!(ships.matches("asked:").count(), 2, "{ships}");
    assert_eq!(ships.matches("storage: true").count(), 1, "{ships}");
}

#[test]
fn kinds_that_macros_declare_are_evaluated_by_their_names() {
    let declared = kind("Ship", "v1", "");
    let macros = format!("macro_rules! ship {{ () => {{ {declared} }} }}\nship!();\n");
    let sandbox = operator(&macros);
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("`--evaluate-types`");
    let types = |path: &str| {
        let arguments = ["manifests", ".", "--evaluate", "--evaluate-types", path];
        sandbox.quiet(&arguments)
    };
    types("crd::Ship")
        .says("a path starts with the name of a library, or of a package without one");
    let run = types("operator::crd::Ship");
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(sandbox.read(SHIPS).contains("asked:"));
}

#[test]
fn what_the_api_server_would_refuse_is_not_evaluated() {
    let rule = "namespaced, validation = \"self.spec.depth > 1\"";
    let kinds = kind("Ship", "v1", "").replace("namespaced", rule);
    let sandbox = operator(&kinds.replace("JsonSchema)", "KubeSchema)"));
    let run = sandbox.quiet(&["manifests", ".", "--evaluate"]);
    assert_eq!(run.code, 1);
    run.says("there is no field `depth`");
    assert!(!sandbox.path("target").exists());
}

/// Makes a program of the crate, which fails if it runs as it is.
fn as_program(sandbox: &Sandbox) {
    std::fs::remove_file(sandbox.path("src/lib.rs")).unwrap();
    sandbox.write(
        "src/main.rs",
        "mod crd;\nfn main() {\n    std::process::exit(7);\n}\n",
    );
}

#[cfg(unix)]
#[test]
fn kinds_of_a_program_are_evaluated_by_a_copy_of_it() {
    let sandbox = operator(&kind("Ship", "v1", BY_CODE).replace("pub struct", "pub(crate) struct"));
    as_program(&sandbox);
    // What a build script writes and what is beside the root module is there for the copy.
    sandbox.write(
        "build.rs",
        "fn main() { println!(\"cargo::rustc-env=BUILT=1\"); }\n",
    );
    let text = sandbox.read("src/crd.rs")
        + "pub const BUILT: &str = env!(\"BUILT\");\npub const MORE: &str = include_str!(\"../data/more\");\n";
    sandbox.write("src/crd.rs", &text);
    sandbox.write("data/more", "more");
    evaluated(&sandbox);
    let ships = sandbox.read(SHIPS);
    assert!(ships.contains("asked:"), "{ships}");
    assert_eq!(sandbox.read("src/main.rs").matches("fn main").count(), 1);
    // As of a library, the answer is kept until something changes.
    sandbox.write("stubs/serde_json/src/lib.rs", "not Rust");
    evaluated(&sandbox);
    assert_eq!(sandbox.read(SHIPS), ships);
}

#[cfg(unix)]
#[test]
fn a_program_that_cannot_print_is_told_what_it_lacks() {
    let sandbox = operator(&kind("Ship", "v1", BY_CODE));
    as_program(&sandbox);
    let manifest = sandbox.read("Cargo.toml");
    let without = manifest.replace("serde_json =", "serde_other =");
    sandbox.write("Cargo.toml", &without);
    let run = || sandbox.quiet(&["manifests", ".", "--evaluate"]);
    run().says("a program prints them with serde_json: add it to the dependencies");
    sandbox.write("Cargo.toml", &manifest);
    let run = run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    sandbox.write("src/main.rs", "mod crd;\npub use crd::main;\n");
    let run = sandbox.quiet(&["manifests", ".", "--evaluate"]);
    assert_eq!(run.code, 1);
    run.says("its root module declares no function `main`");
}

/// The stub of the macro makes a kind in each of two modules.
#[cfg(unix)]
#[test]
fn several_versions_of_a_macro_are_evaluated() {
    let kinds = "#[derive::versioned(version(name = \"v1beta1\"), version(name = \"v1\"))]\npub mod versioned {\n\
        #[derive(CustomResource, JsonSchema)]\n#[versioned(crd(group = \"example.com\", kind = \"Ship\"))]\n\
        pub struct ShipSpec { #[schemars(schema_with = \"odd\")] pub size: u16 }\n}\n";
    let sandbox = operator(kinds);
    as_program(&sandbox);
    let ship = |version: &str| {
        let kind = kind("Ship", version, "");
        format!("pub mod {version} {{ use kube::*; {kind} }} ")
    };
    let made = ship("v1beta1") + &ship("v1");
    let stub = format!(
        "{DERIVE}\n#[proc_macro_attribute]\npub fn versioned(_: TokenStream, _: TokenStream) -> TokenStream {{ {made:?}.parse().unwrap() }}\n"
    );
    sandbox.write("stubs/derive/src/lib.rs", &stub);
    let manifest = sandbox.read("Cargo.toml");
    sandbox.write(
        "Cargo.toml",
        &(manifest + "derive = { path = \"stubs/derive\" }\n"),
    );
    let run = sandbox.quiet(&["manifests", "."]);
    assert_eq!(run.code, 1);
    run.says("or ask the compiler: `--evaluate`");
    let run = sandbox.quiet(&["manifests", ".", "--evaluate"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(sandbox.read(SHIPS).matches("asked:").count(), 2);
}
