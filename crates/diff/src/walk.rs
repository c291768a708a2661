//! Walks both schemas of a version, and reports each change.

use serde_json::{Map, Value, json};

use crate::Options;
use crate::change::{Candidate, Change, Node, Outlook, set};
use crate::finding::{Finding, Harm, Severity, Who};
use crate::judge::Judge;
use crate::keywords::{self, shown};
use crate::place::{Pointer, Step, list, path_text};
use crate::rules;
use crate::run::Pair;
use crate::sample::Demand;
use crate::variants::{Hints, variants};

/// The comparison of one version.
pub(crate) struct Walk<'a> {
    judge: Judge<'a>,
    pub(crate) crd: &'a str,
    pub(crate) version: &'a str,
    /// Where the schemas are in their CRDs.
    pub(crate) old_root: Pointer,
    pub(crate) new_root: Pointer,
    found: Vec<Finding>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        pair: &'a Pair,
        options: &'a Options,
        (crd, version): (&'a str, &'a str),
        (old_root, new_root): (Pointer, Pointer),
    ) -> Self {
        Self {
            judge: Judge::new(pair, options),
            crd,
            version,
            old_root,
            new_root,
            found: Vec::new(),
        }
    }

    /// Compares the schemas.
    pub(crate) fn run(mut self) -> Vec<Finding> {
        let (old, new) = (&self.judge.pair.old.schema, &self.judge.pair.new.schema);
        self.node(Node { old, new }, &mut Vec::new());
        self.found
    }

    fn node(&mut self, node: Node<'_>, steps: &mut Vec<Step>) {
        if node.old == node.new {
            return;
        }
        for change in keywords::compare(node) {
            self.judged(change, node, steps);
        }
        if node.differs(&["type"]) && set(node.old, "type").is_some() {
            // Parts of another type have nothing in common.
            return;
        }
        self.properties(node, steps);
        self.others(node, steps);
        let items = (node.old.get("items"), node.new.get("items"));
        if let (Some(old), Some(new)) = items {
            self.below(Node { old, new }, Step::Items, steps);
        } else if items.0 != items.1 {
            let message = format!("`items`: {} → {}", shown(items.0), shown(items.1));
            let outlook = Outlook::Searched(vec![Who::Stored, Who::Writers, Who::Data]);
            let mut change = Change::new(rules::KEYWORD_CHANGED, "items", message, outlook);
            change.reverts = vec!["items".to_owned()];
            self.judged(change, node, steps);
        }
    }

    fn below(&mut self, node: Node<'_>, step: Step, steps: &mut Vec<Step>) {
        steps.push(step);
        self.node(node, steps);
        steps.pop();
    }

    fn properties(&mut self, node: Node<'_>, steps: &mut Vec<Step>) {
        let empty = Map::new();
        let of = |schema: &'_ Value| {
            let found = schema.get("properties").and_then(Value::as_object);
            found.cloned()
        };
        let (old, new) = (of(node.old), of(node.new));
        let (old, new) = (
            old.as_ref().unwrap_or(&empty),
            new.as_ref().unwrap_or(&empty),
        );
        for (name, schema) in old {
            match new.get(name) {
                Some(other) => {
                    let below = Node {
                        old: schema,
                        new: other,
                    };
                    self.below(below, Step::Property(name.clone()), steps);
                }
                None => self.gone(node, (name, schema), new, steps),
            }
        }
        for (name, schema) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            self.come(node, (name, schema), steps);
        }
    }

    /// A field that is gone.
    fn gone(
        &mut self,
        parent: Node<'_>,
        (name, schema): (&str, &Value),
        now: &Map<String, Value>,
        steps: &mut Vec<Step>,
    ) {
        let outlook = match keeps_unknown(parent.new) {
            true => Outlook::exact(
                "its values are kept, as those of a field that the schema does not name",
            ),
            false => Outlook::Searched(vec![Who::Data]),
        };
        let mut message = "the field is gone".to_owned();
        let before = parent.old.get("properties");
        let mut alike = now.iter().filter(|(name, other)| {
            before.is_none_or(|it| it.get(name.as_str()).is_none()) && same_type(schema, other)
        });
        if let (Some((other, _)), None) = (alike.next(), alike.next()) {
            message.push_str(&format!(
                "; `{other}` is new and has its type: renaming a field loses its data"
            ));
        }
        let mut change = Change::new(rules::FIELD_REMOVED, "", message, outlook);
        change.alone = true;
        let values = variants(&Demand::of([schema]), &Hints::default(), 12);
        let required = list(parent.old, &["required"]).iter().any(|it| it == name);
        change = change.trying(values);
        if required {
            change.candidates.push(Candidate::Absent);
        }
        change.rust =
            "the generated struct loses the field; code that names it does not compile".to_owned();
        let node = Node {
            old: schema,
            new: &Value::Null,
        };
        steps.push(Step::Property(name.to_owned()));
        self.judged(change, node, steps);
        steps.pop();
    }

    /// A field that is new.
    fn come(&mut self, parent: Node<'_>, (name, schema): (&str, &Value), steps: &mut Vec<Step>) {
        let outlook = match keeps_unknown(parent.old) {
            true => Outlook::Searched(vec![Who::Stored, Who::Writers]),
            false => Outlook::Harmless(
                "no stored object has it: the old schema pruned it, and old clients ignore it"
                    .to_owned(),
            ),
        };
        let default = schema.get("default").filter(|it| !it.is_null());
        let message = match default {
            Some(default) => format!(
                "the field is new, with the default {}",
                shown(Some(default))
            ),
            None => "the field is new".to_owned(),
        };
        let mut change = Change::new(rules::FIELD_ADDED, "", message, outlook);
        let values = [json!("a"), json!(1), json!(true), json!({}), json!([])];
        change = change.trying(values).trying([json!({"unlisted": "value"})]);
        change.rust =
            "the generated struct gains a field: literals without `..` do not compile".to_owned();
        let node = Node {
            old: &Value::Null,
            new: schema,
        };
        steps.push(Step::Property(name.to_owned()));
        self.judged(change, node, steps);
        steps.pop();
    }

    /// The fields that are not named.
    fn others(&mut self, node: Node<'_>, steps: &mut Vec<Step>) {
        let (old, new) = node.both("additionalProperties");
        if let (Some(old), Some(new)) = (old, new)
            && old.is_object()
            && new.is_object()
        {
            self.below(Node { old, new }, Step::Values, steps);
        } else if old != new {
            let message = format!("`additionalProperties`: {} → {}", shown(old), shown(new));
            let outlook = match old {
                None => Outlook::Searched(vec![Who::Stored, Who::Writers]),
                Some(_) => Outlook::Searched(vec![Who::Data, Who::Stored, Who::Writers]),
            };
            let keyword = "additionalProperties";
            let mut change = Change::new(rules::UNKNOWN_FIELDS_CHANGED, keyword, message, outlook);
            change.reverts = vec![keyword.to_owned()];
            let mut values = Vec::new();
            let below = [old, new].into_iter().flatten().filter(|it| it.is_object());
            let least = Demand::of(below).least();
            for inner in [least, json!("a"), json!(1), json!({"unlisted": "value"})] {
                let mut value = node.demand().least();
                if let Some(map) = value.as_object_mut() {
                    map.insert("unlisted".to_owned(), inner);
                    values.push(value);
                }
            }
            self.judged(change.trying(values), node, steps);
        }
    }

    /// Judges a change, and reports it.
    fn judged(&mut self, change: Change, node: Node<'_>, steps: &[Step]) {
        let mut harms = change.stated.clone();
        let mut reason = String::new();
        match &change.outlook {
            Outlook::Harmless(why) => reason.clone_from(why),
            Outlook::Exact(why) => {
                harms.extend(self.judge.tried(&change, node, steps));
                reason.clone_from(why);
            }
            Outlook::Searched(who) => {
                let mut found = self.judge.tried(&change, node, steps);
                let mut tried = change.candidates.len();
                if found.is_empty() && !who.is_empty() {
                    let (more, count) = self.judge.searched(&change, (node, steps), who);
                    found = more;
                    tried += count;
                }
                if found.is_empty() && !who.is_empty() {
                    harms.push(self.unshown(who, tried));
                }
                harms.extend(found);
            }
        }
        for harm in &mut harms {
            harm.severity = harm.severity.min(change.at_most);
        }
        if !harms.is_empty() {
            reason.clear();
        }
        let finding = Finding {
            rule: change.rule,
            crd: self.crd.to_owned(),
            version: self.version.to_owned(),
            path: path_text(steps),
            old: pointer_to(
                &self.old_root,
                steps,
                change.keyword,
                &self.judge.pair.old.schema,
            ),
            new: pointer_to(
                &self.new_root,
                steps,
                change.keyword,
                &self.judge.pair.new.schema,
            ),
            message: change.message,
            harms,
            reason,
            rust: change.rust,
        };
        self.found.push(finding);
    }

    fn unshown(&self, who: &[Who], tried: usize) -> Harm {
        let note = if self.judge.pair.old.faults().is_empty() {
            format!("no witness: {tried} objects were tried; other constraints may exclude it")
        } else {
            "no witness: kube-apiserver refuses the old schema, so no object can be run through it"
                .to_owned()
        };
        Harm::stated(who, Severity::Risk, note)
    }
}

