//! DNS labels and subdomains, worded as `k8s.io/apimachinery/pkg/util/validation` does.

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
'[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Bytes of the longest label.
const LABEL_LIMIT: usize = 63;
/// Bytes of the longest subdomain.
const SUBDOMAIN_LIMIT: usize = 253;

/// Lower case letters, digits and dashes, with a letter or digit at both ends; of any length.
fn has_label_characters(text: &str) -> bool {
    let edge = |c: Option<&u8>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let bytes = text.as_bytes();
    edge(bytes.first())
        && edge(bytes.last())
        && bytes
            .iter()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == b'-')
}

/// Whether a text is an RFC 1123 label: up to 63 bytes of lower case letters, digits and dashes
/// (`123-abc`).
#[must_use]
pub fn is_label(text: &str) -> bool {
    text.len() <= LABEL_LIMIT && has_label_characters(text)
}

/// Whether a text is an RFC 1035 label: an RFC 1123 label that starts with a letter (`my-name`).
#[must_use]
pub fn is_label_1035(text: &str) -> bool {
    is_label(text) && text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Whether a text is an RFC 1123 subdomain: labels with dots between, up to 253 bytes
/// (`example.com`).
#[must_use]
pub fn is_subdomain(text: &str) -> bool {
    text.len() <= SUBDOMAIN_LIMIT && text.split('.').all(has_label_characters)
}

/// Why a text is not an RFC 1123 subdomain, or `None` when it is one.
#[must_use]
pub fn subdomain_fault(name: &str) -> Option<String> {
    if name.len() > SUBDOMAIN_LIMIT {
        return Some("must be no more than 253 characters".to_owned());
    }
    (!is_subdomain(name)).then(|| SUBDOMAIN.to_owned())
}

/// Why a text is not an RFC 1123 label, or `None` when it is one.
#[must_use]
pub fn label_fault(name: &str) -> Option<String> {
    if name.len() > LABEL_LIMIT {
        return Some("must be no more than 63 characters".to_owned());
    }
    (!is_label(name)).then(|| LABEL.to_owned())
}

/// Why a text is not an RFC 1035 label, or `None` when it is one.
#[must_use]
pub fn label_1035_fault(name: &str) -> Option<String> {
    if name.len() > LABEL_LIMIT {
        return Some("must be no more than 63 characters".to_owned());
    }
    (!is_label_1035(name)).then(|| LABEL_1035.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, label: bool, label_1035: bool, subdomain: bool) {
        assert_eq!(is_label(text), label, "{text}");
        assert_eq!(is_label_1035(text), label_1035, "{text}");
        assert_eq!(is_subdomain(text), subdomain, "{text}");
        assert_eq!(label_fault(text).is_none(), label, "{text}");
        assert_eq!(label_1035_fault(text).is_none(), label_1035, "{text}");
        assert_eq!(subdomain_fault(text).is_none(), subdomain, "{text}");
    }

    #[test]
    fn labels_and_subdomains_are_told_apart() {
        check("my-name", true, true, true);
        check("9a", true, false, true);
        check("a.b-c.9", false, false, true);
        check("a..b", false, false, false);
        check("a-", false, false, false);
        check("-a", false, false, false);
        check("A", false, false, false);
        check("é", false, false, false);
        check("", false, false, false);
        check(&"a".repeat(63), true, true, true);
        check(&"a".repeat(64), false, false, true);
        check(&"a.".repeat(127), false, false, false);
    }
}
