use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::diag::Place;

fn raw(text: &str) -> RawMarker {
    RawMarker {
        place: Place {
            file: Arc::from("types.rs"),
            text: Arc::from(text),
            range: 0..text.len(),
        },
    }
}

/// Checks the marker's arguments as an object; the value directly after the `=` has an empty name.
#[track_caller]
fn check(text: &str, name: &str, expected: Value) {
    let marker = raw(text)
        .parse()
        .unwrap_or_else(|error| panic!("{text}: {}", error.message));
    assert_eq!(marker.def.name, name, "{text}");
    let arguments: serde_json::Map<String, Value> = marker
        .arguments
        .iter()
        .map(|argument| (argument.name.to_owned(), argument.value.clone()))
        .collect();
    assert_eq!(Value::Object(arguments), expected, "{text}");
}

#[track_caller]
fn fails(text: &str, message: &str, help: &str) {
    let error = raw(text).parse().expect_err(text);
    assert_eq!(error.message, message, "{text}");
    assert_eq!(error.help.join("; "), help, "{text}");
}

#[test]
fn every_marker_says_what_it_is() {
    let unique: std::collections::BTreeSet<_> = names().collect();
    assert_eq!(unique.len(), names().count(), "a name stands twice");
    for def in REGISTRY {
        assert!(!def.meaning.is_empty(), "{}", def.name);
        assert!(!def.targets.is_empty(), "{}", def.name);
        assert!(
            def.syntax().starts_with(&format!("+{}", def.name)),
            "{}",
            def.syntax()
        );
        let unnamed = def.arguments.iter().filter(|a| a.name.is_empty()).count();
        assert!(unnamed <= 1, "{}", def.name);
        assert!(
            unnamed == 0 || def.arguments[0].name.is_empty(),
            "{}",
            def.name
        );
    }
}

