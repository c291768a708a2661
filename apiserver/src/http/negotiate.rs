//! Content negotiation: the encodings of request bodies and of responses.

use serde_json::Value;

use super::decode::Encoding;
use crate::status::ApiError;

/// The media types of responses, as listed by kube-apiserver.
const ANSWER_TYPES: &str =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The media type of protobuf bodies.
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The encoding of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Json,
    Yaml,
}

/// The representation of objects in a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    /// The objects themselves.
    #[default]
    Whole,
    /// A `meta.k8s.io/v1 Table`.
    Table,
    /// The metadata of one object.
    Metadata,
    /// The metadata of a list of objects.
    MetadataList,
}

/// The formats that a client accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) format: Format,
    pub(crate) view: View,
    pub(crate) meta: MetaVersion,
}

/// The version of `meta.k8s.io` for Tables and partial objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MetaVersion {
    #[default]
    V1,
    V1Beta1,
}

impl MetaVersion {
    /// Converts a document of version `v1`, and the objects in it, to this version.
    pub(crate) fn convert(self, document: &mut Value) {
        if self == Self::V1 {
            return;
        }
        convert(document);
        for (list, inner) in [("rows", Some("object")), ("items", None)] {
            let items = document.get_mut(list).and_then(Value::as_array_mut);
            for item in items.into_iter().flatten() {
                match inner {
                    Some(key) => item.get_mut(key).map(convert).unwrap_or_default(),
                    None => convert(item),
                }
            }
        }
    }
}

fn convert(object: &mut Value) {
    if let Some(version) = object.get_mut("apiVersion")
        && *version == "meta.k8s.io/v1"
    {
        *version = Value::from("meta.k8s.io/v1beta1");
    }
}

struct MediaRange<'a> {
    kind: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl MediaRange<'_> {
    fn get(&self, key: &str) -> &str {
        self.parameters
            .iter()
            .find(|(k, _)| k.eq_ignore_ascii_case(key))
            .map_or("", |(_, v)| v)
    }

    fn format(&self) -> Option<Format> {
        match self.kind {
            "application/json" | "*/*" | "application/*" => Some(Format::Json),
            "application/yaml" => Some(Format::Yaml),
            _ => None,
        }
    }
}

fn media_ranges(accept: &str) -> Vec<MediaRange<'_>> {
    let mut ranges: Vec<(f32, MediaRange<'_>)> = accept
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let mut pieces = part.split(';').map(str::trim);
            let range = MediaRange {
                kind: pieces.next().unwrap_or_default(),
                parameters: pieces.filter_map(|p| p.split_once('=')).collect(),
            };
            (range.get("q").parse().unwrap_or(1.0), range)
        })
        .collect();
    ranges.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ranges.into_iter().map(|(_, range)| range).collect()
}

/// Negotiates the representation of a response with objects.
///
/// # Errors
/// 406 if the client accepts no supported media type.
pub(crate) fn accept_objects(accept: Option<&str>) -> Result<Accepted, ApiError> {
    let Some(accept) = accept.filter(|a| !a.trim().is_empty()) else {
        return Ok(Accepted::default());
    };
    media_ranges(accept)
        .iter()
        .find_map(accepted)
        .ok_or_else(|| ApiError::not_acceptable(ANSWER_TYPES))
}

fn accepted(range: &MediaRange<'_>) -> Option<Accepted> {
    let format = range.format()?;
    let is_meta = range.get("g") == "meta.k8s.io";
    let view = match (range.get("as"), range.get("v")) {
        ("", _) => View::Whole,
        ("Table", "v1" | "v1beta1") if is_meta => View::Table,
        ("PartialObjectMetadata", "v1" | "v1beta1") if is_meta => View::Metadata,
        ("PartialObjectMetadataList", "v1" | "v1beta1") if is_meta => View::MetadataList,
        _ => return None,
    };
    let meta = match range.get("v") {
        "v1beta1" => MetaVersion::V1Beta1,
        _ => MetaVersion::V1,
    };
    Some(Accepted { format, view, meta })
}

/// Returns the version of aggregated discovery that the client prefers over the unaggregated
/// documents, if any.
pub(crate) fn accept_aggregated(accept: Option<&str>) -> Option<&'static str> {
    for range in media_ranges(accept.unwrap_or_default()) {
        if range.kind != "application/json" {
            continue;
        }
        if range.get("as") != "APIGroupDiscoveryList" || range.get("g") != "apidiscovery.k8s.io" {
            if range.get("as").is_empty() {
                return None;
            }
            continue;
        }
        match range.get("v") {
            "v2" => return Some("v2"),
            "v2beta1" => return Some("v2beta1"),
            _ => {}
        }
    }
    None
}

