//! Adds lines to the user's Rust files or removes them, and keeps every other byte.
//!
//! The file is not reformatted, and no comments mark the positions. Removal compares tokens, so
//! that the code may have been moved or reformatted in the meantime. Adding what exists and
//! removing what does not are no-ops; removing what was added restores the original.

use std::{cmp::Ordering, ops::Range};

use quote::ToTokens;
use syn::{Block, Expr, File, Item, Stmt, UseTree, spanned::Spanned};

use super::lines::{line_end, line_end_past_comment, line_start, newline, with_newlines};

/// Why a file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is not valid Rust.
    #[error("it is not valid Rust: {0}")]
    Syntax(String),
    /// The module for the line does not exist, or is in another file.
    #[error("it has no `mod {0} {{ … }}`")]
    NoModule(String),
    /// The function for the statement does not exist.
    #[error("it has no `fn {0}`")]
    NoFunction(String),
    /// The type for the marker does not exist.
    #[error("it has no `struct {0}`")]
    NoType(String),
    /// The list for the item is not written in block style with one item per line.
    #[error("its `{0}` is not a list with one item per line")]
    NoList(String),
    /// The macro with the table of metrics is not there.
    #[error("it has no `{0}! {{ … }}` with a group in braces")]
    NoTable(String),
    /// The dependency has no list of features to add to.
    #[error("its dependency `{0}` has no list of features")]
    NoFeatures(String),
}

impl From<syn::Error> for EditError {
    fn from(error: syn::Error) -> Self {
        Self::Syntax(error.to_string())
    }
}

/// Adds a module declaration or a `use`, in name order among items of its kind.
///
/// `within` names the enclosing inline modules, outermost first.
///
/// # Errors
///
/// [`EditError`].
pub fn add_item(text: &str, within: &[&str], item: &str) -> Result<String, EditError> {
    let file = parse(text)?;
    let new: Item = syn::parse_str(item)?;
    let scope = Scope::find(&file, text, within)?;
    let siblings: Vec<&Item> = scope.siblings(&new).collect();
    if siblings.iter().any(|sibling| same(*sibling, &new)) {
        return Ok(text.to_owned());
    }
    let lines = indented(item, within.len());
    let is_block = lines.trim_end().contains('\n');
    let name = sort_name(&new);
    let before = siblings
        .iter()
        .rev()
        .find(|sibling| in_order(&new, &sort_name(sibling), &name) == Ordering::Less);
    if let Some(before) = before {
        return Ok(insert_after(text, range(before), &lines, is_block));
    }
    if let Some(first) = siblings.first() {
        let first = with_comments(text, 0, range(first));
        return Ok(insert_before(text, first, &lines, is_block));
    }
    match (scope.items.first(), scope.items.last()) {
        (Some(first), _) if matches!((first, &new), (Item::Use(_), Item::Mod(_))) => {
            let first = with_comments(text, 0, range(first));
            Ok(insert_before(text, first, &lines, true))
        }
        (_, Some(last)) => Ok(insert_after(text, range(last), &lines, true)),
        (_, None) => Ok(insert_at_end(text, &scope, &lines)),
    }
}

/// Removes an item that [`add_item`] added, unless it got attributes or doc comments.
///
/// # Errors
///
/// [`EditError::Syntax`].
pub fn remove_item(text: &str, within: &[&str], item: &str) -> Result<String, EditError> {
    let file = parse(text)?;
    let old: Item = syn::parse_str(item)?;
    let Ok(scope) = Scope::find(&file, text, within) else {
        return Ok(text.to_owned());
    };
    let Some(found) = scope.siblings(&old).find(|sibling| same(*sibling, &old)) else {
        return Ok(text.to_owned());
    };
    let is_block = item.trim_end().contains('\n');
    let is_alone = scope.siblings(&old).count() == 1;
    Ok(remove(text, range(found), is_block || is_alone))
}

