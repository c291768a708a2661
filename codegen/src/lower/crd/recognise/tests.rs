use super::*;
use crate::{
    Generator, Options, Source, Sources,
    diag::Style,
    generate,
    model::{TypeKind, Version},
};

/// The version of a CRD whose `spec` is the given YAML of properties.
fn lowered(properties: &str, options: &Options) -> Version {
    let properties = properties.trim_end().replace('\n', "\n                ");
    let text = format!(
        r"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  names: {{kind: Thing, plural: things}}
  scope: Namespaced
  versions:
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
                {properties}
"
    );
    let options = Options {
        emit: [Generator::Types].into(),
        ..options.clone()
    };
    let sources = Sources {
        crds: vec![Source::new("thing.yaml", text)],
        ..Sources::default()
    };
    let generated = generate(&sources, &options)
        .unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
    let mut api = generated.api;
    api.groups.remove(0).versions.remove(0)
}

/// The type of the one property of `spec`.
#[track_caller]
fn check_with(properties: &str, expected: &str, options: &Options) {
    let version = lowered(properties, options);
    let spec = version.types.iter().find(|def| def.name == "ThingSpec");
    let Some(TypeKind::Struct(spec)) = spec.map(|def| &def.kind) else {
        panic!("no ThingSpec");
    };
    let found: Vec<String> = spec.fields.iter().map(|field| name(&field.ty)).collect();
    assert_eq!(found.join(", "), expected, "{properties}");
}

fn name(ty: &TypeRef) -> String {
    match ty {
        TypeRef::List(inner) => format!("[{}]", name(inner)),
        TypeRef::Map(inner) => format!("{{{}}}", name(inner)),
        TypeRef::Local(name) => name.clone(),
        ty => {
            let path = ty.path().unwrap_or_else(|| format!("{ty:?}"));
            path.replace("k8s_openapi::", "").replace("::", ".")
        }
    }
}

#[track_caller]
fn check(properties: &str, expected: &str) {
    check_with(properties, expected, &Options::default());
}

#[track_caller]
fn check_exact(properties: &str, expected: &str) {
    let options = Options {
        kubernetes_types: KubernetesTypes::Exact,
        ..Options::default()
    };
    check_with(properties, expected, &options);
}

const TOLERATIONS: &str = "
tolerations:
  type: array
  items:
    type: object
    properties:
      effect: {type: string}
      key: {type: string}
      operator: {type: string}
      tolerationSeconds: {type: integer, format: int64}
      value: {type: string}
";

#[test]
fn a_schema_with_every_field_is_the_type() {
    check(TOLERATIONS, "[api.core.v1.Toleration]");
    check_exact(TOLERATIONS, "[api.core.v1.Toleration]");
}

#[test]
fn nothing_is_recognised_where_nothing_is_wanted() {
    let options = Options {
        kubernetes_types: KubernetesTypes::None,
        ..Options::default()
    };
    check_with(TOLERATIONS, "[ThingTolerations]", &options);
}

#[test]
fn a_named_type_stays_a_type_of_its_own() {
    let renames = [("Thing.spec.tolerations".to_owned(), "Tolerated".to_owned())];
    let options = Options {
        renames: renames.into(),
        ..Options::default()
    };
    check_with(TOLERATIONS, "[Tolerated]", &options);
}

#[test]
fn an_older_release_has_fewer_fields() {
    let older = TOLERATIONS.replace(
        "      tolerationSeconds: {type: integer, format: int64}\n",
        "",
    );
    check(&older, "[api.core.v1.Toleration]");
    check_exact(&older, "[ThingTolerations]");
}

#[test]
fn another_property_makes_another_type() {
    check(
        &format!("{TOLERATIONS}      extra: {{type: string}}\n"),
        "[ThingTolerations]",
    );
}

#[test]
fn another_bound_makes_another_type() {
    for (from, to) in [
        (
            "value: {type: string}",
            "value: {type: string, maxLength: 63}",
        ),
        (
            "value: {type: string}",
            "value: {type: string, nullable: true}",
        ),
        ("value: {type: string}", "value: {type: string, default: x}"),
        (
            "value: {type: string}",
            "value: {type: integer, format: int64}",
        ),
        ("integer, format: int64", "integer, minimum: 0"),
        (
            "effect: {type: string}",
            "effect: {type: string, enum: [NoSchedule]}",
        ),
        (
            "    type: object",
            "    type: object\n    x-kubernetes-preserve-unknown-fields: true",
        ),
    ] {
        check(&TOLERATIONS.replace(from, to), "[ThingTolerations]");
    }
}

#[test]
fn rules_of_the_property_stay_with_the_field() {
    let limited = TOLERATIONS.replace("  type: array", "  type: array\n  maxItems: 3");
    check(&limited, "[api.core.v1.Toleration]");
}

#[test]
fn a_selector_is_recognised_by_structure_alone() {
    let selector = "
who:
  type: object
  properties:
    matchExpressions:
      type: array
      items:
        type: object
        required: [key, operator]
        properties:
          key: {type: string}
          operator: {type: string}
          values: {type: array, items: {type: string}}
    matchLabels: {type: object, additionalProperties: {type: string}}
";
    check(selector, "apimachinery.pkg.apis.meta.v1.LabelSelector");
    // k8s-openapi would write an operator that is not there.
    let open = selector.replace("required: [key, operator]", "required: [key]");
    check(&open, "ThingWho");
}

#[test]
fn key_selectors_are_told_apart_by_property_or_description() {
    let keys = |property: &str, description: &str| {
        format!(
            "
{property}:
  type: object
  required: [key]
  properties:
    key: {{type: string, description: {description:?}}}
    name: {{type: string, default: ''}}
    optional: {{type: boolean}}
"
        )
    };
    check(&keys("secretKeyRef", ""), "api.core.v1.SecretKeySelector");
    check(
        &keys("configMapKeyRef", ""),
        "api.core.v1.ConfigMapKeySelector",
    );
    check(
        &keys("userSecretKeyRef", ""),
        "api.core.v1.SecretKeySelector",
    );
    check(
        &keys(
            "password",
            "The key of the secret to select from.  Must be a valid secret key.",
        ),
        "api.core.v1.SecretKeySelector",
    );
    check(&keys("password", ""), "ThingPassword");
}

#[test]
fn a_bare_name_is_a_reference_only_where_something_says_so() {
    let reference = |property: &str, description: &str| {
        format!(
            "
{property}:
  type: object
  required: [name]
  properties:
    name: {{type: string, description: {description:?}}}
"
        )
    };
    check(&reference("pool", ""), "ThingPool");
    check(
        &reference("imagePullSecrets", ""),
        "api.core.v1.LocalObjectReference",
    );
    check(
        &reference("pool", "Name of the referent."),
        "api.core.v1.LocalObjectReference",
    );
}

#[test]
fn embedded_metadata_is_that_of_controller_gen() {
    let metadata = "
metadata:
  type: object
  properties:
    annotations: {type: object, additionalProperties: {type: string}}
    finalizers: {type: array, items: {type: string}}
    labels: {type: object, additionalProperties: {type: string}}
    name: {type: string}
    namespace: {type: string}
";
    check(metadata, "apimachinery.pkg.apis.meta.v1.ObjectMeta");
    let fewer = metadata.replace("    namespace: {type: string}\n", "");
    check(&fewer, "ThingMetadata");
}
