//! Lists, sets, maps and optionals.

use std::cmp::Ordering;

use super::super::value::contains;
use super::super::{Outcome, Stop, Val, operators};

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    match (name, args) {
        ("optional.none", []) => return Some(Ok(Val::Optional(None))),
        ("optional.of", [value]) => return Some(Ok(Val::some(value.clone()))),
        ("optional.ofNonZeroValue", [value]) => {
            return Some(Ok(if is_zero(value) {
                Val::Optional(None)
            } else {
                Val::some(value.clone())
            }));
        }
        ("or", [Val::Optional(value), other]) => {
            return Some(Ok(match value {
                Some(_) => args[0].clone(),
                None => other.clone(),
            }));
        }
        ("cel.@mapInsert", [map, rest @ ..]) => return inserted(map, rest),
        ("lists.range", [Val::Int(count)]) => return Some(range(*count)),
        _ => {}
    }
    let (list, rest) = args.split_first()?;
    let items = match list.items()? {
        Ok(items) => items,
        Err(stop) => return Some(Err(stop)),
    };
    of_list(name, &items, rest)
}

fn range<'v>(count: i64) -> Outcome<'v> {
    if count > 1_000_000 {
        return Err(Stop::OverBudget);
    }
    Ok(Val::list((0..count).map(Val::Int).collect()))
}

fn is_zero(value: &Val<'_>) -> bool {
    match value {
        Val::Null | Val::Bool(false) | Val::Int(0) | Val::Uint(0) | Val::Duration(0) => true,
        Val::Double(value) => *value == 0.0,
        value => value.size() == Some(0),
    }
}

fn inserted<'v>(map: &Val<'v>, rest: &[Val<'v>]) -> Option<Outcome<'v>> {
    let merge = || {
        let mut entries = map.entries().unwrap_or_else(|| Err(Stop::no_overload()))?;
        let added = match rest {
            [key, value] => vec![(key.clone(), value.clone())],
            [other] => other
                .entries()
                .unwrap_or_else(|| Err(Stop::no_overload()))?,
            _ => return Err(Stop::no_overload()),
        };
        for (key, value) in added {
            for (known, _) in &entries {
                if known.equals(&key)? {
                    return Err(Stop::error("insert failed: key already exists"));
                }
            }
            entries.push((key, value));
        }
        Ok(Val::Map(entries.into()))
    };
    Some(merge())
}

fn of_list<'v>(name: &str, items: &[Val<'v>], rest: &[Val<'v>]) -> Option<Outcome<'v>> {
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let optional =
        |item: Option<&Val<'v>>| item.map_or(Val::Optional(None), |item| Val::some(item.clone()));
    Some(match (name, rest) {
        ("isSorted", []) => {
            let mut pairs = items.windows(2);
            Ok(Val::Bool(pairs.all(|pair| {
                pair[0].compare(&pair[1]).is_some_and(Ordering::is_le)
            })))
        }
        ("sum", []) => sum(items),
        ("min", []) => extreme(items, "min", Ordering::is_lt),
        ("max", []) => extreme(items, "max", Ordering::is_gt),
        ("indexOf", [value]) => position(items.iter().enumerate(), value),
        ("lastIndexOf", [value]) => position(items.iter().enumerate().rev(), value),
        ("slice", [Val::Int(from), Val::Int(to)]) => {
            let bounds = usize::try_from(*from).ok().zip(usize::try_from(*to).ok());
            match bounds.and_then(|(from, to)| items.get(from..to)) {
                Some(part) => Ok(Val::list(part.to_vec())),
                None => Err(Stop::error(format!(
                    "cannot slice({from}, {to}), list is length {}",
                    items.len()
                ))),
            }
        }
        ("flatten", []) => flatten(items, 1).map(Val::list),
        ("flatten", [Val::Int(depth)]) => flatten(items, *depth).map(Val::list),
        ("sort", []) => sorted(items, items),
        ("@sortByAssociatedKeys", [keys]) => match keys.items()? {
            Ok(keys) => sorted(items, &keys),
            Err(stop) => Err(stop),
        },
        ("reverse", []) => Ok(Val::list(items.iter().rev().cloned().collect())),
        ("distinct", []) => distinct(items),
        ("first", []) => Ok(optional(items.first())),
        ("last", []) => Ok(optional(items.last())),
        ("optional.unwrap" | "unwrapOpt", []) => {
            let values = items.iter().filter_map(|item| match item {
                Val::Optional(value) => value.as_ref().map(|value| (**value).clone()),
                other => Some(other.clone()),
            });
            Ok(Val::list(values.collect()))
        }
        ("sets.contains" | "sets.equivalent" | "sets.intersects", [other]) => {
            match other.items()? {
                Ok(other) => sets(name, items, &other),
                Err(stop) => Err(stop),
            }
        }
        ("size", []) => Ok(Val::Int(count(items.len()))),
        _ => return None,
    })
}

fn sets<'v>(name: &str, a: &[Val<'v>], b: &[Val<'v>]) -> Outcome<'v> {
    let all = |a: &[Val<'v>], b: &[Val<'v>]| {
        b.iter()
            .try_fold(true, |all, item| Ok::<_, Stop>(all && contains(a, item)?))
    };
    Ok(Val::Bool(match name {
        "sets.contains" => all(a, b)?,
        "sets.equivalent" => all(a, b)? && all(b, a)?,
        _ => b
            .iter()
            .try_fold(false, |any, item| Ok::<_, Stop>(any || contains(a, item)?))?,
    }))
}

fn sum<'v>(items: &[Val<'v>]) -> Outcome<'v> {
    let Some((first, rest)) = items.split_first() else {
        return Ok(Val::Int(0));
    };
    rest.iter().try_fold(first.clone(), |sum, item| {
        operators::call("_+_", &[sum, item.clone()]).unwrap_or_else(|| Err(Stop::no_overload()))
    })
}

