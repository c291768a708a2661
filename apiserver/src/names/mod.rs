//! Rules for names of objects, worded as `k8s.io/apimachinery/pkg/util/validation` does.

mod labels;

pub(crate) use labels::{label_key_faults, label_value_faults};

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
'[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Which rule the names of a kind follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// A DNS subdomain of up to 253 bytes: most kinds.
    #[default]
    Subdomain,
    /// A DNS label of up to 63 bytes: namespaces and services.
    Label,
    /// Anything that can be a segment of a path: the RBAC kinds.
    PathSegment,
}

/// Why a name breaks its kind's rule, or `None` when it holds. With `prefix`, the name is a `generateName`, whose
/// trailing dash is allowed.
pub(crate) fn name_fault(rule: NameRule, name: &str, prefix: bool) -> Option<String> {
    let masked;
    let name = match name.strip_suffix('-') {
        Some(head) if prefix && rule != NameRule::PathSegment => {
            masked = format!("{head}a");
            masked.as_str()
        }
        _ => name,
    };
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

fn is_label(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    edge(text.chars().next())
        && edge(text.chars().next_back())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Why a text is no RFC 1123 subdomain, or `None` when it is one.
pub(crate) fn subdomain_fault(name: &str) -> Option<String> {
    if name.len() > 253 {
        return Some("must be no more than 253 characters".to_owned());
    }
    (!name.split('.').all(is_label)).then(|| SUBDOMAIN.to_owned())
}

/// Why a text is no RFC 1123 label, or `None` when it is one.
pub(crate) fn label_fault(name: &str) -> Option<String> {
    if name.len() > 63 {
        return Some("must be no more than 63 characters".to_owned());
    }
    (!is_label(name)).then(|| LABEL.to_owned())
}

/// Why a text is no RFC 1035 label, or `None` when it is one.
pub(crate) fn label_1035_fault(name: &str) -> Option<String> {
    if name.len() > 63 {
        return Some("must be no more than 63 characters".to_owned());
    }
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    (!(starts_well && is_label(name))).then(|| LABEL_1035.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule_of_their_kind() {
        let check = |rule: NameRule, name: &str, valid: bool| {
            assert_eq!(
                name_fault(rule, name, false).is_none(),
                valid,
                "{rule:?} {name}"
            );
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
        assert_eq!(name_fault(NameRule::Subdomain, "web-", true), None);
        assert!(name_fault(NameRule::Subdomain, "Web-", true).is_some());
    }
}
