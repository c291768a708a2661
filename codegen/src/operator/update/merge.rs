//! The three-way merge of texts, by lines.

use std::{collections::BTreeSet, ops::Range, path::Path};

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Both changes.
    Clean(String),
    /// Lines that both sides change in different ways are between conflict markers.
    Conflict(String),
}

const MARKERS: [&str; 4] = [
    "<<<<<<< this file\n",
    "||||||| as it was written\n",
    "=======\n",
    ">>>>>>> as this release writes it\n",
];

/// Applies to `ours` what changes between `base` and `theirs`.
///
/// Lines may be changed next to each other, as long as their order is certain: two different
/// insertions at one place are a conflict. The line endings of `ours` are kept.
#[must_use]
pub fn merge(base: &str, ours: &str, theirs: &str) -> Merged {
    let endings = ours.matches('\n').count();
    let is_crlf = endings > 0 && ours.matches("\r\n").count() == endings && !base.contains('\r');
    if !is_crlf {
        return merge_lines(base, ours, theirs);
    }
    let restored = |text: String| text.replace('\n', "\r\n");
    match merge_lines(base, &ours.replace("\r\n", "\n"), theirs) {
        Merged::Clean(text) => Merged::Clean(restored(text)),
        Merged::Conflict(text) => Merged::Conflict(restored(text)),
    }
}

/// [`merge`] of a file that a program reads: a merge that would break the syntax of its language is
/// a conflict, and so is one that declares something twice.
#[must_use]
pub fn merge_file(path: &Path, base: &str, ours: &str, theirs: &str) -> Merged {
    match merge(base, ours, theirs) {
        Merged::Clean(text) if is_worse(path, ours, &text) => {
            Merged::Conflict(between(ours, base, theirs))
        }
        merged => merged,
    }
}

/// Whether a merged text has errors that the text before does not have.
fn is_worse(path: &Path, before: &str, after: &str) -> bool {
    let extension = path.extension().and_then(|it| it.to_str());
    let is_valid: fn(&str) -> bool = match extension.unwrap_or_default() {
        "rs" => is_valid_rust,
        "toml" => |text| text.parse::<toml::Table>().is_ok(),
        "yaml" | "yml" => |text| serde_saphyr::from_multiple::<serde_json::Value>(text).is_ok(),
        _ => return false,
    };
    is_valid(before) && !is_valid(after)
}

/// Whether a file parses, and no module or function stands twice at its top level.
fn is_valid_rust(text: &str) -> bool {
    let Ok(file) = syn::parse_file(text) else {
        return false;
    };
    let mut seen = BTreeSet::new();
    file.items.iter().all(|item| match item {
        syn::Item::Mod(it) if it.attrs.is_empty() => seen.insert(("mod", it.ident.to_string())),
        syn::Item::Fn(it) if it.attrs.is_empty() => seen.insert(("fn", it.sig.ident.to_string())),
        _ => true,
    })
}

fn merge_lines(base: &str, ours: &str, theirs: &str) -> Merged {
    let [base, ours, theirs] = [base, ours, theirs].map(lines);
    let (mut left, mut right) = (Side::new(&base, ours), Side::new(&base, theirs));
    let (mut text, mut at, mut conflicts) = (String::new(), 0, false);
    while let Some(region) = next_region(&mut left, &mut right) {
        push(&mut text, base.get(at..region.start));
        at = region.end;
        let old = base.get(region.clone()).unwrap_or_default();
        let (ours, theirs) = (left.take(&region), right.take(&region));
        if ours == theirs || theirs == old {
            push(&mut text, Some(&ours));
        } else if ours == old {
            push(&mut text, Some(&theirs));
        } else {
            conflicts = true;
            text += &between(&ours.concat(), &old.concat(), &theirs.concat());
        }
    }
    push(&mut text, base.get(at..));
    match conflicts {
        false => Merged::Clean(text),
        true => Merged::Conflict(text),
    }
}

/// Three texts between conflict markers.
fn between(ours: &str, base: &str, theirs: &str) -> String {
    let [start, was, separator, end] = MARKERS;
    let whole = |text: &str| match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    };
    let (ours, base, theirs) = (whole(ours), whole(base), whole(theirs));
    format!("{start}{ours}{was}{base}{separator}{theirs}{end}")
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn push(text: &mut String, lines: Option<&[&str]>) {
    text.extend(lines.unwrap_or_default().iter().copied());
}

/// A change of lines: their range in the base, and that of the lines in their place.
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// One side of the merge, from the first change that is not merged yet.
struct Side<'t> {
    lines: Vec<&'t str>,
    changes: Vec<Change>,
    /// The first change that is not merged.
    next: usize,
    /// The number of changes before it that belong to the current region.
    taken: usize,
}

impl<'t> Side<'t> {
    fn new(base: &[&str], lines: Vec<&'t str>) -> Self {
        let ops = capture_diff_slices(Algorithm::Myers, base, &lines);
        let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
        let mut changes: Vec<Change> = Vec::new();
        for op in changed {
            let (old, new) = (op.old_range(), op.new_range());
            match changes.last_mut() {
                Some(last) if last.old.end == old.start => {
                    last.old.end = old.end;
                    last.new.end = new.end;
                }
                _ => changes.push(Change { old, new }),
            }
        }
        Self {
            lines,
            changes,
            next: 0,
            taken: 0,
        }
    }

    fn first(&self) -> Option<Range<usize>> {
        self.changes.get(self.next).map(|it| it.old.clone())
    }

