//! Checks literals that functions parse: durations, times and patterns. The API server parses them
//! when a CRD is created.

use super::Checked;
use crate::cel::{
    fault::Unparsed,
    functions::Style,
    time::{is_timestamp, parse_duration},
    tree::{Call, Id, Literal, Node, Tree},
};

/// Returns the faults of the literals that an expression's calls parse.
pub(crate) fn faults(tree: &Tree, checked: &Checked<'_>) -> Vec<(Unparsed, Id)> {
    let mut faults: Vec<(Unparsed, Id)> = Vec::new();
    for (node, resolved) in tree.nodes.iter().zip(&checked.calls) {
        let (Node::Call(call), Some(resolved)) = (node, resolved) else {
            continue;
        };
        let fault = match resolved.function.as_str() {
            "duration" => argument(tree, call, 0, duration_fault),
            "timestamp" => argument(tree, call, 0, timestamp_fault),
            // The server's validators of literals only know `x.matches(…)`.
            "matches" => {
                let is_late = resolved.style == Style::Global;
                let check = |pattern: &str| unmatched("matches", is_late, pattern);
                argument(tree, call, before_pattern(resolved.style), check)
            }
            "find" | "findAll" => {
                let check = |pattern: &str| unmatched("find", true, pattern);
                argument(tree, call, before_pattern(resolved.style), check)
            }
            _ => None,
        };
        // Macros duplicate their receiver.
        let mut known = faults.iter();
        if let Some((fault, id)) = fault
            && !known.any(|(known, at)| tree.part(*at) == tree.part(id) && *known == fault)
        {
            faults.push((fault, id));
        }
    }
    faults
}

/// Returns the number of arguments before the pattern.
const fn before_pattern(style: Style) -> usize {
    match style {
        Style::Member => 0,
        Style::Global => 1,
    }
}

/// Returns the fault of an argument that is a literal.
fn argument(
    tree: &Tree,
    call: &Call,
    index: usize,
    check: impl Fn(&str) -> Option<Unparsed>,
) -> Option<(Unparsed, Id)> {
    let id = *call.args.get(index)?;
    Some((check(text(tree, id)?)?, id))
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
