//! What a review is, before its request is decoded.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::fault::Fault;

/// A kind of review.
#[derive(Debug)]
pub(super) struct Sort {
    pub(super) kind: &'static str,
    /// The API versions; the first is the one to ask for.
    versions: &'static [&'static str],
    described: &'static str,
}

pub(super) const ADMISSION: Sort = Sort {
    kind: "AdmissionReview",
    versions: &["admission.k8s.io/v1", "admission.k8s.io/v1beta1"],
    described: "an AdmissionReview of admission.k8s.io/v1",
};

pub(super) const CONVERSION: Sort = Sort {
    kind: "ConversionReview",
    versions: &["apiextensions.k8s.io/v1"],
    described: "a ConversionReview of apiextensions.k8s.io/v1",
};

/// A review of an expected kind.
#[derive(Debug)]
pub(super) struct Envelope {
    pub(super) version: &'static str,
    /// The JSON of the request.
    pub(super) request: Bytes,
}

/// Only the ends of values are looked for, which takes no memory.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    #[serde(default, borrow)]
    api_version: Cow<'a, str>,
    #[serde(default, borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
}

impl Sort {
    /// Opens a review, whose response has the same version.
    pub(super) fn open(&self, body: &Bytes) -> Result<Envelope, Fault> {
        let review: Review<'_> = serde_json::from_slice(body)
            .map_err(|error| Fault::bad(format!("the body is not a review: {error}")))?;
        let version = self.versions.iter().find(|it| **it == review.api_version);
        let version = version.filter(|_| review.kind == self.kind);
        let Some(version) = version else {
            let (expected, kind, version) = (self.described, &review.kind, &review.api_version);
            let why = format!("expected {expected}, not {kind:?} of {version:?}");
            return Err(Fault::bad(why));
        };
        let request = review
            .request
            .ok_or_else(|| Fault::bad("the review has no valid request: expected an object"))?;
        Ok(Envelope {
            version,
            request: body.slice_ref(request.get().as_bytes()),
        })
    }
}
