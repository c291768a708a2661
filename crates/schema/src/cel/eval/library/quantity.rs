//! Functions of quantities.

use std::rc::Rc;

use kube_resource_quantity::Amount;

use super::super::{Outcome, Stop, Val};

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let truth = |value: bool| Ok(Val::Bool(value));
    Some(match (name, args) {
        ("quantity", [Val::String(text)]) => read(text),
        ("isQuantity", [Val::String(text)]) => truth(text.parse::<Amount>().is_ok()),
        ("sign", [Val::Quantity(a)]) => Ok(Val::Int(a.sign() as i64)),
        ("isGreaterThan", [Val::Quantity(a), Val::Quantity(b)]) => truth(a > b),
        ("isLessThan", [Val::Quantity(a), Val::Quantity(b)]) => truth(a < b),
        ("compareTo", [Val::Quantity(a), Val::Quantity(b)]) => Ok(Val::Int(a.cmp(b) as i64)),
        ("asApproximateFloat", [Val::Quantity(a)]) => Ok(Val::Double(a.as_f64())),
        ("isInteger", [Val::Quantity(a)]) => truth(a.as_i64().is_some()),
        ("asInteger", [Val::Quantity(a)]) => a
            .as_i64()
            .map(Val::Int)
            .ok_or_else(|| Stop::error("cannot convert value to integer")),
        ("add", [Val::Quantity(a), b]) => Ok(quantity(&**a + &*amount(b)?)),
        ("sub", [Val::Quantity(a), b]) => Ok(quantity(&**a - &*amount(b)?)),
        _ => return None,
    })
}

fn quantity<'v>(amount: Amount) -> Val<'v> {
    Val::Quantity(Rc::new(amount))
}

/// Returns the amount of a quantity or an integer.
fn amount(value: &Val<'_>) -> Option<Rc<Amount>> {
    match value {
        Val::Quantity(amount) => Some(Rc::clone(amount)),
        Val::Int(units) => Some(Rc::new(Amount::from_units(*units))),
        _ => None,
    }
}

fn read<'v>(text: &str) -> Outcome<'v> {
    let amount = text.parse().map(quantity);
    amount.map_err(|_| {
        Stop::error(
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        )
    })
}
