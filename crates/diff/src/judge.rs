//! Judges a change: by the values that it proposes, then by a search.

use std::cell::OnceCell;

use serde_json::Value;

use crate::Options;
use crate::change::{Candidate, Change, Node};
use crate::finding::{Harm, Severity, Who, Witness};
use crate::place::Step;
use crate::reach::reach;
use crate::run::{Pair, Side};
use crate::sample::Demand;
use crate::variants::{Hints, variants};
use crate::witness::{Known, judge};

/// How many objects the search for a place to start from keeps.
const STARTS: usize = 6;
/// How many objects are updated to each other.
const UPDATED: usize = 40;

/// What judges the changes of one version.
pub(crate) struct Judge<'a> {
    pub(crate) pair: &'a Pair,
    pub(crate) options: &'a Options,
    /// Whole objects that a definition accepts.
    starts: OnceCell<Vec<Value>>,
}

/// What the rest of the new schema does without a change: built when a harm is found.
struct Rest<'a> {
    judge: &'a Judge<'a>,
    change: &'a Change,
    steps: &'a [Step],
    old: &'a Value,
    pair: OnceCell<Option<Pair>>,
}

impl Rest<'_> {
    /// The harms of an object that are this change's own.
    fn own_harms(&self, object: &Value) -> Vec<Harm> {
        let pair = self.judge.pair;
        let harms = judge(pair, &Known::default(), object);
        if harms.is_empty() {
            return harms;
        }
        // Compiling a schema takes long, if it is large: what is wrong at the node itself is its
        // only change's.
        if self.change.alone && Known::of(pair, object).is_at(&instance_path(self.steps)) {
            return harms;
        }
        let reverted = self.pair.get_or_init(|| {
            let node = (self.steps, self.old);
            let side = pair.new.reverted(&pair.old, node, self.change)?;
            Some(Pair {
                old: pair.old.clone(),
                new: side,
                header: pair.header.clone(),
            })
        });
        match reverted {
            Some(reverted) => judge(pair, &Known::of(reverted, object), object),
            None => harms,
        }
    }
}

impl<'a> Judge<'a> {
    pub(crate) fn new(pair: &'a Pair, options: &'a Options) -> Self {
        Self {
            pair,
            options,
            starts: OnceCell::new(),
        }
    }

    fn rest<'r>(&'r self, change: &'r Change, node: Node<'r>, steps: &'r [Step]) -> Rest<'r> {
        Rest {
            judge: self,
            change,
            steps,
            old: node.old,
            pair: OnceCell::new(),
        }
    }

    /// Tries the values that the change proposes.
    pub(crate) fn tried(&self, change: &Change, node: Node<'_>, steps: &[Step]) -> Vec<Harm> {
        let rest = self.rest(change, node, steps);
        let mut harms = Vec::new();
        for start in &self.bases(node, steps) {
            for candidate in &change.candidates {
                let object = self.put(start, steps, candidate);
                merge(&mut harms, rest.own_harms(&object));
            }
            if !harms.is_empty() {
                break;
            }
        }
        harms
    }

