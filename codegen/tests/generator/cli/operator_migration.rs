//! `migrate`, which lets an operator migrate the stored objects of its kinds.

use std::path::Path;

use super::{
    operator::{about, create, differing, files, operator},
    operator_kinds::check_format,
};

#[test]
fn kinds_with_several_versions_are_migrated() {
    let mut sandbox = operator();
    create(&sandbox, "batch/v1alpha1/Widget", &[]);
    create(&sandbox, "cache/v1/Region", &["--cluster"]);
    sandbox.run(&["migrate"]);
    create(&sandbox, "batch/v1beta1/Widget", &[]);
    let unmigrated = files(&sandbox.path(""));
    sandbox.run(&["migrate", "--dry-run"]);
    assert_eq!(differing(&unmigrated, &files(&sandbox.path(""))), [""; 0]);
    sandbox.run(&["migrate"]);
    let migrated = files(&sandbox.path(""));
    assert_eq!(
        differing(&unmigrated, &migrated),
        [".kube-codegen.json", "config/role.yaml", "src/app.rs"].map(Path::new)
    );
    check_format(&sandbox);
    let app = sandbox.read("src/app.rs");
    assert!(
        app.contains("app.migrates_storage_of(\"widgets.batch.example.com\")"),
        "{app}"
    );
    assert!(!app.contains("storage_of(\"regions"), "{app}");
    // Once is enough.
    sandbox.run(&["migrate"]);
    assert_eq!(differing(&migrated, &files(&sandbox.path(""))), [""; 0]);
    // The lines go with the last version of the kind.
    sandbox.run(&about("delete", "batch/v1beta1/Widget", &[]));
    let app = sandbox.read("src/app.rs");
    assert!(app.contains("migrates_storage_of"), "{app}");
    sandbox.succeeds(&about("delete", "batch/v1alpha1/Widget", &[]));
    let app = sandbox.read("src/app.rs");
    assert!(
        !app.contains("widgets.batch.example.com\");\n    #["),
        "{app}"
    );
    assert!(!app.contains("migrat"), "{app}");
    sandbox.check("operator-migrate");
}