/// The media type of OpenAPI v2 documents in protobuf, requested by Go clients.
pub(crate) const OPENAPI_V2_PROTOBUF: &str =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Its former name.
const OPENAPI_V2_PROTOBUF_OLD: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// The encoding of an OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenApiFormat {
    Json,
    Protobuf,
}

/// Negotiates the encoding of an OpenAPI document; version 3 documents are served as JSON only.
///
/// # Errors
/// 406 if the client accepts no supported media type.
pub(crate) fn accept_openapi(
    accept: Option<&str>,
    protobuf: bool,
) -> Result<OpenApiFormat, ApiError> {
    let Some(accept) = accept.filter(|a| !a.trim().is_empty()) else {
        return Ok(OpenApiFormat::Json);
    };
    media_ranges(accept)
        .iter()
        .find_map(|range| match range.kind {
            "application/json" | "*/*" | "application/*" => Some(OpenApiFormat::Json),
            OPENAPI_V2_PROTOBUF | OPENAPI_V2_PROTOBUF_OLD if protobuf => {
                Some(OpenApiFormat::Protobuf)
            }
            _ => None,
        })
        .ok_or_else(|| ApiError::not_acceptable("application/json"))
}

/// Returns the encoding of a request body; JSON by default. Protobuf is not supported for custom
/// resources.
///
/// # Errors
/// 415 for other media types.
pub(crate) fn body_encoding(
    content_type: Option<&str>,
    custom: bool,
) -> Result<Encoding, ApiError> {
    let kind = content_type
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    match kind {
        "" | "application/json" => Ok(Encoding::Json),
        "application/yaml" => Ok(Encoding::Yaml),
        PROTOBUF if !custom => Ok(Encoding::Protobuf),
        _ if custom => Err(ApiError::unsupported_media_type(
            "application/json, application/yaml",
        )),
        _ => Err(ApiError::unsupported_media_type(ANSWER_TYPES)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_acceptable_type_wins() {
        let check = |accept: &str, expected: Option<(Format, View)>| {
            let result = accept_objects(Some(accept)).ok();
            assert_eq!(result.map(|a| (a.format, a.view)), expected, "{accept}");
        };
        rows![check:
            ("", Some((Format::Json, View::Whole))),
            ("*/*", Some((Format::Json, View::Whole))),
            ("application/yaml", Some((Format::Yaml, View::Whole))),
            ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
                Some((Format::Json, View::Table))),
            ("application/vnd.kubernetes.protobuf, application/json", Some((Format::Json, View::Whole))),
            ("application/json;q=0.5, application/yaml", Some((Format::Yaml, View::Whole))),
            ("application/json;as=Nonsense;v=v1;g=meta.k8s.io", None),
            ("application/vnd.kubernetes.protobuf", None),
            ("text/html", None),
        ];
    }

    #[test]
    fn aggregated_discovery_is_given_only_on_request() {
        let aggregated =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
        assert_eq!(accept_aggregated(Some(aggregated)), Some("v2"));
        assert_eq!(accept_aggregated(Some("application/json")), None);
        assert_eq!(accept_aggregated(None), None);
    }

    #[test]
    fn openapi_is_json_or_on_request_protobuf() {
        let check = |accept: Option<&str>, protobuf: bool, expected: Option<OpenApiFormat>| {
            assert_eq!(
                accept_openapi(accept, protobuf).ok(),
                expected,
                "{accept:?}"
            );
        };
        check(None, true, Some(OpenApiFormat::Json));
        check(Some("application/json"), true, Some(OpenApiFormat::Json));
        let both = format!("{OPENAPI_V2_PROTOBUF_OLD}, application/json");
        check(Some(&both), true, Some(OpenApiFormat::Protobuf));
        check(Some(&both), false, Some(OpenApiFormat::Json));
        check(
            Some(OPENAPI_V2_PROTOBUF),
            true,
            Some(OpenApiFormat::Protobuf),
        );
        check(Some(OPENAPI_V2_PROTOBUF), false, None);
        check(Some("text/html"), true, None);
    }
}
