//! Finds the faults in a schema's CEL rules as kube-apiserver does when a CRD is created:
//! expressions, their estimated costs, and uses of `oldSelf`.
//!
//! [`walk_rules`] reports typed faults with their places. [`check_cel`](super::check_cel) words
//! them as the server does.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cel::{
    budget::{Count, MOST_OF_A_RULE, MOST_OF_ALL},
    decl::{Decl, Level},
    examine::{Found, OldSelf, Purpose, Verdict, examine, reads},
    view::SchemaView,
};
use crate::field::Path;

/// A fault in the rules of a schema.
#[derive(Debug)]
pub struct RuleFinding<'f> {
    /// The path of the schema, or of all schemas for [`RuleFault::ExpensiveTogether`].
    pub path: &'f Path<'f>,
    /// The rule and its index; `None` if the fault is in all rules of the schema.
    pub rule: Option<(usize, &'f Value)>,
    /// What is wrong.
    pub fault: RuleFault<'f>,
}

/// What is wrong with a rule.
#[derive(Debug)]
pub enum RuleFault<'f> {
    /// The schema does not specify the types of the values.
    Untyped,
    /// The expression does not compile.
    Expression(Purpose, &'f [Found<'f>]),
    /// The estimated cost of the expression exceeds the budget. The bounds would lower it: markers,
    /// and paths below the schema.
    Expensive(Purpose, u64, &'f BTreeSet<(&'static str, &'f str)>),
    /// `oldSelf` is read within this list, whose old and new items cannot be correlated.
    Uncorrelatable(&'f Path<'f>),
    /// `optionalOldSelf` has this value, and `oldSelf` is not read.
    UnusedOptional(bool),
    /// The total of all estimated costs exceeds the budget. Listed are expressions with a
    /// considerable share, the most expensive first.
    ExpensiveTogether(u64, &'f [Charge]),
}

/// The estimated cost of an expression.
#[derive(Clone, Debug)]
pub struct Charge {
    /// The cost.
    pub cost: u64,
    /// The path of the expression.
    pub path: String,
    /// The expression.
    pub expression: String,
}

/// Receives the faults.
type Report<'r> = dyn FnMut(RuleFinding<'_>) + 'r;

/// Reports the faults in the rules of a schema that has no other ones. Rules without an expression
/// are left out.
pub fn walk_rules<'s>(root: impl SchemaView<'s>, path: &Path<'_>, report: &mut Report<'_>) {
    let mut walk = Walk {
        report,
        total: 0,
        charges: Vec::new(),
    };
    walk.node(root, path, Level::Object, Stand::ROOT);
    walk.all(path);
}

/// The position of a schema.
#[derive(Clone, Copy)]
struct Stand<'p> {
    /// How many values of the schema an object can contain.
    count: Count,
    /// The first enclosing list whose old and new items cannot be correlated.
    uncorrelatable: Option<&'p Path<'p>>,
}

impl Stand<'_> {
    const ROOT: Self = Self {
        count: Count::ONE,
        uncorrelatable: None,
    };
}

struct Walk<'w, 'r> {
    report: &'w mut Report<'r>,
    total: u64,
    charges: Vec<Charge>,
}

/// A rule, its schema and its position.
struct Subject<'w> {
    path: &'w Path<'w>,
    index: usize,
    rule: &'w Value,
    decl: &'w Decl,
    stand: Stand<'w>,
}

impl<'w> Subject<'w> {
    fn text(&self, key: &str) -> &'w str {
        self.rule
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

impl Walk<'_, '_> {
    fn node<'s>(
        &mut self,
        node: impl SchemaView<'s>,
        path: &Path<'_>,
        level: Level,
        stand: Stand<'_>,
    ) {
        self.rules(node, path, level, stand);
        let within = Stand {
            count: stand.count.within(node),
            ..stand
        };
        if let Some(values) = node.additional() {
            let here = path.child("additionalProperties");
            self.node(values, &here, Level::of(values), within);
        }
        let properties = path.child("properties");
        for (name, property) in node.properties() {
            self.node(property, &properties.key(name), Level::of(property), within);
        }
        if let Some(items) = node.items() {
            let is_keyed = node.text("x-kubernetes-list-type") == "map";
            let around = within.uncorrelatable;
            let stand = Stand {
                uncorrelatable: around.or_else(|| (!is_keyed).then_some(path)),
                ..within
            };
            self.node(items, &path.child("items"), Level::of(items), stand);
        }
    }

