//! CEL's own operators and functions.

use std::cmp::Ordering;

use jiff::{Timestamp, tz::TimeZone};

use super::value::{Node, contains};
use super::{Outcome, Stop, Val};
use crate::cel::time;
use crate::cel::view::ValueSchema;
use crate::pattern::Pattern;
use crate::types::ListType;

/// The names of types, with the ones that `type()` returns.
pub(super) const TYPES: [(&str, &str); 12] = [
    ("null_type", "null_type"),
    ("bool", "bool"),
    ("int", "int"),
    ("uint", "uint"),
    ("double", "double"),
    ("string", "string"),
    ("bytes", "bytes"),
    ("list", "list"),
    ("map", "map"),
    ("type", "type"),
    ("Duration", "google.protobuf.Duration"),
    ("Timestamp", "google.protobuf.Timestamp"),
];

/// More items than any expression can read within its budget.
const MOST_ITEMS: usize = 10_000_000;

/// Returns the cost of a call by the sizes of its arguments: a tenth of the bytes or items that it
/// may read.
pub(super) fn traversed(name: &str, args: &[Val<'_>]) -> u64 {
    let reads = !matches!(
        name,
        "size" | "_[_]" | "_[?_]" | "type" | "dyn" | "hasValue" | "value" | "orValue"
    );
    let args = args.iter().filter(|_| reads);
    args.map(|arg| arg.weight(MOST_ITEMS) as u64 / 10).sum()
}

/// Calls a function; `None` if it is not one of CEL's own, or does not accept these arguments.
pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    Some(match (name, args) {
        ("!_", [Val::Bool(value)]) => Ok(Val::Bool(!value)),
        ("_==_", [a, b]) => a.equals(b).map(Val::Bool),
        ("_!=_", [a, b]) => a.equals(b).map(|equal| Val::Bool(!equal)),
        ("_<_", [a, b]) => ordered(a, b, Ordering::is_lt),
        ("_<=_", [a, b]) => ordered(a, b, Ordering::is_le),
        ("_>_", [a, b]) => ordered(a, b, Ordering::is_gt),
        ("_>=_", [a, b]) => ordered(a, b, Ordering::is_ge),
        ("_+_" | "_-_" | "_*_" | "_/_" | "_%_", [a, b]) => arithmetic(name, a, b),
        ("-_", [Val::Int(value)]) => value.checked_neg().map(Val::Int).ok_or_else(overflow),
        ("-_", [Val::Double(value)]) => Ok(Val::Double(-value)),
        ("_[_]", [Val::Optional(value), key]) => Ok(match value {
            Some(value) => match index(value, key) {
                Ok(found) => found.map_or(Val::Optional(None), Val::some),
                Err(error) => return Some(Err(error)),
            },
            None => Val::Optional(None),
        }),
        ("_[_]", [value, key]) => {
            index(value, key).and_then(|found| found.ok_or_else(|| absent(key)))
        }
        ("_[?_]", [Val::Optional(None), _]) => Ok(Val::Optional(None)),
        ("_[?_]", [Val::Optional(Some(value)), key]) => optional_index(value, key),
        ("_[?_]", [value, key]) => optional_index(value, key),
        ("@in", [value, list]) => is_in(value, list),
        ("size", [value]) => {
            let size = value.size()?;
            Ok(Val::Int(i64::try_from(size).unwrap_or(i64::MAX)))
        }
        ("type", [value]) => Ok(Val::Type(value.type_name())),
        ("dyn", [value]) => Ok(value.clone()),
        ("contains", [Val::String(a), Val::String(b)]) => Ok(Val::Bool(a.contains(&**b))),
        ("startsWith", [Val::String(a), Val::String(b)]) => Ok(Val::Bool(a.starts_with(&**b))),
        ("endsWith", [Val::String(a), Val::String(b)]) => Ok(Val::Bool(a.ends_with(&**b))),
        ("matches", [Val::String(text), Val::String(pattern)]) => {
            Ok(Val::Bool(Pattern::new(pattern).is_match(text)))
        }
        ("hasValue", [Val::Optional(value)]) => Ok(Val::Bool(value.is_some())),
        ("value", [Val::Optional(value)]) => match value {
            Some(value) => Ok((**value).clone()),
            None => Err(Stop::error("optional.none() dereference")),
        },
        ("orValue", [Val::Optional(value), other]) => Ok(match value {
            Some(value) => (**value).clone(),
            None => other.clone(),
        }),
        (_, [value]) if name.starts_with("get") => part_of_time(name, value, "UTC")?,
        (_, [value, Val::String(zone)]) if name.starts_with("get") => {
            part_of_time(name, value, zone)?
        }
        (_, [value]) => return convert(name, value),
        _ => return None,
    })
}

