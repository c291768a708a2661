//! The table of rules. A new one is a row and a check.

use serde_json::Value;

use super::{Fault, Level, definitions as d, fields as f, walk::Field};

/// A convention.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The name in output, in comments and in the book.
    pub(crate) id: &'static str,
    /// How a finding counts unless it is said otherwise.
    pub(crate) level: Level,
    /// What to write instead.
    pub(crate) instead: &'static str,
    /// What is checked.
    pub(super) check: Check,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    /// Every value of the schema.
    Field(fn(&Field<'_>) -> Option<String>),
    /// A CRD and one of its versions.
    Version(fn(&Value, &Value) -> Vec<Fault>),
}

const fn field(
    id: &'static str,
    level: Level,
    check: fn(&Field<'_>) -> Option<String>,
    instead: &'static str,
) -> Rule {
    let check = Check::Field(check);
    Rule {
        id,
        level,
        instead,
        check,
    }
}

const fn version(
    id: &'static str,
    level: Level,
    check: fn(&Value, &Value) -> Vec<Fault>,
    instead: &'static str,
) -> Rule {
    let check = Check::Version(check);
    Rule {
        id,
        level,
        instead,
        check,
    }
}

use Level::{Error, Off, Warning};

/// All rules, in the order of the book.
#[rustfmt::skip]
pub(crate) const RULES: &[Rule] = &[
    version("status-subresource", Error, d::status_subresource, "declare the subresource: `+kubebuilder:subresource:status`"),
    version("columns", Error, d::columns, "name a field of the schema in the column's jsonPath"),
    version("scale", Error, d::scale, "name fields of the schema"),
    version("conditions", Error, d::conditions, "use metav1.Condition, with `+listType=map` and `+listMapKey=type`"),
    version("short-names", Warning, d::short_names, "choose another short name"),
    field("list-type", Warning, f::list_type, "add `+listType=atomic`, `set` for distinct scalars, or `map` with `+listMapKey`"),
    field("integers", Warning, f::integers, "use a 32-bit or 64-bit signed integer"),
    field("floats", Warning, f::floats, "use an integer of a smaller unit, or a quantity"),
    field("maps", Warning, f::maps, "use a list of named objects: `+listType=map`, `+listMapKey=name`"),
    field("durations", Warning, f::durations, "use an integer with the unit in the name, such as `timeoutSeconds`"),
    field("names", Warning, f::names, "name it like `fieldName`"),
    field("phases", Warning, f::phases, "use conditions"),
    field("references", Warning, f::references, "use the short form"),
    field("timestamps", Warning, f::timestamps, "use the short form, as in `startTime`"),
    field("nullable", Warning, f::nullable, "leave out `nullable`: absent says the same"),
    field("defaults", Warning, f::defaults, "make it optional"),
    field("descriptions", Warning, f::descriptions, "document it"),
    field("untyped", Warning, f::untyped, "describe what may be there"),
    field("enums", Warning, f::enums, "name values like `RollingUpdate`"),
    field("unions", Warning, f::unions, "add a required enum that names the member, `+unionDiscriminator`"),
    field("unbounded-rules", Warning, f::unbounded_rules, "add `maxItems` or `maxProperties` to the list or map"),
    field("secrets", Warning, f::secrets, "refer to a Secret: `passwordSecretRef` with name and key"),
    field("unreached-defaults", Off, f::unreached_defaults, "give the object the default `{}`, or drop the inner one"),
    field("bools", Off, f::bools, "use an enum"),
    field("bounds", Off, f::bounds, "add a bound"),
];

/// The rule with the id.
pub(crate) fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn each_rule_has_its_own_id() {
        let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