/// The position of a statement in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// After the first statement.
    Start,
    /// Before the function's tail expression or final `return`.
    End,
}

/// Adds a statement to a function.
///
/// # Errors
///
/// [`EditError`].
pub fn add_statement(
    text: &str,
    (function, at): (&str, At),
    statement: &str,
) -> Result<String, EditError> {
    let file = parse(text)?;
    let new = parse_statement(statement)?;
    let block = function_block(&file, function)?;
    if block.stmts.iter().any(|old| same(old, &new)) {
        return Ok(text.to_owned());
    }
    let lines = indented(statement, 1);
    let first = block.stmts.first().filter(|first| !ends(first));
    if let Some(first) = first.filter(|_| at == At::Start) {
        return Ok(insert_after(text, range(first), &lines, false));
    }
    match block.stmts.split_last() {
        Some((tail, before)) if ends(tail) => {
            let after = before
                .last()
                .map_or(block.brace_token.span.open().byte_range().end, |last| {
                    range(last).end
                });
            let tail = with_comments(text, after, range(tail));
            Ok(insert_before(text, tail, &lines, false))
        }
        Some((last, _)) => Ok(insert_after(text, range(last), &lines, false)),
        None => {
            let open = block.brace_token.span.open().byte_range();
            Ok(insert_after(text, open, &lines, false))
        }
    }
}

/// Removes a statement that [`add_statement`] added.
///
/// # Errors
///
/// [`EditError::Syntax`].
pub fn remove_statement(text: &str, function: &str, statement: &str) -> Result<String, EditError> {
    let file = parse(text)?;
    let old = parse_statement(statement)?;
    let Ok(block) = function_block(&file, function) else {
        return Ok(text.to_owned());
    };
    let found = block.stmts.iter().find(|statement| same(*statement, &old));
    Ok(found.map_or_else(
        || text.to_owned(),
        |found| remove(text, range(found), false),
    ))
}

/// Whether the source declares a module of this name within others, inline or in a separate file.
///
/// # Errors
///
/// [`EditError::Syntax`].
pub fn has_module(text: &str, within: &[&str], name: &str) -> Result<bool, EditError> {
    let file = parse(text)?;
    let Ok(scope) = Scope::find(&file, text, within) else {
        return Ok(false);
    };
    Ok(scope.module(name).is_some())
}

/// Whether the module is empty.
///
/// # Errors
///
/// [`EditError`].
pub fn is_empty(text: &str, within: &[&str]) -> Result<bool, EditError> {
    let file = parse(text)?;
    Ok(Scope::find(&file, text, within)?.items.is_empty())
}

/// The items of a file or of an inline module.
struct Scope<'a> {
    items: &'a [Item],
    /// The position of the closing brace, or the end of the file.
    end: usize,
}

impl<'a> Scope<'a> {
    fn find(file: &'a File, text: &str, within: &[&str]) -> Result<Self, EditError> {
        let mut scope = Self {
            items: &file.items,
            end: text.len(),
        };
        for name in within {
            let module = scope.module(name).and_then(|module| match module {
                Item::Mod(module) => module.content.as_ref(),
                _ => None,
            });
            let (brace, items) = module.ok_or_else(|| EditError::NoModule((*name).to_owned()))?;
            scope = Self {
                items,
                end: brace.span.close().byte_range().start,
            };
        }
        Ok(scope)
    }

    fn module(&self, name: &str) -> Option<&'a Item> {
        let is_it =
            |item: &&Item| matches!(item, Item::Mod(module) if unraw(&module.ident) == name);
        self.items.iter().find(is_it)
    }

    /// The items of the same kind as `of`.
    fn siblings(&self, of: &Item) -> impl Iterator<Item = &'a Item> {
        let sort = std::mem::discriminant(of);
        let items = self.items.iter();
        items.filter(move |item| std::mem::discriminant(*item) == sort)
    }
}

