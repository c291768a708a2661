//! What is read of the sources of Kubernetes' own types, and of other modules.

use super::*;

#[test]
fn types_of_kubernetes_are_read_for_schemas_and_where_no_rust_has_them() {
    #[track_caller]
    fn check(field: &str, names: &[&str], definitions: &[&str]) {
        let text = object("_ \"embed\"", "Spec");
        let spec = format!("type Spec struct {{\n\t{field}\n}}\n");
        let world = module(&[
            ("main/v1/types.go", &format!("{text}{spec}")),
            (
                "mod/k8s.io/apimachinery@v0.36.3/pkg/apis/meta/v1/types.go",
                "package v1\ntype TypeMeta struct {}\ntype ObjectMeta struct {}\ntype LabelSelector struct {}\n\
                 type Verbs []string\ntype GroupKind struct {}\ntype Time struct {}\n",
            ),
        ]);
        for (kubernetes, expected) in [
            (KubernetesSources::Unused, names),
            (KubernetesSources::Definitions, definitions),
        ] {
            let sources = world.load_for(kubernetes, &["./v1"]).expect("packages");
            let paths: Vec<&str> = sources.packages.iter().map(|it| it.path.as_str()).collect();
            assert_eq!(paths, expected, "{field} for {kubernetes:?}");
        }
    }
    let own = "example.com/main/v1";
    check("Own string", &[own], &[own, META]);
    check("Selector *metav1.LabelSelector", &[own], &[own, META]);
    check("Verbs metav1.Verbs", &[own], &[own, META]);
    check("Kind metav1.GroupKind", &[own, META], &[own, META]);
    check(
        "metav1.LabelSelector `json:\",inline\"`",
        &[own, META],
        &[own, META],
    );
    check("metav1.LabelSelector `json:\"own\"`", &[own], &[own, META]);
}

/// Of `k8s.io/api/core/v1`, a kind uses a handful of types.
#[test]
fn of_other_modules_only_used_types_are_read() {
    let types = "package lib\n// +kubebuilder:validation:MinLength=1\ntype Used string\n\n\
                 type Outer struct {\n\tInner Inner\n}\n\ntype Inner struct {\n\t// +optional\n\tA string\n}\n\n\
                 // +kubebuilder:object:root=true\ntype Other struct {\n\t// +optional\n\tB string\n}\n";
    let own = object("lib \"example.com/Lib\"", "lib.Outer");
    let world = module(&[
        (
            "main/v1/types.go",
            &format!("{own}type Unused struct {{\n\tA lib.Used\n}}\n"),
        ),
        ("mod/example.com/!lib@v1.2.0/lib.go", types),
    ]);
    let sources = world.load(&["./v1"]).expect("packages");
    let none = Vec::new();
    let module = read(&sources, IgnoredMarkers(&none), &mut Diagnostics::new());
    let names = |path: &str| -> Vec<&str> {
        let package = module.packages.iter().find(|package| package.path == path);
        let types = package.expect("a package").types.iter();
        types.map(|decl| decl.name.as_str()).collect()
    };
    assert_eq!(names("example.com/Lib"), ["Outer", "Inner"]);
    assert_eq!(names("example.com/main/v1"), ["Kind", "Unused"]);
}
