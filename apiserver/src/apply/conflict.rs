//! Conflict errors, with kube-apiserver's messages.

use super::element::{FieldPath, show};
use super::managed::Manager;
use super::{ApplyError, Conflict};
use crate::field::go_quote;

/// A field that another manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clash {
    pub(super) manager: Manager,
    pub(super) path: FieldPath,
}

/// Returns the error of an apply with conflicts, grouped by manager.
pub(super) fn conflict_error(clashes: &[Clash]) -> ApplyError {
    let conflicts = clashes
        .iter()
        .map(|clash| Conflict {
            field: show(&clash.path),
            message: format!("conflict with {}", describe(&clash.manager)),
        })
        .collect();
    let message = match clashes {
        [only] => {
            let (manager, field) = (describe(&only.manager), show(&only.path));
            format!("Apply failed with 1 conflict: conflict with {manager}: {field}")
        }
        many => {
            let mut lines = Vec::new();
            let mut before: Option<&Manager> = None;
            for clash in many {
                if before != Some(&clash.manager) {
                    lines.push(format!("conflicts with {}:", describe(&clash.manager)));
                    before = Some(&clash.manager);
                }
                lines.push(format!("- {}", show(&clash.path)));
            }
            format!(
                "Apply failed with {} conflicts: {}",
                many.len(),
                lines.join("\n")
            )
        }
    };
    ApplyError::Conflicts { message, conflicts }
}

fn describe(manager: &Manager) -> String {
    let mut text = go_quote(&manager.name);
    if !manager.subresource.is_empty() {
        text.push_str(&format!(
            " with subresource {}",
            go_quote(&manager.subresource)
        ));
    }
    if !manager.applies() {
        text.push_str(&format!(" using {}", manager.api_version));
    }
    text
}
