//! Values of fields, broken where rustfmt breaks them: chains, calls and defaults, as serde of the roots has them.

use super::fit::{CALL_WIDTH, CHAIN_WIDTH, MAX_WIDTH, indent, is_comment, width};

/// Lays out a field whose value is a chain of calls, as serde of the roots has them: `name: self.name.as_ref(),`.
pub(super) fn fit_chains(lines: Vec<String>) -> Vec<String> {
    let mut fitted: Vec<String> = Vec::with_capacity(lines.len());
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        let receiver = [": self", ": &self", ": wire"]
            .iter()
            .any(|end| line.ends_with(end));
        let mut whole = line;
        while receiver && let Some(call) = lines.next_if(|next| next.trim_start().starts_with('.'))
        {
            whole.push_str(call.trim_start());
        }
        match whole.strip_suffix(',').and_then(split_chain) {
            Some((name, chain)) if is_long(chain) || width(&whole) > MAX_WIDTH => {
                let pad = " ".repeat(indent(&whole));
                let mut calls = chain.split('.');
                fitted.push(format!("{name}: {}", calls.next().unwrap_or_default()));
                fitted.extend(calls.map(|call| format!("{pad}    .{call}")));
                if let Some(last) = fitted.last_mut() {
                    last.push(',');
                }
            }
            _ => fitted.push(whole),
        }
    }
    fitted
}

/// Whether rustfmt breaks a chain for its own length; one that only names fields it does not.
fn is_long(chain: &str) -> bool {
    chain.ends_with(')') && width(chain) > CHAIN_WIDTH
}

/// A field's name and the chain of calls that is its value. No argument in such a chain has a dot.
fn split_chain(field: &str) -> Option<(&str, &str)> {
    let (name, chain) = field.split_once(": ")?;
    let receiver = chain.split('.').next().unwrap_or_default();
    let known = ["self", "&self", "wire"].contains(&receiver) && receiver != chain;
    (known && !is_comment(field)).then_some((name, chain))
}

/// Breaks a field's value that is a call with long arguments, one to a line.
pub(super) fn break_call(pad: &str, code: &str) -> Option<Vec<String>> {
    let (head, arguments) = code.strip_suffix("),")?.split_once(": Option::")?;
    let (function, arguments) = arguments.split_once('(')?;
    (width(arguments) > CALL_WIDTH).then(|| {
        let mut lines = vec![format!("{pad}{head}: Option::{function}(")];
        lines.extend(
            arguments
                .split(", ")
                .map(|argument| format!("{pad}    {argument},")),
        );
        lines.push(format!("{pad}),"));
        lines
    })
}

/// Breaks a field's value that is a call without arguments: within the parentheses where that is enough, else before it.
pub(super) fn break_default(line: &str) -> Option<Vec<String>> {
    let (name, call) = line.split_once(": ")?;
    let head = line.strip_suffix("),")?;
    let known = (call.starts_with("Self::default_") && call.ends_with("(),"))
        || call.ends_with("Default::default(),");
    let pad = " ".repeat(indent(line));
    (known && width(line) > MAX_WIDTH).then(|| {
        if width(head) <= MAX_WIDTH {
            vec![head.to_owned(), format!("{pad}),")]
        } else {
            vec![format!("{name}:"), format!("{pad}    {call}")]
        }
    })
}
