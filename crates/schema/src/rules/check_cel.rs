//! Checks the expressions and costs of a CRD's rules, with kube-apiserver's messages.
//!
//! One difference: cel-go's names of object types depend on the current time.

use serde_json::Value;

use crate::cel::{
    Fault, Unparsed,
    budget::{Count, MOST_OF_A_RULE, MOST_OF_ALL, factor},
    decl::{Decl, Level},
    examine::{Found, OldSelf, Purpose, Verdict, examine, reads},
    fault::undeclared,
};
use crate::field::{FieldError, FieldErrorKind, Path, go_json};
use crate::props::{Props, RawAdditional};

/// The number of the most expensive expressions to report.
const NAMED: usize = 4;

/// Returns the rule violations of a schema without other violations.
pub(crate) fn check_cel(root: Props<'_>, path: &Path<'_>) -> Vec<FieldError> {
    let mut check = Check {
        errors: Vec::new(),
        total: 0,
        costs: Vec::new(),
    };
    check.node(root, path, Level::Object, Stand::ROOT);
    check.all(path)
}

/// The position of a schema.
#[derive(Clone, Copy)]
struct Stand<'p> {
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

struct Check {
    errors: Vec<FieldError>,
    total: u64,
    /// The expressions with a considerable share of the total budget, with their costs.
    costs: Vec<(u64, String)>,
}