#[test]
fn the_table_is_readable_as_json() {
    let text = serde_json::to_string(REGISTRY).unwrap();
    assert!(text.contains(r#""name":"genclient:method""#), "{text}");
}

#[test]
fn markers_of_go_carry_over_word_for_word() {
    rows![check:
        ("+genclient", "genclient", json!({})),
        ("+genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale",
            "genclient:method",
            json!({"": "UpdateScale", "verb": "update", "subresource": "scale", "input": "k8s.io/api/autoscaling/v1.Scale", "result": "k8s.io/api/autoscaling/v1.Scale"})),
        ("+k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object,other.Interface",
            "k8s:deepcopy-gen:interfaces",
            json!({"": ["k8s.io/apimachinery/pkg/runtime.Object", "other.Interface"]})),
        ("+kubebuilder:resource:path=mycrds,singular=mycrd,shortName=mc;mcrd,categories=all,scope=Namespaced",
            "kubebuilder:resource",
            json!({"path": "mycrds", "singular": "mycrd", "shortName": ["mc", "mcrd"], "categories": ["all"], "scope": "Namespaced"})),
        (r#"+kubebuilder:printcolumn:name="Desired State",type=string,JSONPath=`.spec.items[?(@.a=="b")].c`,priority=1"#,
            "kubebuilder:printcolumn",
            json!({"name": "Desired State", "type": "string", "JSONPath": r#".spec.items[?(@.a=="b")].c"#, "priority": 1})),
        ("+kubebuilder:printcolumn:JSONPath=.status.conditions[?(@.type==\"Ready\")].status,name=Ready,type=string",
            "kubebuilder:printcolumn",
            json!({"name": "Ready", "type": "string", "JSONPath": ".status.conditions[?(@.type==\"Ready\")].status"})),
        ("+kubebuilder:deprecatedversion:warning=\"use v1\"", "kubebuilder:deprecatedversion",
            json!({"warning": "use v1"})),
        ("+kubebuilder:deprecatedversion", "kubebuilder:deprecatedversion", json!({})),
        ("+patchStrategy=merge", "patchStrategy", json!({"": "merge"})),
        ("+k8s:prerelease-lifecycle-gen:introduced=1.10", "k8s:prerelease-lifecycle-gen:introduced",
            json!({"": "1.10"})),
        (r#"+kubebuilder:validation:XValidation:rule="self.a <= self.b, true",message="a; b",optionalOldSelf=true"#,
            "kubebuilder:validation:XValidation",
            json!({"rule": "self.a <= self.b, true", "message": "a; b", "optionalOldSelf": true})),
        ("+kubebuilder:validation:items:Enum=a;b;c", "kubebuilder:validation:items:Enum",
            json!({"": ["a", "b", "c"]})),
        ("+kubebuilder:validation:Enum={1,2}", "kubebuilder:validation:Enum", json!({"": [1, 2]})),
        (r#"+kubebuilder:default:={replicas: 1, mode: "fast"}"#.replace(":=", "=").as_str(),
            "kubebuilder:default", json!({"": {"replicas": 1, "mode": "fast"}})),
        ("+default={\"a\": [1]}", "default", json!({"": {"a": [1]}})),
        ("+kubebuilder:rbac:groups=\"\",resources=pods,verbs=get;list", "kubebuilder:rbac",
            json!({"groups": [""], "resources": ["pods"], "verbs": ["get", "list"]})),
        ("+kubebuilder:metadata:annotations=\"cert-manager.io/inject-ca-from-secret=ns/name\"",
            "kubebuilder:metadata",
            json!({"annotations": ["cert-manager.io/inject-ca-from-secret=ns/name"]})),
    ];
}

#[test]
fn the_colon_before_the_equals_sign_of_older_sources_is_read() {
    check(
        "+kubebuilder:default:=3",
        "kubebuilder:default",
        json!({"": 3}),
    );
    check(
        "+kubebuilder:validation:Maximum:=3",
        "kubebuilder:validation:Maximum",
        json!({"": 3}),
    );
}

#[test]
fn what_is_wrong_is_named() {
    rows![fails:
        ("+genclient:onlyVerb=get", "unknown marker `+genclient:onlyVerb`",
            "did you mean `+genclient:onlyVerbs`?"),
        ("+kubebuilder:validation:maximum=3", "unknown marker `+kubebuilder:validation:maximum`",
            "did you mean `+kubebuilder:validation:Maximum`?"),
        ("+kubebuilder:resource:scop=Cluster", "unknown argument `scop` of `+kubebuilder:resource`",
            "did you mean `scope`?"),
        ("+groupName", "`+groupName` needs a value", "the syntax is `+groupName=<dns name>`"),
        ("+optional=true", "`+optional` takes no value", "write `+optional`"),
        ("+listType=mpa", "expected `atomic`, `set`, `map`, found `mpa`", "did you mean `map`?"),
    ];
}

proptest::proptest! {
    #[test]
    fn no_marker_makes_the_parser_panic(
        name in proptest::sample::select(REGISTRY.iter().map(|def| def.name).collect::<Vec<_>>()),
        rest in r#"[:=][a-zA-Z0-9,;:{}"`\\ =.é-]{0,30}"#,
    ) {
        let raw = raw(&format!("+{name}{rest}"));
        match raw.parse() {
            Ok(marker) => {
                for argument in marker.arguments {
                    let place = argument.place;
                    proptest::prop_assert!(place.text.get(place.range).is_some());
                }
            }
            Err(error) => {
                for label in error.labels {
                    proptest::prop_assert!(label.place.text.get(label.place.range).is_some());
                }
            }
        }
    }
}

#[test]
fn names_and_words_of_go_are_read_as_go_reads_them() {
    rows![check:
        ("+groupName=", "groupName", json!({"": ""})),
        ("+k8s:required", "required", json!({})),
        ("+k8s:listType=set", "listType", json!({"": "set"})),
        ("+k8s:listMapKey=name", "listMapKey", json!({"": "name"})),
        ("+k8s:enum", "enum", json!({})),
        ("+kubebuilder:ac:generate=true", "kubebuilder:ac:generate", json!({"": true})),
        ("+kubebuilder:ac:output:package=\"apply\"", "kubebuilder:ac:output:package",
            json!({"": "\"apply\""})),
        ("+k8s:deepcopy-gen=package,register", "k8s:deepcopy-gen", json!({"": "package,register"})),
        (r#"+kubebuilder:validation:Pattern=a"b,c"d"#, "kubebuilder:validation:Pattern",
            json!({"": r#"a"b,c"d"#})),
    ];
    fails(
        r#"+kubebuilder:validation:Pattern=a"b,c"#,
        "unexpected text after the value",
        "put a string with `,`, `;` or `}` in quotes or backticks",
    );
}

/// Names that controller-tools silently ignores, as it does all unknown names.
#[test]
fn names_that_exist_nowhere_are_refused_with_the_one_that_was_meant() {
    for (written, meant) in [
        ("kubebuilder:validation:nullable", "nullable"),
        (
            "kubebuilder:validation:optional",
            "kubebuilder:validation:Optional",
        ),
        (
            "kubebuilder:printercolumn:name=A",
            "kubebuilder:printcolumn",
        ),
        (
            "kubebuilder:object:generate:false",
            "`+kubebuilder:object:generate=false`",
        ),
        (
            "kubebuilder:validation:Enum:A;B",
            "`+kubebuilder:validation:Enum=A;B`",
        ),
    ] {
        let error = raw(&format!("+{written}")).parse().expect_err(written);
        assert!(
            error.message.contains("unknown marker"),
            "{}",
            error.message
        );
        assert!(error.help.join(" ").contains(meant), "{:?}", error.help);
    }
}

#[test]
fn a_title_is_a_text_also_where_it_looks_like_a_number() {
    let name = "kubebuilder:title";
    check("+kubebuilder:title=124", name, json!({"": "124"}));
    check("+kubebuilder:title=\"124\"", name, json!({"": "124"}));
}

#[test]
fn markers_stand_where_controller_tools_has_them_and_where_they_mean_something_else_here() {
    let stands = |name: &str, target: Target| find(name).unwrap().targets.contains(&target);
    for name in [
        "kubebuilder:validation:ExactlyOneOf",
        "kubebuilder:validation:AtMostOneOf",
        "kubebuilder:validation:AtLeastOneOf",
    ] {
        assert!(stands(name, Target::Type), "{name}");
    }
    for name in [
        "kubebuilder:validation:Required",
        "kubebuilder:validation:Optional",
    ] {
        assert!(stands(name, Target::Field), "{name}");
    }
    assert!(stands("kubebuilder:skip", Target::Package));
    assert!(stands("kubebuilder:webhookconfiguration", Target::Package));
}

#[test]
fn the_syntax_shows_every_argument() {
    let syntax = |name: &str| find(name).unwrap().syntax();
    assert_eq!(syntax("genclient"), "+genclient");
    assert_eq!(
        syntax("genclient:onlyVerbs"),
        "+genclient:onlyVerbs=<verb>,…"
    );
    assert_eq!(
        syntax("genclient:method"),
        "+genclient:method=<Name>,verb=<verb>[,subresource=<name>][,input=<type>][,result=<type>]"
    );
    assert_eq!(
        syntax("kubebuilder:resource"),
        "+kubebuilder:resource:[path=<plural>][,singular=<name>][,shortName=<name>;…][,categories=<name>;…][,scope=Namespaced|Cluster]"
    );
    assert_eq!(
        syntax("kubebuilder:deprecatedversion"),
        "+kubebuilder:deprecatedversion[:warning=<text>]"
    );
    assert_eq!(
        syntax("k8s:deepcopy-gen"),
        "+k8s:deepcopy-gen=package|true|false"
    );
}