    /// Searches near the least values of both schemas for somebody who is hurt. Returns also how
    /// many objects were tried.
    pub(crate) fn searched(
        &self,
        change: &Change,
        (node, steps): (Node<'_>, &[Step]),
        who: &[Who],
    ) -> (Vec<Harm>, usize) {
        let rest = self.rest(change, node, steps);
        let values = variants(&node.demand(), &change.hints, self.options.budget);
        let mut tried = 0;
        for start in &self.bases(node, steps) {
            let mut objects = Vec::new();
            for value in &values {
                if tried >= self.options.budget {
                    return (Vec::new(), tried);
                }
                tried += 1;
                let object = self.put(start, steps, &Candidate::Value(value.clone()));
                let mut harms = rest.own_harms(&object);
                harms.retain(|harm| harm.who.iter().any(|one| who.contains(one)));
                if !harms.is_empty() {
                    return (harms, tried);
                }
                if change.transition && objects.len() < UPDATED {
                    objects.push(object);
                }
            }
            if let Some(harm) = self.updated(&objects) {
                return (vec![harm], tried);
            }
        }
        (Vec::new(), tried)
    }

    /// Searches for an update that the old definition accepts and the new one refuses.
    fn updated(&self, objects: &[Value]) -> Option<Harm> {
        let pair = self.pair;
        let is_stored = |object: &&Value| {
            pair.old.refusals(object).is_empty() && pair.new.refusals(object).is_empty()
        };
        let stored: Vec<&Value> = objects.iter().filter(is_stored).collect();
        for from in &stored {
            for to in &stored {
                let after = pair.new.refusals_of_update(from, to);
                if after.is_empty() || !pair.old.refusals_of_update(from, to).is_empty() {
                    continue;
                }
                return Some(Harm {
                    who: vec![Who::Writers],
                    severity: Severity::Incompatible,
                    witness: Some(Witness {
                        object: (*to).clone(),
                        before: format!("accepted as an update of {from}"),
                        after: pair.header.refusal(&after),
                        update: None,
                    }),
                    note: String::new(),
                });
            }
        }
        None
    }

    /// The objects to start from for a node, those first that a definition accepts with the least
    /// value of the node.
    fn bases(&self, node: Node<'_>, steps: &[Step]) -> Vec<Value> {
        let starts = self.starts();
        let (Some(first), false) = (starts.first(), steps.is_empty()) else {
            return starts.to_vec();
        };
        let schemas = [node.old, node.new].into_iter().filter(|it| !it.is_null());
        let least = Candidate::Value(Demand::of(schemas).least());
        let mut bases = Vec::new();
        for side in [&self.pair.old, &self.pair.new] {
            let mut objects = starts.iter().map(|start| self.put(start, steps, &least));
            if !objects.any(|object| side.refusals(&object).is_empty()) {
                bases.extend(reach(side, &self.put(first, steps, &least), steps));
            }
        }
        bases.extend(starts.iter().cloned());
        bases
    }

    /// Whole objects to start from: the least ones, the samples, and if both definitions refuse
    /// these, some near them that one accepts. Those that both accept come first.
    fn starts(&self) -> &[Value] {
        self.starts.get_or_init(|| {
            let (old, new) = (&self.pair.old.schema, &self.pair.new.schema);
            let refused = |object: &Value| {
                let of = |side: &Side| u8::from(!side.refusals(object).is_empty());
                of(&self.pair.old) + of(&self.pair.new)
            };
            let whole = |mut object: Value| {
                self.pair.header.put(&mut object);
                object
            };
            let demands = [vec![old, new], vec![old], vec![new]];
            let least = demands.map(|schemas| whole(Demand::of(schemas).least()));
            let samples = self
                .options
                .samples
                .iter()
                .filter(|it| self.pair.header.is_of(it));
            let mut found: Vec<Value> = Vec::new();
            for object in least.into_iter().chain(samples.cloned()) {
                if !found.contains(&object) {
                    found.push(object);
                }
            }
            found.sort_by_cached_key(refused);
            let mut kept = found.clone();
            kept.retain(|object| refused(object) < 2);
            if kept.is_empty() {
                let sides = [&self.pair.old, &self.pair.new];
                let near = found
                    .iter()
                    .flat_map(|object| sides.map(|side| (side, object)));
                kept.extend(near.filter_map(|(side, object)| reach(side, object, &[])));
            }
            if kept.is_empty() {
                let mut hints = Hints::default();
                hints.read_schema(old);
                let near = variants(&Demand::of([old, new]), &hints, self.options.budget);
                let near = near.into_iter().map(whole).filter(|it| refused(it) < 2);
                kept.extend(near.take(STARTS));
            }
            match kept.is_empty() {
                true => found,
                false => kept,
            }
        })
    }

    /// An object with a value at a path.
    fn put(&self, object: &Value, steps: &[Step], candidate: &Candidate) -> Value {
        let demand = Demand::of([&self.pair.old.schema, &self.pair.new.schema]);
        let mut object = candidate.put(&demand, Some(object.clone()), steps);
        if steps.is_empty() {
            self.pair.header.put(&mut object);
        }
        object
    }
}

/// The path of the node in the objects that are built, as the server writes it.
fn instance_path(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Items => text.push_str("[0]"),
            Step::Property(name) if text.is_empty() => text.push_str(name),
            Step::Property(name) => text.push_str(&format!(".{name}")),
            Step::Values => text.push_str(".key"),
        }
    }
    text
}

/// Adds the harms to those who are not known to be hurt yet.
fn merge(harms: &mut Vec<Harm>, more: Vec<Harm>) {
    for harm in more {
        match harms.iter_mut().find(|known| known.who == harm.who) {
            Some(known) if known.severity >= harm.severity => {}
            Some(known) => *known = harm,
            None => harms.push(harm),
        }
    }
}
