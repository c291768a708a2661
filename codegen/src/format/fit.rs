//! Line breaks where rustfmt has them.
//!
//! prettyplease lays code out within 89 columns and without blank lines; rustfmt's default is 100, with limits of its own for
//! chains, attributes and headers. Emitted code is a narrow set of shapes, so a pass over the lines brings it to what
//! `rustfmt --check` accepts. The tests hold it to that for names of every length. Start reading at [`fit`].

use unicode_width::UnicodeWidthStr as _;

use super::{
    Comments,
    arms::fit_arms,
    blank::part_items,
    values::{break_call, break_default, fit_chains},
};

/// rustfmt's `max_width`.
pub(super) const MAX_WIDTH: usize = 100;
/// rustfmt's default `chain_width`.
pub(super) const CHAIN_WIDTH: usize = 60;
/// rustfmt's default `fn_call_width`.
pub(super) const CALL_WIDTH: usize = 60;
/// rustfmt's default `struct_lit_width`.
pub(super) const STRUCT_WIDTH: usize = 18;
/// rustfmt's default `attr_fn_like_width`.
const ATTRIBUTE_WIDTH: usize = 70;

/// Breaks and joins the lines of prettyplease's output as rustfmt does, and parts items by blank lines.
pub(super) fn fit(text: &str, comments: &Comments) -> String {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let lines = join_generics(join_imports(lines));
    let lines = fit_registrations(join_parentheses(lines));
    let lines = fit_chains(lines);
    let lines = lines.into_iter().flat_map(break_line).collect();
    let lines = break_headers(lines);
    let lines = fit_arms(hug_single_elements(lines));
    let mut fitted = String::with_capacity(text.len() * 2);
    for line in part_items(&lines) {
        push_line(&mut fitted, line, comments);
    }
    fitted
}

