mod sparse;
mod versions;

use super::*;
use crate::{
    Generator, Options, Source, Sources,
    diag::Style,
    generate,
    model::{TypeKind, Version},
};

/// Returns a CRD whose `spec` has the specified properties, in YAML.
fn sources(properties: &str) -> Sources {
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
    Sources {
        crds: vec![Source::new("thing.yaml", text)],
        ..Sources::default()
    }
}

/// Returns the version of the CRD.
fn lowered(properties: &str, options: &Options) -> Version {
    let options = Options {
        emit: [Generator::Types].into(),
        ..options.clone()
    };
    let generated = generate(&sources(properties), &options)
        .unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
    let mut api = generated.api;
    api.groups.remove(0).versions.remove(0)
}

/// Checks the type of the only property of `spec`.
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
    #[rustfmt::skip]
    let cases = [
        ("value: {type: string}", "value: {type: string, maxLength: 63}"),
        ("value: {type: string}", "value: {type: string, nullable: true}"),
        ("value: {type: string}", "value: {type: string, default: x}"),
        ("value: {type: string}", "value: {type: integer, format: int64}"),
        ("integer, format: int64", "integer, minimum: 0"),
        ("effect: {type: string}", "effect: {type: string, enum: [NoSchedule]}"),
        ("    type: object", "    type: object\n    x-kubernetes-preserve-unknown-fields: true"),
    ];
    for (from, to) in cases {
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
    // k8s-openapi would write an operator even if absent.
    let open = selector.replace("required: [key, operator]", "required: [key]");
    check(&open, "ThingWho");
}

