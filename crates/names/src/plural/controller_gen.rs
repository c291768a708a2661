//! controller-gen's plural of a kind: the rules of `github.com/gobuffalo/flect` v1.0.3, applied to
//! the kind's last word.

use super::words::{ACRONYMS, ENDS, Used, WORDS, Word};

/// The plural that controller-gen gives a kind in a CRD, in lower case: `virtualmachines`,
/// `indices`, `scaletriggers`.
///
/// [`plural`](super::plural) is the rule of client-gen, which differs for about one kind in ten:
/// client-gen's clients of an `Index` ask for `indexes`.
#[must_use]
pub fn controller_gen_plural(kind: &str) -> String {
    let Some(last) = words(kind).pop() else {
        return String::new();
    };
    let lower = last.to_lowercase();
    let plural = |word: &str| WORDS.iter().find(|known| known.singular == word);
    if let Some(known) = plural(kind) {
        return known.plural.to_lowercase();
    }
    if is_plural(kind) || is_plural(&lower) {
        return kind.to_lowercase();
    }
    let replaced = |plural: &str| {
        // A word that stands otherwise in the kind (`Tls` is `TLS`) is not replaced but added to:
        // flect does so.
        let stem = kind.strip_suffix(last.as_str()).unwrap_or(kind);
        format!("{stem}{plural}").to_lowercase()
    };
    if let Some(known) = plural(&lower) {
        return replaced(known.plural);
    }
    // Later words come before earlier ones, and words before ends.
    let compounds = WORDS.iter().rev().filter(|word| word.used != Used::Alone);
    let compounds = compounds.map(|word| (word.singular, word.plural));
    for (singular, plural) in compounds.chain(ENDS) {
        if last.ends_with(plural) {
            return kind.to_lowercase();
        }
        if let Some(stem) = last.strip_suffix(singular) {
            return replaced(&format!("{stem}{plural}"));
        }
    }
    if lower.ends_with('s') {
        return kind.to_lowercase();
    }
    format!("{kind}s").to_lowercase()
}

/// Whether a word is a plural of the table already.
fn is_plural(word: &str) -> bool {
    let both_ways = WORDS.iter().filter(|known| known.used != Used::OneWay);
    let plurals = |known: &Word| known.plural == word || known.other == Some(word);
    both_ways.into_iter().any(plurals)
}

/// The words of a name in camel case, of which acronyms are in capitals.
fn words(name: &str) -> Vec<String> {
    let capitals = name.to_uppercase();
    if ACRONYMS.contains(&capitals.as_str()) {
        return vec![capitals];
    }
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut after_capital = false;
    for c in name.chars() {
        let separates = matches!(c, '_' | ':' | '-' | '/') || c.is_whitespace();
        let begins = c.is_uppercase() && (!after_capital || is_acronym(&word));
        if separates || begins {
            words.push(std::mem::take(&mut word));
        }
        if !separates {
            word.push(c);
        }
        after_capital = c.is_uppercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    for word in &mut words {
        if is_acronym(word) {
            *word = word.to_uppercase();
        }
    }
    words
}

fn is_acronym(word: &str) -> bool {
    ACRONYMS.contains(&word.to_uppercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by hack/plurals.sh, from flect itself.
    #[test]
    fn plurals_are_those_of_flect() {
        let table = include_str!("controller_gen.tsv");
        let mut kinds = 0;
        for line in table.lines() {
            let (kind, plural) = line.split_once('\t').unwrap();
            assert_eq!(controller_gen_plural(kind), plural, "plural of {kind}");
            kinds += 1;
        }
        assert!(kinds > 600, "{kinds} kinds");
    }

    #[test]
    fn foreign_names_do_not_panic() {
        for name in ["", "-", "\u{e9}", "Stra\u{df}e", "\u{130}", "\u{1f680}"] {
            let _ = controller_gen_plural(name);
        }
    }
}
