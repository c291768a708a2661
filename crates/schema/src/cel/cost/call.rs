//! The cost of calls, without their arguments.

use super::{
    CHARACTER, CallCost, Coster, FORMAT_NAME, FORMAT_PATTERN, NEW_LIST, PATTERN,
    size::{Size, scaled},
};
use crate::cel::{
    functions::{Cost, Overload},
    tree::{Id, Literal, Node},
    types::{Scalar, Type},
};

impl CallCost {
    fn new(cost: u64) -> Self {
        Self { cost, size: None }
    }

    fn sized(cost: u64, size: Size) -> Self {
        Self {
            cost,
            size: Some(size),
        }
    }

    /// Returns the cost of a function that creates a list of a size.
    fn list(each: f64, size: Size) -> Self {
        let cost = size.cost(each).saturating_add(1 + NEW_LIST);
        Self::sized(cost, size)
    }
}

impl Coster<'_, '_> {
    /// Returns the cost of a call by one signature, with these arguments; the receiver is the
    /// first.
    pub(crate) fn signature(&mut self, id: Id, overload: &Overload, args: &[Id]) -> CallCost {
        match (overload.cost, args) {
            (Cost::Append | Cost::Concat, [a, b]) => self.sum(id, overload.cost, *a, *b),
            (Cost::Equality, [a, b]) => self.equality(id, *a, *b),
            (Cost::Comparison, [a, b]) => self.comparison(*a, *b),
            (Cost::Search, [_, list]) => CallCost::new(self.size_or_unknown(*list).max),
            (Cost::Encode | Cost::Decode | Cost::Quote, [text]) => {
                self.rewritten(overload.cost, *text)
            }
            (Cost::Affix, [_, text]) | (Cost::Text, [text, ..]) => {
                CallCost::new(self.size_or_unknown(*text).cost(CHARACTER))
            }
            (Cost::TextTwice, [text]) => {
                CallCost::new(self.size_or_unknown(*text).cost(2.0 * CHARACTER))
            }
            (Cost::SameText, [text, ..]) => {
                let size = self.size_or_unknown(*text);
                CallCost::sized(size.cost(CHARACTER), size)
            }
            (Cost::Contains, [text, part]) => {
                let text = self.size_or_unknown(*text).cost(CHARACTER);
                let part = self.size_or_unknown(*part).cost(CHARACTER);
                CallCost::new(text.saturating_mul(part))
            }
            (Cost::Matches, [text, pattern]) => CallCost::new(self.matching(*text, *pattern)),
            (Cost::Find, [text, pattern, ..]) => {
                let cost = self.matching(*text, *pattern);
                let most = self.size_or_unknown(*text).max;
                CallCost::sized(cost, Size::at_most(most))
            }
            (Cost::Items, [target, ..]) => CallCost::new(self.through_items(*target)),
            (Cost::Replace, [text, old, new, ..]) => self.replacement(*text, *old, *new),
            (Cost::Split, [text, rest @ ..]) => {
                let size = self.size_or_unknown(*text);
                let most = match rest.get(1).map(|limit| self.tree.node(*limit)) {
                    Some(Node::Literal(Literal::Int(limit))) => limit.cast_unsigned(),
                    _ => size.max,
                };
                CallCost::sized(size.cost(2.0 * CHARACTER), Size::at_most(most))
            }
            (Cost::Join, [list, rest @ ..]) => self.joined_texts(*list, rest.first().copied()),
            (Cost::Address | Cost::AddressText | Cost::Network | Cost::NetworkText, [_, other]) => {
                self.containment(overload.cost, *other)
            }
            (Cost::Validate, [_, text]) => {
                let text = self.size_or_unknown(*text).cost(CHARACTER);
                CallCost::new(scaled(text, FORMAT_PATTERN * PATTERN))
            }
            _ => self.list_signature(overload, args),
        }
    }

