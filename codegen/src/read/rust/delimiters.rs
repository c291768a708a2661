//! Reports unbalanced delimiters.

use super::{comments::Comments, scan::Unbalanced};
use crate::diag::{Diagnostic, Diagnostics};

/// Reports the unbalanced delimiter itself; the parser would report the place where it gives up.
pub(super) fn unbalanced(found: Option<Unbalanced>, comments: &Comments) -> Diagnostics {
    let delimiter = |at: usize| {
        let text = comments.text().get(at..at + 1);
        (
            text.unwrap_or_default().to_owned(),
            comments.place(at..at + 1),
        )
    };
    let mut diagnostics = Diagnostics::new();
    match found {
        None => {}
        Some(Unbalanced::Open(at)) => {
            let (open, place) = delimiter(at);
            let error = Diagnostic::error(format!("unclosed delimiter `{open}`"));
            diagnostics.push(error.at(place, "opened here"));
        }
        Some(Unbalanced::Close(at)) => {
            let (close, place) = delimiter(at);
            let error = Diagnostic::error(format!("unexpected closing delimiter `{close}`"));
            diagnostics.push(error.at(place, "closes nothing"));
        }
        Some(Unbalanced::Mismatched(open, close)) => {
            let (text, place) = delimiter(close);
            let error = Diagnostic::error(format!("mismatched closing delimiter `{text}`"));
            let (open, opened) = delimiter(open);
            let error = error.at(place, "closes another delimiter");
            diagnostics.push(error.at(opened, format!("`{open}` is opened here")));
        }
    }
    diagnostics
}