/// Writes a line, or the comment that it stands for.
fn push_line(text: &mut String, line: &str, comments: &Comments) {
    let Some(comment) = comments.of_line(line) else {
        text.push_str(line);
        text.push('\n');
        return;
    };
    let marker = line.get(..indent(line) + "///".len()).unwrap_or_default();
    // Nothing has looked at these lines as Rust: what would end the comment ends the line.
    for line in comment.iter().flat_map(|line| line.split(['\n', '\r'])) {
        text.push_str(marker);
        let line = line.trim_end_matches(' ');
        if !line.is_empty() {
            text.push(' ');
            text.push_str(line);
        }
        text.push('\n');
    }
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Columns, of which some letters have two.
pub(super) fn width(line: &str) -> usize {
    line.width()
}

pub(super) fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// The first line after `open` that has its indentation and starts with `close`, if only deeper lines stand between.
pub(super) fn closing(lines: &[String], open: usize, close: char) -> Option<usize> {
    let depth = indent(&lines[open]);
    let offset = lines[open + 1..]
        .iter()
        .position(|line| indent(line) <= depth && !line.is_empty())?;
    let index = open + 1 + offset;
    (indent(&lines[index]) == depth && lines[index].trim_start().starts_with(close))
        .then_some(index)
}

/// The lines from `open` to `close` as one, without the comma before the closing delimiter.
fn joined(lines: &[String], open: usize, close: usize) -> String {
    let inner: Vec<&str> = lines[open + 1..close]
        .iter()
        .map(|line| line.trim())
        .collect();
    let inner = inner.join(" ");
    let inner = inner.strip_suffix(',').unwrap_or(&inner);
    format!("{}{inner}{}", lines[open], lines[close].trim_start())
}

/// Joins the names of a `use` where they fit.
fn join_imports(mut lines: Vec<String>) -> Vec<String> {
    for open in (0..lines.len()).rev() {
        if !lines[open].starts_with("use ") || !lines[open].ends_with('{') {
            continue;
        }
        if let Some(close) = closing(&lines, open, '}') {
            let line = joined(&lines, open, close);
            if width(&line) <= MAX_WIDTH {
                lines.splice(open..=close, [line]);
            }
        }
    }
    lines
}

/// Joins the arguments of a generic type, innermost first, where they fit.
fn join_generics(mut lines: Vec<String>) -> Vec<String> {
    for open in (0..lines.len()).rev() {
        if !lines[open].ends_with('<') || is_comment(&lines[open]) {
            continue;
        }
        let Some(close) = closing(&lines, open, '>') else {
            continue;
        };
        let line = joined(&lines, open, close);
        // rustfmt measures a return type without the `) ` before it, and gives a brace that does not fit a line of its own,
        // as `break_line` does.
        let (line_width, limit) = match line.strip_suffix(" {") {
            // `fit_registrations` breaks these.
            _ if line.trim_start().starts_with(".register") => (0, MAX_WIDTH),
            Some(header) if line.trim_start().starts_with(')') => (width(header), MAX_WIDTH + 2),
            _ => (width(&line), MAX_WIDTH),
        };
        if line_width <= limit {
            lines.splice(open..=close, [line]);
        } else if let Some(broken) = break_alias(&line).or_else(|| break_field(&line)) {
            lines.splice(open..=close, broken);
        } else if let Some(broken) = break_return(&line) {
            lines.splice(open..=close, broken);
        } else if width(&lines[open]) > MAX_WIDTH
            && let Some((name, ty)) = lines[open].split_once(": ")
        {
            // Neither the type nor its head fits beside the name.
            let pad = " ".repeat(indent(&lines[open]) + 4);
            let mut broken = vec![format!("{name}:"), format!("{pad}{ty}")];
            let inner = &lines[open + 1..=close];
            broken.extend(inner.iter().map(|line| format!("    {line}")));
            lines.splice(open..=close, broken);
        }
    }
    lines
}

/// Lays out a chain of one call that takes no arguments and may fail, such as a registration with a scheme.
///
/// rustfmt keeps such a chain on one line where it fits, less a column for each of `?` and `;`; else it breaks before the call,
/// then within its empty parentheses, and leaves the line whole where none of it helps.
fn fit_registrations(lines: Vec<String>) -> Vec<String> {
    let mut fitted: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let receiver = fitted
            .last()
            .filter(|last| last.ends_with(|end: char| end.is_alphanumeric()) && !is_comment(last));
        let call = line.trim_start();
        let empty = call
            .strip_prefix(".register")
            .and_then(|_| line.strip_suffix(")?;"));
        let (Some(receiver), Some(open)) = (receiver, empty) else {
            fitted.push(line);
            continue;
        };
        let whole = format!("{receiver}{call}");
        if width(&whole) <= MAX_WIDTH - 2 || width(open) > MAX_WIDTH {
            fitted.pop();
            fitted.push(whole);
        } else if width(&line) < MAX_WIDTH {
            fitted.push(line);
        } else {
            let close = format!("{})?;", " ".repeat(indent(&line)));
            fitted.extend([open.to_owned(), close]);
        }
    }
    fitted
}

/// Puts what a type alias stands for on a line of its own.
fn break_alias(line: &str) -> Option<[String; 2]> {
    let code = line.trim_start();
    let alias = code.starts_with("pub type ") || code.starts_with("type ");
    break_after_equals(line).filter(|_| alias)
}

/// Puts the type of a field on a line of its own, where it fits there.
fn break_field(line: &str) -> Option<[String; 2]> {
    let (name, ty) = line.split_once(": ")?;
    let field = !name.contains(['(', '.', '"']) && ty.ends_with(',');
    let ty = format!("{}    {ty}", " ".repeat(indent(line)));
    (field && width(&ty) <= MAX_WIDTH).then(|| [format!("{name}:"), ty])
}

/// The line with what is right of `=` on a line of its own.
fn break_after_equals(line: &str) -> Option<[String; 2]> {
    let pad = " ".repeat(indent(line));
    let (left, right) = line.split_once(" = ")?;
    Some([format!("{left} ="), format!("{pad}    {right}")])
}

