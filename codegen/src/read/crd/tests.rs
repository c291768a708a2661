//! Findings in CRDs that differ from a valid CRD in one place.

use super::{Crd, read, schema::Schema};
use crate::{Diagnostics, Filters, Options, Source, options::Faulty};

/// Returns a CRD whose field `spec` has the schema.
fn crd(schema: &str) -> String {
    format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{group: example.com, scope: Cluster, \
         names: {{kind: Widget, plural: widgets}}, versions: [{{name: v1, served: true, storage: true, schema: \
         {{openAPIV3Schema: {{type: object, properties: {{spec: {schema}}}}}}}}}]}}}}"
    )
}

fn read_text(text: &str) -> (Vec<Crd>, Diagnostics) {
    let sources = [Source::new("crd.yaml", text)];
    let read = read(&sources, &Options::default());
    (read.crds, read.found)
}

/// Few sources have findings, and the text of the others need not be kept.
#[test]
fn only_sources_with_findings_have_text() {
    let faulty = crd("{type: string, const: a}").replace("Widget", "Gadget");
    let faulty = faulty.replace("widgets", "gadgets");
    let sources = [
        Source::new("a.yaml", crd("{type: string}")),
        Source::new("b.yaml", faulty),
    ];
    let read = read(&sources, &Options::default());
    let held = |crd: &Crd| (crd.kind.clone(), crd.source.text.len());
    let held: Vec<_> = read.crds.iter().map(held).collect();
    let length = sources[1].text.len();
    assert_eq!(
        held,
        [("Gadget".to_owned(), length), ("Widget".to_owned(), 0)]
    );
    // Findings about CRDs in relation to each other show lines of all of them.
    let twice = ["a.yaml", "b.yaml"].map(|name| Source::new(name, crd("{type: string}")));
    let found = super::read(&twice, &Options::default()).found;
    let labels = found.as_slice()[0].labels.iter();
    let files = labels.map(|label| (&*label.place.file, !label.place.range.is_empty()));
    let files: Vec<_> = files.collect();
    assert_eq!(files, [("b.yaml", true), ("a.yaml", true)]);
}

/// Calico, Kong and Kube-OVN released such CRDs.
#[test]
fn a_repeated_key_is_a_warning() {
    let (crds, found) = read_text(&crd("{type: integer, description: a, type: string}"));
    assert!(!found.has_errors());
    let finding = &found.as_slice()[0];
    assert_eq!(finding.message, "`type` is repeated: the last value counts");
    assert!(!finding.labels[0].place.range.is_empty());
    let root = crds[0].versions[0].schema.clone().unwrap_or_default();
    let (once, _) = read_text(&crd("{description: a, type: string}"));
    let spec = |schema: &Schema| {
        (
            schema.properties[0].1.type_,
            schema.properties[0].1.description.clone(),
        )
    };
    assert_eq!(
        spec(&root),
        spec(once[0].versions[0].schema.as_ref().unwrap())
    );
}

#[test]
fn a_patch_of_a_crd_is_one_finding() {
    for rest in [
        "metadata: {name: widgets.example.com}",
        "spec: {}",
        "spec: {conversion: {strategy: None}}",
    ] {
        let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
        let (crds, found) = read_text(&format!("{head}{rest}\n"));
        let messages: Vec<_> = found.as_slice().iter().map(|it| &it.message).collect();
        assert!(crds.is_empty() && messages.len() == 1, "{messages:?}");
        assert!(
            messages[0].ends_with("this one has none of them"),
            "{messages:?}"
        );
        assert!(found.as_slice()[0].help[0].contains("kustomize"));
    }
}

#[track_caller]
fn check_schema(schema: &str, expected: &[&str]) {
    let (_, diagnostics) = read_text(&crd(schema));
    let found: Vec<String> = diagnostics
        .as_slice()
        .iter()
        .map(|found| {
            let help = found.help.join("; ");
            format!("{:?}: {}; {help}", found.severity, found.message)
        })
        .collect();
    assert_eq!(found, expected, "{schema}");
}

#[test]
fn annotations_of_other_dialects_say_nothing() {
    check_schema(
        "{type: string, deprecated: true, examples: [a], writeOnly: true, $id: x, $comment: x, contentEncoding: base64, \
         discriminator: {propertyName: x}, xml: {}, x-go-name: X, x-kubernetes-patch-strategy: merge}",
        &[],
    );
}

#[test]
fn a_keyword_that_the_api_server_drops_is_a_warning_once_in_a_crd() {
    let dropped = |key: &str| {
        format!(
            "Warning: `{key}` is not a keyword of CRD schemas and is ignored; remove it: the API server drops it too"
        )
    };
    check_schema("{type: string, const: a}", &[&dropped("const")]);
    check_schema(
        "{type: object, optional: true, properties: {a: {type: string, optional: true}, b: {type: string, if: {}}}}",
        &[&dropped("optional"), &dropped("if")],
    );
    let unions = "x-kubernetes-unions";
    check_schema(
        &format!("{{type: object, {unions}: []}}"),
        &[&dropped(unions)],
    );
}