fn function_block<'a>(file: &'a File, name: &str) -> Result<&'a Block, EditError> {
    let mut functions = file.items.iter().filter_map(|item| match item {
        Item::Fn(function) if function.sig.ident == name => Some(&*function.block),
        _ => None,
    });
    functions
        .next()
        .ok_or_else(|| EditError::NoFunction(name.to_owned()))
}

pub(super) fn parse(text: &str) -> Result<File, EditError> {
    if text.starts_with('\u{feff}') || text.starts_with("#!") && !text.starts_with("#![") {
        // syn strips both, so its positions would be off.
        return Err(EditError::Syntax(
            "it starts with a byte order mark or a shebang line".to_owned(),
        ));
    }
    Ok(syn::parse_file(text)?)
}

fn parse_statement(text: &str) -> Result<Stmt, EditError> {
    let block: Block = syn::parse_str(&format!("{{ {text} }}"))?;
    let mut statements = block.stmts.into_iter();
    statements
        .next()
        .ok_or_else(|| EditError::Syntax("an empty statement".to_owned()))
}

/// Whether a statement ends its function: the tail expression, or a `return`.
const fn ends(last: &Stmt) -> bool {
    match last {
        Stmt::Expr(value, semicolon) => semicolon.is_none() || matches!(value, Expr::Return(_)),
        Stmt::Macro(value) => value.semi_token.is_none(),
        Stmt::Item(_) | Stmt::Local(_) => false,
    }
}

/// Whether two nodes have the same tokens.
fn same(a: &impl ToTokens, b: &impl ToTokens) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}

pub(super) fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

pub(super) fn unraw(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

/// The name by which rustfmt sorts the item.
fn sort_name(item: &Item) -> String {
    match item {
        Item::Mod(module) => unraw(&module.ident),
        Item::Use(import) => first_name(&import.tree),
        _ => String::new(),
    }
}

fn first_name(tree: &UseTree) -> String {
    match tree {
        UseTree::Path(path)
            if matches!(path.ident.to_string().as_str(), "self" | "super" | "crate") =>
        {
            first_name(&path.tree)
        }
        UseTree::Path(path) => unraw(&path.ident),
        UseTree::Name(name) => unraw(&name.ident),
        UseTree::Rename(rename) => unraw(&rename.ident),
        UseTree::Glob(_) | UseTree::Group(_) => String::new(),
    }
}

/// Compares two names among items of the kind of `item`, in the order of rustfmt's 2024 style.
fn in_order(item: &Item, a: &str, b: &str) -> Ordering {
    match item {
        Item::Use(_) => by_version(a, b),
        _ => a.cmp(b),
    }
}

/// Compares in version order: digits by numeric value, and `_` first.
pub(super) fn by_version(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| {
        let mut parts = Vec::new();
        let mut number = String::new();
        for c in text.chars() {
            if c.is_ascii_digit() {
                number.push(c);
                continue;
            }
            if !number.is_empty() {
                parts.push(Part::of(&std::mem::take(&mut number)));
            }
            parts.push(if c == '_' {
                Part::Underscore
            } else {
                Part::Char(c)
            });
        }
        if !number.is_empty() {
            parts.push(Part::of(&number));
        }
        parts
    };
    parts(a).cmp(&parts(b))
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Underscore,
    Number(usize, String),
    Char(char),
}

impl Part {
    fn of(digits: &str) -> Self {
        let plain = digits.trim_start_matches('0');
        Self::Number(plain.len(), plain.to_owned())
    }
}

/// Indents lines; the result ends in a newline.
fn indented(lines: &str, depth: usize) -> String {
    let indent = "    ".repeat(depth);
    let lines = lines.trim_end().lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("{indent}{line}\n"),
    });
    lines.collect()
}

