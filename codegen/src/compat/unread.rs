//! Errors of input, in the forms that programs read: with the code of their class, and where they
//! are.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{annotations::line, definition::Spot, json::pretty, sarif};
use crate::diag::{Diagnostic, Diagnostics, Severity, codes};

/// Formats errors as JSON: an object with the key `errors`, which no report has.
pub(crate) fn json(found: &Diagnostics) -> String {
    let errors = errors(found).map(|error| {
        let mut object = json!({
            "code": code(error),
            "message": error.message,
            "help": error.help,
            "notes": error.notes,
        });
        if let Some(spot) = spot(error) {
            object["file"] = json!(spot.file);
            object["line"] = json!(spot.line);
            object["column"] = json!(spot.column);
        }
        object
    });
    pretty(&json!({"errors": errors.collect::<Vec<Value>>()}))
}

/// Formats errors as annotations of a GitHub workflow, whose title is the code.
pub(crate) fn annotations(found: &Diagnostics) -> String {
    let lines = errors(found).map(|error| {
        let title = code(error).unwrap_or_else(|| "error".to_owned());
        line("error", spot(error).as_ref(), &title, &message(error))
    });
    lines.collect()
}

/// Formats errors as SARIF: each is a result whose rule is its code, and the run did not succeed.
pub(crate) fn sarif(tool: &str, found: &Diagnostics) -> String {
    let used: BTreeSet<String> = errors(found).filter_map(code).collect();
    let rules = used.iter().filter_map(|code| {
        let class = codes::find(code)?;
        Some(json!({
            "id": code,
            "shortDescription": {"text": class.title},
            "help": {"text": class.explanation(), "markdown": class.explanation()},
        }))
    });
    let results = errors(found).map(|error| {
        let place = spot(error);
        let mut result = json!({
            "level": "error",
            "message": {"text": message(error)},
            "locations": place.iter().map(sarif::location).collect::<Vec<Value>>(),
        });
        if let Some(code) = code(error) {
            result["ruleId"] = json!(code);
        }
        result
    });
    sarif::log_of_failure(tool, rules.collect(), results.collect())
}

fn errors(found: &Diagnostics) -> impl Iterator<Item = &Diagnostic> {
    let all = found.as_slice().iter();
    all.filter(|it| it.severity == Severity::Error)
}

fn code(error: &Diagnostic) -> Option<String> {
    error.shown_code().map(|code| code.to_string())
}

/// The message with what helps.
fn message(error: &Diagnostic) -> String {
    let help = error.help.iter().map(|text| format!("; {text}"));
    error.message.clone() + &help.collect::<String>()
}

fn spot(error: &Diagnostic) -> Option<Spot> {
    error.labels.first().map(|label| Spot::of(&label.place))
}