/// Joins the parameters of a function, the field of a tuple struct or the arguments of a call where all of it fits.
fn join_parentheses(mut lines: Vec<String>) -> Vec<String> {
    for open in (0..lines.len()).rev() {
        if !lines[open].ends_with('(') || is_comment(&lines[open]) {
            continue;
        }
        let Some(close) = closing(&lines, open, ')') else {
            continue;
        };
        let line = joined(&lines, open, close);
        let code = line.trim_start();
        if code.starts_with("#[derive(") {
            // `break_attribute` breaks these.
            lines.splice(open..=close, [line]);
            continue;
        }
        let fits = if code.starts_with("#[") {
            close == open + 2 && width(&line) < MAX_WIDTH
        } else if code.contains("fn ") || code.contains("struct ") {
            line.ends_with('{') || line.ends_with(';')
        } else {
            let arguments = width(&line) - width(&lines[open]) - width(lines[close].trim_start());
            arguments <= CALL_WIDTH || close == open + 2 && is_text(&lines[open + 1])
        };
        if fits && width(&line) <= MAX_WIDTH {
            lines.splice(open..=close, [line]);
        } else if fits
            && code.starts_with("let ")
            && let Some(broken) = break_after_equals(&line)
            && width(&broken[1]) <= MAX_WIDTH
        {
            lines.splice(open..=close, broken);
        }
    }
    lines
}

/// Whether a line is a string, which as the only argument of a call may be as long as the line.
fn is_text(line: &str) -> bool {
    line.trim_start().starts_with('"')
}

/// Breaks a line that rustfmt would not leave whole.
fn break_line(line: String) -> Vec<String> {
    if is_comment(&line) {
        return vec![line];
    }
    let pad = " ".repeat(indent(&line));
    let code = line.trim_start();
    if let Some(call) = code
        .strip_prefix("self.0.")
        .and_then(|c| c.strip_suffix(".await"))
        && width(code) > CHAIN_WIDTH
    {
        return vec![
            format!("{pad}self.0"),
            format!("{pad}    .{call}"),
            format!("{pad}    .await"),
        ];
    }
    let broken = break_struct(&pad, code)
        .or_else(|| break_attribute(&pad, code))
        .or_else(|| break_call(&pad, code))
        .or_else(|| break_default(&line));
    if let Some(broken) = broken {
        return broken;
    }
    if width(&line) > MAX_WIDTH
        && let Some(broken) = break_field(&line)
    {
        return broken.into();
    }
    if width(&line) > MAX_WIDTH
        && let Some(broken) = break_return(&line)
    {
        return broken;
    }
    let opens_type = code.starts_with("pub struct ") || code.starts_with("pub enum ");
    if width(&line) > MAX_WIDTH
        && opens_type
        && let Some(header) = line.strip_suffix(" {")
    {
        return vec![header.to_owned(), format!("{pad}{{")];
    }
    if width(&line) > MAX_WIDTH.saturating_sub(pad.len())
        && code.starts_with(')')
        && let Some(header) = line.strip_suffix(" {")
    {
        return vec![header.to_owned(), format!("{pad}{{")];
    }
    if width(&line) > MAX_WIDTH
        && (code.contains("const ") || code.starts_with("type ") || code.starts_with("pub type "))
    {
        let broken = break_after_equals(&line).map(Vec::from);
        return broken.unwrap_or_else(|| vec![line]);
    }
    vec![line]
}

/// Breaks the value of a struct with one field, which is all that fits prettyplease's line.
fn break_struct(pad: &str, code: &str) -> Option<Vec<String>> {
    let (open, close) = if code.starts_with("Ok(") {
        ("Ok(Self {", "})")
    } else {
        ("Self {", "}")
    };
    let field = code.strip_prefix(open)?.strip_suffix(close)?.trim();
    (width(field) > STRUCT_WIDTH).then(|| {
        vec![
            format!("{pad}{open}"),
            format!("{pad}    {field},"),
            format!("{pad}{close}"),
        ]
    })
}

