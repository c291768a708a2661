//! Assumptions about an object, and their consequences: truth in three values, and counts between bounds.

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

/// A whole number that lies between two bounds.
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

    /// How many of some conditions hold.
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

    /// The bounds of either of two numbers.
    #[cfg(feature = "cel")]
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

/// Assumptions about an object's fields; none about those that are not named.
#[derive(Clone, Debug)]
pub(super) struct Facts<'a> {
    body: &'a StructDef,
    set: Vec<&'a str>,
    unset: Vec<&'a str>,
    value: Option<(&'a str, &'a str)>,
}

impl<'a> Facts<'a> {
    pub(super) const fn of(body: &'a StructDef) -> Self {
        Self {
            body,
            set: Vec::new(),
            unset: Vec::new(),
            value: None,
        }
    }

    pub(super) fn with_set(&self, names: &[&'a str]) -> Self {
        let mut facts = self.clone();
        facts.set.extend(names);
        facts
    }

    pub(super) fn with_unset(&self, names: &[&'a str]) -> Self {
        let mut facts = self.clone();
        facts.unset.extend(names);
        facts
    }

    /// With a field that has a text as value.
    pub(super) fn with_value(&self, name: &'a str, value: &'a str) -> Self {
        Self {
            value: Some((name, value)),
            ..self.clone()
        }
    }

    /// Whether a property is there. Those with a default always are: the API server fills them in before it looks at rules.
    pub(super) fn has(&self, name: &str) -> Truth {
        if self.value(name).is_some() || self.set.contains(&name) {
            return Truth::Yes;
        }
        if self.unset.contains(&name) {
            return Truth::No;
        }
        let mut fields = self.body.fields.iter();
        let field = fields.find(|field| field.json_name == name);
        match field {
            Some(field) if field.required || field.default.is_some() => Truth::Yes,
            _ => Truth::Unknown,
        }
    }

    /// How many properties there are.
    pub(super) fn count(&self) -> Count {
        let has = |field: &Field| self.has(&field.json_name);
        let named = Count::of(self.body.fields.iter().map(has));
        match self.body.unknown_fields {
            UnknownFields::Pruned => named,
            UnknownFields::Kept(_) => Count {
                most: i64::MAX,
                ..named
            },
        }
    }

    /// The text that a property is.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.value
            .filter(|(field, _)| *field == name)
            .map(|(_, value)| value)
    }
}