fn overflow() -> Stop {
    Stop::error("integer overflow")
}

fn ordered<'v>(a: &Val<'v>, b: &Val<'v>, holds: fn(Ordering) -> bool) -> Outcome<'v> {
    let nan = |value: &Val<'_>| matches!(value, Val::Double(value) if value.is_nan());
    match a.compare(b) {
        Some(ordering) => Ok(Val::Bool(holds(ordering))),
        None if nan(a) || nan(b) => Ok(Val::Bool(false)),
        None => Err(Stop::no_overload()),
    }
}

fn arithmetic<'v>(name: &str, a: &Val<'v>, b: &Val<'v>) -> Outcome<'v> {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => integer(name, *a, *b).map(Val::Int),
        (Val::Uint(a), Val::Uint(b)) => unsigned(name, *a, *b).map(Val::Uint),
        (Val::Double(a), Val::Double(b)) => match name {
            "_+_" => Ok(Val::Double(a + b)),
            "_-_" => Ok(Val::Double(a - b)),
            "_*_" => Ok(Val::Double(a * b)),
            "_/_" => Ok(Val::Double(a / b)),
            _ => Err(Stop::no_overload()),
        },
        (Val::Duration(a), Val::Duration(b)) if name == "_+_" => within(a + b),
        (Val::Duration(a), Val::Duration(b)) if name == "_-_" => within(a - b),
        (Val::Timestamp(at), Val::Duration(by)) | (Val::Duration(by), Val::Timestamp(at))
            if name == "_+_" =>
        {
            moved(*at, *by)
        }
        (Val::Timestamp(at), Val::Duration(by)) if name == "_-_" => moved(*at, -by),
        (Val::Timestamp(a), Val::Timestamp(b)) if name == "_-_" => {
            within(a.as_nanosecond() - b.as_nanosecond())
        }
        _ if name != "_+_" => Err(Stop::no_overload()),
        (Val::String(a), Val::String(b)) => Ok(Val::text(format!("{a}{b}"))),
        (Val::Bytes(a), Val::Bytes(b)) => Ok(Val::Bytes([&**a, &**b].concat().into())),
        (a, b) => joined(a, b),
    }
}

/// Defines an operator on integers of one type, with its overflow error.
macro_rules! arithmetic {
    ($function:ident, $number:ty, $overflow:expr) => {
        fn $function(name: &str, a: $number, b: $number) -> Result<$number, Stop> {
            let result = match (name, b) {
                ("_+_", _) => a.checked_add(b),
                ("_-_", _) => a.checked_sub(b),
                ("_*_", _) => a.checked_mul(b),
                ("_/_", 0) => return Err(Stop::error("division by zero")),
                ("_/_", _) => a.checked_div(b),
                (_, 0) => return Err(Stop::error("modulus by zero")),
                _ => a.checked_rem(b),
            };
            result.ok_or_else($overflow)
        }
    };
}

arithmetic!(integer, i64, overflow);
arithmetic!(unsigned, u64, || Stop::error("unsigned integer overflow"));

fn within<'v>(nanoseconds: i128) -> Outcome<'v> {
    i64::try_from(nanoseconds)
        .map(|_| Val::Duration(nanoseconds))
        .map_err(|_| overflow())
}

fn moved<'v>(at: Timestamp, by: i128) -> Outcome<'v> {
    let moved = Timestamp::from_nanosecond(at.as_nanosecond() + by);
    moved
        .map(Val::Timestamp)
        .map_err(|_| Stop::error("timestamp overflow"))
}

