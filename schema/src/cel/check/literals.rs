//! Literals that functions parse: durations, times and patterns. The API server parses them when a CRD is created.

use super::Checked;
use crate::cel::{
    fault::Unparsed,
    functions::Style,
    time::{is_timestamp, parse_duration},
    tree::{Call, Id, Literal, Node, Tree},
};

/// The faults of the literals that an expression's calls parse.
pub(crate) fn faults(tree: &Tree, checked: &Checked<'_>) -> Vec<Unparsed> {
    let mut faults = Vec::new();
    for (node, resolved) in tree.nodes.iter().zip(&checked.calls) {
        let (Node::Call(call), Some(resolved)) = (node, resolved) else {
            continue;
        };
        let fault = match resolved.function.as_str() {
            "duration" => first_text(tree, call).and_then(duration_fault),
            "timestamp" => first_text(tree, call).and_then(timestamp_fault),
            // The validators of literals know `x.matches(…)` alone.
            "matches" => {
                let is_late = resolved.style == Style::Global;
                let pattern = pattern(tree, call, resolved.style);
                pattern.and_then(|it| unmatched("matches", is_late, it))
            }
            "find" | "findAll" => {
                let pattern = pattern(tree, call, resolved.style);
                pattern.and_then(|it| unmatched("find", true, it))
            }
            _ => None,
        };
        // Macros copy what they are called on.
        faults.extend(fault.filter(|fault| !faults.contains(fault)));
    }
    faults
}

/// The pattern of a call: the argument behind the text that it is for.
fn pattern<'t>(tree: &'t Tree, call: &Call, style: Style) -> Option<&'t str> {
    let before = match style {
        Style::Member => 0,
        Style::Global => 1,
    };
    call.args.get(before).and_then(|id| text(tree, *id))
}

fn first_text<'t>(tree: &'t Tree, call: &Call) -> Option<&'t str> {
    call.args.first().and_then(|id| text(tree, *id))
}

fn text(tree: &Tree, id: Id) -> Option<&str> {
    match tree.node(id) {
        Node::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

fn unmatched(function: &'static str, is_late: bool, pattern: &str) -> Option<Unparsed> {
    let error = kube_names::pattern::check(pattern).err()?;
    Some(Unparsed::Pattern {
        function,
        error: error.to_string(),
        is_late,
    })
}

fn duration_fault(text: &str) -> Option<Unparsed> {
    parse_duration(text)
        .is_err()
        .then(|| Unparsed::Duration(text.to_owned()))
}

fn timestamp_fault(text: &str) -> Option<Unparsed> {
    (!is_timestamp(text)).then(|| Unparsed::Time(text.to_owned()))
}
