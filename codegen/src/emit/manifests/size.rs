//! Warnings about CRDs close to the size limits of etcd and clients.

use crate::{diag::Diagnostic, output::yaml::Part};

/// The limit for all annotations of an object, in bytes (`TotalAnnotationSizeLimitB` in apimachinery). Client-side `kubectl
/// apply` stores the whole object in one.
const ANNOTATIONS: usize = 256 * 1024;

/// The limit for a request to etcd, in bytes (`--max-request-bytes`, 1.5 MiB).
const REQUEST: usize = 3 * 512 * 1024;

/// The warning for a CRD close to or above a size limit, if any; `descriptions` is their maximum length.
pub(super) fn warning(
    name: &str,
    crd: &Part<'_>,
    descriptions: Option<usize>,
) -> Option<Diagnostic> {
    let size = crd.json_bytes();
    let bytes = |limit: usize| format!("the CRD {name} has {size} bytes, of {limit} that ");
    // Leave room for the status, managed fields and defaults that the server adds.
    if size > REQUEST / 10 * 9 {
        let message = bytes(REQUEST) + "etcd takes";
        let help = match descriptions {
            Some(0) => "split the kind: its descriptions are left out already",
            _ => {
                "shorten descriptions: `max-description = 0` in [crate.manifests] leaves them out, or split the kind"
            }
        };
        return Some(Diagnostic::warning(message).help(help));
    }
    if size > ANNOTATIONS / 10 * 9 {
        let message = bytes(ANNOTATIONS) + "`kubectl apply` without `--server-side` can keep";
        let help = match descriptions {
            Some(0) => "apply it with `--server-side`: its descriptions are left out already",
            _ => {
                "apply it with `--server-side`, or shorten descriptions with `max-description` in [crate.manifests]"
            }
        };
        return Some(Diagnostic::warning(message).help(help));
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn warning_of(bytes: usize, descriptions: Option<usize>) -> Option<String> {
        let text = "x".repeat(bytes);
        let crd = json!({"spec": text, "list": [1, "é\n", {}]});
        let warning = warning("vms.example.com", &Part::Json(&crd), descriptions);
        warning.map(|warning| format!("{warning:?}"))
    }

    #[track_caller]
    fn check(bytes: usize, expected: Option<&str>) {
        match (warning_of(bytes, None), expected) {
            (Some(warning), Some(expected)) => assert!(warning.contains(expected), "{warning}"),
            (warning, expected) => assert_eq!(warning.is_some(), expected.is_some(), "{bytes}"),
        }
    }

    #[test]
    fn descriptions_that_are_left_out_are_not_to_be_shortened() {
        for bytes in [240 * 1024, 1_450_000] {
            let advises = |descriptions| {
                warning_of(bytes, descriptions).is_some_and(|it| it.contains("max-description"))
            };
            assert!(advises(None) && advises(Some(20)), "{bytes}");
            assert!(
                !advises(Some(0)) && warning_of(bytes, Some(0)).is_some(),
                "{bytes}"
            );
        }
    }

    #[test]
    fn a_crd_near_a_limit_is_warned_of() {
        check(1000, None);
        check(200 * 1024, None);
        check(240 * 1024, Some("of 262144 that `kubectl apply`"));
        check(1_400_000, Some("of 262144 that `kubectl apply`"));
        check(1_450_000, Some("of 1572864 that etcd takes"));
    }
}
