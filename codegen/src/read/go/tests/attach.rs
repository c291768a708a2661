//! Tests which declaration a marker is attached to, and the findings for other markers.

use super::*;

fn names(set: &MarkerSet) -> Vec<&str> {
    set.0.iter().map(|marker| marker.def.name).collect()
}

fn fields(decl: &TypeDecl) -> &[Field] {
    match &decl.ty {
        Type::Struct(fields) => fields,
        _ => &[],
    }
}

#[test]
fn a_type_has_the_markers_of_its_documentation_and_of_the_group_above() {
    let package = read_clean(
        "// Copyright.\n\n\
         // +kubebuilder:object:generate=true\n\n\
         // Package a is an API.\n// +groupName=a.example.com\npackage a\n\n\
         import \"x\"\n\n\
         // +kubebuilder:rbac:groups=a,resources=b,verbs=get\n\n\
         // +kubebuilder:object:root=true\n// +kubebuilder:subresource:status\n\n\n\
         // A is documented.\n// +genclient\n// More.\n\
         type A struct{}\n\n\
         // +kubebuilder:validation:MinLength=1\ntype B string\n\n\
         // +kubebuilder:rbac:groups=c,resources=d,verbs=get\n",
    );
    assert_eq!(package.docs, "Package a is an API.");
    // Rules belong to the module.
    assert_eq!(
        names(&package.markers),
        ["kubebuilder:object:generate", "groupName"]
    );
    assert_eq!(
        names(&package.types[0].markers),
        [
            "kubebuilder:object:root",
            "kubebuilder:subresource:status",
            "genclient"
        ]
    );
    assert_eq!(package.types[0].docs, "A is documented.\nMore.");
    assert_eq!(
        names(&package.types[1].markers),
        ["kubebuilder:validation:MinLength"]
    );
}

#[test]
fn a_marker_of_packages_right_above_a_type_is_the_packages() {
    let package = read_clean(
        "package a\n\n// +groupName=a.example.com\n// +kubebuilder:validation:MinLength=1\n\n// A.\ntype A string\n",
    );
    assert_eq!(names(&package.markers), ["groupName"]);
    assert_eq!(
        names(&package.types[0].markers),
        ["kubebuilder:validation:MinLength"]
    );
}

#[test]
fn a_field_has_the_markers_of_its_documentation_and_of_the_group_above() {
    let package = read_clean(
        "package a\ntype A struct {\n\
         \t// +optional\n\n\
         \t// B is documented.\n\t// +kubebuilder:validation:MinLength=1\n\tB string `json:\"b\"` // behind\n\
         \tC, D string\n\
         \t//+nullable\n\tE struct {\n\t\t// +optional\n\t\tF int\n\t}\n\
         }\n",
    );
    let fields_of_a = fields(&package.types[0]);
    assert_eq!(
        names(&fields_of_a[0].markers),
        ["optional", "kubebuilder:validation:MinLength"]
    );
    assert_eq!(fields_of_a[0].docs, "B is documented.");
    assert_eq!(names(&fields_of_a[1].markers), [""; 0]);
    assert_eq!(names(&fields_of_a[3].markers), ["nullable"]);
    let Type::Struct(inner) = &fields_of_a[3].ty else {
        panic!("a struct");
    };
    assert_eq!(names(&inner[0].markers), ["optional"]);
}

#[test]
fn types_in_parentheses_have_their_own_markers() {
    let package = read_clean(
        "package a\n\n// +groupName=a.example.com\n\n// Types.\ntype (\n\
         \t// A is.\n\t// +enum\n\tA string\n\n\
         \t// +kubebuilder:validation:MinLength=1\n\n\tB string\n)\n",
    );
    assert_eq!(names(&package.markers), ["groupName"]);
    assert_eq!(names(&package.types[0].markers), ["enum"]);
    assert_eq!(package.types[0].docs, "A is.");
    assert_eq!(
        names(&package.types[1].markers),
        ["kubebuilder:validation:MinLength"]
    );
    assert_eq!(package.types[1].docs, "");
}

#[track_caller]
fn check_found(text: &str, expected: &[&str]) {
    let (_, found) = read_one(text);
    assert_eq!(found, expected, "{text}");
}

