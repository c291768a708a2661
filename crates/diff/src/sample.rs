//! Small values that schemas permit.
//!
//! A [`Demand`] is a conjunction of schemas: a node of the old and of the new CRD, with their
//! `allOf` and the first branches of `anyOf` and `oneOf`. Its least value satisfies all of them
//! where that can be told; running the schemas over the object decides.

use serde_json::{Map, Number, Value, json};

use crate::language::{Found, Wanted, find};
use crate::place::{Step, list, text};

/// How deep values are nested.
const DEPTH: usize = 24;
/// The longest list of a large value.
const LONG: usize = 64;
/// The largest length that is built.
const LONGEST: usize = 20_000;

/// Schemas that hold together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demand<'s> {
    pub(crate) schemas: Vec<&'s Value>,
}

impl<'s> Demand<'s> {
    /// Creates the conjunction of schemas and of what they combine.
    pub(crate) fn of(schemas: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut demand = Self::default();
        for schema in schemas {
            demand.add(schema, 0);
        }
        demand
    }

    fn add(&mut self, schema: &'s Value, depth: usize) {
        self.schemas.push(schema);
        if depth > 4 {
            return;
        }
        for branch in list(schema, &["allOf"]) {
            self.add(branch, depth + 1);
        }
        for key in ["anyOf", "oneOf"] {
            // A branch that only names types says nothing beside the node's own type.
            let mut branches = list(schema, &[key]).iter();
            if let Some(branch) = branches.find(|branch| branch.get("type").is_none()) {
                self.add(branch, depth + 1);
            }
        }
    }

    /// The conjunction for a part.
    pub(crate) fn step(&self, step: &Step) -> Self {
        match step {
            Step::Property(name) => self.property(name),
            Step::Items => self.below("items"),
            Step::Values => self.below("additionalProperties"),
        }
    }

    /// Another value than the least one, where that is easy.
    pub(crate) fn second(&self) -> Value {
        self.nth(1, 0)
    }

    /// A value with all fields to a depth, and one item in each list and map.
    pub(crate) fn full(&self, depth: usize) -> Value {
        let least = self.least();
        if depth == 0 {
            return least;
        }
        match least {
            Value::Object(mut map) => {
                let named = self
                    .schemas
                    .iter()
                    .filter_map(|it| it.get("properties")?.as_object());
                for name in named.flat_map(|it| it.keys()) {
                    let value = self.property(name).full(depth - 1);
                    map.insert(name.clone(), value);
                }
                let values = self.below("additionalProperties");
                if !values.schemas.is_empty() {
                    map.insert("key".to_owned(), values.full(depth - 1));
                }
                Value::Object(map)
            }
            Value::Array(items) if items.len() < 2 => {
                let item = self.below("items");
                match item.schemas.is_empty() {
                    true => Value::Array(items),
                    false => Value::Array(vec![item.full(depth - 1)]),
                }
            }
            other => other,
        }
    }

    /// A value with all fields to a depth, and lists as long as they may be, up to a limit.
    pub(crate) fn largest(&self, depth: usize) -> Value {
        let mut value = self.full(depth);
        self.lengthen(&mut value);
        value
    }

    fn lengthen(&self, value: &mut Value) {
        match value {
            Value::Array(items) => {
                let most = self.at_most("maxItems").unwrap_or(LONG).min(LONG);
                let item = items.first().cloned();
                let item = item.unwrap_or_else(|| self.below("items").least());
                *items = vec![item; most];
            }
            Value::Object(map) => {
                for (name, value) in map {
                    self.property(name).lengthen(value);
                }
            }
            _ => {}
        }
    }

    /// The conjunction for a property.
    fn property(&self, name: &str) -> Self {
        let below = self.schemas.iter().filter_map(|schema| {
            let named = schema.get("properties").and_then(|it| it.get(name));
            named.or_else(|| {
                schema
                    .get("additionalProperties")
                    .filter(|it| it.is_object())
            })
        });
        Self::of(below)
    }

    fn below(&self, key: &str) -> Self {
        let below = self.schemas.iter().filter_map(|schema| schema.get(key));
        Self::of(below.filter(|it| it.is_object()))
    }