#[test]
fn a_slip_in_a_keyword_is_an_error() {
    check_schema(
        "{type: object, proprties: {}}",
        &["Error: `proprties` is not a keyword of CRD schemas; did you mean `properties`?"],
    );
    check_schema(
        "{x-kubernetes-int-or-strings: true}",
        &[
            "Error: `x-kubernetes-int-or-strings` is not a keyword of CRD schemas; did you mean `x-kubernetes-int-or-string`?",
        ],
    );
}

#[test]
fn null_leaves_a_keyword_unset() {
    check_schema(
        "{type: object, x-kubernetes-map-type: null, properties: {a: {type: array, x-kubernetes-list-type: null, \
         items: {type: string}}}}",
        &[],
    );
}

#[test]
fn properties_of_an_array_are_ignored() {
    check_schema(
        "{type: array, items: {type: string}, properties: {a: {type: string}}}",
        &[
            "Warning: `properties` has no effect on an array and is ignored; move them under `items`",
        ],
    );
}

/// Returns the paths of the schemas that preserve unknown fields, in a CRD with or without
/// `spec.preserveUnknownFields`.
fn keeping(preserve: bool) -> Vec<String> {
    fn walk(path: &str, schema: &Schema, found: &mut Vec<String>) {
        if schema.validation.preserve_unknown_fields {
            found.push(path.to_owned());
        }
        for (name, property) in &schema.properties {
            walk(&format!("{path}.{name}"), property, found);
        }
        if let Some(items) = &schema.items {
            walk(&format!("{path}[]"), items, found);
        }
    }
    let schema = "{type: object, properties: {a: {type: string}, list: {type: array, items: {type: object}}}}";
    let flag = format!("{{preserveUnknownFields: {preserve}, group:");
    let (crds, _) = read_text(&crd(schema).replace("{group:", &flag));
    let mut found = Vec::new();
    walk("", crds[0].versions[0].schema.as_ref().unwrap(), &mut found);
    found
}

#[test]
fn a_crd_that_is_never_pruned_keeps_unknown_fields_of_every_object() {
    assert_eq!(keeping(true), ["", ".spec", ".spec.list[]"]);
    assert!(keeping(false).is_empty());
}

/// Returns the findings in a source that was named explicitly.
fn findings(text: &str) -> Vec<String> {
    let (_, diagnostics) = read_text(text);
    let found = diagnostics.as_slice().iter();
    found
        .map(|found| {
            let places: Vec<_> = found
                .labels
                .iter()
                .map(|label| label.place.line_column())
                .collect();
            format!(
                "{:?}: {} {places:?}; {}",
                found.severity,
                found.message,
                found.help.join("; ")
            )
        })
        .collect()
}

#[test]
fn exactly_one_version_is_stored() {
    let crd = crd("{type: string}");
    assert_eq!(findings(&crd), Vec::<String>::new());
    let expected = "Warning: no version is stored [(1, 164)]; write `storage: true` on exactly one version: the API server rejects \
                    the CRD without it";
    assert_eq!(
        findings(&crd.replace("storage: true", "storage: false")),
        [expected]
    );
    let two = crd.replace(
        "versions: [",
        "versions: [{name: v2, storage: true, schema: {openAPIV3Schema: {}}}, ",
    );
    assert_eq!(
        findings(&two),
        [
            "Error: several versions are stored: v2, v1 [(1, 164)]; write `storage: true` on exactly one version"
        ]
    );
}

#[test]
fn a_version_without_a_schema_is_a_warning() {
    let schema = ", schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string}}}}";
    let crd = crd("{type: string}");
    assert!(crd.contains(schema), "{crd}");
    let bare = crd.replace(schema, "");
    let expected = "Warning: version v1 has no schema: its type keeps every property as JSON [(1, 172)]; write \
                    `schema.openAPIV3Schema`: the API server rejects the CRD without it";
    assert_eq!(findings(&bare), [expected]);
    // CRDs that were created as v1beta1 may lack one.
    let old = bare.replace("{group:", "{preserveUnknownFields: true, group:");
    assert_eq!(findings(&old), Vec::<String>::new());
}

#[test]
fn an_input_without_a_crd_is_a_warning() {
    assert_eq!(
        findings("\napiVersion: v1\nkind: ConfigMap\n---\nkind: Secret\n"),
        [
            "Warning: crd.yaml contains no CustomResourceDefinition [(2, 1)]; it contains: ConfigMap, Secret"
        ]
    );
    assert_eq!(
        findings("a: 1\n"),
        [
            "Warning: crd.yaml contains no CustomResourceDefinition [(1, 1)]; write `kind: CustomResourceDefinition`"
        ]
    );
    assert_eq!(
        findings(""),
        ["Warning: crd.yaml contains no CustomResourceDefinition []; the file is empty"]
    );
}

