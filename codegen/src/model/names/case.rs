//! Case conversion: splits names into words and joins them in the case that Rust expects.
//!
//! Go names keep acronyms, which heck splits or changes (`VMs` → `v_ms`, `IPv4` → `i_pv4`,
//! `HTTPRoute` → `HttpRoute`), so the generator has its own rules.

/// Splits a name into words, unchanged in case.
///
/// Characters other than letters and digits separate words. A word also starts at a change from
/// lower case or digit to upper case, and at the last capital of a run that is followed by lower
/// case. A run of capitals with a plural `s` (`podIPs`, `VMs`), an address family (`IPv4`) and
/// `OAuth` stay whole.
#[must_use]
pub fn words(name: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    let mut words = Vec::new();
    let mut start: Option<usize> = None;
    let mut index = 0;
    while let Some(&(at, c)) = chars.get(index) {
        if !c.is_alphanumeric() {
            if let Some(from) = start.take() {
                words.push(&name[from..at]);
            }
            index += 1;
            continue;
        }
        let from = *start.get_or_insert(at);
        if from != at && starts_word(&chars, index) {
            words.push(&name[from..at]);
            start = Some(at);
        }
        let whole = if start == Some(at) {
            whole_word(&name[at..])
        } else {
            0
        };
        index += whole.max(1);
    }
    if let Some(from) = start {
        words.push(&name[from..]);
    }
    words
}

/// Whether the capital at `index` starts a word, assuming that the preceding character belongs to a
/// word.
fn starts_word(chars: &[(usize, char)], index: usize) -> bool {
    let at = |index: usize| chars.get(index).map(|&(_, c)| c);
    let (Some(before), Some(c)) = (at(index - 1), at(index)) else {
        return false;
    };
    if !c.is_uppercase() {
        return false;
    }
    if !before.is_uppercase() {
        return true;
    }
    // `HTTPRoute`: the R starts a word. `VMs`, `IPv4`: the last capital does not.
    let Some(next) = at(index + 1).filter(|next| next.is_lowercase()) else {
        return false;
    };
    let after = at(index + 2);
    let plural = next == 's' && after.is_none_or(|after| !after.is_lowercase());
    let family = next == 'v' && after.is_some_and(|after| after.is_ascii_digit());
    !(plural || family)
}

/// Returns the length, in characters, of a mixed-case word at the start of `rest` that is never
/// split.
fn whole_word(rest: &str) -> usize {
    const WHOLE: [&str; 1] = ["OAuth"];
    WHOLE
        .into_iter()
        .find(|word| rest.starts_with(word))
        .map_or(0, str::len)
}

/// Converts a name to snake case: `virtual_machine`, `http_route`, `pod_ips`, `s3_bucket`.
///
/// Idempotent. The result may be empty or start with a digit; `ident` makes it legal.
#[must_use]
pub fn snake_case(name: &str) -> String {
    words(name)
        .into_iter()
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join("_")
}

/// Converts a name to upper camel case: `VirtualMachine`, `PodIPs`, `HTTPRoute`.
///
/// Acronyms keep their case, as in Go names. The result may be empty or start with a digit; `ident`
/// makes it legal.
#[must_use]
pub fn upper_camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    for part in name.split(|c: char| !c.is_alphanumeric()) {
        let mut chars = part.chars();
        if let Some(first) = chars.next() {
            // `1` and `0` of `v1-0` must not become `v10`.
            if first.is_ascii_digit() && camel.ends_with(|c: char| c.is_ascii_digit()) {
                camel.push('_');
            }
            camel.extend(first.to_uppercase());
            camel.push_str(chars.as_str());
        }
    }
    camel
}

/// Whether a field of Rust (`cluster_ip`, `type_`) may have the name in JSON (`clusterIP`, `type`).
pub(crate) fn is_same_field(rust: &str, json: &str) -> bool {
    let letters = |name: &str| -> Vec<char> {
        let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    letters(rust) == letters(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, snake: &str, camel: &str) {
        assert_eq!(snake_case(name), snake, "snake case of {name}");
        assert_eq!(snake_case(snake), snake, "snake case of {snake}");
        assert_eq!(upper_camel(name), camel, "camel case of {name}");
    }

    #[test]
    fn acronyms_are_words() {
        check("VirtualMachine", "virtual_machine", "VirtualMachine");
        check("HTTPRoute", "http_route", "HTTPRoute");
        check("HTTPRoutes", "http_routes", "HTTPRoutes");
        check("VMIPool", "vmi_pool", "VMIPool");
        check("VM", "vm", "VM");
        check("getURLForPodIP", "get_url_for_pod_ip", "GetURLForPodIP");
    }

    #[test]
    fn plural_acronyms_stay_whole() {
        check("VMs", "vms", "VMs");
        check("podIPs", "pod_ips", "PodIPs");
        check(
            "clusterIPsAllowed",
            "cluster_ips_allowed",
            "ClusterIPsAllowed",
        );
        check("isSet", "is_set", "IsSet");
        check("HTTPStatus", "http_status", "HTTPStatus");
    }

    #[test]
    fn digits_stay_with_the_word_before() {
        check("S3Bucket", "s3_bucket", "S3Bucket");
        check("hostIPv4Address", "host_ipv4_address", "HostIPv4Address");
        check("v1alpha1", "v1alpha1", "V1alpha1");
        check("x509", "x509", "X509");
    }

    #[test]
    fn separators_are_dropped() {
        check("virtual-machine", "virtual_machine", "VirtualMachine");
        check("$ref", "ref", "Ref");
        check("k8s.io/name", "k8s_io_name", "K8sIoName");
        check("", "", "");
        check("__", "", "");
        check("1-0", "1_0", "1_0");
    }

    #[test]
    fn oauth_stays_whole() {
        check("OAuthClient", "oauth_client", "OAuthClient");
    }
}
