//! The part of Helm's templates that charts of `package` use, so that tests render charts without
//! Helm. `hack/packages.sh` renders the same charts with Helm itself.

use std::{collections::BTreeMap, path::Path};

use kube_codegen::output::yaml::to_yaml;
use serde_json::{Value, json};

use super::operator::Files;

/// Renders the chart in these files for a release. `values` are merged into those of the chart.
pub(super) fn render(chart: &Files, name: &str, namespace: &str, values: &Value) -> String {
    let read = |path: &str| -> Value { serde_saphyr::from_str(&chart[Path::new(path)]).unwrap() };
    let mut all = read("values.yaml");
    merge(&mut all, values);
    let chart_yaml = read("Chart.yaml");
    let root = json!({
        "Values": all,
        "Release": {"Name": name, "Namespace": namespace},
        "Chart": {"AppVersion": chart_yaml["appVersion"]},
    });
    let mut helm = Helm::default();
    let mut rendered = String::new();
    let templates = chart
        .iter()
        .filter(|(path, _)| path.starts_with("templates"));
    // Helpers come first, since `_` is before all letters of Kubernetes' kinds.
    let (helpers, others): (Vec<_>, Vec<_>) =
        templates.partition(|(path, _)| path.ends_with("_helpers.tpl"));
    for (path, text) in helpers.into_iter().chain(others) {
        let text = helm.template(text, &root);
        if path.extension().is_some_and(|it| it == "yaml") && !text.trim().is_empty() {
            rendered += &format!("---\n{text}\n");
        }
    }
    rendered
}

fn merge(base: &mut Value, more: &Value) {
    match (base, more) {
        (Value::Object(base), Value::Object(more)) => {
            for (key, value) in more {
                merge(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, more) => *base = more.clone(),
    }
}

/// A piece of a template.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Action(String),
}

/// Splits a template; `{{-` and `-}}` trim the white space before and after.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (action, after) = after.split_once("}}").expect("a closed action");
        let (before, action) = match action.strip_prefix('-') {
            Some(action) => (before.trim_end(), action),
            None => (before, action),
        };
        let (after, action) = match action.strip_suffix('-') {
            Some(action) => (after.trim_start(), action),
            None => (after, action),
        };
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(Piece::Action(action.trim().to_owned()));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

#[derive(Default)]
struct Helm {
    defined: BTreeMap<String, Vec<Piece>>,
    variables: BTreeMap<String, Value>,
}

/// The body of a block up to its `end`, split at its `else`.
fn block(pieces: &[Piece]) -> (&[Piece], &[Piece], &[Piece]) {
    let mut depth = 0;
    let mut middle = None;
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Action(action) = piece else {
            continue;
        };
        match action.split_whitespace().next().unwrap_or_default() {
            "if" | "with" | "range" | "define" => depth += 1,
            "else" if depth == 0 => middle = Some(index),
            "end" if depth == 0 => {
                let rest = &pieces[index + 1..];
                return match middle {
                    Some(middle) => (&pieces[..middle], &pieces[middle + 1..index], rest),
                    None => (&pieces[..index], &[], rest),
                };
            }
            "end" => depth -= 1,
            _ => {}
        }
    }
    panic!("a block has no end");
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

impl Helm {
    fn template(&mut self, text: &str, dot: &Value) -> String {
        let mut out = String::new();
        self.variables.insert("$".to_owned(), dot.clone());
        self.run(&pieces(text), dot, &mut out);
        out
    }

    fn run(&mut self, mut pieces: &[Piece], dot: &Value, out: &mut String) {
        while let Some((piece, rest)) = pieces.split_first() {
            pieces = rest;
            let action = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Action(action) => action.as_str(),
            };
            let (word, argument) = action.split_once(' ').unwrap_or((action, ""));
            match word {
                "/*" => {}
                "if" | "with" => {
                    let (body, other, rest) = block(pieces);
                    pieces = rest;
                    let value = self.pipeline(argument, dot);
                    let dot = if word == "with" { &value } else { dot };
                    self.run(if is_true(&value) { body } else { other }, dot, out);
                }
                "range" => {
                    let (body, _, rest) = block(pieces);
                    pieces = rest;
                    let items = self.pipeline(argument, dot);
                    for item in items.as_array().into_iter().flatten() {
                        self.run(body, item, out);
                    }
                }
                "define" => {
                    let (body, _, rest) = block(pieces);
                    pieces = rest;
                    let name = argument.trim_matches('"').to_owned();
                    self.defined.insert(name, body.to_vec());
                }
                variable if variable.starts_with('$') && argument.starts_with(":=") => {
                    let value = self.pipeline(argument.trim_start_matches(":="), dot);
                    self.variables.insert(variable.to_owned(), value);
                }
                _ => out.push_str(&text_of(&self.pipeline(action, dot))),
            }
        }
    }

    /// Calls between `|`: the result of each is the last argument of the next.
    fn pipeline(&mut self, text: &str, dot: &Value) -> Value {
        let mut last = None;
        for call in text.split(" | ") {
            let words = words(call);
            let mut arguments: Vec<Value> = words
                .iter()
                .skip(1)
                .map(|word| self.term(word, dot))
                .collect();
            arguments.extend(last);
            last = Some(self.call(words[0], arguments, dot));
        }
        last.unwrap()
    }

    fn call(&mut self, function: &str, arguments: Vec<Value>, dot: &Value) -> Value {
        let text = |at: usize| text_of(&arguments[at]);
        match function {
            "toYaml" => to_yaml(&arguments[0]).trim_end().into(),
            "nindent" => {
                let indent = " ".repeat(usize::try_from(arguments[0].as_u64().unwrap()).unwrap());
                let text = text(1);
                let lines = text.lines().map(|line| format!("\n{indent}{line}"));
                lines.collect::<String>().into()
            }
            "include" => {
                let body = self.defined[&text(0)].clone();
                let mut out = String::new();
                self.run(&body, &arguments[1], &mut out);
                out.into()
            }
            "or" => arguments
                .iter()
                .find(|it| is_true(it))
                .or(arguments.last())
                .unwrap()
                .clone(),
            "and" => arguments
                .iter()
                .find(|it| !is_true(it))
                .or(arguments.last())
                .unwrap()
                .clone(),
            "not" => (!is_true(&arguments[0])).into(),
            "default" => arguments[usize::from(is_true(&arguments[1]))].clone(),
            "join" => {
                let items = arguments[1].as_array().unwrap().iter().map(text_of);
                items.collect::<Vec<_>>().join(&text(0)).into()
            }
            term => self.term(term, dot),
        }
    }

    fn term(&mut self, word: &str, dot: &Value) -> Value {
        if let Some(inner) = word.strip_prefix('(') {
            return self.pipeline(inner.trim_end_matches(')'), dot);
        }
        if let Some(text) = word.strip_prefix('"') {
            return text.trim_end_matches('"').into();
        }
        if let Ok(number) = word.parse::<u64>() {
            return number.into();
        }
        let (start, path) = word.split_once('.').unwrap_or((word, ""));
        let mut value = match start {
            "" => dot,
            variable => &self.variables[variable],
        };
        for name in path.split('.').filter(|name| !name.is_empty()) {
            value = &value[name];
        }
        value.clone()
    }
}

/// The words of a call; a parenthesis is one word.
fn words(call: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = call.trim();
    while !rest.is_empty() {
        let end = match rest.chars().next() {
            Some('(') => rest.find(')').unwrap() + 1,
            Some('"') => rest[1..].find('"').unwrap() + 2,
            _ => rest.find(' ').unwrap_or(rest.len()),
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}
