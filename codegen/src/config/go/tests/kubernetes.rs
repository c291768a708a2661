//! When the sources of Kubernetes' own types are read.

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
