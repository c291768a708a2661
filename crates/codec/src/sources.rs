//! The text of the module `codec` and of its submodules.

/// The version of these sources.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A submodule of the codec.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub source: &'static str,
    /// The submodules that it refers to.
    pub needs: &'static [&'static str],
}

impl Part {
    /// Returns the submodule of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PARTS.iter().find(|part| part.name == name)
    }
}

/// The file of the module itself, which declares its submodules and exports what they have for others, a line each.
pub const ROOT: &str = include_str!("codec/mod.rs");

/// Lists submodules with what each needs.
macro_rules! parts {
    ($($name:literal needs [$($needs:literal),*];)+) => {
        [$(Part {
            name: $name,
            source: include_str!(concat!("codec/", $name, ".rs")),
            needs: &[$($needs),*],
        }),+]
    };
}

/// All submodules, by name.
pub const PARTS: &[Part] = &parts! {
    "base64" needs [];
    "condition" needs ["time"];
    "derived" needs [];
    "exact_reader" needs ["exact_writer", "optional_text"];
    "exact_writer" needs ["int_or_string", "optional_text", "quantity"];
    "hashed" needs [];
    "int_or_string" needs ["number"];
    "integers" needs [];
    "kinds" needs ["object"];
    "kubernetes" needs ["exact_reader", "exact_writer"];
    "number" needs [];
    "object" needs ["object_writer", "property"];
    "object_writer" needs ["property"];
    "omittable" needs ["object", "object_writer"];
    "optional_text" needs [];
    "property" needs [];
    "quantity" needs ["number"];
    "sparse" needs ["exact_reader", "exact_writer", "object", "object_writer"];
    "texts" needs [];
    "time" needs [];
    "union" needs [];
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn code(source: &str) -> String {
        let lines = source.lines().map(str::trim_start);
        lines.filter(|line| !line.starts_with("//")).collect()
    }

    #[test]
    fn every_submodule_is_listed() {
        let lines = ROOT.lines().filter_map(|line| line.strip_suffix(';'));
        let declared = lines.filter_map(|line| {
            let private = line.strip_prefix("pub ").unwrap_or(line);
            private.strip_prefix("mod ")
        });
        let declared: Vec<&str> = declared.filter(|name| !name.ends_with("tests")).collect();
        let listed: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        assert_eq!(listed, declared);
    }

    #[test]
    fn every_part_lists_what_it_needs() {
        for part in PARTS {
            let code = code(part.source);
            let uses = code
                .split(';')
                .filter(|item| item.starts_with("use super::"));
            let used: String = uses.collect();
            let words: BTreeSet<&str> = used
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .collect();
            for other in PARTS {
                let named = words.contains(other.name)
                    || (other.name == "number" && words.contains("Number"));
                assert!(
                    !named || part.needs.contains(&other.name),
                    "{} names {}",
                    part.name,
                    other.name
                );
            }
        }
    }
}
