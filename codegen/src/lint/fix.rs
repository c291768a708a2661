//! Changes of sources that a rule's finding is mended with: lines above that of the field.
//! Every other byte stays.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Finding, rules::Fix};
use crate::diag::Place;

/// The sources after all fixes, and the findings that they mend.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    /// New contents by path.
    pub(crate) files: BTreeMap<PathBuf, String>,
    /// How many findings are mended.
    pub(crate) count: usize,
}

/// Mends what has a fix and stands in a file as it was read. What does not — standard input, a
/// commit, YAML, several fields on a line — stays as it is.
pub(crate) fn fixed(findings: &[Finding], read: impl Fn(&Path) -> Option<String>) -> Fixed {
    let mut by_file: BTreeMap<Arc<str>, Vec<(&Place, &Fix)>> = BTreeMap::new();
    for finding in findings {
        if let (Some(place), Some(fix)) = (&finding.place, finding.fix) {
            let of_file = by_file.entry(Arc::clone(&place.file)).or_default();
            of_file.push((place, fix));
        }
    }
    let mut fixed = Fixed::default();
    for (file, fixes) in by_file {
        let path = PathBuf::from(&*file);
        let suffix = path.extension().and_then(|it| it.to_str());
        let is_source = matches!(suffix, Some("rs" | "go"));
        let Some(text) = read(&path).filter(|_| is_source) else {
            continue;
        };
        let mut edits = BTreeSet::new();
        let mut count = 0;
        for (place, fix) in fixes {
            let is_current = *place.text == *text;
            if let Some(found) = is_current.then(|| of_field(&text, place, fix)).flatten() {
                count += 1;
                edits.extend(found);
            }
        }
        if count > 0 {
            fixed.count += count;
            fixed.files.insert(path, spliced(&text, edits));
        }
    }
    fixed
}

/// A piece of a source in place of a range of it; those of one position are in the order of texts.
type Edit = ((usize, usize), String);

/// The edits for a field; `None` if something else stands before it on its line.
fn of_field(text: &str, place: &Place, fix: &Fix) -> Option<Vec<Edit>> {
    let before = text.get(..place.range.start)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let lead = before.get(start..)?;
    let indent = lead.get(..lead.len() - lead.trim_start().len())?;
    if !is_visibility(lead.trim()) {
        return None;
    }
    let ending = if before.ends_with("\r\n") || before.get(..start)?.ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let is_go = Path::new(&*place.file)
        .extension()
        .is_some_and(|it| it == "go");
    let line = if is_go { fix.go } else { fix.rust };
    let mut edits = vec![((start, start), format!("{indent}{line}{ending}"))];
    let removed = lines_above(text, start).filter(|(_, line)| {
        let comment = line.trim().trim_start_matches('/').trim();
        fix.instead_of.contains(&comment)
    });
    edits.extend(removed.map(|(range, _)| ((range.start, range.end), String::new())));
    Some(edits)
}

/// Whether a word is all that may stand before a field's name.
fn is_visibility(word: &str) -> bool {
    let rest = word.strip_prefix("pub").unwrap_or(word).trim_start();
    rest.is_empty() || word.starts_with("pub") && rest.starts_with('(') && rest.ends_with(')')
}

/// The lines of comments and attributes right above a position, bottom up.
fn lines_above(text: &str, start: usize) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut end = start;
    let above = text.get(..start).unwrap_or_default();
    let lines = above.split_inclusive('\n').rev().map(move |line| {
        end -= line.len();
        (end..end + line.len(), line)
    });
    lines.take_while(|(_, line)| line.trim_start().starts_with(['/', '#']))
}

fn spliced(text: &str, edits: BTreeSet<Edit>) -> String {
    let mut out = String::with_capacity(text.len() + 64 * edits.len());
    let mut at = 0;
    for ((start, end), insert) in edits {
        out.push_str(text.get(at..start).unwrap_or_default());
        out.push_str(&insert);
        at = end.max(at);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
