//! Assumptions about an object, and their consequences: three-valued truth, and intervals of
//! counts.

use std::{cell::Cell, collections::BTreeMap, rc::Rc};

use crate::model::{Field, StructDef, UnknownFields};

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    No,
    /// It depends on what is not assumed.
    Unknown,
    Yes,
}

impl Truth {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    pub(super) const fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
            Self::Yes => Self::No,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

/// An interval of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Count {
    pub(super) const fn exactly(number: i64) -> Self {
        Self {
            least: number,
            most: number,
        }
    }

    /// Counts the conditions that hold.
    pub(super) fn of(conditions: impl Iterator<Item = Truth>) -> Self {
        conditions.fold(Self::exactly(0), |count, holds| {
            count.plus(match holds {
                Truth::No => Self::exactly(0),
                Truth::Unknown => Self { least: 0, most: 1 },
                Truth::Yes => Self::exactly(1),
            })
        })
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            most: self.most.saturating_add(other.most),
        }
    }

    /// Returns the smallest interval that contains both.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    pub(super) const fn is_below(self, other: Self) -> Truth {
        if self.most < other.least {
            Truth::Yes
        } else if self.least >= other.most {
            Truth::No
        } else {
            Truth::Unknown
        }
    }

    pub(super) const fn equals(self, other: Self) -> Truth {
        if self.most < other.least || other.most < self.least {
            Truth::No
        } else if self.least == self.most && other.least == other.most {
            Truth::Yes
        } else {
            Truth::Unknown
        }
    }
}

/// A limit on the work of finding the unions of one struct. Rules and fields multiply: without a
/// limit, twenty fields with a rule for each pair would take minutes.
#[derive(Debug)]
pub(super) struct Budget(Cell<u64>);

impl Budget {
    pub(super) const fn of(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    pub(super) fn spend(&self, steps: u64) {
        self.0.set(self.0.get().saturating_sub(steps));
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// Assumptions about an object's fields; fields not mentioned are unconstrained.
#[derive(Clone, Debug)]
pub(super) struct Facts<'a> {
    body: &'a StructDef,
    /// The index of each field by name, shared by all facts of a struct.
    positions: Rc<BTreeMap<&'a str, usize>>,
    /// Whether each field is set.
    present: Vec<Truth>,
    /// The indices of the fields with assumptions.
    assumed: Vec<usize>,
    value: Option<(&'a str, &'a str)>,
}

impl<'a> Facts<'a> {
    /// Returns what holds without assumptions. Fields with a default are always set: the API server
    /// fills them in before it evaluates rules.
    pub(super) fn of(body: &'a StructDef) -> Self {
        let mut positions = BTreeMap::new();
        for (position, field) in body.fields.iter().enumerate() {
            positions
                .entry(field.json_name.as_str())
                .or_insert(position);
        }
        let is_there = |field: &Field| match field.required || field.default.is_some() {
            true => Truth::Yes,
            false => Truth::Unknown,
        };
        Self {
            body,
            positions: Rc::new(positions),
            present: body.fields.iter().map(is_there).collect(),
            assumed: Vec::new(),
            value: None,
        }
    }

    pub(super) fn with_set(&self, names: &[&'a str]) -> Self {
        self.with(names, Truth::Yes)
    }

    pub(super) fn with_unset(&self, names: &[&'a str]) -> Self {
        self.with(names, Truth::No)
    }

    /// Assumes that a field has a string value.
    pub(super) fn with_value(&self, name: &'a str, value: &'a str) -> Self {
        Self {
            value: Some((name, value)),
            ..self.with(&[name], Truth::Yes)
        }
    }

    fn with(&self, names: &[&'a str], present: Truth) -> Self {
        let mut facts = self.clone();
        for name in names {
            if let Some(&position) = self.positions.get(name)
                && let Some(place) = facts.present.get_mut(position)
            {
                *place = present;
                facts.assumed.push(position);
            }
        }
        facts
    }

    /// The indices of the fields with assumptions.
    pub(super) fn assumed(&self) -> &[usize] {
        &self.assumed
    }

    /// Whether a property is set.
    pub(super) fn has(&self, name: &str) -> Truth {
        let position = self.positions.get(name);
        position.map_or(Truth::Unknown, |position| self.has_at(*position))
    }

    pub(super) fn has_at(&self, position: usize) -> Truth {
        self.present
            .get(position)
            .copied()
            .unwrap_or(Truth::Unknown)
    }

    /// Counts the properties.
    pub(super) fn count(&self) -> Count {
        let named = Count::of(self.present.iter().copied());
        match self.body.unknown_fields {
            UnknownFields::Pruned => named,
            UnknownFields::Kept(_) => Count {
                most: i64::MAX,
                ..named
            },
        }
    }

    /// Returns the assumed string value of a property.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.value
            .filter(|(field, _)| *field == name)
            .map(|(_, value)| value)
    }
}