/// Whether fields that the schema does not name are kept.
fn keeps_unknown(schema: &Value) -> bool {
    let additional = schema.get("additionalProperties");
    set(schema, "x-kubernetes-preserve-unknown-fields").is_some()
        || additional.is_some_and(|it| it.is_object() || it == &json!(true))
}

fn same_type(one: &Value, other: &Value) -> bool {
    let keys = [
        "type",
        "format",
        "items",
        "properties",
        "additionalProperties",
    ];
    keys.iter().all(|key| match (one.get(key), other.get(key)) {
        (Some(a), Some(b)) => without_texts(a) == without_texts(b),
        (a, b) => a.is_none() && b.is_none(),
    })
}

fn without_texts(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(name, _)| *name != "description");
            Value::Object(
                kept.map(|(name, value)| (name.clone(), without_texts(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// The place of a keyword, or else of its node; `None` if the schema has no such node.
fn pointer_to(root: &Pointer, steps: &[Step], keyword: &str, schema: &Value) -> Option<Pointer> {
    let mut pointer = root.clone();
    let mut node = schema;
    for step in steps {
        node = step.of(node)?;
        pointer.extend(step.keys().into_iter().map(str::to_owned));
    }
    if !keyword.is_empty() && node.get(keyword).is_some() {
        pointer.push(keyword.to_owned());
    }
    Some(pointer)
}
