//! The rules: what differs between two versions, and how a value gets from one to the other.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{BoxError, Error};

/// One of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The version that is converted to and from the hub.
    Spoke,
    /// The version that all others are converted to and from.
    Hub,
}

impl Side {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Spoke => Self::Hub,
            Self::Hub => Self::Spoke,
        }
    }
}

type Function = fn(&Value) -> Result<Value, BoxError>;

/// A difference between two versions.
///
/// Fields are paths of JSON names, `spec.size`, from the object that the table is about.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The field's path in the spoke and in the hub.
    paths: [&'static str; 2],
    pub(super) how: How,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    Same,
    Within {
        rules: &'static [Rule],
        keys: &'static [&'static str],
    },
    Entries(&'static [Rule]),
    Values(&'static [(&'static str, &'static str)]),
    /// A number in units of `spoke` and `hub`, of which one is 1.
    Scaled {
        spoke: u64,
        hub: u64,
    },
    Called {
        to_hub: Function,
        from_hub: Function,
    },
    Only {
        side: Side,
        kept: bool,
    },
    /// A field that only one side has, and that this side must have.
    Made {
        side: Side,
        make: Function,
    },
    Defaulted {
        side: Side,
        json: &'static str,
    },
}

impl Rule {
    const fn new(spoke: &'static str, hub: &'static str, how: How) -> Self {
        Self {
            paths: [spoke, hub],
            how,
        }
    }

    /// A field with another name or place.
    #[must_use]
    pub const fn moved(spoke: &'static str, hub: &'static str) -> Self {
        Self::new(spoke, hub, How::Same)
    }

    /// An object, or objects in lists, with rules of their own.
    #[must_use]
    pub const fn within(spoke: &'static str, hub: &'static str, rules: &'static [Self]) -> Self {
        Self::new(spoke, hub, How::Within { rules, keys: &[] })
    }

    /// Objects in a map, or in lists in a map, with rules of their own.
    #[must_use]
    pub const fn entries(spoke: &'static str, hub: &'static str, rules: &'static [Self]) -> Self {
        Self::new(spoke, hub, How::Entries(rules))
    }

    /// Objects in a list whose items these fields identify, with rules of their own.
    #[must_use]
    pub const fn items(
        spoke: &'static str,
        hub: &'static str,
        keys: &'static [&'static str],
        rules: &'static [Self],
    ) -> Self {
        Self::new(spoke, hub, How::Within { rules, keys })
    }

    /// Texts, in lists too, some of which have another spelling: pairs of the spoke's and
    /// the hub's. The first pair of several for one value counts.
    #[must_use]
    pub const fn values(
        spoke: &'static str,
        hub: &'static str,
        values: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self::new(spoke, hub, How::Values(values))
    }

    /// A number that is `factor` times as large on one side. A quotient is rounded down; the
    /// annotation keeps the number then.
    #[must_use]
    pub const fn scaled(spoke: &'static str, hub: &'static str, larger: Side, factor: u64) -> Self {
        let how = match larger {
            Side::Spoke => How::Scaled {
                spoke: factor,
                hub: 1,
            },
            Side::Hub => How::Scaled {
                spoke: 1,
                hub: factor,
            },
        };
        Self::new(spoke, hub, how)
    }

    /// A field that functions of the user convert, see [`call`].
    #[must_use]
    pub const fn called(
        spoke: &'static str,
        hub: &'static str,
        to_hub: Function,
        from_hub: Function,
    ) -> Self {
        Self::new(spoke, hub, How::Called { to_hub, from_hub })
    }

    /// A field of one version, which an annotation keeps in the other.
    #[must_use]
    pub const fn kept(side: Side, path: &'static str) -> Self {
        Self::new(path, path, How::Only { side, kept: true })
    }

    /// A field of one version, which the other loses on purpose.
    #[must_use]
    pub const fn dropped(side: Side, path: &'static str) -> Self {
        Self::new(path, path, How::Only { side, kept: false })
    }

    /// A field that one version must have: a function of the user makes it from the object of the
    /// other version. An annotation keeps it there.
    #[must_use]
    pub const fn made(side: Side, path: &'static str, make: Function) -> Self {
        Self::new(path, path, How::Made { side, make })
    }

    /// A field that one version must have and whose schema has a default, as JSON. An annotation
    /// keeps it in the other version.
    #[must_use]
    pub const fn defaulted(side: Side, path: &'static str, json: &'static str) -> Self {
        Self::new(path, path, How::Defaulted { side, json })
    }

    pub(super) const fn path(&self, side: Side) -> &'static str {
        let [spoke, hub] = self.paths;
        match side {
            Side::Spoke => spoke,
            Side::Hub => hub,
        }
    }
}

/// Calls a function of the user with a value from JSON; for generated code.
///
/// # Errors
/// The value is not of the function's type, or the function fails.
pub fn call<A: DeserializeOwned, B: Serialize, E: Into<BoxError>>(
    value: &Value,
    function: impl FnOnce(A) -> Result<B, E>,
) -> Result<Value, BoxError> {
    let converted = function(A::deserialize(value)?).map_err(Into::into)?;
    Ok(serde_json::to_value(converted)?)
}