    /// Returns the cost of functions about lists, which depends on the lists that they create.
    fn list_signature(&mut self, overload: &Overload, args: &[Id]) -> CallCost {
        match (overload.cost, args) {
            (Cost::Pairs | Cost::PairsTwice, [a, b]) => {
                let each = if overload.cost == Cost::Pairs {
                    1.0
                } else {
                    2.0
                };
                let pairs = self.size_or_unknown(*a).times(self.size_or_unknown(*b));
                CallCost::new(pairs.cost(each).saturating_add(1))
            }
            (Cost::Slice, [list, start, end]) => {
                let size = self.size_or_unknown(*list);
                let start = self.whole_number(*start).unwrap_or(0);
                let end = self.whole_number(*end).unwrap_or(size.max);
                CallCost::list(1.0, Size::fixed(end.wrapping_sub(start)))
            }
            (Cost::Flatten, [list, rest @ ..]) => {
                let size = self.size_or_unknown(*list);
                let depth = match rest.first() {
                    Some(depth) => self.whole_number(*depth).unwrap_or(u64::MAX),
                    None => 1,
                };
                let cost = scaled(depth, 1.0).saturating_mul(size.max);
                CallCost::sized(cost.saturating_add(1 + NEW_LIST), size)
            }
            (Cost::Range, [count]) => {
                let count = self.whole_number(*count).unwrap_or(u64::MAX);
                CallCost::list(1.0, Size::fixed(count))
            }
            (Cost::Reverse, [list]) => {
                let size = self.size_or_unknown(*list);
                CallCost::list(1.0, size)
            }
            (Cost::Distinct, [list]) => {
                let size = self.size_or_unknown(*list);
                CallCost::list(2.0, size.times(size))
            }
            (Cost::Sort, [list]) => self.sorted(*list, overload.args.first()),
            (Cost::SortBy, [_, keys]) => self.sorted(*keys, overload.args.first()),
            _ => CallCost::new(1),
        }
    }

    /// Returns the cost of converting a string to bytes, bytes to a string, or a string to a quoted
    /// one.
    fn rewritten(&mut self, cost: Cost, text: Id) -> CallCost {
        let size = self.size_or_unknown(text);
        let made = match cost {
            Cost::Encode => Size {
                min: size.min,
                max: size.max.wrapping_mul(4),
            },
            Cost::Decode => Size {
                min: size.min / 4,
                max: size.max,
            },
            _ => Size {
                min: size.min.wrapping_add(2),
                max: size.max.wrapping_mul(2).wrapping_add(2),
            },
        };
        CallCost::sized(size.cost(CHARACTER), made)
    }

    fn sorted(&mut self, list: Id, ty: Option<&Type<'static>>) -> CallCost {
        let is_text = matches!(ty, Some(Type::List(items)) if items.is(Scalar::String) || items.is(Scalar::Bytes));
        let each = if is_text { 2.0 + CHARACTER } else { 2.0 };
        let size = self.size_or_unknown(list);
        CallCost::list(each, size.times(size))
    }

    fn sum(&mut self, id: Id, cost: Cost, a: Id, b: Id) -> CallCost {
        let size = self.size_or_unknown(a).plus(self.size_or_unknown(b));
        self.join_entries(id, a, b);
        let cost = match cost {
            Cost::Append => 1,
            _ => size.cost(CHARACTER),
        };
        CallCost::sized(cost, size)
    }

    /// The shorter value bounds a comparison.
    fn comparison(&mut self, a: Id, b: Id) -> CallCost {
        let (a, b) = (self.size_or_unknown(a), self.size_or_unknown(b));
        CallCost::new(Size::at_most(a.max.min(b.max)).cost(CHARACTER))
    }