#[test]
fn a_copy_of_a_crd_is_ignored_with_a_warning() {
    let one = crd("{type: string}");
    let copy = one.replace("spec: {group", "metadata: {labels: {a: b}}, spec: {group");
    let text = format!("{one}\n---\n{copy}");
    assert_eq!(
        findings(&text),
        [
            "Warning: Widget of example.com is defined twice in the same way [(3, 1), (1, 1)]; remove one of the two: the second is ignored"
        ]
    );
    assert_eq!(read_text(&text).0.len(), 1);
    let other = one.replace("type: string", "type: integer");
    let expected = "Error: Widget example.com/v1 is defined twice, in different ways [(3, 1), (1, 1)]; remove one of the two, or pass \
                    only one";
    assert_eq!(findings(&format!("{one}\n---\n{other}")), [expected]);
}

/// PyYAML writes values that are one object in memory as aliases.
#[test]
fn a_schema_may_have_many_aliases_of_one_anchor() {
    let aliases = (1..2_000).map(|index| format!("p{index}: *s"));
    let aliases: Vec<String> = aliases.collect();
    let schema = format!(
        "{{type: object, properties: {{p0: &s {{type: string}}, {}}}}}",
        aliases.join(", ")
    );
    check_schema(&schema, &[]);
}

#[test]
fn lists_of_any_form_are_read() {
    let one = crd("{type: string}");
    let bare = one.replace(
        "apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, ",
        "",
    );
    for text in [
        format!("{{kind: List, items: [{one}, null]}}"),
        format!("[{one}]"),
        format!(
            "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinitionList, items: [{bare}]}}"
        ),
    ] {
        assert_eq!(findings(&text), Vec::<String>::new(), "{text}");
        assert_eq!(read_text(&text).0.len(), 1, "{text}");
    }
}

#[test]
fn two_kinds_with_one_plural_have_places() {
    let crd = crd("{type: string}");
    let other = crd.replace("kind: Widget", "kind: Gadget");
    assert_eq!(
        findings(&format!("{crd}\n---\n{other}")),
        [
            "Error: two kinds of example.com have the plural \"widgets\": Gadget and Widget [(1, 1), (3, 1)]; give one of them \
          another plural"
        ]
    );
}

#[test]
fn a_version_that_is_not_served_is_kept_if_all_are_wanted() {
    let text = crd("{type: string}").replace("served: true", "served: false");
    let read_with = |unserved| {
        let filters = Filters {
            unserved,
            ..Filters::default()
        };
        let options = Options {
            filters,
            ..Options::default()
        };
        read(&[Source::new("crd.yaml", text.as_str())], &options).crds
    };
    assert!(read_with(false).is_empty());
    assert!(!read_with(true)[0].versions[0].served);
}

#[test]
fn of_each_kind_the_stored_version_alone_is_kept_if_wanted() {
    let text = crd("{type: string}").replace(
        "versions: [",
        "versions: [{name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}, ",
    );
    let read_with = |stored_only| {
        let filters = Filters {
            stored_only,
            ..Filters::default()
        };
        let options = Options {
            filters,
            ..Options::default()
        };
        let read = read(&[Source::new("crd.yaml", text.as_str())], &options);
        let versions = read.crds[0].versions.iter();
        versions
            .map(|version| version.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(read_with(false), ["v1beta1", "v1"]);
    assert_eq!(read_with(true), ["v1"]);
}

#[test]
fn a_filter_that_names_nothing_suggests_what_is_there() {
    let filters = Filters {
        kinds: vec!["Wigdet".to_owned()],
        groups: vec!["example.com".to_owned(), "other.io".to_owned()],
        ..Filters::default()
    };
    let sources = [Source::new("crd.yaml", crd("{type: string}"))];
    let options = Options {
        filters,
        ..Options::default()
    };
    let read = read(&sources, &options);
    assert!(read.crds.is_empty());
    let diagnostics = read.found;
    assert_eq!(
        diagnostics.to_string(),
        "error: no group `other.io` in the input\nerror: no kind `Wigdet` in the input"
    );
    let help: Vec<_> = diagnostics
        .as_slice()
        .iter()
        .flat_map(|found| &found.help)
        .collect();
    assert_eq!(
        help,
        ["the only group is `example.com`", "did you mean `Widget`?"]
    );
}

#[test]
fn faulty_crds_are_left_out_where_the_others_are_wanted() {
    let good = crd("{type: string}");
    let bad = crd("{type: strin}")
        .replace("Widget", "Gadget")
        .replace("widgets", "gadgets");
    let sources = [
        Source::new("bad.yaml", bad),
        Source::new("good.yaml", good),
        Source::new("no.yaml", "kind: [CustomResourceDefinition"),
    ];
    let options = Options {
        faulty: Faulty::Skipped,
        ..Options::default()
    };
    let read = read(&sources, &options);
    let kinds: Vec<_> = read.crds.iter().map(|crd| crd.kind.as_str()).collect();
    assert_eq!(kinds, ["Widget"]);
    assert!(!read.found.has_errors());
    assert_eq!(read.skipped.as_slice().len(), 2, "{}", read.skipped);
}
