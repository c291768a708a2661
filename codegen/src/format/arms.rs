//! The arms of a `match` that rebuild the variant they match, as `Clone` of an enum has them.
//!
//! prettyplease sets a body that does not fit beside its pattern in braces; rustfmt does so only where the body then fits a
//! line, or where not even its start fits beside the pattern.

use super::fit::{
    CALL_WIDTH, MAX_WIDTH, STRUCT_WIDTH, closing, indent, is_comment, split_arguments, width,
};

/// Lays out the arms of each `match self` whose bodies are variants.
pub(super) fn fit_arms(mut lines: Vec<String>) -> Vec<String> {
    for open in (0..lines.len()).rev() {
        if !lines[open].ends_with("match self {") || is_comment(&lines[open]) {
            continue;
        }
        if let Some(close) = closing(&lines, open, '}') {
            let arms = fit_match(&lines[open + 1..close]);
            lines.splice(open + 1..close, arms);
        }
    }
    lines
}

fn fit_match(lines: &[String]) -> Vec<String> {
    let depth = lines.first().map_or(0, |line| indent(line));
    let starts =
        |line: &String| indent(line) == depth && !line.trim_start().starts_with([')', '}']);
    lines
        .chunk_by(|_, next| !starts(next))
        .flat_map(|arm| fit_arm(&" ".repeat(depth), arm).unwrap_or_else(|| arm.to_vec()))
        .collect()
}

/// The arm, if it leads from one variant to another.
fn fit_arm(pad: &str, lines: &[String]) -> Option<Vec<String>> {
    let arm: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let arm = arm.join(" ").replace("( ", "(").replace(", )", ")");
    let (pattern, body) = arm.split_once(" => ")?;
    let body = body.strip_suffix(',').unwrap_or(body);
    let inner = body.strip_prefix("{ ").and_then(|b| b.strip_suffix(" }"));
    let body = Variant::parse(inner.unwrap_or(body))?;
    let mut fitted = Variant::parse(pattern)?.pattern(pad);
    let head = fitted.pop()? + " =>";

    let whole = body.whole();
    let fits = |start: &str, whole: &String| width(start) + 2 + width(whole) <= MAX_WIDTH;
    let broken = body.broken(pad);
    if let Some(whole) = whole.as_ref().filter(|whole| fits(&head, whole)) {
        fitted.push(format!("{head} {whole},"));
    } else if let Some(whole) = whole.filter(|whole| pad.len() + 4 + width(whole) <= MAX_WIDTH) {
        fitted.extend([format!("{head} {{"), format!("{pad}    {whole}")]);
        fitted.push(format!("{pad}}}"));
    } else if let [first, rest @ .., last] = broken.as_slice()
        // The closing brace is counted with the opening one.
        && width(&head) + 1 + width(first.trim_start()) + usize::from(first.ends_with('{')) <= MAX_WIDTH
    {
        fitted.push(format!("{head} {}", first.trim_start()));
        fitted.extend(rest.iter().cloned());
        fitted.push(format!("{last},"));
    } else {
        fitted.push(format!("{head} {{"));
        fitted.extend(body.broken(&format!("{pad}    ")));
        fitted.push(format!("{pad}}}"));
    }
    Some(fitted)
}

/// A variant with what it holds, as a pattern or as a value.
struct Variant<'a> {
    path: &'a str,
    /// What stands around the members; nothing where there are none.
    delimiters: [&'static str; 2],
    members: Vec<&'a str>,
}

impl<'a> Variant<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let end = text.find(['(', ' ']).unwrap_or(text.len());
        let (path, held) = text.split_at(end);
        let (delimiters, held) = match held.chars().next() {
            None => (["", ""], ""),
            Some('(') => (["(", ")"], held.strip_prefix('(')?.strip_suffix(')')?),
            Some(_) => ([" {", "}"], held.strip_prefix(" {")?.strip_suffix('}')?),
        };
        let mut members = split_arguments(held);
        members.retain(|member| !member.is_empty());
        path.starts_with("Self::").then_some(Self {
            path,
            delimiters,
            members,
        })
    }

    /// On one line.
    fn line(&self) -> String {
        let [open, close] = self.delimiters;
        let space = if close == "}" && !self.members.is_empty() {
            " "
        } else {
            ""
        };
        let members = self.members.join(", ");
        format!("{}{open}{space}{members}{space}{close}", self.path)
    }

    /// One member to a line.
    fn lines(&self, pad: &str) -> Vec<String> {
        let [open, close] = self.delimiters;
        let mut lines = vec![format!("{pad}{}{open}", self.path)];
        for member in &self.members {
            let line = format!("{pad}    {member},");
            match member.split_once('(') {
                Some((call, argument)) if width(&line) > MAX_WIDTH => lines.extend([
                    format!("{pad}    {call}("),
                    format!("{pad}        {},", argument.trim_end_matches(')')),
                    format!("{pad}    ),"),
                ]),
                _ => lines.push(line),
            }
        }
        if !close.is_empty() {
            lines.push(format!("{pad}{close}"));
        }
        lines
    }

    /// As a pattern, which leaves place for an arrow and a brace.
    fn pattern(&self, pad: &str) -> Vec<String> {
        let line = format!("{pad}{}", self.line());
        let is_long = self.delimiters[1] == "}" && width(&self.members.join(", ")) > STRUCT_WIDTH;
        if is_long || width(&line) + " => {".len() > MAX_WIDTH {
            self.lines(pad)
        } else {
            vec![line]
        }
    }

    /// As a value on one line, if it is short enough for one.
    fn whole(&self) -> Option<String> {
        let limit = if self.delimiters[1] == "}" {
            STRUCT_WIDTH
        } else {
            CALL_WIDTH
        };
        (width(&self.members.join(", ")) <= limit).then(|| self.line())
    }

    /// As a value on several lines; a call that is the only argument is opened on the first, where it fits there.
    fn broken(&self, pad: &str) -> Vec<String> {
        let [only] = self.members.as_slice() else {
            return self.lines(pad);
        };
        let opened = only.split_once('(').map(|(call, argument)| {
            let argument = argument.trim_end_matches(')');
            (format!("{pad}{}({call}(", self.path), argument)
        });
        match opened {
            Some((open, argument)) if self.delimiters[0] == "(" && width(&open) < MAX_WIDTH => {
                vec![open, format!("{pad}    {argument},"), format!("{pad}))")]
            }
            _ => self.lines(pad),
        }
    }
}
