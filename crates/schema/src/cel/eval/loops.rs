//! Evaluates loops, which macros expand to.

use super::super::tree::{Loop, Node};
use super::{Outcome, Run, Stop, Val};

impl<'v> Run<'_, 'v> {
    pub(super) fn run_loop(&mut self, one: &Loop) -> Outcome<'v> {
        let range = self.eval(one.range)?;
        let pairs = pairs(&range)?;
        let depth = self.variables.len();
        let initial = self.eval(one.initial);
        self.variables.push((one.accumulator.clone(), initial));
        let gathered = self.run_steps(one, pairs, depth, Seen::of(&range));
        let result = gathered.and_then(|()| self.eval(one.result));
        self.variables.truncate(depth);
        result
    }

    fn run_steps(
        &mut self,
        one: &Loop,
        pairs: Vec<(Val<'v>, Val<'v>)>,
        depth: usize,
        seen: Seen,
    ) -> Result<(), Stop> {
        for (key, value) in pairs {
            let (first, second) = match (&one.second, seen) {
                (Some(second), _) => (key, Some((second.clone(), Ok(value)))),
                (None, Seen::Items) => (value, None),
                (None, Seen::Keys) => (key, None),
            };
            self.variables.push((one.variable.clone(), Ok(first)));
            self.variables.extend(second);
            let goes_on = self.eval(one.condition)?;
            let step = match goes_on {
                Val::Bool(true) => Some(self.step(one, depth)),
                _ => None,
            };
            self.variables.truncate(depth + 1);
            match step {
                Some(Err(Stop::OverBudget)) => return Err(Stop::OverBudget),
                Some(step) => {
                    if let Some((_, gathered)) = self.variables.get_mut(depth) {
                        *gathered = step;
                    }
                }
                None => break,
            }
        }
        Ok(())
    }

    /// Returns the new value of a loop's accumulator. An item is added to its list in place, as a
    /// copy per item would make it quadratic.
    fn step(&mut self, one: &Loop, depth: usize) -> Outcome<'v> {
        if let Node::Call(call) = self.tree.node(one.step)
            && let ("_+_", [list, added]) = (call.function.as_str(), call.args.as_slice())
            && let (Node::Ident(name), Node::List(entries)) =
                (self.tree.node(*list), self.tree.node(*added))
            && *name == one.accumulator
        {
            let added = self.list(entries)?.items().transpose()?.unwrap_or_default();
            let gathered = self.variables.get_mut(depth);
            let gathered = gathered.map(|(_, value)| std::mem::replace(value, Ok(Val::Null)));
            let Some(Ok(Val::List(mut items))) = gathered else {
                return gathered.unwrap_or_else(|| Err(Stop::no_overload()));
            };
            std::rc::Rc::make_mut(&mut items).extend(added);
            return Ok(Val::List(items));
        }
        self.eval(one.step)
    }
}

/// The items visible to a loop with one variable.
#[derive(Clone, Copy)]
enum Seen {
    Items,
    Keys,
}

impl Seen {
    fn of(range: &Val<'_>) -> Self {
        match range {
            Val::Map(_) => Self::Keys,
            Val::Node(node) if node.value.is_object() => Self::Keys,
            _ => Self::Items,
        }
    }
}

/// Returns the pairs that a loop iterates over: indexes and items of a list, keys and values of a
/// map.
fn pairs<'v>(range: &Val<'v>) -> Result<Vec<(Val<'v>, Val<'v>)>, Stop> {
    if let Some(items) = range.items() {
        let items = items?.into_iter().enumerate();
        let index = |i| Val::Int(i64::try_from(i).unwrap_or(i64::MAX));
        return Ok(items.map(|(i, item)| (index(i), item)).collect());
    }
    range.entries().unwrap_or_else(|| Err(Stop::no_overload()))
}