impl Check {
    fn node(&mut self, node: Props<'_>, path: &Path<'_>, level: Level, stand: Stand<'_>) {
        self.rules(node, path, level, stand);
        let within = Stand {
            count: stand.count.within(node),
            ..stand
        };
        if let Some(RawAdditional::Schema(values)) = node.additional() {
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

    fn rules(&mut self, node: Props<'_>, path: &Path<'_>, level: Level, stand: Stand<'_>) {
        let rules = node.list("x-kubernetes-validations");
        if rules.is_empty() {
            return;
        }
        let list = path.child("x-kubernetes-validations");
        let Some(decl) = Decl::of(node, level, "") else {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: \
                          unable to convert structural schema to CEL declarations";
            self.errors.push(FieldError::new(
                list.field(),
                FieldErrorKind::Internal,
                detail,
            ));
            return;
        };
        for (i, rule) in rules.iter().filter_map(Props::new).enumerate() {
            self.rule(rule, &list.index(i), &decl, stand);
        }
    }

    fn rule(&mut self, rule: Props<'_>, path: &Path<'_>, decl: &Decl, stand: Stand<'_>) {
        let expression = rule.text("rule");
        let optional = rule.get("optionalOldSelf").and_then(Value::as_bool);
        let old = match optional {
            Some(true) => OldSelf::Optional,
            _ => OldSelf::Value,
        };
        let here = path.child("rule");
        let compiled = match examine(expression, Purpose::Rule, old, decl) {
            Verdict::Faults(faults) => {
                let detail = compile_error(expression, "cel expression", "", &faults);
                self.refuse(rule, &here, &detail);
                false
            }
            Verdict::Cost(each, _) => {
                let cost = each.saturating_mul(stand.count.of(decl.min_bytes));
                self.charge("estimated rule cost", cost, &here);
                true
            }
            Verdict::Unknown => true,
        };
        let message = rule.text("messageExpression");
        // The server does not check the message of a rule that does not compile.
        if compiled && !message.is_empty() {
            let here = path.child("messageExpression");
            match examine(message, Purpose::Message, old, decl) {
                Verdict::Faults(faults) => {
                    let kind = "messageExpression";
                    let detail = compile_error(message, kind, "messageExpression ", &faults);
                    self.refuse(rule, &here, &detail);
                }
                Verdict::Cost(cost, _) => {
                    self.charge("estimated messageExpression cost", cost, &here);
                }
                Verdict::Unknown => {}
            }
        }
        let reads_old = compiled && reads(expression, "oldSelf") == Some(true);
        if let Some(within) = stand.uncorrelatable.filter(|_| reads_old) {
            let detail = format!(
                "oldSelf cannot be used on the uncorrelatable portion of the schema within {}",
                within.render()
            );
            self.errors
                .push(FieldError::invalid(here.field(), expression, detail));
        } else if let Some(optional) = optional.filter(|_| !reads_old) {
            let detail = "may not be set if oldSelf is not used in rule";
            let field = path.field_of("optionalOldSelf");
            self.errors
                .push(FieldError::invalid(field, optional, detail));
        }
    }

    /// Reports a rule whose expression does not compile.
    fn refuse(&mut self, rule: Props<'_>, path: &Path<'_>, detail: &str) {
        let shown = shown(rule);
        self.errors.push(FieldError::new(
            path.field(),
            FieldErrorKind::Invalid,
            format!("{shown}: {detail}"),
        ));
    }

    fn charge(&mut self, what: &str, cost: u64, path: &Path<'_>) {
        if cost > MOST_OF_A_RULE {
            let detail = over_budget(what, cost, MOST_OF_A_RULE);
            self.errors
                .push(FieldError::forbidden(path.field(), detail));
        }
        self.total = self.total.saturating_add(cost);
        if cost >= MOST_OF_ALL / 100 {
            self.costs.push((cost, path.field()));
        }
    }

    /// Returns all errors, with those about costs together.
    fn all(mut self, path: &Path<'_>) -> Vec<FieldError> {
        if self.total > MOST_OF_ALL {
            self.costs.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
            for (_, field) in self.costs.drain(..).take(NAMED) {
                let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
                self.errors.push(FieldError::forbidden(field, detail));
            }
            let what =
                "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
            let detail = over_budget(what, self.total, MOST_OF_ALL);
            self.errors
                .push(FieldError::forbidden(path.field(), detail));
        }
        self.errors
    }
}

fn over_budget(what: &str, cost: u64, budget: u64) -> String {
    format!(
        "{what} exceeds budget by factor of {}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength \
         where arrays, maps, and strings are declared)",
        factor(cost, budget)
    )
}

/// Formats a rule as in errors: the server's own type, with its fields in order.
fn shown(rule: Props<'_>) -> String {
    let text = |key: &str| go_json(&rule.text(key).into());
    let or_null = |key: &str| go_json(rule.get(key).unwrap_or(&Value::Null));
    format!(
        r#"{{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},"OptionalOldSelf":{}}}"#,
        text("rule"),
        text("message"),
        text("messageExpression"),
        or_null("reason"),
        text("fieldPath"),
        or_null("optionalOldSelf"),
    )
}

fn compile_error(expression: &str, subject: &str, prefix: &str, faults: &[Found<'_>]) -> String {
    if let [Found { fault, .. }] = faults
        && matches!(fault, Fault::Outcome { .. })
    {
        return format!("{subject} {fault}");
    }
    let is_late = |one: &Found<'_>| {
        let Fault::Literal(Unparsed::Pattern { is_late, .. }) = one.fault else {
            return false;
        };
        is_late
    };
    // The first of them ends the creation of the program, which follows the checks.
    if let Some(Found { fault, .. }) = faults.first().filter(|_| faults.iter().all(is_late)) {
        return format!("program instantiation failed: {fault}");
    }
    let faults = faults.iter().filter(|one| !is_late(one));
    let issues: Vec<String> = faults.map(|fault| issue(expression, fault)).collect();
    format!("{prefix}compilation failed: {}", issues.join("\n"))
}

/// Formats a fault like cel-go.
fn issue(expression: &str, Found { fault, place }: &Found<'_>) -> String {
    let Some(place) = place else {
        return fault.to_string();
    };
    match fault {
        Fault::Syntax { message, .. } => {
            // The parser has its own wording for some of them.
            let message = message.trim_start_matches("Syntax error: ");
            placed(expression, &format!("Syntax error: {message}"), place.start)
        }
        // The server also looks up the library as a variable.
        Fault::UnknownFunction { name } if name.contains('.') => {
            let (library, function) = name.rsplit_once('.').unwrap_or_default();
            let before = expression.get(..place.start).unwrap_or_default();
            let at = before.rfind(library).unwrap_or(place.start);
            let library = placed(expression, &undeclared(library), at);
            let function = placed(expression, &undeclared(function), place.start);
            format!("{library}\n{function}")
        }
        fault => placed(
            expression,
            &fault.to_string(),
            opening(expression, place.start),
        ),
    }
}

/// Returns cel-go's position: for a call its parenthesis, where the parser here returns the function's name.
fn opening(expression: &str, at: usize) -> usize {
    let rest = expression.get(at..).unwrap_or_default();
    let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let behind = name.trim_start();
    if behind.starts_with('(') {
        expression.len() - behind.len()
    } else {
        at
    }
}

/// Formats an issue with its position, like cel-go.
fn placed(expression: &str, message: &str, at: usize) -> String {
    let (before, rest) = expression.split_at_checked(at).unwrap_or((expression, ""));
    let line = before.matches('\n').count() + 1;
    let start = before.rsplit('\n').next().unwrap_or_default();
    let end = rest.split('\n').next().unwrap_or_default();
    let text = format!("{start}{end}").replace('\t', " ");
    let column = start.chars().count();
    let is_wide = |c: char| c.len_utf8() > 1;
    let dots: String = start
        .chars()
        .map(|c| if is_wide(c) { '．' } else { '.' })
        .collect();
    let mark = if end.starts_with(is_wide) { '＾' } else { '^' };
    let column = column + 1;
    format!("ERROR: <input>:{line}:{column}: {message}\n | {text}\n | {dots}{mark}")
}
