//! Strings that k8s-openapi always writes but a schema does not require.

use super::*;

/// A secret reference as written by controller-gen before 0.16.
const SELECTOR: &str = "
secretKeyRef:
  type: object
  required: [key]
  properties:
    key: {type: string}
    name: {type: string}
    optional: {type: boolean}
";

/// Checks the types of the properties of `spec`, and whether empty strings are omitted in them.
#[track_caller]
fn check_sparse(properties: &str, expected: &[(&str, bool)]) {
    let version = lowered(properties, &Options::default());
    let spec = version.types.iter().find(|def| def.name == "ThingSpec");
    let Some(TypeKind::Struct(spec)) = spec.map(|def| &def.kind) else {
        panic!("no ThingSpec");
    };
    let found = spec
        .fields
        .iter()
        .map(|field| (name(&field.ty), field.sparse));
    let expected = expected
        .iter()
        .map(|(ty, sparse)| ((*ty).to_owned(), *sparse));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn a_name_that_is_neither_required_nor_defaulted_is_left_out_when_empty() {
    let selector = "api.core.v1.SecretKeySelector";
    check_sparse(SELECTOR, &[(selector, true)]);
    let required = SELECTOR.replace("[key]", "[key, name]");
    check_sparse(&required, &[(selector, false)]);
    let defaulted = SELECTOR.replace("name: {type: string}", "name: {type: string, default: ''}");
    check_sparse(&defaulted, &[(selector, false)]);
    let nameless = SELECTOR.replace("    name: {type: string}\n", "");
    check_sparse(&nameless, &[(selector, true)]);
    // Go writes it as well.
    check(
        &SELECTOR.replace("required: [key]", "required: [name]"),
        "ThingSecretKeyRef",
    );
}

#[test]
fn texts_are_left_out_deep_within_lists_and_maps_of_types() {
    let env = "
env:
  type: array
  items:
    type: object
    required: [name]
    properties:
      name: {type: string}
      value: {type: string}
      valueFrom:
        type: object
        properties:
          configMapKeyRef:
            type: object
            required: [key]
            properties:
              key: {type: string}
              name: {type: string}
              optional: {type: boolean}
pullSecrets:
  type: object
  additionalProperties:
    type: object
    description: LocalObjectReference contains enough information to let you locate the referenced object inside the same namespace.
    properties:
      name: {type: string}
zone: {type: string}
";
    check_sparse(
        env,
        &[
            ("[api.core.v1.EnvVar]", true),
            ("{api.core.v1.LocalObjectReference}", true),
            ("String", false),
        ],
    );
}

/// Kubernetes uses `ObjectReference` for a property `claimRef`; that alone would be the only
/// evidence for an object with just a name.
#[test]
fn what_suffices_has_it_over_a_type_that_the_property_alone_speaks_for() {
    let claim = "
claimRef:
  type: object
  properties:
    name: {type: string, description: 'Name of the referent. TODO: Add other useful fields.'}
";
    let reference = "api.core.v1.LocalObjectReference";
    check_sparse(claim, &[(reference, true)]);
    let defaulted = claim.replace("{type: string,", "{type: string, default: '',");
    check_sparse(&defaulted, &[(reference, false)]);
    check(&claim.replace("Name of", "Key of"), "ThingClaimRef");
}

#[test]
fn a_type_whose_texts_are_partly_filled_in_stays_one_of_its_own() {
    let sources = "
envFrom:
  type: array
  items:
    type: object
    properties:
      configMapRef: {type: object, properties: {name: {type: string, default: ''}, optional: {type: boolean}}}
      prefix: {type: string}
      secretRef: {type: object, properties: {name: {type: string}, optional: {type: boolean}}}
";
    check(sources, "[ThingEnvFrom]");
    let none = sources.replace(", default: ''", "");
    check_sparse(&none, &[("[api.core.v1.EnvFromSource]", true)]);
}

#[test]
fn types_that_differ_in_what_they_leave_out_are_not_one() {
    let auth = |parent: &str, name: &str| {
        format!(
            "
{parent}:
  type: object
  properties:
    auth:
      type: object
      properties:
        zone: {{type: string}}
        secretKeyRef:
          type: object
          required: [key]
          properties: {{key: {{type: string}}, name: {name}, optional: {{type: boolean}}}}"
        )
    };
    let both = |a: &str, b: &str| {
        let properties = format!("{}{}", auth("a", a), auth("b", b));
        let version = lowered(&properties, &Options::default());
        let names = version.types.into_iter().map(|def| def.name);
        names.filter(|name| name.ends_with("Auth")).count()
    };
    assert_eq!(both("{type: string}", "{type: string}"), 1);
    assert_eq!(both("{type: string}", "{type: string, default: ''}"), 2);
}

#[test]
fn an_explanation_says_that_texts_are_left_out() {
    let explain = |properties: &str| {
        explained(properties, "Thing.spec.secretKeyRef", &Options::default()).join("\n")
    };
    assert_eq!(
        explain(SELECTOR),
        ".secretKeyRef: k8s_openapi::api::core::v1::SecretKeySelector, with empty strings omitted"
    );
    let bounded = SELECTOR.replace("name: {type: string}", "name: {type: string, minLength: 1}");
    assert_eq!(
        explain(&bounded),
        ".secretKeyRef: a type of its own: not ConfigMapKeySelector: name: minLength is not among Kubernetes' rules, or differs"
    );
}