    fn equality(&mut self, id: Id, a: Id, b: Id) -> CallCost {
        let is_equal = matches!(self.tree.node(id), Node::Call(call) if call.function == "_==_");
        if let (Type::Library(one), Type::Library(other)) = (self.ty(a), self.ty(b))
            && one == other
            && is_equal
        {
            return CallCost::new(match *one {
                "format" => scaled(FORMAT_NAME, CHARACTER),
                "url" => {
                    let size = self.size(b).unwrap_or(Size::fixed(1));
                    size.cost(CHARACTER)
                }
                _ => 1,
            });
        }
        self.comparison(a, b)
    }

    /// Returns the cost of matching a string against a regular expression. The empty string has a
    /// cost too.
    fn matching(&mut self, text: Id, pattern: Id) -> u64 {
        let text = self.size_or_unknown(text).plus(Size::fixed(1));
        let pattern = self.size_or_unknown(pattern).cost(PATTERN);
        text.cost(CHARACTER).saturating_mul(pattern)
    }

    /// Returns the cost of visiting each item of a list, or each character of a string.
    fn through_items(&mut self, target: Id) -> u64 {
        let size = self.size_or_unknown(target);
        match self.ty(target).clone() {
            Type::List(items) => {
                let is_text = items.is(Scalar::String) || items.is(Scalar::Bytes);
                let each = if is_text {
                    self.item_size(target).cost(CHARACTER).saturating_add(1)
                } else {
                    1
                };
                size.max.saturating_mul(each)
            }
            _ => size.cost(CHARACTER),
        }
    }

    fn replacement(&mut self, text: Id, old: Id, new: Id) -> CallCost {
        let size = self.size_or_unknown(text);
        let (old, new) = (self.size_or_unknown(old), self.size_or_unknown(new));
        // An empty string occurs around all characters. Otherwise the longest result replaces the
        // shortest occurrences by the longest string, and the shortest result the longest by the
        // shortest.
        let (most, kept_at_most) = if old.min == 0 {
            (size.max.saturating_add(1), size.max)
        } else if new.max <= old.min {
            (0, size.max)
        } else {
            (size.max.div_ceil(old.min), 0)
        };
        let (fewest, kept_at_least) = if old.max == 0 {
            (size.min.saturating_add(1), size.min)
        } else if old.max <= new.min {
            (0, size.min)
        } else {
            (size.min.div_ceil(old.max), 0)
        };
        let count = Size {
            min: fewest,
            max: most,
        };
        let kept = Size {
            min: kept_at_least,
            max: kept_at_most,
        };
        CallCost::sized(size.cost(2.0 * CHARACTER), count.times(new).plus(kept))
    }

    fn joined_texts(&mut self, list: Id, separator: Option<Id>) -> CallCost {
        let count = self.size_or_unknown(list);
        let mut size = match self.ty(list) {
            Type::List(_) => count.times(self.item_size(list)),
            _ => Size::fixed(0),
        };
        if let Some(separator) = separator {
            let between = Size {
                min: count.min.saturating_sub(1),
                max: count.max.saturating_sub(1),
            };
            size = size.plus(self.size_or_unknown(separator).times(between));
        }
        CallCost::sized(size.cost(CHARACTER), size)
    }

    /// Addresses have at most 16 bytes, of which two are compared; a network is masked first.
    /// Strings are parsed first.
    fn containment(&mut self, kind: Cost, other: Id) -> CallCost {
        let mut cost = Size::fixed(32).cost(CHARACTER);
        if matches!(kind, Cost::Network | Cost::NetworkText) {
            cost = cost
                .saturating_add(Size::fixed(16).cost(CHARACTER))
                .saturating_add(1);
        }
        if matches!(kind, Cost::AddressText | Cost::NetworkText) {
            let text = self.size_or_unknown(other).cost(CHARACTER);
            cost = cost.saturating_add(text);
        }
        CallCost::new(cost)
    }

    /// Returns the value of an integer literal.
    fn whole_number(&self, id: Id) -> Option<u64> {
        match self.tree.node(id) {
            Node::Literal(Literal::Int(value)) => Some(u64::try_from(*value).unwrap_or(0)),
            _ => None,
        }
    }
}
