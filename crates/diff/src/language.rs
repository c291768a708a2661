//! Languages of patterns: a shortest text that some patterns match and others do not.
//!
//! Patterns become lazy automata over bytes, and their product is searched breadth first, a
//! character a step. Characters that no automaton tells apart are one letter.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};

use kube_names::pattern::translate;
use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};

/// How many states of the product are visited.
const MOST_STATES: usize = 20_000;
/// How many letters beyond ASCII are told apart.
const MOST_LETTERS: usize = 1_500;
/// How many answers a thread remembers.
const MOST_ANSWERS: usize = 4_096;
/// Memory of one automaton, in bytes.
const MEMORY: usize = 8 << 20;

/// Patterns to match and not to match, the least and the largest number of characters.
type Question = (Vec<String>, Vec<String>, usize, Option<usize>);

thread_local! {
    /// Answers that were found: objects of one kind have the same texts.
    static ANSWERS: RefCell<HashMap<Question, Found>> = RefCell::default();
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A shortest text.
    Text(String),
    /// There is none.
    None,
    /// The search ended early, or a pattern is not supported.
    Unknown,
}

/// What a text has to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted<'p> {
    /// Patterns that match it.
    pub(crate) matched: Vec<&'p str>,
    /// Patterns that do not.
    pub(crate) unmatched: Vec<&'p str>,
    /// The least number of characters.
    pub(crate) least: usize,
    /// The largest number of characters.
    pub(crate) most: Option<usize>,
}

/// The state of one automaton: a pattern that has matched once stays matched.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    Matched,
    At(LazyStateID),
}

struct Automaton {
    dfa: DFA,
    cache: Cache,
    wanted: bool,
}

/// The search went beyond its budget.
struct Exhausted;

impl Automaton {
    fn new(pattern: &str, wanted: bool) -> Option<Self> {
        let is_class = |class: &str| DFA::new(class).is_ok();
        let translated = translate(pattern, &is_class).ok()?;
        let config = DFA::config()
            .cache_capacity(MEMORY)
            .skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build(&translated).ok()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache, wanted })
    }

    fn start(&mut self) -> Result<State, Exhausted> {
        let input = Input::new("");
        let start = self.dfa.start_state_forward(&mut self.cache, &input);
        start.map(State::At).map_err(|_| Exhausted)
    }

    fn step(&mut self, state: State, letter: char) -> Result<State, Exhausted> {
        let State::At(mut id) = state else {
            return Ok(state);
        };
        let mut buffer = [0; 4];
        for byte in letter.encode_utf8(&mut buffer).bytes() {
            let next = self.dfa.next_state(&mut self.cache, id, byte);
            id = next.map_err(|_| Exhausted)?;
            // States are numbered anew when the cache is cleared.
            if id.is_quit() || self.cache.clear_count() > 0 {
                return Err(Exhausted);
            }
            if id.is_match() {
                return Ok(State::Matched);
            }
        }
        Ok(State::At(id))
    }

    fn accepts(&mut self, state: State) -> Result<bool, Exhausted> {
        match state {
            State::Matched => Ok(true),
            State::At(id) => {
                let end = self.dfa.next_eoi_state(&mut self.cache, id);
                end.map(|id| id.is_match()).map_err(|_| Exhausted)
            }
        }
    }

    /// The class of a byte: the automaton does not tell bytes of one class apart.
    fn class(&self, byte: u8) -> u8 {
        self.dfa.byte_classes().get(byte)
    }
}

/// Finds a shortest text.
pub(crate) fn find(wanted: &Wanted<'_>) -> Found {
    let owned = |patterns: &[&str]| patterns.iter().map(|it| (*it).to_owned()).collect();
    let question = (
        owned(&wanted.matched),
        owned(&wanted.unmatched),
        wanted.least,
        wanted.most,
    );
    if let Some(known) = ANSWERS.with_borrow(|answers| answers.get(&question).cloned()) {
        return known;
    }
    let found = find_anew(wanted);
    ANSWERS.with_borrow_mut(|answers| {
        if answers.len() >= MOST_ANSWERS {
            answers.clear();
        }
        answers.insert(question, found.clone());
    });
    found
}

fn find_anew(wanted: &Wanted<'_>) -> Found {
    let matched = wanted.matched.iter().map(|pattern| (*pattern, true));
    let unmatched = wanted.unmatched.iter().map(|pattern| (*pattern, false));
    let automata: Option<Vec<Automaton>> = matched
        .chain(unmatched)
        .map(|(pattern, wanted)| Automaton::new(pattern, wanted))
        .collect();
    let Some(mut automata) = automata else {
        return Found::Unknown;
    };
    let (letters, complete) = letters(&automata);
    match search(&mut automata, &letters, wanted) {
        Ok(Some(text)) => Found::Text(text),
        Ok(None) if complete => Found::None,
        _ => Found::Unknown,
    }
}

