//! Evidence, in addition to the fit, that a schema is a Kubernetes type.

use std::cmp::Ordering;

use super::table::{Kubernetes, Placement, Table};
use crate::read::crd::schema::Schema;

/// The number of properties that is sufficient evidence in itself.
const MANY: usize = 4;

/// Evidence for a type; greater is stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Evidence {
    /// The number of properties whose descriptions begin like those of the type.
    described: usize,
    /// Whether the description begins like that of the type.
    named: bool,
    /// Whether Kubernetes uses the type for a property of this name.
    used: bool,
    /// Whether one of the properties occurs in no other Kubernetes type.
    telling: bool,
    properties: usize,
    /// The number of fields of the type.
    fields: usize,
    /// Whether the type is recognised only as part of another type.
    hidden: bool,
}

impl Evidence {
    pub(super) fn gather(
        table: &Table,
        property: &str,
        schema: &Schema,
        known: &Kubernetes,
    ) -> Self {
        let described = schema.properties.iter().filter(|(name, property)| {
            let field = known.definition().fields.get(name);
            field.is_some_and(|known| begins_alike(&property.description, &known.field.docs))
        });
        let names = schema.properties.iter().map(|(name, _)| name.as_str());
        let telling = names.clone().any(|name| table.is_of_one_type(name));
        let (fields, hidden) = match known.placement {
            Placement::Anywhere => (known.definition().fields.len(), false),
            Placement::WithinOthers => (known.definition().fields.len(), true),
            Placement::With(properties) => {
                (properties.len(), !names.eq(properties.iter().copied()))
            }
        };
        Self {
            described: described.count(),
            named: begins_alike(&schema.description, &known.definition().docs),
            used: table.is_used_as(known, property),
            telling,
            properties: schema.properties.len(),
            fields,
            hidden,
        }
    }

    /// Whether the schema has every field of the type.
    pub(super) const fn is_exact(self) -> bool {
        self.properties == self.fields
    }

    /// Returns the number of properties with Kubernetes' descriptions, which count unless the type
    /// is hidden.
    pub(super) fn described(self) -> Option<usize> {
        (!self.hidden).then_some(self.described)
    }

    /// Whether the evidence is sufficient; `alone` if no other type fits.
    pub(super) const fn suffices(self, alone: bool) -> bool {
        let descriptions = self.described > 0 && self.described * 2 >= self.properties;
        if self.hidden {
            return false;
        }
        if self.is_exact() {
            let described = self.named || self.described > 0;
            // `name` and `value` are too common to identify a type.
            let unmistakable = alone && (self.telling || self.properties > 2);
            return described || self.used || unmistakable || self.properties >= MANY;
        }
        if self.properties * 2 >= self.fields {
            return self.named || descriptions || self.used || self.properties >= MANY;
        }
        // The type had fewer fields in an older release, with the same descriptions.
        descriptions && self.properties * 3 >= self.fields
    }
}

impl Ord for Evidence {
    fn cmp(&self, other: &Self) -> Ordering {
        let words = |one: &Self| (one.described(), one.named, one.used);
        let share = (self.properties * other.fields).cmp(&(other.properties * self.fields));
        words(self).cmp(&words(other)).then(share)
    }
}

impl PartialOrd for Evidence {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether two texts have the same first sentence, ignoring whitespace and letter case.
fn begins_alike(a: &str, b: &str) -> bool {
    let mut sentences = (first_sentence(a), first_sentence(b));
    let mut is_empty = true;
    loop {
        match (sentences.0.next(), sentences.1.next()) {
            (None, None) => return !is_empty,
            (Some(a), Some(b)) if is_same_word(a, b) => is_empty &= a.is_empty(),
            _ => return false,
        }
    }
}

/// Returns the words of the first sentence, without trailing periods.
fn first_sentence(text: &str) -> impl Iterator<Item = &str> {
    let mut is_over = false;
    text.split_whitespace().map_while(move |word| {
        let is_in = !is_over;
        is_over = is_over || word.ends_with('.');
        is_in.then(|| word.trim_end_matches('.'))
    })
}

/// Whether two words are equal up to letter case. Avoids copying, since most texts already differ
/// in their first word.
fn is_same_word(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        a.eq_ignore_ascii_case(b)
    } else {
        a.to_lowercase() == b.to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::begins_alike;

    #[track_caller]
    fn check(a: &str, b: &str, expected: bool) {
        assert_eq!(begins_alike(a, b), expected, "{a:?}, {b:?}");
        assert_eq!(begins_alike(b, a), expected, "{b:?}, {a:?}");
    }

    #[test]
    fn texts_begin_alike_whatever_their_blanks_and_capitals() {
        check("The name.", "the\n name. It is long.", true);
        check("The name", "The NAME...", true);
        check("Die Größe ÄNDERT sich.", "die größe ändert sich", true);
        check("\u{212a}elvin", "kelvin", true);
        check("The name", "The name of it", false);
        check("The name.", "The. name", false);
        check("", "", false);
        check("...", ".", false);
        check("", "The name", false);
    }
}
