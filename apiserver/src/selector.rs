//! Label and field selectors, with the parsing and the messages of `k8s.io/apimachinery`.

use serde_json::Value;

use crate::metadata::object::text;
use crate::status::ApiError;
use crate::store::stored::Labels;
use kube_names::{label_key_faults, label_value_faults};

/// One requirement of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Requirement {
    Exists(String),
    NotExists(String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    GreaterThan(String, i64),
    LessThan(String, i64),
}

/// A parsed `labelSelector`. The empty selector matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector(Vec<Requirement>);

impl LabelSelector {
    /// Parses a `labelSelector` parameter.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let mut lexer = Lexer::new(text);
        let mut requirements = Vec::new();
        lexer.skip_space();
        while !lexer.done() {
            requirements.push(parse_requirement(&mut lexer).map_err(|why| {
                ApiError::bad_request(format!("unable to parse requirement: {why}"))
            })?);
            lexer.skip_space();
            if lexer.done() {
                break;
            }
            if !lexer.take(',') {
                let found = lexer.word();
                return Err(ApiError::bad_request(format!(
                    "found '{found}', expected: ',' or 'end of string'"
                )));
            }
            lexer.skip_space();
            if lexer.done() {
                return Err(ApiError::bad_request(
                    "found '', expected: identifier after ','",
                ));
            }
        }
        Ok(Self(requirements))
    }

    /// Builds a selector from an object's `matchLabels` and `matchExpressions`. An unknown operator
    /// matches nothing.
    pub(crate) fn of(selector: &Value) -> Self {
        let labels = selector["matchLabels"].as_object().into_iter().flatten();
        let labels = labels.map(|(key, value)| {
            let value = value.as_str().unwrap_or_default().to_owned();
            Requirement::In(key.clone(), vec![value])
        });
        let expressions = selector["matchExpressions"].as_array();
        let expressions = expressions.into_iter().flatten().map(|expression| {
            let key = text(expression, &["key"]).to_owned();
            let values = expression["values"].as_array().into_iter().flatten();
            let values = values
                .filter_map(|v| v.as_str().map(str::to_owned))
                .collect();
            match text(expression, &["operator"]) {
                "In" => Requirement::In(key, values),
                "NotIn" => Requirement::NotIn(key, values),
                "Exists" => Requirement::Exists(key),
                "DoesNotExist" => Requirement::NotExists(key),
                _ => Requirement::In(key, Vec::new()),
            }
        });
        Self(labels.chain(expressions).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a set of labels meets every requirement.
    pub(crate) fn matches(&self, labels: &Labels) -> bool {
        self.0.iter().all(|requirement| match requirement {
            Requirement::Exists(key) => labels.get(key).is_some(),
            Requirement::NotExists(key) => labels.get(key).is_none(),
            Requirement::In(key, values) => contains(values, labels.get(key)),
            Requirement::NotIn(key, values) => !contains(values, labels.get(key)),
            Requirement::GreaterThan(key, bound) => {
                number(labels.get(key)).is_some_and(|n| n > *bound)
            }
            Requirement::LessThan(key, bound) => {
                number(labels.get(key)).is_some_and(|n| n < *bound)
            }
        })
    }
}

fn contains(values: &[String], value: Option<&str>) -> bool {
    value.is_some_and(|value| values.iter().any(|v| v == value))
}

fn number(text: Option<&str>) -> Option<i64> {
    text.and_then(|t| t.parse().ok())
}

fn parse_requirement(lexer: &mut Lexer<'_>) -> Result<Requirement, String> {
    let negated = lexer.take('!');
    lexer.skip_space();
    let key = lexer.word();
    check_key(&key)?;
    lexer.skip_space();
    if negated {
        return Ok(Requirement::NotExists(key));
    }
    match lexer.operator() {
        "" => {}
        "=" | "==" => return Ok(Requirement::In(key, vec![exact_value(lexer)?])),
        "!=" => return Ok(Requirement::NotIn(key, vec![exact_value(lexer)?])),
        ">" => return Ok(Requirement::GreaterThan(key, integer(lexer)?)),
        "<" => return Ok(Requirement::LessThan(key, integer(lexer)?)),
        other => {
            return Err(format!(
                "found '{other}', expected: in, notin, =, ==, !=, gt, lt"
            ));
        }
    }
    if lexer.done() || lexer.peek() == Some(',') {
        return Ok(Requirement::Exists(key));
    }
    let word = lexer.word();
    match word.as_str() {
        "in" => Ok(Requirement::In(key, value_list(lexer)?)),
        "notin" => Ok(Requirement::NotIn(key, value_list(lexer)?)),
        other => Err(format!(
            "found '{other}', expected: in, notin, =, ==, !=, gt, lt"
        )),
    }
}

fn exact_value(lexer: &mut Lexer<'_>) -> Result<String, String> {
    lexer.skip_space();
    let value = lexer.word();
    if value.is_empty() && !(lexer.done() || lexer.peek() == Some(',')) {
        return Err(format!(
            "found '{}', expected: identifier",
            lexer.peek().unwrap_or_default()
        ));
    }
    check_value(&value)?;
    Ok(value)
}

fn integer(lexer: &mut Lexer<'_>) -> Result<i64, String> {
    lexer.skip_space();
    let value = lexer.word();
    value.parse().map_err(|_| {
        format!(
            "values[0]: Invalid value: \"{value}\": for 'Gt', 'Lt' operators, the value must be an integer"
        )
    })
}

fn value_list(lexer: &mut Lexer<'_>) -> Result<Vec<String>, String> {
    lexer.skip_space();
    if !lexer.take('(') {
        return Err(format!("found '{}' expected: '('", lexer.word()));
    }
    let mut values = Vec::new();
    loop {
        lexer.skip_space();
        let value = lexer.word();
        check_value(&value)?;
        values.push(value);
        lexer.skip_space();
        if lexer.take(')') {
            return Ok(values);
        }
        if !lexer.take(',') {
            return Err(format!("found '{}', expected: ',' or ')'", lexer.word()));
        }
    }
}

fn check_key(key: &str) -> Result<(), String> {
    let faults = label_key_faults(key);
    if faults.is_empty() {
        return Ok(());
    }
    let faults = faults.join("; ");
    Err(format!("<nil>: Invalid value: \"{key}\": {faults}"))
}

fn check_value(value: &str) -> Result<(), String> {
    let faults = label_value_faults(value);
    if faults.is_empty() {
        return Ok(());
    }
    let faults = faults.join("; ");
    Err(format!(
        "values[0][{value}]: Invalid value: \"{value}\": {faults}"
    ))
}

struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn new(rest: &'a str) -> Self {
        Self { rest }
    }

    fn done(&self) -> bool {
        self.rest.is_empty()
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn split(&mut self, stop: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(stop).unwrap_or(self.rest.len());
        let (head, rest) = self.rest.split_at(end);
        self.rest = rest;
        head
    }

    fn word(&mut self) -> String {
        self.split(|c: char| c.is_whitespace() || "=!(),<>".contains(c))
            .to_owned()
    }

    fn operator(&mut self) -> &'static str {
        for operator in ["==", "!=", "=", ">", "<", "!"] {
            if let Some(rest) = self.rest.strip_prefix(operator) {
                self.rest = rest;
                return operator;
            }
        }
        ""
    }
}

