//! What `kube-codegen crd` says about CRDs that the server, or Rust, would not take.

use super::{crd::crd_text, sandbox::Sandbox};

#[test]
fn a_schema_that_is_not_structural_is_warned_of_at_its_place() {
    let sandbox = Sandbox::new();
    let check = |spec: &str, place: &str| {
        let spec = format!("          spec: {spec}\n");
        sandbox.write("crd.yaml", &crd_text("Route", "routes", &spec));
        let run = sandbox.quiet(&["crd", "crd.yaml", "--output", "src"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.stderr.is_empty(), place.is_empty(), "{}", run.stderr);
        run.says(place);
    };
    let whole = "{type: object, properties: {size: {type: string}}}";
    check(whole, "");
    let untyped = "{type: object, properties: {size: {description: a}, more: {description: b}}}";
    check(untyped, "warning: the schema is not structural");
    check(untyped, ".properties[more].type\n");
    check(untyped, "(and 1 more)");
}

#[test]
fn groups_of_one_module_are_refused_with_what_applies_to_their_input() {
    let sandbox = Sandbox::with_apis("foo");
    let text = crd_text("Route", "routes", "          spec: {type: object}\n");
    sandbox.write(
        "crd.yaml",
        &text.replace("example.com", "samplecontroller.example.com"),
    );
    sandbox.configure("[[crate]]\n[crate.rust]\n[crate.crd]\nfiles = [\"crd.yaml\"]\n");
    let run = sandbox.quiet(&["generate"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    run.says("would both be in the module `samplecontroller`");
    run.says("or rename the folder of samplecontroller.k8s.io\n");
}
