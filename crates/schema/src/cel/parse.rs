//! Parses an expression into a tree, within limits.
//!
//! All code that processes a tree is recursive. The depth of a tree is therefore limited to what
//! the stacks of servers and tests can hold.

use std::{ops::Range, thread};

use cel::{IdedExpr, common::ast::LiteralValue, parser::PrattParser};

use super::{
    Fault, MOST_CHARACTERS, MOST_DEEP,
    tree::{Id, Literal, Tree},
};

/// Expressions with more bytes are parsed on a separate thread: the parser builds a chain of
/// operators as deep as it is long, and only then can it be rejected as too deep.
const MOST_BYTES_HERE: usize = 500;

/// The limit of the parser's work, in bytes of source. It copies the receiver and the arguments of
/// each call.
const MOST_WORK: usize = 4_000_000;

/// The stack size of that thread, for the deepest expression of the maximum length. Only the used
/// part takes memory.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Parses an expression; returns the tree and its root.
///
/// # Errors
///
/// A syntax error, or `None` if the expression is too large to process.
pub fn parse(expression: &str) -> Result<(Tree, Id), Option<Fault<'static>>> {
    if expression.len() <= MOST_BYTES_HERE {
        return Tree::of(&parse_expr(expression)?);
    }
    let characters = expression.chars().count();
    if characters > MOST_CHARACTERS {
        return Err(Some(Fault::TooLong { characters }));
    }
    estimate(expression)?;
    on_a_large_stack(|| Tree::of(&parse_expr(expression)?)).ok_or(None)?
}

/// Returns the positions of the parts of a valid expression, in bytes, by the parser's IDs.
pub(super) fn places(expression: &str) -> impl Fn(u64) -> Option<Range<usize>> + use<> {
    // The parser returns positions only with errors; an error after the expression changes none of
    // them.
    let extended = format!("{expression}\n)");
    let read = || parser().parse(&extended).err()?.errors.pop()?.source_info;
    let found = match expression.len() <= MOST_BYTES_HERE {
        true => read(),
        false => on_a_large_stack(read).flatten(),
    };
    move |part| {
        let (start, end) = found.as_ref()?.offset_for(part)?;
        Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

/// Runs `work` on a thread with room for the deepest tree; `None` if the thread cannot be created.
fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

/// Rejects expressions that would take the parser too long: it copies each link of a call chain
/// with all links before it.
fn estimate(expression: &str) -> Result<(), Option<Fault<'static>>> {
    /// A value being scanned: its start, and the number of consecutive fields and calls.
    #[derive(Clone, Copy, Default)]
    struct Chain {
        start: usize,
        links: u16,
    }
    let bytes = expression.as_bytes();
    let (mut outer, mut chain, mut work, mut at) = (Vec::new(), Chain::default(), 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let next = Chain {
            start: at + 1,
            links: 0,
        };
        match byte {
            b'"' | b'\'' => {
                let is_raw = before.is_some_and(|byte| matches!(byte, b'r' | b'R'));
                at += text_length(rest, is_raw);
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().take_while(|byte| **byte != b'\n').count();
                continue;
            }
            b'(' | b'[' | b'{' => {
                outer.push(chain);
                chain = next;
            }
            b')' | b']' | b'}' => {
                chain = outer.pop().unwrap_or_default();
                work = work.saturating_add(at.saturating_sub(chain.start));
            }
            b'.' => chain.links += 1,
            // `a.?b` is a link like `a.b`.
            b'?' if before == Some(&b'.') => {}
            _ if b"+-*/%<>=!&|?:,".contains(&byte) => chain = next,
            _ => {}
        }
        if chain.links > MOST_DEEP {
            return Err(Some(Fault::TooDeep));
        }
        if work > MOST_WORK {
            return Err(None);
        }
        at += 1;
    }
    Ok(())
}

/// Returns the length of the string literal at the start of `bytes`, with its quotes.
fn text_length(bytes: &[u8], is_raw: bool) -> usize {
    let quote = match bytes {
        [a, b, c, ..] if a == b && b == c => 3,
        _ => 1,
    };
    let end = bytes.get(..quote).unwrap_or_default();
    let mut at = quote;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.starts_with(end) {
            return at + quote;
        }
        at += match rest.first() {
            Some(b'\\') if !is_raw => 2,
            _ => 1,
        };
    }
    bytes.len()
}

fn parser() -> PrattParser {
    PrattParser::new()
        .max_recursion_depth(MOST_DEEP)
        .enable_optional_syntax(true)
        .enable_ident_escape_syntax(true)
}

fn parse_expr(expression: &str) -> Result<IdedExpr, Fault<'static>> {
    parser().parse(expression).map_err(|errors| {
        let first = errors.errors.first();
        let (line, column) = first.map_or((1, 0), |error| error.pos);
        let message = first.map_or("not CEL", |error| error.msg.as_str());
        let message = message.lines().next().unwrap_or_default();
        Fault::Syntax {
            message: message.to_owned(),
            at: byte_of(expression, line.unsigned_abs(), column.unsigned_abs()),
        }
    })
}

