//! The JSON paths of printer columns: keys, indexes, wildcards and simple filters.

use serde_json::Value;

/// A parsed path. An invalid path matches nothing.
#[derive(Clone, Debug)]
pub(crate) struct JsonPath {
    text: String,
    steps: Option<Vec<Step>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Index(i64),
    All,
    /// `[?(@.key=="value")]`: the keys after `@`, whether the comparison is for equality, and the
    /// value.
    Filter(Vec<String>, bool, Value),
}

impl JsonPath {
    /// Parses a path such as `.status.conditions[?(@.type=="Ready")].status`.
    pub(crate) fn parse(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            steps: parse(text.trim_start_matches('{').trim_end_matches('}')),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns all matching values, in order.
    pub(crate) fn find<'a>(&self, object: &'a Value) -> Vec<&'a Value> {
        let Some(steps) = &self.steps else {
            return Vec::new();
        };
        let mut found = vec![object];
        for step in steps {
            found = found
                .into_iter()
                .flat_map(|value| apply(step, value))
                .collect();
        }
        found
    }
}

fn apply<'a>(step: &Step, value: &'a Value) -> Vec<&'a Value> {
    match (step, value) {
        (Step::Key(key), _) => value.get(key.as_str()).into_iter().collect(),
        (Step::Index(index), Value::Array(list)) => {
            let len = i64::try_from(list.len()).unwrap_or(i64::MAX);
            let at = if *index < 0 { len + index } else { *index };
            usize::try_from(at)
                .ok()
                .and_then(|at| list.get(at))
                .into_iter()
                .collect()
        }
        (Step::All, Value::Array(list)) => list.iter().collect(),
        (Step::All, Value::Object(map)) => map.values().collect(),
        (Step::Filter(keys, equal, wanted), Value::Array(list)) => list
            .iter()
            .filter(|item| {
                let found = keys.iter().try_fold(*item, |v, key| v.get(key));
                found.is_some_and(|found| (found == wanted) == *equal)
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn parse(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (step, after) = bracket(inside)?;
            steps.push(step);
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let mut key = String::new();
        let mut chars = rest.char_indices();
        let mut end = rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => key.extend(chars.next().map(|(_, c)| c)),
                '.' | '[' => {
                    end = at;
                    break;
                }
                c => key.push(c),
            }
        }
        match key.as_str() {
            "" => {}
            "*" => steps.push(Step::All),
            _ => steps.push(Step::Key(key)),
        }
        if end == 0 && !rest.starts_with('[') {
            return None;
        }
        rest = &rest[end..];
    }
    Some(steps)
}

fn bracket(inside: &str) -> Option<(Step, &str)> {
    if let Some(filter) = inside.strip_prefix("?(") {
        let end = filter.find(")]")?;
        return Some((parse_filter(&filter[..end])?, &filter[end + 2..]));
    }
    let end = inside.find(']')?;
    let (content, after) = (inside[..end].trim(), &inside[end + 1..]);
    let step = if content == "*" {
        Step::All
    } else if let Some(key) = quoted(content) {
        Step::Key(key)
    } else {
        Step::Index(content.parse().ok()?)
    };
    Some((step, after))
}

fn quoted(text: &str) -> Option<String> {
    ['\'', '"']
        .into_iter()
        .find_map(|q| text.strip_prefix(q)?.strip_suffix(q))
        .map(str::to_owned)
}

fn parse_filter(text: &str) -> Option<Step> {
    let (equal, operator) = if text.contains("==") {
        (true, "==")
    } else {
        (false, "!=")
    };
    let (left, right) = text.split_once(operator)?;
    let path = left.trim().strip_prefix('@')?;
    let keys = path
        .split('.')
        .filter(|k| !k.is_empty())
        .map(str::to_owned)
        .collect();
    let right = right.trim();
    let value = match quoted(right) {
        Some(text) => Value::String(text),
        None => serde_json::from_str(right).ok()?,
    };
    Some(Step::Filter(keys, equal, value))
}

/// Formats the matching values, separated by spaces.
pub(crate) fn print(found: &[&Value]) -> String {
    let texts: Vec<String> = found
        .iter()
        .map(|value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        })
        .collect();
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_find_keys_indexes_wildcards_and_filtered_items() {
        let object = json!({
            "spec": {"list": [{"n": 1}, {"n": 2}], "a.b": "dotted"},
            "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}]}
        });
        let check = |path: &str, expected: &str| {
            assert_eq!(
                print(&JsonPath::parse(path).find(&object)),
                expected,
                "{path}"
            );
        };
        check(".spec.list[1].n", "2");
        check(".spec.list[-1].n", "2");
        check(".spec.list[*].n", "1 2");
        check(r".spec.a\.b", "dotted");
        check(".spec['a.b']", "dotted");
        check(".status.conditions[?(@.type==\"Ready\")].status", "True");
        check(".status.conditions[?(@.type!='Ready')].status", "False");
        check(".status.none", "");
        check(".spec.list[", "");
    }
}
