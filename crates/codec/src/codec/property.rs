//! Names of properties: a field's name in camel case, unless the struct's list specifies another.
//!
//! A struct's names are one literal, parsed with the first object of the type: with a static per struct, or with names computed
//! at compile time, rustc takes a fifth longer for the types.

use std::{array, ptr, sync::OnceLock};

/// The names of a struct and of its properties, in the order of its fields.
#[derive(Debug)]
pub(super) struct Names {
    list: &'static str,
    pub(super) properties: Vec<String>,
}

impl Names {
    /// Returns the names in a [list](super::Object::LIST), which is parsed once.
    pub(super) fn of(list: &'static str) -> &'static Self {
        KNOWN.find(list)
    }

    fn read(list: &'static str) -> Self {
        let mut properties = Vec::new();
        let mut given: Option<String> = None;
        for name in list.split('\0').skip(1) {
            match name.strip_prefix('=') {
                // A further part of a property's name that contains U+0000.
                Some(part) => {
                    given = Some(
                        given.map_or_else(|| part.to_owned(), |name| format!("{name}\0{part}")),
                    )
                }
                None => properties.push(given.take().unwrap_or_else(|| camel_case(name))),
            }
        }
        Self { list, properties }
    }

    pub(super) fn object(list: &'static str) -> &'static str {
        list.split('\0').next().unwrap_or_default()
    }
}

fn camel_case(field: &str) -> String {
    let mut is_start = false;
    let field = field.strip_prefix("r#").unwrap_or(field);
    let letters = field.chars().filter_map(|letter| {
        let was_start = std::mem::replace(&mut is_start, letter == '_');
        match letter {
            '_' => None,
            _ if was_start => Some(letter.to_ascii_uppercase()),
            _ => Some(letter),
        }
    });
    letters.collect()
}

/// A hash table of names by the addresses of their lists.
struct Known {
    places: [OnceLock<Names>; 512],
    /// The next table, for lists that find no free place.
    more: OnceLock<Box<Self>>,
}

static KNOWN: Known = Known {
    places: [const { OnceLock::new() }; 512],
    more: OnceLock::new(),
};

impl Known {
    fn find(&'static self, list: &'static str) -> &'static Names {
        let address = list.as_ptr().addr();
        let (before, after) = self.places.split_at(address % self.places.len());
        for place in after.iter().chain(before).take(8) {
            let names = place.get_or_init(|| Names::read(list));
            if ptr::eq(names.list, list) {
                return names;
            }
        }
        let more = self.more.get_or_init(|| {
            Box::new(Self {
                places: array::from_fn(|_| OnceLock::new()),
                more: OnceLock::new(),
            })
        });
        more.find(list)
    }
}
