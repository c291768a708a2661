//! Strings that are omitted when empty: the fields that hold them, and the encoding of an explicit empty string.
//!
//! [`sparse`](super::sparse) explains why.

use std::fmt::{self, Write as _};

use serde::Serialize;

/// The fields of k8s-openapi's structs that Go omits when empty and k8s-openapi writes.
const LEFT_OUT: [(&str, &str); 15] = [
    ("ConfigMapEnvSource", "name"),
    ("ConfigMapKeySelector", "name"),
    ("ConfigMapProjection", "name"),
    ("ConfigMapVolumeSource", "name"),
    ("ImageVolumeStatus", "imageRef"),
    ("LocalObjectReference", "name"),
    ("ParentReference", "name"),
    ("ParentReference", "resource"),
    ("PodCertificateProjection", "keyType"),
    ("PodCertificateProjection", "signerName"),
    ("SecretEnvSource", "name"),
    ("SecretKeySelector", "name"),
    ("SecretProjection", "name"),
    ("TokenReviewSpec", "token"),
    ("ValidatingAdmissionPolicyBindingSpec", "policyName"),
];

/// Whether a field of a struct is omitted when empty.
pub(super) fn leaves_out(object: &str, field: &str) -> bool {
    LEFT_OUT.contains(&(object, field))
}

/// Returns the held form of a string on the wire.
pub(super) fn held(mut text: String) -> String {
    match text.len() {
        0 => "\"\"".to_owned(),
        2.. if is_quotes(&text) => {
            text.push('"');
            text
        }
        _ => text,
    }
}

/// Returns the string on the wire of a held form, which is not empty: the reverse of [`held`].
pub(super) fn meant(text: &str) -> &str {
    match text.strip_prefix('"') {
        Some("\"") => "",
        Some(rest) if !rest.is_empty() && is_quotes(rest) => rest,
        _ => text,
    }
}

fn is_quotes(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'"')
}

/// Whether a value is the empty string. For other values: whether they display as nothing.
pub(super) fn is_empty<T: Serialize + ?Sized>(text: &T) -> bool {
    /// serde writes strings to a `Formatter` unchanged.
    struct Shown<'a, T: ?Sized>(&'a T);

    impl<T: Serialize + ?Sized> fmt::Display for Shown<'_, T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.serialize(f)
        }
    }

    struct Empty(bool);

    impl fmt::Write for Empty {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 &= text.is_empty();
            Ok(())
        }
    }

    let mut empty = Empty(true);
    write!(empty, "{}", Shown(text)).is_ok() && empty.0
}
