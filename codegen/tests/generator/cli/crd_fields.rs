//! `[[crate.crd.fields]]`: what codegen.toml says of fields of CRDs.

use super::sandbox::Sandbox;

const CRD: &str = r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              capacity: {type: integer, format: int32}
              shade: {type: string}
              note: {type: string}
              parts:
                type: array
                items: {type: object, properties: {count: {type: integer, format: int32}}}
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, format: int32}
              look: {type: object, properties: {color: {type: string}}}
              parts:
                type: array
                items: {type: object, properties: {number: {type: integer, format: int32}}}
"#;

fn sandbox(fields: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("crds/widgets.yaml", CRD);
    let mut text = "[[crate]]\nemit = [\"types\", \"conversion\"]\n[crate.crd]\n".to_owned();
    for field in fields {
        text += &format!("[[crate.crd.fields]]\nkind = \"Widget\"\n{field}");
    }
    sandbox.write("codegen.toml", &text);
    sandbox
}

#[test]
fn fields_of_crds_are_renamed_moved_and_dropped_as_the_configuration_says() {
    let sandbox = sandbox(&[
        "version = \"v1\"\npath = \"spec.size\"\nrenamed-from = \"capacity\"\n",
        "version = \"v1\"\npath = \"spec.parts.number\"\nrenamed-from = \"count\"\n",
        "version = \"v1\"\npath = \"spec.look.color\"\nmoved-from = \"spec.shade\"\n",
        "version = \"v1alpha1\"\npath = \"spec.note\"\nlossy = \"never read\"\n",
    ]);
    sandbox.succeeds(&["generate"]);
    let written = sandbox.read("src/apis/example/v1alpha1/zz_generated_conversion.rs");
    for rule in [
        "Rule::moved(\"capacity\", \"size\")",
        "Rule::moved(\"count\", \"number\")",
        "Rule::moved(\"spec.shade\", \"spec.look.color\")",
        "Rule::dropped(Side::Spoke, \"note\")",
    ] {
        assert!(written.contains(rule), "{rule}: {written}");
    }
    assert!(!written.contains("Rule::kept(Side::Spoke"), "{written}");
}

#[test]
fn entries_that_lead_nowhere_or_change_nothing_are_errors_with_their_place() {
    let mut sandbox = sandbox(&[
        "version = \"v1\"\npath = \"spec.sise\"\nrenamed-from = \"capacity\"\n",
        "version = \"v2\"\npath = \"spec.size\"\nrenamed-from = \"capacity\"\n",
        "version = \"v1\"\npath = \"spec.size.big\"\nrenamed-from = \"capacity\"\n",
        "group = \"example.org\"\nversion = \"v1\"\npath = \"spec.size\"\nrenamed-from = \"capacity\"\n",
    ]);
    sandbox.run(&["generate"]);
    let unused = "version = \"v1\"\npath = \"spec.size\"\nrenamed-from = \"capacities\"\n";
    sandbox.write(
        "codegen.toml",
        &format!(
            "[[crate]]\nemit = [\"types\", \"conversion\"]\n[[crate.crd.fields]]\nkind = \"Widget\"\n{unused}"
        ),
    );
    sandbox.run(&["generate"]);
    sandbox.write(
        "codegen.toml",
        "[[crate]]\ncrd = { fields = [{ version = \"v1\", path = \"spec.size\" }] }\n",
    );
    sandbox.run(&["generate"]);
    sandbox.check("crd-fields");
}
