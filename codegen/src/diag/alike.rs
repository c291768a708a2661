//! Findings of one kind: those that differ only in places and in the names that they quote.

use std::{collections::BTreeMap, fmt::Write as _};

use annotate_snippets::normalize_untrusted_str;

use super::{Diagnostic, Severity};

/// The number of findings of one kind that are shown with their source.
const SHOWN: usize = 5;

/// The number of further ones that are listed.
const LISTED: usize = 50;

/// Findings of one kind, in order.
pub(super) struct Alike<'a> {
    /// Those to show; at least one.
    pub(super) shown: Vec<&'a Diagnostic>,
    /// The others.
    pub(super) others: Vec<&'a Diagnostic>,
}

impl<'a> Alike<'a> {
    fn of(mut shown: Vec<&'a Diagnostic>) -> Self {
        let others = shown.split_off(shown.len().min(SHOWN));
        Self { shown, others }
    }
}

/// Groups findings by kind; a kind comes where its first finding does.
pub(super) fn group(findings: &[Diagnostic]) -> Vec<Alike<'_>> {
    let mut groups: Vec<Vec<&Diagnostic>> = Vec::new();
    let mut known: BTreeMap<(Severity, String, Vec<String>), usize> = BTreeMap::new();
    for finding in findings {
        let help = finding.help.iter().map(|help| kind(help)).collect();
        let key = (finding.severity, kind(&finding.message), help);
        let index = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    // Few findings stay in order of place, whatever their kind.
    if groups.iter().all(|group| group.len() <= SHOWN) {
        groups = findings.iter().map(|finding| vec![finding]).collect();
    }
    groups.into_iter().map(Alike::of).collect()
}

/// The text without what it quotes, in backticks or quotation marks, and without numbers.
fn kind(text: &str) -> String {
    let mut kind = String::with_capacity(text.len());
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '`' | '"') => {
                quote = Some(c);
                kind.push(c);
            }
            None if c.is_ascii_digit() => {}
            None => kind.push(c),
        }
    }
    kind
}

/// A line for each of the findings: its place and its message. `None` without findings.
pub(super) fn places(findings: &[&Diagnostic]) -> Option<String> {
    if findings.is_empty() {
        return None;
    }
    let mut text = format!("{} more of this kind:", findings.len());
    for finding in findings.iter().take(LISTED) {
        text.push('\n');
        if let Some(label) = finding.labels.first() {
            let (line, column) = label.place.line_column();
            let file = normalize_untrusted_str(&label.place.file);
            // Writing into a String cannot fail.
            let _ = write!(text, "{file}:{line}:{column}: ");
        }
        text.push_str(&normalize_untrusted_str(&finding.message));
    }
    if let Some(more) = findings.len().checked_sub(LISTED).filter(|more| *more > 0) {
        let _ = write!(text, "\nand {more} others");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Diagnostics, Place, Style};

    fn finding(name: &str) -> Diagnostic {
        let place = Place {
            file: "crd.yaml".into(),
            text: "a: b\n".into(),
            range: 0..1,
        };
        Diagnostic::error(format!("`{name}` has no type"))
            .at(place, "")
            .help(format!("write the type of `{name}`"))
    }

    fn render(findings: Vec<Diagnostic>) -> String {
        let mut all = Diagnostics::new();
        findings.into_iter().for_each(|finding| all.push(finding));
        all.render(Style::Plain)
    }

    #[test]
    fn many_findings_of_one_kind_are_listed_by_place() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let mut findings = names.map(finding).to_vec();
        findings.insert(3, Diagnostic::warning("another"));
        let text = render(findings);
        assert_eq!(text.matches("error: ").count(), SHOWN);
        assert_eq!(text.matches("write the type of").count(), SHOWN);
        let listed = "= note: 2 more of this kind:\n          crd.yaml:1:1: `f` has no type\n          crd.yaml:1:1: `g` has no type\n";
        assert!(text.contains(listed), "{text}");
        assert!(text.trim_end().ends_with("warning: another"), "{text}");
    }

    #[test]
    fn few_findings_stay_in_their_order() {
        let text = render(vec![
            finding("a"),
            Diagnostic::warning("another"),
            finding("b"),
        ]);
        let another = text.find("another").unwrap();
        assert!(text.find("`a` has").unwrap() < another && another < text.find("`b` has").unwrap());
        assert!(!text.contains("of this kind"), "{text}");
    }

    #[test]
    fn a_long_list_ends_with_the_number_of_the_rest() {
        let findings = (0..1000).map(|index| finding(&index.to_string())).collect();
        let text = render(findings);
        assert!(text.contains("995 more of this kind:"), "{text}");
        assert!(text.contains("and 945 others"), "{text}");
        assert!(text.lines().count() < 100);
    }
}