#[test]
fn what_marks_nothing_is_a_warning() {
    let nothing = "warning: the marker has no effect here";
    check_found(
        "package a\n\n// +kubebuilder:object:generate=true\nfunc F() {}\n",
        &[&format!("a/a.go:3:4: {nothing}")],
    );
    check_found(
        "package a\ntype A struct {\n\tB int // +optional\n\t// +optional\n}\n",
        &[
            &format!("a/a.go:3:11: {nothing}"),
            &format!("a/a.go:4:5: {nothing}"),
        ],
    );
    check_found(
        "package a\ntype A struct { // +optional\n\tB int\n\t// +optional\n\n\t// x\n\n\tC int\n}\n",
        &[
            &format!("a/a.go:2:20: {nothing}"),
            &format!("a/a.go:4:5: {nothing}"),
        ],
    );
    check_found(
        "package a\n\n// +enum\ntype (\n\tA string\n)\n\n// +enum\nconst B = 1\n\n// +enum\nvar C = 1\n",
        &[
            &format!("a/a.go:3:4: {nothing}"),
            &format!("a/a.go:8:4: {nothing}"),
            &format!("a/a.go:11:4: {nothing}"),
        ],
    );
    // With one more blank line it belongs to the package, which has no such marker.
    check_found(
        "package a\n\n// +kubebuilder:object:root=true\n\n// x\n\n// A.\ntype A struct{}\n",
        &["a/a.go:3:4: warning: `+kubebuilder:object:root` has no effect here"],
    );
}

#[test]
fn what_is_unknown_is_a_warning_and_what_is_wrong_an_error() {
    check_found(
        "package a\n\n// +kubebuilder:validation:Minimun=1\ntype A int\n\n// +kubebuilder:validation:Minimun=2\ntype B int\n",
        &["a/a.go:3:4: warning: unknown marker `+kubebuilder:validation:Minimun`"],
    );
    let (_, found) = read_one("package a\n\n// +kubebuilder:validation:Minimum=x\ntype A int\n");
    assert!(found[0].contains(": error: "), "{found:?}");
    check_found(
        "package a\n\n// +k8s:deepcopy-gen=nil\ntype A int\n",
        &[
            "a/a.go:3:22: warning: expected `package`, `true`, `false`, `package,register`, found `nil`",
        ],
    );
    check_found(
        "// +build linux\n\npackage a\n\n// +1 to this.\n// +a sentence of words\ntype A int\n",
        &[],
    );
    check_found(
        "package a\ntype A struct {\n\t// +default=ref(B)\n\tC int\n}\n",
        &[],
    );
    check_found("package a\n\n/*\n+genclient\n*/\ntype A int\n", &[]);
}

#[test]
fn other_modules_have_no_findings() {
    let text = "package a\n\n// +nonsense\n// +kubebuilder:validation:Minimum=x\n// +optional\n// +kubebuilder:validation:MinLength=1\ntype A int\n";
    let mut other = package("a", &[("a.go", text)]);
    other.main = false;
    let (packages, found) = read_all(vec![other]);
    assert_eq!(found, [""; 0]);
    assert_eq!(
        names(&packages[0].types[0].markers),
        ["kubebuilder:validation:MinLength"]
    );
}

#[test]
fn of_markers_that_do_not_repeat_the_last_counts() {
    let (package, found) = read_one(
        "package a\n\n// +kubebuilder:validation:MinLength=1\n// +kubebuilder:validation:MinLength=2\ntype A string\n",
    );
    assert_eq!(package.types[0].markers.0[0].arguments[0].value, 2);
    assert_eq!(package.types[0].markers.0.len(), 1);
    assert_eq!(
        found,
        ["a/a.go:4:4: warning: duplicate marker `+kubebuilder:validation:MinLength`"]
    );
}

#[test]
fn warnings_do_not_stop_generation() {
    let (_, mut found) = (0, Diagnostics::new());
    let sources = GoSources {
        packages: vec![package(
            "a",
            &[("a.go", "package a\n\n// +nonsense\ntype A int\n")],
        )],
        ..GoSources::default()
    };
    read(&sources, IgnoredMarkers(&[]), Compat::Strict, &mut found);
    assert_eq!(found.as_slice()[0].severity, Severity::Warning);
    let mut found = Diagnostics::new();
    read(
        &sources,
        IgnoredMarkers(&["nonsense".to_owned()]),
        Compat::Strict,
        &mut found,
    );
    assert!(found.as_slice().is_empty());
}

#[test]
fn an_argument_that_is_given_twice_is_an_error_here_and_the_last_one_there() {
    let text = "package a\n\n// +kubebuilder:printcolumn:name=A,JSONPath=.a,type=string,name=B\ntype A struct{}\n";
    let read_as = |compat| {
        let sources = GoSources {
            packages: vec![package("a", &[("a.go", text)])],
            ..GoSources::default()
        };
        let mut found = Diagnostics::new();
        let module = read(&sources, IgnoredMarkers(&[]), compat, &mut found);
        (module, found)
    };
    let (module, _) = read_as(Compat::Strict);
    let error = module.rules.as_slice().first();
    assert_eq!(
        error.map(|error| (error.severity, error.message.as_str())),
        Some((Severity::Error, "`name` is given twice"))
    );
    let (module, found) = read_as(Compat::ControllerGen);
    assert!(found.as_slice().is_empty(), "{found:?}");
    assert!(module.rules.as_slice().is_empty(), "{:?}", module.rules);
    let markers = &module.packages[0].types[0].markers;
    let column = markers
        .get::<crate::read::markers::crd::PrintColumn>()
        .expect("a column");
    assert_eq!(column.name, "B");
}