    /// The type that is demanded first; empty for any.
    pub(crate) fn type_name(&self) -> &'s str {
        let is_either =
            |schema: &Value| schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
        if self.schemas.iter().any(|schema| is_either(schema)) {
            let named = self.schemas.iter().map(|schema| text(schema, &["type"]));
            return named
                .into_iter()
                .find(|it| !it.is_empty())
                .unwrap_or("integer");
        }
        let mut names = self.schemas.iter().map(|schema| text(schema, &["type"]));
        names.find(|name| !name.is_empty()).unwrap_or_default()
    }

    fn numbers(&self, key: &str) -> impl Iterator<Item = f64> {
        let found = self.schemas.iter().filter_map(|it| it.get(key)?.as_f64());
        found.collect::<Vec<_>>().into_iter()
    }

    /// The largest of the counts that a keyword demands at least.
    pub(crate) fn at_least(&self, key: &str) -> usize {
        let counts = self.schemas.iter().filter_map(|it| it.get(key)?.as_u64());
        let most = counts.max().and_then(|count| usize::try_from(count).ok());
        most.unwrap_or_default().min(LONGEST)
    }

    /// The smallest of the counts that a keyword demands at most.
    pub(crate) fn at_most(&self, key: &str) -> Option<usize> {
        let counts = self.schemas.iter().filter_map(|it| it.get(key)?.as_u64());
        counts.min().and_then(|count| usize::try_from(count).ok())
    }

    /// The listed values that all enumerations have, or those of the first one.
    pub(crate) fn listed(&self) -> Vec<&'s Value> {
        let lists: Vec<&[Value]> = self.schemas.iter().map(|it| list(it, &["enum"])).collect();
        let mut lists = lists.into_iter().filter(|it| !it.is_empty());
        let Some(first) = lists.next() else {
            return Vec::new();
        };
        let others: Vec<&[Value]> = lists.collect();
        let shared = first
            .iter()
            .filter(|it| others.iter().all(|list| list.contains(it)));
        let shared: Vec<&Value> = shared.collect();
        match shared.is_empty() {
            true => first.iter().collect(),
            false => shared,
        }
    }

    /// The properties that must be there.
    pub(crate) fn required(&self) -> Vec<&'s str> {
        let named = self.schemas.iter().flat_map(|it| list(it, &["required"]));
        let mut names: Vec<&str> = named.filter_map(Value::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The patterns that a text must match.
    pub(crate) fn patterns(&self) -> Vec<&'s str> {
        let patterns = self.schemas.iter().map(|it| text(it, &["pattern"]));
        let mut patterns: Vec<&str> = patterns.filter(|it| !it.is_empty()).collect();
        patterns.dedup();
        patterns
    }

    /// The least value.
    pub(crate) fn least(&self) -> Value {
        self.value(0)
    }

    fn value(&self, depth: usize) -> Value {
        if let Some(listed) = self.listed().first() {
            return (*listed).clone();
        }
        let default = self.schemas.iter().find_map(|it| it.get("default"));
        if let Some(default) = default.filter(|it| !it.is_null() && !it.is_object()) {
            return default.clone();
        }
        match self.type_name() {
            "object" if depth < DEPTH => self.object(depth),
            "object" => json!({}),
            "array" if depth < DEPTH => self.array(depth),
            "array" => json!([]),
            "boolean" => json!(false),
            "integer" => self.number(true),
            "number" => self.number(false),
            "string" => Value::String(self.string()),
            _ if self.has_properties() && depth < DEPTH => self.object(depth),
            _ => json!(0),
        }
    }

    fn has_properties(&self) -> bool {
        let mut all = self.schemas.iter();
        all.any(|it| it.get("properties").is_some() || it.get("required").is_some())
    }

    fn object(&self, depth: usize) -> Value {
        let mut object = Map::new();
        for name in self.required() {
            object.insert(name.to_owned(), self.property(name).value(depth + 1));
        }
        let least = self.at_least("minProperties");
        let optional = self.schemas.iter().filter_map(|it| it.get("properties"));
        let optional = optional
            .filter_map(Value::as_object)
            .flat_map(|it| it.keys());
        for name in optional {
            if object.len() >= least {
                break;
            }
            if !object.contains_key(name) {
                object.insert(name.clone(), self.property(name).value(depth + 1));
            }
        }
        let values = self.below("additionalProperties");
        for index in 0..least {
            if object.len() >= least || values.schemas.is_empty() {
                break;
            }
            object.insert(format!("key{index}"), values.value(depth + 1));
        }
        Value::Object(object)
    }

    fn array(&self, depth: usize) -> Value {
        let least = self.at_least("minItems").min(2_000);
        let item = self.below("items");
        let items = (0..least).map(|index| item.nth(index, depth + 1));
        Value::Array(items.collect())
    }

    /// The least value, made different from that of other numbers where that is easy: items of a
    /// set or a map list are unique.
    fn nth(&self, index: usize, depth: usize) -> Value {
        let value = self.value(depth);
        if index == 0 {
            return value;
        }
        if let Some(listed) = self.listed().get(index) {
            return (*listed).clone();
        }
        varied(value, index)
    }

    /// A number within the bounds: the one nearest to 1.
    fn number(&self, whole: bool) -> Value {
        let is_set = |bound: &str, value: f64, key: &str| {
            let mut all = self.schemas.iter();
            all.any(|it| {
                let same = it.get(bound).and_then(Value::as_f64);
                same.is_some_and(|same| same.total_cmp(&value).is_eq())
                    && it.get(key) == Some(&Value::Bool(true))
            })
        };
        let low = self.numbers("minimum").max_by(f64::total_cmp);
        let high = self.numbers("maximum").min_by(f64::total_cmp);
        let step = if whole { 1.0 } else { 0.5 };
        let low = low.map_or(f64::NEG_INFINITY, |low| {
            match is_set("minimum", low, "exclusiveMinimum") {
                true => low + step,
                false if whole => low.ceil(),
                false => low,
            }
        });
        let high = high.map_or(f64::INFINITY, |high| {
            match is_set("maximum", high, "exclusiveMaximum") {
                true => high - step,
                false if whole => high.floor(),
                false => high,
            }
        });
        let mut found = 1.0_f64.max(low).min(high);
        if let Some(factor) = self.numbers("multipleOf").next().filter(|it| *it > 0.0) {
            found = (found / factor).ceil() * factor;
            if found > high {
                found = (high / factor).floor() * factor;
            }
        }
        number(found, whole)
    }

    fn string(&self) -> String {
        let least = self.at_least("minLength");
        let most = self.at_most("maxLength");
        let formats = self.schemas.iter().map(|it| text(it, &["format"]));
        let known = formats.into_iter().find_map(format_sample);
        let patterns = self.patterns();
        if patterns.is_empty() {
            if let Some(known) = known {
                return known.to_owned();
            }
            let length = least.max(1).min(most.unwrap_or(usize::MAX));
            return "a".repeat(length);
        }
        let wanted = Wanted {
            matched: patterns,
            unmatched: Vec::new(),
            least: least.max(1).min(most.unwrap_or(usize::MAX)),
            most,
        };
        match find(&wanted) {
            Found::Text(text) => text,
            Found::None | Found::Unknown => known.unwrap_or("a").to_owned(),
        }
    }
}

