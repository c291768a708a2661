//! The lines of an operator that migrates stored objects of a kind.

use super::{
    APP,
    edit::At,
    edits::{Edit, EditKind},
};

/// The lines for the kind with the plural, in the file of the program: one that names its
/// CustomResourceDefinition, and the rules that the program needs.
#[must_use]
pub fn migration_edits(group: &str, plural: &str) -> [Edit; 2] {
    let crd = format!("{plural}.{group}");
    let statement = format!("let app = app.migrates_storage_of(\"{crd}\");");
    let rules = [
        "groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch"
            .to_owned(),
        format!(
            "groups=apiextensions.k8s.io,resources=customresourcedefinitions;customresourcedefinitions/status,resourceNames={crd},verbs=patch"
        ),
        format!("groups={group},resources={plural},verbs=get;list;patch"),
    ];
    let rules = rules.map(|rule| format!("// +kubebuilder:rbac:{rule}\n"));
    let block = format!("// The migration of {crd}.\n{}", rules.concat());
    [
        Edit::statement(APP, ("app", At::Start), statement),
        Edit::new(APP, EditKind::Block(block)),
    ]
}