/// Concatenates lists; a set gains only new items, and in a map list, items replace those with the
/// same keys.
fn joined<'v>(a: &Val<'v>, b: &Val<'v>) -> Outcome<'v> {
    let (Some(items), Some(more)) = (a.items(), b.items()) else {
        return Err(Stop::no_overload());
    };
    let (mut items, more) = (items?, more?);
    let list_type = match a {
        Val::Node(node) => node.schema.map(ValueSchema::list_type),
        _ => None,
    };
    for item in more {
        match list_type {
            Some(ListType::Set) if contains(&items, &item)? => {}
            Some(ListType::Map(keys)) => {
                let mut places = items.iter();
                match places.position(|known| same_keys(known, &item, keys)) {
                    Some(at) => items[at] = item,
                    None => items.push(item),
                }
            }
            _ => items.push(item),
        }
    }
    Ok(Val::list(items))
}

fn same_keys(a: &Val<'_>, b: &Val<'_>, keys: &[String]) -> bool {
    match (a, b) {
        (Val::Node(Node { value: a, .. }), Val::Node(Node { value: b, .. })) => {
            keys.iter().all(|key| a.get(key) == b.get(key))
        }
        _ => false,
    }
}

/// Returns the item or value at a key; `None` if it is absent.
fn index<'v>(value: &Val<'v>, key: &Val<'v>) -> Result<Option<Val<'v>>, Stop> {
    if let Some(items) = value.items() {
        let Some(at) = whole(key) else {
            return Err(Stop::no_overload());
        };
        let at = usize::try_from(at).ok();
        return Ok(at.and_then(|at| items.as_ref().ok()?.get(at).cloned()));
    }
    if let (Val::Node(node), Val::String(key)) = (value, key) {
        return node.entry(key).transpose();
    }
    let Some(entries) = value.entries() else {
        return Err(Stop::no_overload());
    };
    for (known, value) in entries? {
        if known.equals(key)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

fn whole(key: &Val<'_>) -> Option<i64> {
    match key {
        Val::Int(at) => Some(*at),
        Val::Uint(at) => i64::try_from(*at).ok(),
        #[expect(clippy::cast_possible_truncation, reason = "it has no fraction")]
        Val::Double(at) if at.fract() == 0.0 => Some(*at as i64),
        _ => None,
    }
}

fn optional_index<'v>(value: &Val<'v>, key: &Val<'v>) -> Outcome<'v> {
    let found = index(value, key)?;
    Ok(found.map_or(Val::Optional(None), Val::some))
}

fn absent(key: &Val<'_>) -> Stop {
    match key {
        Val::String(key) => Stop::error(format!("no such key: {key}")),
        key => Stop::error(format!(
            "index out of bounds: {}",
            whole(key).unwrap_or_default()
        )),
    }
}

fn is_in<'v>(value: &Val<'v>, list: &Val<'v>) -> Outcome<'v> {
    if let Some(items) = list.items() {
        return contains(&items?, value).map(Val::Bool);
    }
    if list.entries().is_some() {
        return index(list, value).map(|found| Val::Bool(found.is_some()));
    }
    Err(Stop::no_overload())
}

fn convert<'v>(name: &str, value: &Val<'v>) -> Option<Outcome<'v>> {
    let outcome = match (name, value) {
        ("bool", Val::Bool(_))
        | ("bytes", Val::Bytes(_))
        | ("double", Val::Double(_))
        | ("duration", Val::Duration(_))
        | ("int", Val::Int(_))
        | ("string", Val::String(_))
        | ("timestamp", Val::Timestamp(_))
        | ("uint", Val::Uint(_)) => Ok(value.clone()),
        ("bool", Val::String(text)) => match &**text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Val::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Val::Bool(false)),
            _ => Err(unparsed("bool")),
        },
        ("bytes", Val::String(text)) => Ok(Val::Bytes(text.as_bytes().into())),
        ("double", Val::String(text)) => text
            .parse()
            .map(Val::Double)
            .map_err(|_| unparsed("double")),
        #[expect(clippy::cast_precision_loss, reason = "as CEL converts")]
        ("double", Val::Int(value)) => Ok(Val::Double(*value as f64)),
        #[expect(clippy::cast_precision_loss, reason = "as CEL converts")]
        ("double", Val::Uint(value)) => Ok(Val::Double(*value as f64)),
        ("duration", Val::String(text)) => time::parse_duration(text)
            .map(Val::Duration)
            .map_err(|_| unparsed("google.protobuf.Duration")),
        ("duration", Val::Int(value)) => Ok(Val::Duration(i128::from(*value))),
        ("int", Val::String(text)) => text.parse().map(Val::Int).map_err(|_| unparsed("int")),
        ("int", Val::Uint(value)) => i64::try_from(*value).map(Val::Int).map_err(|_| overflow()),
        #[expect(clippy::cast_possible_truncation, reason = "the bounds were checked")]
        ("int", Val::Double(value)) if value.abs() < 9.223_372_036_854_775e18 => {
            Ok(Val::Int(*value as i64))
        }
        ("int" | "uint", Val::Double(_)) => Err(overflow()),
        ("int", Val::Timestamp(at)) => Ok(Val::Int(at.as_second())),
        ("int", Val::Duration(value)) => {
            i64::try_from(*value).map(Val::Int).map_err(|_| overflow())
        }
        ("uint", Val::String(text)) => text.parse().map(Val::Uint).map_err(|_| unparsed("uint")),
        ("uint", Val::Int(value)) => u64::try_from(*value)
            .map(Val::Uint)
            .map_err(|_| Stop::error("unsigned integer overflow")),
        ("timestamp", Val::String(text)) => time::parse_timestamp(text)
            .map(Val::Timestamp)
            .map_err(|_| unparsed("google.protobuf.Timestamp")),
        ("timestamp", Val::Int(value)) => Timestamp::from_second(*value)
            .map(Val::Timestamp)
            .map_err(|_| Stop::error("timestamp overflow")),
        ("string", value) => Ok(Val::text(shown(value)?)),
        _ => return None,
    };
    Some(outcome)
}