    /// Extends the region by the next change, if that is about the same lines.
    fn extend(&mut self, region: &mut Range<usize>) -> bool {
        let Some(next) = self.first() else {
            return false;
        };
        let is_same = next.start < region.end || next == *region;
        if is_same {
            region.end = region.end.max(next.end);
            self.next += 1;
            self.taken += 1;
        }
        is_same
    }

    /// The lines of a region of the base, with the changes in it.
    fn take(&mut self, region: &Range<usize>) -> Vec<&'t str> {
        let changes = self.next - self.taken..self.next;
        self.taken = 0;
        let taken = self.changes.get(changes.clone()).unwrap_or_default();
        // Before the region, and within it if it has no change, lines follow the last change.
        let before = changes.start.checked_sub(1);
        let before = before.and_then(|index| self.changes.get(index));
        let base = before.map_or((0, 0), |it| (it.old.end, it.new.end));
        let start = base.1 + (region.start - base.0);
        let last = taken.last().map_or(base, |it| (it.old.end, it.new.end));
        let end = last.1 + (region.end - last.0);
        self.lines.get(start..end).unwrap_or_default().to_vec()
    }
}

/// The next lines of the base that a side changes, with all changes of both sides to them.
fn next_region(left: &mut Side<'_>, right: &mut Side<'_>) -> Option<Range<usize>> {
    let firsts = [left.first(), right.first()].into_iter().flatten();
    let mut region = firsts.min_by_key(|range| (range.start, range.end))?;
    while left.extend(&mut region) || right.extend(&mut region) {}
    Some(region)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(texts: [&str; 3], expected: &str) {
        let [base, ours, theirs] = texts;
        assert_eq!(
            merge(base, ours, theirs),
            Merged::Clean(expected.to_owned())
        );
    }

    #[test]
    fn changes_of_other_lines_come_together() {
        rows![check:
            (["a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n"], "a\nB\nc\nd\n"),
            (["a\nb\nc\n", "a\nx\nb\nc\n", "a\nc\n"], "a\nx\nc\n"),
            (["a\nb\n", "b\n", "a\n"], ""),
            (["a\n", "a\nb\n", "a\nb\n"], "a\nb\n"),
            (["a\nb\n", "A\nb\n", "a\nx\nb\n"], "A\nx\nb\n"),
            (["a\nb\n", "a", "z\na\nb\n"], "z\na"),
            (["", "a\n", ""], "a\n"),
        ];
    }

    #[test]
    fn line_endings_stay_those_of_the_file() {
        check(["a\nb\n", "a\r\nb\r\nc\r\n", "A\nb\n"], "A\r\nb\r\nc\r\n");
    }

    #[test]
    fn a_conflict_shows_all_three() {
        let expected = "a\n<<<<<<< this file\nours\n||||||| as it was written\nb\n=======\ntheirs\n>>>>>>> as this release writes it\nc\n";
        assert_eq!(
            merge("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n"),
            Merged::Conflict(expected.to_owned())
        );
    }

    #[test]
    fn a_merge_that_breaks_a_file_is_a_conflict() {
        let check = |path: &str, [base, ours, theirs]: [&str; 3]| {
            let merged = merge_file(Path::new(path), base, ours, theirs);
            assert!(matches!(merged, Merged::Conflict(_)), "{path}: {merged:?}");
        };
        check(
            "a.rs",
            [
                "fn a() {\n    if x {\n        b();\n    }\n}\n",
                "fn a() {\n        b();\n}\n",
                "fn a() {\n    if x {\n        b();\n    } else {\n        c();\n    }\n}\n",
            ],
        );
        check(
            "a.rs",
            [
                "mod a;\nmod b;\nmod c;\n",
                "mod x;\nmod a;\nmod b;\nmod c;\n",
                "mod a;\nmod b;\nmod c;\nmod x;\n",
            ],
        );
        check(
            "a.toml",
            [
                "a = 1\nb = 2\n",
                "c = 0\na = 1\nb = 2\n",
                "a = 1\nb = 2\nc = 1\n",
            ],
        );
    }

    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![Just("a\n"), Just("b\n"), Just("c\n"), Just("d\n")];
        proptest::collection::vec(line, 0..9).prop_map(|lines| lines.concat())
    }

    proptest! {
        #[test]
        fn a_side_without_changes_changes_nothing((base, other) in (text(), text())) {
            prop_assert_eq!(merge(&base, &other, &base), Merged::Clean(other.clone()));
            prop_assert_eq!(merge(&base, &base, &other), Merged::Clean(other.clone()));
            prop_assert_eq!(merge(&base, &other, &other), Merged::Clean(other));
        }

        #[test]
        fn sides_can_be_exchanged((base, ours, theirs) in (text(), text(), text())) {
            let is_clean = |merged: &Merged| matches!(merged, Merged::Clean(_));
            let (one, other) = (merge(&base, &ours, &theirs), merge(&base, &theirs, &ours));
            prop_assert_eq!(is_clean(&one), is_clean(&other));
            if is_clean(&one) {
                prop_assert_eq!(one, other);
            }
        }

        #[test]
        fn what_one_side_adds_is_there((base, ours, at) in (text(), text(), 0_usize..9)) {
            let mut theirs = lines(&base);
            theirs.insert(at.min(theirs.len()), "new\n");
            let (Merged::Clean(merged) | Merged::Conflict(merged)) =
                merge(&base, &ours, &theirs.concat());
            prop_assert_eq!(merged.matches("new\n").count(), 1);
        }
    }
}