/// Converts an object from a side to the other one.
///
/// All values are taken before any is put, as a name may mean something else in the other version.
/// They are put in reverse order: objects before what is moved into them.
pub(super) fn apply(
    rules: &'static [Rule],
    side: Side,
    mut object: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let is_making = |rule: &Rule| matches!(rule.how, How::Made { .. });
    let whole = rules.iter().any(is_making);
    let whole = whole.then(|| Value::Object(object.clone()));
    let mut found = Vec::new();
    for rule in rules {
        let (from, to) = (rule.path(side), rule.path(side.other()));
        match rule.how {
            How::Only { side: of, .. }
            | How::Made { side: of, .. }
            | How::Defaulted { side: of, .. }
                if of == side =>
            {
                take(&mut object, from);
            }
            How::Only { .. } => {}
            How::Made { make, .. } => {
                let made = make(whole.as_ref().unwrap_or(&Value::Null));
                found.push((to, made.map_err(|source| failed(to, source))?));
            }
            How::Defaulted { json, .. } => {
                let value = serde_json::from_str(json);
                found.push((to, value.map_err(|source| failed(to, source.into()))?));
            }
            _ => {
                if let Some(value) = take(&mut object, from) {
                    found.push((to, converted(rule, side, value)?));
                }
            }
        }
    }
    for (path, value) in found.into_iter().rev() {
        put(&mut object, path, value);
    }
    Ok(object)
}

fn failed(field: &str, source: BoxError) -> Error {
    let field = field.to_owned();
    Error::Field { field, source }
}

fn converted(rule: &Rule, side: Side, value: Value) -> Result<Value, Error> {
    if value.is_null() {
        return Ok(value);
    }
    match rule.how {
        How::Within { rules, .. } => each(value, &|value| within(rules, side, value)),
        How::Entries(rules) => each(value, &|value| match value {
            Value::Object(entries) => {
                let convert = |value| each(value, &|value| within(rules, side, value));
                let entries = entries.into_iter();
                let entries = entries.map(|(key, value)| Ok((key, convert(value)?)));
                Ok(Value::Object(entries.collect::<Result<_, Error>>()?))
            }
            other => Ok(other),
        }),
        How::Values(values) => each(value, &|value| spelled(rule, side, values, value)),
        How::Scaled { spoke, hub } => each(value, &|value| match side {
            Side::Spoke => scaled(rule, side, &value, hub, spoke),
            Side::Hub => scaled(rule, side, &value, spoke, hub),
        }),
        How::Called { to_hub, from_hub } => {
            let function = match side {
                Side::Spoke => to_hub,
                Side::Hub => from_hub,
            };
            function(&value).map_err(|source| failed(rule.path(side), source))
        }
        _ => Ok(value),
    }
}

fn within(rules: &'static [Rule], side: Side, value: Value) -> Result<Value, Error> {
    match value {
        Value::Object(object) => Ok(Value::Object(apply(rules, side, object)?)),
        other => Ok(other),
    }
}

/// Converts the items of lists, or else the value itself.
fn each(value: Value, convert: &dyn Fn(Value) -> Result<Value, Error>) -> Result<Value, Error> {
    match value {
        Value::Array(items) => {
            let items = items.into_iter().map(|item| each(item, convert));
            Ok(Value::Array(items.collect::<Result<_, _>>()?))
        }
        other => convert(other),
    }
}

/// A whole number multiplied or divided; one that is out of range has no counterpart.
fn scaled(rule: &Rule, side: Side, value: &Value, times: u64, by: u64) -> Result<Value, Error> {
    let number = value.as_i64().map(i128::from);
    let found = number.map(|number| (number * i128::from(times)).div_euclid(i128::from(by.max(1))));
    let found = found.and_then(|number| i64::try_from(number).ok());
    found.map(Value::from).ok_or_else(|| Error::Value {
        field: rule.path(side).to_owned(),
        value: value.clone(),
    })
}

fn spelled(rule: &Rule, side: Side, values: &[(&str, &str)], value: Value) -> Result<Value, Error> {
    let sides = |(spoke, hub): &(&str, &str)| match side {
        Side::Spoke => ((*spoke).to_owned(), (*hub).to_owned()),
        Side::Hub => ((*hub).to_owned(), (*spoke).to_owned()),
    };
    let mut pairs = values.iter().map(sides);
    let found = pairs.find(|(from, _)| value == **from);
    let found = found.map(|(_, to)| Value::String(to));
    found.ok_or_else(|| Error::Value {
        field: rule.path(side).to_owned(),
        value,
    })
}

/// Removes the fields that the other version loses on purpose.
pub(super) fn without_dropped(rules: &'static [Rule], side: Side, mut value: Value) -> Value {
    match &mut value {
        Value::Array(items) => {
            for item in items {
                *item = without_dropped(rules, side, item.take());
            }
        }
        Value::Object(object) => {
            for rule in rules {
                let path = rule.path(side);
                match rule.how {
                    How::Only { side: of, kept } if of == side && !kept => {
                        take(object, path);
                    }
                    How::Within { rules, .. } => {
                        if let Some(value) = take(object, path) {
                            put(object, path, without_dropped(rules, side, value));
                        }
                    }
                    How::Entries(rules) => {
                        if let Some(Value::Object(mut entries)) = take(object, path) {
                            for value in entries.values_mut() {
                                *value = without_dropped(rules, side, value.take());
                            }
                            put(object, path, Value::Object(entries));
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    value
}

/// Takes the value at a path out of an object.
fn take(object: &mut Map<String, Value>, path: &str) -> Option<Value> {
    match path.split_once('.') {
        None => object.remove(path),
        Some((first, rest)) => take(object.get_mut(first)?.as_object_mut()?, rest),
    }
}

/// Puts a value at a path, with the objects that lead to it.
fn put(object: &mut Map<String, Value>, path: &str, value: Value) {
    let Some((first, rest)) = path.split_once('.') else {
        object.insert(path.to_owned(), value);
        return;
    };
    let below = object.entry(first.to_owned()).or_insert(Value::Null);
    if !below.is_object() {
        *below = Value::Object(Map::new());
    }
    if let Value::Object(below) = below {
        put(below, rest, value);
    }
}