    fn rules<'s>(
        &mut self,
        node: impl SchemaView<'s>,
        path: &Path<'_>,
        level: Level,
        stand: Stand<'_>,
    ) {
        if node.rules().is_empty() {
            return;
        }
        let Some(decl) = Decl::of(node, level, "") else {
            (self.report)(RuleFinding {
                path,
                rule: None,
                fault: RuleFault::Untyped,
            });
            return;
        };
        let rules = node.rules().iter().filter(|rule| rule.is_object());
        for (index, rule) in rules.enumerate() {
            self.rule(&Subject {
                path,
                index,
                rule,
                decl: &decl,
                stand,
            });
        }
    }

    fn rule(&mut self, subject: &Subject<'_>) {
        let expression = subject.text("rule");
        if expression.trim().is_empty() {
            return;
        }
        let compiles = self.expression(subject, Purpose::Rule, expression);
        let message = subject.text("messageExpression");
        // The server does not check the message of a rule that does not compile.
        if compiles && !message.is_empty() {
            self.expression(subject, Purpose::Message, message);
        }
        let optional = subject.rule.get("optionalOldSelf").and_then(Value::as_bool);
        let reads_old = compiles && reads(expression, "oldSelf") == Some(true);
        if let Some(list) = subject.stand.uncorrelatable.filter(|_| reads_old) {
            self.refuse(subject, RuleFault::Uncorrelatable(list));
        } else if let Some(optional) = optional.filter(|_| !reads_old) {
            self.refuse(subject, RuleFault::UnusedOptional(optional));
        }
    }

    /// Examines an expression; returns whether it compiles.
    fn expression(&mut self, subject: &Subject<'_>, purpose: Purpose, expression: &str) -> bool {
        let old = match subject.rule.get("optionalOldSelf") {
            Some(Value::Bool(true)) => OldSelf::Optional,
            _ => OldSelf::Value,
        };
        match examine(expression, purpose, old, subject.decl) {
            Verdict::Faults(faults) => {
                self.refuse(subject, RuleFault::Expression(purpose, &faults));
                return false;
            }
            Verdict::Cost(each, bounds) => {
                let (cost, key) = match purpose {
                    Purpose::Rule => {
                        let count = subject.stand.count.of(subject.decl.min_bytes);
                        (each.saturating_mul(count), "rule")
                    }
                    Purpose::Message => (each, "messageExpression"),
                };
                if cost > MOST_OF_A_RULE {
                    self.refuse(subject, RuleFault::Expensive(purpose, cost, &bounds));
                }
                self.total = self.total.saturating_add(cost);
                if cost >= MOST_OF_ALL / 100 {
                    let list = subject.path.child("x-kubernetes-validations");
                    self.charges.push(Charge {
                        cost,
                        path: list.index(subject.index).field_of(key),
                        expression: expression.to_owned(),
                    });
                }
            }
            Verdict::Unknown => {}
        }
        true
    }

    fn refuse(&mut self, subject: &Subject<'_>, fault: RuleFault<'_>) {
        (self.report)(RuleFinding {
            path: subject.path,
            rule: Some((subject.index, subject.rule)),
            fault,
        });
    }

    /// Reports that all rules together cost too much.
    fn all(mut self, path: &Path<'_>) {
        if self.total > MOST_OF_ALL {
            self.charges
                .sort_by_key(|charge| std::cmp::Reverse(charge.cost));
            (self.report)(RuleFinding {
                path,
                rule: None,
                fault: RuleFault::ExpensiveTogether(self.total, &self.charges),
            });
        }
    }
}