/// Puts the brace behind a function without parameters on a line of its own where the rest fits; else what it returns, and
/// the brace after it where that is too long as well.
fn break_return(line: &str) -> Option<Vec<String>> {
    let whole = line.strip_suffix(" {")?;
    let (head, ty) = whole.split_once("() -> ")?;
    let pad = " ".repeat(indent(line));
    let brace = format!("{pad}{{");
    let returned = format!("{pad}-> {ty}");
    if !head.contains("fn ") {
        None
    } else if width(whole) <= MAX_WIDTH + 1 {
        // rustfmt counts a column less here.
        Some(vec![whole.to_owned(), brace])
    } else if width(&returned) + 2 > MAX_WIDTH.saturating_sub(pad.len()) {
        Some(vec![format!("{head}()"), returned, brace])
    } else {
        Some(vec![format!("{head}()"), format!("{returned} {{")])
    }
}

/// Breaks an attribute with a long list of arguments, one to a line; a single one is left whole where it fits the page.
fn break_attribute(pad: &str, code: &str) -> Option<Vec<String>> {
    let (name, arguments) = code
        .strip_prefix("#[")?
        .strip_suffix(")]")?
        .split_once('(')?;
    if name == "derive" {
        let inner = format!("{pad}    {arguments},");
        if pad.len() + width(code) <= MAX_WIDTH {
            return None;
        } else if width(&inner) <= MAX_WIDTH {
            return Some(vec![format!("{pad}#[derive("), inner, format!("{pad})]")]);
        }
    } else if width(arguments) <= ATTRIBUTE_WIDTH {
        return None;
    }
    let arguments = split_arguments(arguments);
    if arguments.len() == 1 && pad.len() + width(code) <= MAX_WIDTH {
        return None;
    }
    let last = arguments.len() - 1;
    let mut lines = vec![format!("{pad}#[{name}(")];
    lines.extend(arguments.iter().enumerate().map(|(index, argument)| {
        let comma = if index == last && name != "derive" {
            ""
        } else {
            ","
        };
        format!("{pad}    {argument}{comma}")
    }));
    lines.push(format!("{pad})]"));
    Some(lines)
}

/// Splits at the commas outside of strings and delimiters.
pub(super) fn split_arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut in_string, mut escaped) =
        (Vec::new(), 0, 0, false, false);
    for (index, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '(' | '[' | '{' if !in_string => depth += 1,
            ')' | ']' | '}' if !in_string => depth -= 1,
            ',' if !in_string && depth == 0 => {
                parts.push(text[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// Joins or breaks the header of an `impl` that prettyplease broke before `for`, or left too long.
fn break_headers(lines: Vec<String>) -> Vec<String> {
    let mut fitted: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let whole = match fitted.last() {
            Some(last) if line.starts_with("for ") && last.starts_with("impl") => {
                let whole = format!("{last} {line}");
                fitted.pop();
                whole
            }
            _ => line,
        };
        let parts = whole
            .split_once(" for ")
            .filter(|_| whole.starts_with("impl"));
        match parts {
            Some((left, right)) if width(&whole) > MAX_WIDTH => {
                fitted.push(left.to_owned());
                match right.strip_suffix(" {") {
                    Some(right) => fitted.extend([format!("    for {right}"), "{".to_owned()]),
                    None => fitted.push(format!("    for {right}")),
                }
            }
            _ => fitted.push(whole),
        }
    }
    fitted
}

/// Sets the braces of an array's only element beside its brackets.
fn hug_single_elements(mut lines: Vec<String>) -> Vec<String> {
    for open in (0..lines.len()).rev() {
        if !lines[open].ends_with(" = [") || !lines.get(open + 1).is_some_and(|l| l.ends_with('{'))
        {
            continue;
        }
        let (array, element) = (closing(&lines, open, ']'), closing(&lines, open + 1, '}'));
        let (Some(array), Some(element)) = (array, element) else {
            continue;
        };
        if element + 1 != array {
            continue;
        }
        let mut hugged = vec![format!("{}{}", lines[open], lines[open + 1].trim_start())];
        hugged.extend(
            lines[open + 2..element]
                .iter()
                .map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned()),
        );
        hugged.push(format!(
            "{}}}{}",
            " ".repeat(indent(&lines[open])),
            lines[array].trim_start()
        ));
        lines.splice(open..=array, hugged);
    }
    lines
}
