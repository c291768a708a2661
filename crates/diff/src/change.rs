//! One difference between two schema nodes, before it is judged.

use serde_json::Value;

use crate::finding::{Harm, Severity, Who};
use crate::place::{Step, is_unset};
use crate::rules::Rule;
use crate::sample::Demand;
use crate::variants::Hints;

/// A node of both schemas.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    pub(crate) old: &'a Value,
    pub(crate) new: &'a Value,
}

impl<'a> Node<'a> {
    /// The values of a keyword; `None` if it says nothing.
    pub(crate) fn both(self, keyword: &str) -> (Option<&'a Value>, Option<&'a Value>) {
        (set(self.old, keyword), set(self.new, keyword))
    }

    /// Whether one of the keywords differs.
    pub(crate) fn differs(self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| {
            let (old, new) = self.both(keyword);
            old != new
        })
    }

    /// The conjunction of both.
    pub(crate) fn demand(self) -> Demand<'a> {
        Demand::of([self.old, self.new])
    }

    /// Whether numbers of both have no fraction.
    pub(crate) fn is_whole(self) -> bool {
        let whole = |schema: &Value| schema.get("type").is_some_and(|it| it == "integer");
        whole(self.old) || whole(self.new)
    }
}

/// The value of a keyword, unless it says nothing.
pub(crate) fn set<'v>(schema: &'v Value, keyword: &str) -> Option<&'v Value> {
    schema.get(keyword).filter(|value| !is_unset(value))
}

/// What is put at the node of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Candidate {
    /// A value.
    Value(Value),
    /// Nothing: the field is left out.
    Absent,
}

impl Candidate {
    /// Puts it at a path: into the first item of lists, and into values that the schemas demand
    /// where there are none.
    pub(crate) fn put(&self, demand: &Demand<'_>, value: Option<Value>, steps: &[Step]) -> Value {
        let Some((step, rest)) = steps.split_first() else {
            return match self {
                Self::Value(value) => value.clone(),
                Self::Absent => Value::Null,
            };
        };
        let below = demand.step(step);
        let absent = rest.is_empty() && *self == Self::Absent;
        match step {
            Step::Property(_) | Step::Values => {
                let name = match step {
                    Step::Property(name) => name.as_str(),
                    _ => "key",
                };
                let mut map = match value {
                    Some(Value::Object(map)) => map,
                    _ => demand.least().as_object().cloned().unwrap_or_default(),
                };
                let inner = map.remove(name);
                if !absent {
                    map.insert(name.to_owned(), self.put(&below, inner, rest));
                }
                Value::Object(map)
            }
            Step::Items => {
                let mut items = match value {
                    Some(Value::Array(items)) if !items.is_empty() => items,
                    _ => match demand.least() {
                        Value::Array(items) if !items.is_empty() => items,
                        _ => vec![below.least()],
                    },
                };
                if let Some(first) = items.first_mut() {
                    *first = self.put(&below, Some(first.take()), rest);
                }
                Value::Array(items)
            }
        }
    }
}

/// What follows if no candidate is a witness.
#[derive(Clone, Debug)]
pub(crate) enum Outlook {
    /// Nobody is hurt, whatever the candidates: they are not tried.
    Harmless(String),
    /// Nobody is hurt, since the candidates are all that could show it.
    Exact(String),
    /// Whether these are hurt is searched for; if no witness is found, they may be.
    Searched(Vec<Who>),
}

/// A difference.
pub(crate) struct Change {
    pub(crate) rule: &'static Rule,
    /// The keyword of the place; empty for the node.
    pub(crate) keyword: &'static str,
    pub(crate) message: String,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) outlook: Outlook,
    /// The most that a witness of it is worth.
    pub(crate) at_most: Severity,
    /// Harms that no object shows.
    pub(crate) stated: Vec<Harm>,
    /// What changes in the generated Rust type.
    pub(crate) rust: String,
    /// What the search starts from.
    pub(crate) hints: Hints,
    /// Whether nothing else differs at the node itself.
    pub(crate) alone: bool,
    /// The keywords that make the change; empty if the whole node does.
    pub(crate) reverts: Vec<String>,
    /// Whether a rule looks at the value before an update.
    pub(crate) transition: bool,
}

impl Change {
    pub(crate) fn new(
        rule: &'static Rule,
        keyword: &'static str,
        message: impl Into<String>,
        outlook: Outlook,
    ) -> Self {
        Self {
            rule,
            keyword,
            message: message.into(),
            candidates: Vec::new(),
            outlook,
            at_most: Severity::Incompatible,
            stated: Vec::new(),
            rust: String::new(),
            hints: Hints::default(),
            alone: false,
            reverts: Vec::new(),
            transition: false,
        }
    }

    /// Adds values to try.
    pub(crate) fn trying(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        let values = values.into_iter().map(Candidate::Value);
        self.candidates.extend(values);
        self
    }

    /// Says what changes in the Rust type.
    pub(crate) fn in_rust(mut self, text: impl Into<String>) -> Self {
        self.rust = text.into();
        self
    }
}

impl Outlook {
    /// Nobody is hurt by what accepts more than before.
    pub(crate) fn wider() -> Self {
        Self::Harmless("every value that was accepted still is, and has the same type".to_owned())
    }

    /// Values that were accepted are refused, unless something else refuses them.
    pub(crate) fn narrower() -> Self {
        Self::Searched(vec![Who::Stored, Who::Writers])
    }

    pub(crate) fn exact(reason: &str) -> Self {
        Self::Exact(reason.to_owned())
    }
}