/// Converts a value like `string()`; `None` for values without a string form.
pub(super) fn shown(value: &Val<'_>) -> Option<String> {
    Some(match value {
        Val::Bool(value) => value.to_string(),
        Val::Int(value) => value.to_string(),
        Val::Uint(value) => value.to_string(),
        Val::Double(value) => crate::field::go_float(*value),
        Val::String(text) => text.to_string(),
        Val::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok()?,
        Val::Duration(value) => time::format_duration(*value),
        Val::Timestamp(at) => at.to_string(),
        Val::Ip(ip) => ip.to_string(),
        Val::Cidr(ip, prefix) => format!("{ip}/{prefix}"),
        Val::Quantity(amount) => amount.to_string(),
        _ => return None,
    })
}

fn unparsed(type_name: &str) -> Stop {
    Stop::error(format!(
        "type conversion error from 'string' to '{type_name}'"
    ))
}

/// Returns a part of a time in a zone, or of a duration.
fn part_of_time<'v>(name: &str, value: &Val<'v>, zone: &str) -> Option<Outcome<'v>> {
    let number = match value {
        Val::Duration(value) => {
            let unit: i128 = match name {
                "getHours" => 3_600_000_000_000,
                "getMinutes" => 60_000_000_000,
                "getSeconds" => 1_000_000_000,
                "getMilliseconds" => 1_000_000,
                _ => return None,
            };
            i64::try_from(value / unit).unwrap_or(i64::MAX)
        }
        Val::Timestamp(at) => {
            let zone = match zone {
                "UTC" => TimeZone::UTC,
                _ => {
                    return Some(Err(Stop::Unsupported(
                        "time zones are not supported".to_owned(),
                    )));
                }
            };
            let at = at.to_zoned(zone);
            i64::from(match name {
                "getFullYear" => at.year(),
                "getMonth" => i16::from(at.month()) - 1,
                "getDayOfYear" => at.day_of_year() - 1,
                "getDayOfMonth" => i16::from(at.day()) - 1,
                "getDate" => i16::from(at.day()),
                "getDayOfWeek" => i16::from(at.weekday().to_sunday_zero_offset()),
                "getHours" => i16::from(at.hour()),
                "getMinutes" => i16::from(at.minute()),
                "getSeconds" => i16::from(at.second()),
                "getMilliseconds" => at.millisecond(),
                _ => return None,
            })
        }
        _ => return None,
    };
    Some(Ok(Val::Int(number)))
}
