//! The lines of blocks, indented as Markdown wants what belongs to a list item.

use super::{
    blocks::{Block, Body},
    inline::escape,
    list::Number,
    marks::indent,
    wrap,
};

/// Returns the lines of a description's blocks.
pub(super) fn write(blocks: &[Block<'_>]) -> Vec<String> {
    let numbered = numbered(blocks);
    let mut lines = Vec::new();
    let mut before: Option<&Block<'_>> = None;
    // The indentation of what belongs to the items around a block, outermost first.
    let mut margins = vec![0];
    for (index, block) in blocks.iter().enumerate() {
        margins.truncate(block.depth + 1);
        let margin = " ".repeat(margins.last().copied().unwrap_or_default());
        let number = numbered.get(index).copied().flatten();
        let is_first = number.is_some_and(|number| number.starts_apart);
        if before.is_some_and(|before| is_first || is_apart(before, block)) {
            lines.push(String::new());
        }
        match &block.body {
            Body::Paragraph(words) => wrap(words, &margin, &margin, &mut lines),
            Body::Heading { level, words } => {
                let text = escape(words).join(" ");
                lines.push(format!("{} {text}", "#".repeat(*level)));
            }
            Body::Quote(words) => wrap(words, "> ", "> ", &mut lines),
            Body::Item { number: own, words } => {
                let marker = number.map_or("- ".to_owned(), |number| number.marker());
                let rest = margin.len() + marker.len();
                // A number that Markdown would count anew is text.
                let text = own.filter(|_| number.is_none()).map(|own| own.as_text());
                let first = format!("{margin}{marker}{}", text.unwrap_or_default());
                wrap(words, &first, &" ".repeat(rest), &mut lines);
                margins.push(rest);
            }
            Body::Code(code) => write_code(code, &margin, &mut lines),
        }
        before = Some(block);
    }
    lines
}

/// Whether a blank line separates a block from the previous one. There is none between items of a list, nor between a paragraph or an
/// item and the list or code that follows it.
const fn is_apart(before: &Block<'_>, block: &Block<'_>) -> bool {
    match (&before.body, &block.body) {
        (Body::Item { .. } | Body::Paragraph(_), Body::Item { .. }) => false,
        (Body::Code(_), Body::Item { .. }) => before.depth == 0,
        (Body::Paragraph(_), Body::Code(_)) => before.depth != block.depth,
        (Body::Item { .. }, Body::Code(_)) => block.depth == 0,
        _ => true,
    }
}

fn write_code(code: &[&str], margin: &str, lines: &mut Vec<String>) {
    let indents = code.iter().filter(|line| !line.trim().is_empty());
    let least = indents.map(|line| indent(line)).min().unwrap_or(0);
    lines.push(format!("{margin}```text"));
    lines.extend(code.iter().map(|line| {
        let line = line.get(least..).unwrap_or_default().replace("```", "'''");
        format!("{margin}{line}").trim_end().to_owned()
    }));
    lines.push(format!("{margin}```"));
}

/// The number of an item in a list that Markdown numbers in the same way.
#[derive(Clone, Copy)]
struct Listed {
    number: Number,
    /// Whether a blank line must precede it: a list that starts with another number than 1 does not end a paragraph.
    starts_apart: bool,
}

impl Listed {
    fn marker(self) -> String {
        format!("{}{} ", self.number.value, self.number.end)
    }
}

impl Number {
    /// The number as text at the start of an item.
    fn as_text(self) -> String {
        format!("{}\\{} ", self.value, self.end)
    }
}

/// Returns the numbers of the items in lists that count from their first number, or whose numbers are all 1; the others skip or repeat
/// numbers, which Markdown does not.
fn numbered(blocks: &[Block<'_>]) -> Vec<Option<Listed>> {
    let mut listed = vec![None; blocks.len()];
    // The list at each depth: the index and the number of each of its items.
    let mut lists: Vec<Vec<(usize, Number)>> = Vec::new();
    let mut close = |lists: &mut Vec<Vec<(usize, Number)>>, depth: usize| {
        for list in lists.drain(depth.min(lists.len())..) {
            if !counts(&list) {
                continue;
            }
            for (at, (index, number)) in list.into_iter().enumerate() {
                let starts_apart = at == 0 && number.value != 1;
                if let Some(slot) = listed.get_mut(index) {
                    *slot = Some(Listed {
                        number,
                        starts_apart,
                    });
                }
            }
        }
    };
    for (index, block) in blocks.iter().enumerate() {
        let Body::Item { number, .. } = block.body else {
            close(&mut lists, block.depth);
            continue;
        };
        close(&mut lists, block.depth + 1);
        let end = lists
            .get(block.depth)
            .and_then(|list| list.last())
            .map(|(_, last)| last.end);
        if end != number.map(|number| number.end) {
            close(&mut lists, block.depth);
        }
        lists.resize_with(block.depth + 1, Vec::new);
        if let (Some(number), Some(list)) = (number, lists.last_mut()) {
            list.push((index, number));
        }
    }
    close(&mut lists, 0);
    listed
}

fn counts(list: &[(usize, Number)]) -> bool {
    let steps = |step: u32| {
        list.windows(2)
            .all(|pair| matches!(pair, [(_, a), (_, b)] if a.value + step == b.value))
    };
    steps(1) || list.iter().all(|(_, number)| number.value == 1)
}
