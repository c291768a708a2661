//! Rules for names of objects by kind.

use crate::{label_fault, subdomain_fault};

/// Which rule the names of a kind follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS subdomain of up to 253 bytes: most kinds.
    #[default]
    Subdomain,
    /// A DNS label of up to 63 bytes: namespaces and services.
    Label,
    /// Anything that can be a segment of a path: the RBAC kinds.
    PathSegment,
}

/// Why a `generateName` breaks its kind's rule, or `None` when it holds: as [`name_fault`], with a
/// trailing dash allowed.
pub fn generate_name_fault(rule: NameRule, prefix: &str) -> Option<String> {
    match prefix.strip_suffix('-') {
        Some(head) if rule != NameRule::PathSegment => name_fault(rule, &format!("{head}a")),
        _ => name_fault(rule, prefix),
    }
}

/// Why a name breaks its kind's rule, or `None` when it holds.
pub fn name_fault(rule: NameRule, name: &str) -> Option<String> {
    match rule {
        NameRule::Subdomain => subdomain_fault(name),
        NameRule::Label if name.contains('.') => Some("must not contain dots".to_owned()),
        NameRule::Label => label_fault(name),
        NameRule::PathSegment => segment_fault(name),
    }
}

fn segment_fault(name: &str) -> Option<String> {
    if name == "." || name == ".." {
        return Some(format!("may not be '{name}'"));
    }
    ['/', '%']
        .into_iter()
        .find(|c| name.contains(*c))
        .map(|c| format!("may not contain '{c}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule_of_their_kind() {
        let check = |rule: NameRule, name: &str, valid: bool| {
            assert_eq!(name_fault(rule, name).is_none(), valid, "{rule:?} {name}");
        };
        check(NameRule::Subdomain, "a.b-c.9", true);
        check(NameRule::Subdomain, "A", false);
        check(NameRule::Subdomain, "a..b", false);
        check(NameRule::Subdomain, "a-", false);
        check(NameRule::Label, "9a", true);
        check(NameRule::Label, "a.b", false);
        check(NameRule::PathSegment, "system:node:x", true);
        check(NameRule::PathSegment, "a/b", false);
    }

    #[test]
    fn a_generate_name_may_end_in_a_dash() {
        assert_eq!(generate_name_fault(NameRule::Subdomain, "web-"), None);
        assert!(generate_name_fault(NameRule::Subdomain, "Web-").is_some());
    }
}