/// One term of a field selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldTerm {
    pub(crate) field: String,
    pub(crate) value: String,
    pub(crate) equal: bool,
}

/// A parsed `fieldSelector`. The empty selector matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSelector(pub(crate) Vec<FieldTerm>);

impl FieldSelector {
    /// Parses a `fieldSelector` parameter: `a=b,c!=d`, with `\` before a literal comma, equals sign
    /// or backslash.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let mut terms = Vec::new();
        for term in split_escaped(text).into_iter().filter(|t| !t.is_empty()) {
            let (field, operator, value) = split_term(&term).ok_or_else(|| {
                ApiError::bad_request(format!(
                    "invalid selector: '{text}'; can't understand '{term}'"
                ))
            })?;
            terms.push(FieldTerm {
                field: field.to_owned(),
                value: unescape(value),
                equal: operator != "!=",
            });
        }
        Ok(Self(terms))
    }

    /// Requires a value of a field, besides what the selector asks for.
    pub(crate) fn require(&mut self, field: &str, value: &str) {
        self.0.push(FieldTerm {
            field: field.to_owned(),
            value: value.to_owned(),
            equal: true,
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn split_escaped(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        if c == ',' && !escaped {
            terms.push(String::new());
            continue;
        }
        escaped = c == '\\' && !escaped;
        if let Some(last) = terms.last_mut() {
            last.push(c);
        }
    }
    terms
}

fn split_term(term: &str) -> Option<(&str, &str, &str)> {
    let at = term.find(['=', '!'])?;
    let rest = &term[at..];
    ["!=", "==", "="]
        .into_iter()
        .find(|operator| rest.starts_with(operator))
        .map(|operator| (&term[..at], operator, &rest[operator.len()..]))
}

fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' {
            chars.next().unwrap_or(c)
        } else {
            c
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Labels {
        Labels::of(
            &serde_json::json!({"metadata": {"labels": {"app": "web", "tier": "front", "n": "5"}}}),
        )
    }

    #[test]
    fn label_selectors_match_as_kubectl_documents_them() {
        let check = |selector: &str, expected: bool| {
            let parsed = LabelSelector::parse(selector).unwrap();
            assert_eq!(parsed.matches(&labels()), expected, "{selector}");
        };
        check("", true);
        check("app=web", true);
        check("app == web, tier!=back", true);
        check("app in (web, db),tier notin (front)", false);
        check("app", true);
        check("!app", false);
        check("!gone", true);
        check("gone!=x", true);
        check("n>4", true);
        check("n<5", false);
        check("app=", false);
    }

    #[test]
    fn malformed_label_selectors_are_bad_requests() {
        for selector in [
            "app=web tier=x",
            "app in web",
            "=x",
            "app=a b",
            "a,",
            "x=?",
            "n>x",
        ] {
            let error = LabelSelector::parse(selector).unwrap_err();
            assert_eq!(error.code, 400, "{selector}");
        }
    }

    #[test]
    fn field_selectors_split_on_unescaped_commas() {
        let parsed = FieldSelector::parse(r"metadata.name=a\,b,spec.x!=c").unwrap();
        assert_eq!(parsed.0[0].value, "a,b");
        assert!(!parsed.0[1].equal);
        assert_eq!(FieldSelector::parse("nonsense").unwrap_err().code, 400);
    }
}