fn search(
    automata: &mut [Automaton],
    letters: &[char],
    wanted: &Wanted<'_>,
) -> Result<Option<String>, Exhausted> {
    let start: Result<Vec<State>, _> = automata.iter_mut().map(Automaton::start).collect();
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(start?, String::new(), 0_usize)]);
    while let Some((states, text, length)) = queue.pop_front() {
        let mut fits = length >= wanted.least;
        for (automaton, state) in automata.iter_mut().zip(&states) {
            fits = fits && automaton.accepts(*state)? == automaton.wanted;
        }
        if fits {
            return Ok(Some(text));
        }
        if wanted.most.is_some_and(|most| length >= most) {
            continue;
        }
        for letter in letters {
            let mut next = Vec::with_capacity(states.len());
            for (automaton, state) in automata.iter_mut().zip(&states) {
                next.push(automaton.step(*state, *letter)?);
            }
            let counted = (length + 1).min(wanted.least);
            if seen.insert((next.clone(), counted)) {
                if seen.len() > MOST_STATES {
                    return Err(Exhausted);
                }
                let mut text = text.clone();
                text.push(*letter);
                queue.push_back((next, text, length + 1));
            }
        }
    }
    Ok(None)
}

/// One character of each class, those that read well first; and whether all classes are among them.
fn letters(automata: &[Automaton]) -> (Vec<char>, bool) {
    let class = |byte: u8| -> Vec<u8> { automata.iter().map(|one| one.class(byte)).collect() };
    let mut known = HashSet::new();
    let mut letters = Vec::new();
    let well_read = "a0A-._/:@ bz19BZ".chars();
    let rest = (0x21..0x7f_u8).chain(0..0x21).chain([0x7f]).map(char::from);
    for letter in well_read.chain(rest) {
        let mut buffer = [0; 4];
        let byte = letter.encode_utf8(&mut buffer).bytes().next();
        if byte.is_some_and(|byte| known.insert(class(byte))) {
            letters.push(letter);
        }
    }
    let mut complete = true;
    let mut known = HashSet::new();
    let mut bytes = |range: std::ops::RangeInclusive<u8>| -> Vec<u8> {
        known.clear();
        range.filter(|byte| known.insert(class(*byte))).collect()
    };
    // A class that ends within the bytes of a form is split there.
    let ends = bytes(0x80..=0x8f);
    let ends = [ends, bytes(0x90..=0x9f), bytes(0xa0..=0xbf)].concat();
    let leads = [bytes(0xc2..=0xdf), bytes(0xe0..=0xef), bytes(0xf0..=0xf4)].concat();
    let special = [0xe0, 0xed, 0xee, 0xf0, 0xf1, 0xf4];
    let before = letters.len();
    for lead in leads.iter().copied().chain(special) {
        let width = match lead {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        };
        let mut partial = vec![vec![lead]];
        for _ in 1..width {
            partial = partial
                .iter()
                .flat_map(|text| ends.iter().map(|end| [&text[..], &[*end]].concat()))
                .take(MOST_LETTERS * 8)
                .collect();
        }
        complete = complete && partial.len() < MOST_LETTERS * 8;
        let whole = partial.iter().filter_map(|text| str::from_utf8(text).ok());
        letters.extend(whole.filter_map(|text| text.chars().next()));
        if letters.len() - before > MOST_LETTERS {
            complete = false;
            break;
        }
    }
    (letters, complete)
}

#[cfg(test)]
mod tests {
    use super::{Found, Wanted, find};

    fn check(matched: &[&str], unmatched: &[&str], least: usize, expected: Found) {
        let wanted = Wanted {
            matched: matched.to_vec(),
            unmatched: unmatched.to_vec(),
            least,
            most: Some(64),
        };
        assert_eq!(find(&wanted), expected, "{wanted:?}");
    }

    fn text(text: &str) -> Found {
        Found::Text(text.to_owned())
    }

    #[test]
    fn a_shortest_text_of_a_difference_is_found() {
        check(&["^[a-z]+$"], &[], 0, text("a"));
        check(&["^[a-z]+$"], &[], 3, text("aaa"));
        check(&["^[a-z0-9]+$"], &["^[a-z]+$"], 0, text("0"));
        check(&["^v[0-9]+$"], &["^v[1-9][0-9]*$"], 0, text("v0"));
        check(&["a"], &["^a"], 0, text("0a"));
        check(&["^.*$"], &["^[[:ascii:]]*$"], 0, text("\u{80}"));
    }

    #[test]
    fn that_there_is_none_is_known() {
        check(&["^[a-z]+$"], &["^[a-z0-9]+$"], 0, Found::None);
        check(&["^a$"], &["a"], 0, Found::None);
        check(&["^(ab)*$"], &["^(ab|cd)*$"], 0, Found::None);
        check(&["^a?$"], &[], 2, Found::None);
        check(&["^[^/]+$"], &["."], 0, text("\n"));
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_unknown() {
        check(&["("], &[], 0, Found::Unknown);
    }
}