/// A number as JSON: without a fraction if it has none.
pub(crate) fn number(value: f64, whole: bool) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the range of integers"
    )]
    if (whole || value.fract() == 0.0) && value.abs() < 9e18 {
        return json!(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Another value of the same shape.
fn varied(value: Value, index: usize) -> Value {
    match value {
        Value::String(text) => Value::String(format!("{text}{index}")),
        Value::Number(number) => {
            let next = number
                .as_i64()
                .and_then(|it| it.checked_add(i64::try_from(index).ok()?));
            next.map_or(Value::Number(number), Value::from)
        }
        Value::Object(map) => {
            let fields = map.into_iter();
            Value::Object(
                fields
                    .map(|(name, value)| (name, varied(value, index)))
                    .collect(),
            )
        }
        other => other,
    }
}

/// A text of a format.
pub(crate) fn format_sample(format: &str) -> Option<&'static str> {
    FORMATS
        .iter()
        .find(|(names, _)| names.contains(&format))
        .map(|(_, sample)| *sample)
}

/// A text of each format, and names of the format.
pub(crate) const FORMATS: &[(&[&str], &str)] = &[
    (&["date-time", "datetime"], "2026-01-01T00:00:00Z"),
    (&["date"], "2026-01-01"),
    (&["duration"], "1m"),
    (&["ipv4", "ip"], "192.0.2.1"),
    (&["ipv6"], "2001:db8::1"),
    (&["cidr"], "192.0.2.0/24"),
    (&["mac"], "01:23:45:67:89:ab"),
    (&["uri", "url"], "https://example.com"),
    (&["hostname"], "a.example"),
    (&["email"], "name@example.com"),
    (&["uuid", "uuid4"], "00000000-0000-4000-8000-000000000000"),
    (&["uuid3"], "00000000-0000-3000-8000-000000000000"),
    (&["uuid5"], "00000000-0000-5000-8000-000000000000"),
    (&["byte"], "YQ=="),
    (&["isbn", "isbn10"], "0321751043"),
    (&["isbn13"], "978-0321751041"),
    (&["creditcard"], "4012-8888-8888-1881"),
    (&["ssn"], "111-11-1111"),
    (&["hexcolor"], "#ffffff"),
    (&["rgbcolor"], "rgb(1,1,1)"),
    (&["bsonobjectid"], "507f1f77bcf86cd799439011"),
    (&["k8s-short-name"], "a"),
    (&["k8s-long-name"], "a.b"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schemas: &[Value], expected: Value) {
        assert_eq!(Demand::of(schemas).least(), expected, "{schemas:?}");
    }

    #[test]
    fn the_least_value_satisfies_all_schemas() {
        let number =
            |bounds: Value| json!({"type": "integer", "minimum": bounds[0], "maximum": bounds[1]});
        check(&[number(json!([3, 9])), number(json!([5, 20]))], json!(5));
        let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
        check(&[text("^[a-z]+$"), text("^.{3}$")], json!("aaa"));
        let listed = |values: Value| json!({"type": "string", "enum": values});
        check(
            &[listed(json!(["a", "b"])), listed(json!(["b"]))],
            json!("b"),
        );
        let object = json!({
            "type": "object", "required": ["a"],
            "properties": {"a": {"type": "array", "minItems": 2, "items": {"type": "string"}}},
            "anyOf": [{"required": ["b"]}],
        });
        let b = json!({"properties": {"b": {"type": "boolean"}}});
        check(&[object, b], json!({"a": ["a", "a1"], "b": false}));
    }
}