fn extreme<'v>(items: &[Val<'v>], name: &str, wins: fn(Ordering) -> bool) -> Outcome<'v> {
    let mut best = items
        .first()
        .ok_or_else(|| Stop::error(format!("{name} called on empty list")))?;
    for item in items {
        if item.compare(best).is_some_and(wins) {
            best = item;
        }
    }
    Ok(best.clone())
}

fn position<'v, 'i>(
    items: impl Iterator<Item = (usize, &'i Val<'v>)>,
    value: &Val<'v>,
) -> Outcome<'v>
where
    'v: 'i,
{
    for (at, item) in items {
        if item.equals(value)? {
            return Ok(Val::Int(i64::try_from(at).unwrap_or(i64::MAX)));
        }
    }
    Ok(Val::Int(-1))
}

fn flatten<'v>(items: &[Val<'v>], depth: i64) -> Result<Vec<Val<'v>>, Stop> {
    let mut flat = Vec::new();
    for item in items {
        match item.items().filter(|_| depth > 0) {
            Some(inner) => flat.extend(flatten(&inner?, depth - 1)?),
            None => flat.push(item.clone()),
        }
    }
    Ok(flat)
}

fn sorted<'v>(items: &[Val<'v>], keys: &[Val<'v>]) -> Outcome<'v> {
    let mut pairs: Vec<_> = keys.iter().zip(items).collect();
    pairs.sort_by(|(a, _), (b, _)| a.compare(b).unwrap_or(Ordering::Equal));
    Ok(Val::list(
        pairs.into_iter().map(|(_, item)| item.clone()).collect(),
    ))
}

fn distinct<'v>(items: &[Val<'v>]) -> Outcome<'v> {
    let mut kept: Vec<Val<'v>> = Vec::new();
    for item in items {
        if !contains(&kept, item)? {
            kept.push(item.clone());
        }
    }
    Ok(Val::list(kept))
}
