//! The files of a controller, and its lines in the user's files, whatever its kind.

use std::path::PathBuf;

use super::{APP, TESTS, WIDTH, edit::At, edits::Edit};

/// The names of a controller, in order of preference.
pub(super) fn names(group_module: &str, module: &str) -> [String; 2] {
    [module.to_owned(), format!("{group_module}_{module}")]
}

/// The file of a controller.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    format!("src/controllers/{name}.rs").into()
}

/// The file of a controller's tests.
#[must_use]
pub fn test_path(name: &str) -> PathBuf {
    format!("tests/operator/{name}.rs").into()
}

pub(super) fn support_path() -> PathBuf {
    "tests/operator/support.rs".into()
}

pub(super) fn support_edit() -> Edit {
    Edit::item(TESTS, "mod support;")
}

pub(super) fn edits(name: &str) -> Vec<Edit> {
    let add = format!("let manager = crate::controllers::{name}::add(manager, &shared)?;");
    vec![
        Edit::item("src/controllers/mod.rs", format!("pub mod {name};")),
        Edit::item(TESTS, format!("mod {name};")),
        Edit::statement(APP, ("setup", At::End), add),
    ]
}

/// The signature of a reconcile function, formatted like rustfmt.
pub(super) fn signature(kind: &str, error: &str) -> String {
    let (request, context) = ("request: Request", format!("context: Context<{kind}>"));
    let result = format!("Result<Action, {error}>");
    let line = format!("async fn reconcile({request}, {context}) -> {result}");
    if line.len() + 2 <= WIDTH {
        line
    } else {
        format!("async fn reconcile(\n    {request},\n    {context},\n) -> {result}")
    }
}