/// Extends a node by the comment lines directly above it, down to `after`. Comments at the top of a
/// file belong to the file.
pub(super) fn with_comments(text: &str, after: usize, node: Range<usize>) -> Range<usize> {
    let Some(own) = line_start(text, node.start) else {
        return node;
    };
    let mut start = own;
    while let Some(end) = start.checked_sub(1) {
        let above = text[..end].rfind('\n').map_or(0, |end| end + 1);
        let line = text[above..end].trim_start();
        if above < after || !line.starts_with("//") || line.starts_with("//!") {
            break;
        }
        start = above;
    }
    let start = if start == 0 { own } else { start };
    start..node.end
}

pub(super) fn spliced(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

/// Inserts lines after a node, preceded by a blank line if `apart`.
fn insert_after(text: &str, node: Range<usize>, lines: &str, apart: bool) -> String {
    let Some(end) = line_end_past_comment(text, node.end) else {
        return spliced(text, node.end..node.end, &format!(" {}", lines.trim()));
    };
    let blank = if apart { "\n" } else { "" };
    if text[..end].ends_with('\n') {
        let lines = with_newlines(&format!("{blank}{lines}"), text);
        return spliced(text, end..end, &lines);
    }
    let lines = with_newlines(&format!("\n{blank}{}", lines.trim_end()), text);
    spliced(text, end..end, &lines)
}

/// Inserts lines before a node, followed by a blank line if `apart`.
pub(super) fn insert_before(text: &str, node: Range<usize>, lines: &str, apart: bool) -> String {
    let Some(start) = line_start(text, node.start) else {
        return spliced(text, node.start..node.start, &format!("{} ", lines.trim()));
    };
    let blank = if apart { "\n" } else { "" };
    let lines = with_newlines(&format!("{lines}{blank}"), text);
    spliced(text, start..start, &lines)
}

/// Inserts lines at the end of a scope without items.
fn insert_at_end(text: &str, scope: &Scope<'_>, lines: &str) -> String {
    if scope.end == text.len() {
        let lines = match text {
            "" => lines.to_owned(),
            text if text.ends_with('\n') => format!("\n{lines}"),
            _ => format!("\n\n{}", lines.trim_end()),
        };
        return text.to_owned() + &with_newlines(&lines, text);
    }
    match line_start(text, scope.end) {
        Some(start) => spliced(text, start..start, &with_newlines(lines, text)),
        None => spliced(text, scope.end..scope.end, lines.trim()),
    }
}

/// Removes a node with its line, and an adjacent blank line if `apart`.
fn remove(text: &str, node: Range<usize>, apart: bool) -> String {
    let (Some(start), Some(end)) = (line_start(text, node.start), line_end(text, node.end)) else {
        return remove_within_line(text, node);
    };
    let before = &text[..start];
    if !text[..end].ends_with('\n') {
        // The last line has no newline, so remove the preceding one.
        let kept = before.strip_suffix('\n').unwrap_or(before);
        let kept = kept.strip_suffix('\r').unwrap_or(kept);
        let is_blank = apart && kept.ends_with('\n');
        let kept = if is_blank {
            kept.trim_end_matches(['\n', '\r'])
        } else {
            kept
        };
        return kept.to_owned();
    }
    if !apart {
        return spliced(text, start..end, "");
    }
    let newline = newline(text);
    let blank_before = before
        .strip_suffix(newline)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'));
    if blank_before {
        spliced(text, start - newline.len()..end, "")
    } else if text[end..].starts_with(newline) {
        spliced(text, start..end + newline.len(), "")
    } else {
        spliced(text, start..end, "")
    }
}

/// Removes a node from a line with other content, and the space on one side.
fn remove_within_line(text: &str, node: Range<usize>) -> String {
    if text[..node.start].ends_with(' ') {
        spliced(text, node.start - 1..node.end, "")
    } else if text[node.end..].starts_with(' ') {
        spliced(text, node.start..node.end + 1, "")
    } else {
        spliced(text, node, "")
    }
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