#[test]
fn two_words_that_many_types_have_are_not_enough() {
    let pair = "
headers:
  type: object
  properties:
    name: {type: string}
    value: {type: string}";
    check(pair, "ThingHeaders");
    check(
        &pair.replace("headers", "options"),
        "api.core.v1.PodDNSConfigOption",
    );
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
    rows![check:
        (&keys("secretKeyRef", ""), "api.core.v1.SecretKeySelector"),
        (&keys("configMapKeyRef", ""), "api.core.v1.ConfigMapKeySelector"),
        (&keys("userSecretKeyRef", ""), "api.core.v1.SecretKeySelector"),
        (&keys("password", "The key of the secret to select from.  Must be a valid secret key."),
            "api.core.v1.SecretKeySelector"),
        (&keys("password", ""), "ThingPassword"),
    ];
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
    rows![check:
        (&reference("pool", ""), "ThingPool"),
        (&reference("imagePullSecrets", ""), "api.core.v1.LocalObjectReference"),
        (&reference("pool", "Name of the referent."), "api.core.v1.LocalObjectReference"),
    ];
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

const QUANTITIES: &str = "type: object, additionalProperties: {anyOf: [{type: integer}, {type: string}], \
     pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$', \
     x-kubernetes-int-or-string: true}";

#[test]
fn a_map_of_quantities_is_one_without_other_properties() {
    check(
        &format!("limits: {{{QUANTITIES}}}"),
        "{apimachinery.pkg.api.resource.Quantity}",
    );
    check(
        "port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}",
        "apimachinery.pkg.util.intstr.IntOrString",
    );
}

#[test]
fn types_with_quantities_and_int_or_strings_are_recognised() {
    let resources = format!(
        "
resources:
  type: object
  properties:
    limits: {{{QUANTITIES}}}
    requests: {{{QUANTITIES}}}
"
    );
    check(&resources, "api.core.v1.ResourceRequirements");
    let limited = resources.replace("int-or-string: true}", "int-or-string: true, maxLength: 9}");
    check(&limited, "ThingResources");
    let probe = "
probe:
  type: object
  required: [port]
  properties:
    host: {type: string}
    path: {type: string}
    port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
    scheme: {type: string}
    httpHeaders:
      type: array
      x-kubernetes-list-type: atomic
      items:
        type: object
        required: [name, value]
        properties:
          name: {type: string}
          value: {type: string}
";
    check(probe, "api.core.v1.HTTPGetAction");
}

const CONDITION: &str = "
  type: object
  required: [lastTransitionTime, message, reason, status, type]
  properties:
    lastTransitionTime: {type: string, format: date-time}
    message: {type: string}
    observedGeneration: {type: integer, format: int64}
    reason: {type: string}
    status: {type: string}
    type: {type: string}
";

#[test]
fn conditions_are_recognised_unless_they_have_a_default() {
    check(
        &format!("condition:{CONDITION}"),
        "apimachinery.pkg.apis.meta.v1.Condition",
    );
    let default = "{lastTransitionTime: '2024-05-06T07:08:09Z', message: '', reason: a, status: 'True', type: b}";
    check(
        &format!("condition:{CONDITION}  default: {default}\n"),
        "ThingCondition",
    );
}

#[test]
fn other_types_with_times_stay_types_of_their_own() {
    let state = "
running:
  type: object
  properties:
    startedAt: {type: string, format: date-time}
";
    check(state, "ThingRunning");
}

/// Checks the lines of `inspect --explain` for a path.
#[track_caller]
fn explained(properties: &str, path: &str, options: &Options) -> Vec<String> {
    let found = crate::explain(&sources(properties), options, path);
    let found = found.unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
    let lines = found.iter().map(ToString::to_string);
    let short = |line: String| line.replace("example.com/v1 Thing.spec", "");
    lines.map(short).collect()
}

#[test]
fn an_explanation_names_the_nearest_type_and_the_difference() {
    let why = |from: &str, to: &str| {
        let changed = TOLERATIONS.replace(from, to);
        assert_ne!(changed, TOLERATIONS);
        let options = Options::default();
        explained(&changed, "Thing.spec.tolerations", &options).join("\n")
    };
    let own = ".tolerations: a type of its own:";
    assert_eq!(
        why("key: {type: string}", "key: {type: string, nullable: true}"),
        format!("{own} not Toleration: key: may be null")
    );
    assert_eq!(
        why("key: {type: string}", "key: {type: string, default: x}"),
        format!("{own} not Toleration: key: the default \"x\" is not Kubernetes'")
    );
    assert_eq!(
        why("key: {type: string}", "key: {type: string, maxLength: 9}"),
        format!("{own} not Toleration: key: maxLength is not among Kubernetes' rules, or differs")
    );
    assert_eq!(
        why("integer, format: int64", "string"),
        format!("{own} not Toleration: tolerationSeconds: has a different type")
    );
    assert_eq!(
        why("key: {type: string}", "keys: {type: string}"),
        format!("{own} no Kubernetes type has all its properties")
    );
    assert_eq!(
        why(
            "      tolerationSeconds: {type: integer, format: int64}\n",
            ""
        ),
        ".tolerations: k8s_openapi::api::core::v1::Toleration"
    );
}

#[test]
fn an_explanation_covers_all_objects_below_a_path() {
    let properties = format!(
        "
own:
  type: object
  properties:
    zone: {{type: string}}
    who: {{type: object, properties: {{pool: {{type: string}}}}}}
    any: {{type: object, x-kubernetes-embedded-resource: true, properties: {{kind: {{type: string}}}}}}
{}",
        TOLERATIONS.trim_start()
    );
    let options = Options::default();
    assert_eq!(
        explained(&properties, "Thing.spec.own", &options),
        [
            ".own: a type of its own: no Kubernetes type has all its properties",
            ".own.any: a type of its own: it is an embedded resource",
            ".own.who: a type of its own: not RBDPersistentVolumeSource: image: k8s-openapi always writes it, and the schema neither requires it nor has a default",
        ]
    );
    let whole = explained(&properties, "Thing", &options);
    assert_eq!(whole.len(), 5, "{whole:?}");
    assert_eq!(
        explained(&properties, "Thing.spec.tolerations.key", &options),
        [
            ".tolerations.key: part of Thing.spec.tolerations, which is k8s_openapi::api::core::v1::Toleration"
        ]
    );
    assert_eq!(
        explained(&properties, "Thing.spec.own.zone", &options),
        [".own.zone: not an object with properties"]
    );
    for path in ["Thin", "Thing.spec.owner", "Other"] {
        let found = crate::explain(&sources(&properties), &options, path);
        assert!(found.is_err(), "{path}");
    }
}

#[test]
fn an_explanation_names_the_options() {
    let with = |options: Options| explained(TOLERATIONS, "Thing.spec.tolerations", &options);
    let none = Options {
        kubernetes_types: KubernetesTypes::None,
        ..Options::default()
    };
    assert_eq!(
        with(none),
        [".tolerations: a type of its own: `kubernetes-types` is `none`"]
    );
    let pinned = Options {
        renames: [("Thing.spec.tolerations".to_owned(), "Tolerated".to_owned())].into(),
        ..Options::default()
    };
    assert_eq!(
        with(pinned),
        [".tolerations: a type of its own: a rename pins its name, or one below it"]
    );
}