/// Returns the byte at a line and a column, which count from 1; the parser's columns are bytes.
fn byte_of(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let before: usize = lines.map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

impl Literal {
    pub(super) fn of(literal: &LiteralValue) -> Self {
        match literal {
            LiteralValue::Null => Self::Null,
            LiteralValue::Boolean(value) => Self::Bool(*value.inner()),
            LiteralValue::Int(value) => Self::Int(*value.inner()),
            LiteralValue::UInt(value) => Self::Uint(*value.inner()),
            LiteralValue::Double(value) => Self::Double(*value.inner()),
            LiteralValue::String(value) => Self::String(value.inner().to_owned()),
            LiteralValue::Bytes(value) => Self::Bytes(value.inner().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::{check::Checker, eval::Program};

    fn fault(expression: &str) -> Option<String> {
        match parse(expression) {
            Ok(_) => None,
            Err(fault) => {
                Some(fault.map_or_else(|| "too large".to_owned(), |fault| fault.to_string()))
            }
        }
    }

    /// Test stacks are as large as those of a server's threads.
    #[test]
    fn the_deepest_expressions_fit_on_the_stack() {
        let macros = "[1].all(x, ".repeat(60) + "true" + &")".repeat(60);
        let mapped = "size([1].map(x, ".repeat(40) + "1" + &"))".repeat(40);
        let deepest = [
            format!("1{} > 0", " + 1".repeat(245)),
            format!("''{} == ''", ".trim()".repeat(245)),
            format!("{}false", "'' == '' ? true : ".repeat(245)),
            format!("{}true{}", "(".repeat(245), ")".repeat(245)),
            format!("{}1{} == []", "[".repeat(245), "]".repeat(245)),
            macros,
            format!("{mapped} == 1"),
        ];
        for expression in deepest {
            let (tree, root) = parse(&expression).unwrap();
            drop(Checker::run(&tree, root, Vec::new()));
            let program = Program::new(&expression).unwrap();
            drop(program.run(&[], &mut 1_000_000));
        }
    }

    #[test]
    fn parts_of_short_and_long_expressions_have_places() {
        for terms in [1, 100] {
            let expression = "a + ".repeat(terms) + "b // why";
            let (tree, root) = parse(&expression).unwrap();
            let place = places(&expression)(tree.part(root)).unwrap();
            let last = 4 * terms - 2;
            assert_eq!(place, last..last + 1);
        }
    }

    /// kube-apiserver accepts and refuses the same chains (`hack/rules.sh`), except for one or two
    /// links.
    #[test]
    fn chains_nest_and_those_of_conditions_do_not() {
        let too_deep = Some(Fault::TooDeep.to_string());
        let chains: [fn(usize) -> String; 4] = [
            |links| format!("1{} > 0", " + 1".repeat(links)),
            |links| format!("''{} == ''", ".trim()".repeat(links)),
            |links| format!("{}false", "'' == '' ? true : ".repeat(links)),
            |links| format!("self{} == 1", ".a".repeat(links)),
        ];
        for chain in chains {
            assert_eq!(fault(&chain(240)), None, "{}", chain(2));
            assert_eq!(fault(&chain(260)), too_deep, "{}", chain(2));
            assert_eq!(fault(&chain(5_000)), too_deep, "{}", chain(2));
        }
        // The parser would take a minute for these calls.
        assert_eq!(fault(&format!("''{}", ".trim()".repeat(14_000))), too_deep);
        let conditions = vec!["self.a > 0"; 1_000].join(" && ");
        assert_eq!(fault(&conditions), None);
    }

    #[test]
    fn calls_whose_copies_take_too_long_are_too_large() {
        let list = format!("[{}1]", "1,".repeat(9_000));
        let calls = |count: usize| format!("{list}{} == []", ".sort()".repeat(count));
        assert_eq!(fault(&calls(2)), None);
        assert_eq!(fault(&calls(240)).as_deref(), Some("too large"));
        let within = format!("{}{list}{}", "size(".repeat(240), ")".repeat(240));
        assert_eq!(fault(&within).as_deref(), Some("too large"));
    }

    #[test]
    fn texts_and_comments_are_no_chains() {
        for whole in [
            format!("'{}' == ''", "a.b()".repeat(1_000)),
            format!(r#""{}" == ''"#, r#"a.b()\""#.repeat(1_000)),
            format!(r"r'{}\' == ''", "a.b()".repeat(1_000)),
            format!("\"\"\"{}\"\"\" == ''", "a.b()'\"".repeat(1_000) + "."),
            format!("1 == 1 // {}", "a.b()'".repeat(1_000)),
            format!(
                "[{}] == []",
                "1.5, a.b.c(), a.?b[?0], "
                    .repeat(500)
                    .trim_end_matches(", ")
            ),
        ] {
            assert_eq!(fault(&whole), None, "{whole}");
        }
    }

    #[test]
    fn expressions_are_as_long_as_the_api_server_permits() {
        let list = |items: usize| format!("[{}1] == []", "1,".repeat(items));
        assert_eq!(fault(&list(4_000)), None);
        let limit = "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 120009, limit 100000";
        assert_eq!(fault(&list(60_000)).as_deref(), Some(limit));
    }
}
