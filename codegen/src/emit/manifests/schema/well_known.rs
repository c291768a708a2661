//! Schemas of types with a JSON form of their own, as controller-gen writes them.

use std::sync::Arc;

use serde_json::json;

use super::{PRESERVE, Schema, integers::non_zero};
use crate::model::{KnownType, QUANTITY_PATTERN};

/// The pattern of schemars for versions, from semver.org.
const SEMVER: &str = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$";

/// The pattern of schemars for decimal numbers that are read.
const DECIMAL: &str = r"^-?\d+(\.\d+)?([eE]\d+)?$";

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

impl Schema {
    /// The schema of a Kubernetes type that its fields do not describe.
    pub(super) fn of_known(known: KnownType, embedded_object_meta: bool) -> Option<Self> {
        Some(match known {
            KnownType::Time | KnownType::MicroTime => {
                Self::of_type("string").with("format", "date-time")
            }
            KnownType::Duration => Self::of_type("string"),
            KnownType::ByteString => Self::of_type("string").with("format", "byte"),
            KnownType::Quantity => int_or_string().with("pattern", QUANTITY_PATTERN),
            KnownType::IntOrString => int_or_string(),
            KnownType::RawExtension => Self::of_type("object").with(PRESERVE, true),
            KnownType::ObjectMeta if embedded_object_meta => object_meta(),
            KnownType::ObjectMeta => Self {
                bare_metadata: true,
                ..Self::of_type("object")
            },
            _ => return None,
        })
    }

    /// The schema of an external Rust type that serde writes as a string, by its path.
    pub(super) fn of_foreign(path: &str) -> Option<Self> {
        let text = |format: &str| Self::of_type("string").with("format", format);
        let matching = |pattern: &str| Self::of_type("string").with("pattern", pattern);
        // Re-exports of other crates' types.
        let path = ["k8s_openapi::", "kube::"]
            .iter()
            .find_map(|owner| path.strip_prefix(owner))
            .filter(|rest| ["chrono::", "jiff::"].iter().any(|it| rest.starts_with(it)))
            .unwrap_or(path);
        let path = &*path.replacen("chrono::prelude::", "chrono::", 1);
        Some(match path {
            "jiff::Timestamp" | "chrono::DateTime" | "time::OffsetDateTime" => text("date-time"),
            "chrono::NaiveDate" | "jiff::civil::Date" | "time::Date" => text("date"),
            "uuid::Uuid" => text("uuid"),
            "url::Url" => text("uri"),
            "std::net::Ipv4Addr" => text("ipv4"),
            "std::net::Ipv6Addr" => text("ipv6"),
            "std::net::IpAddr"
            | "std::net::SocketAddr"
            | "std::net::SocketAddrV4"
            | "std::net::SocketAddrV6"
            | "std::path::PathBuf"
            | "str"
            | "semver::VersionReq"
            | "kube::core::Duration"
            | "kube_core::Duration"
            | "ipnet::IpNet"
            | "ipnet::Ipv4Net"
            | "ipnet::Ipv6Net" => Self::of_type("string"),
            "semver::Version" => matching(SEMVER),
            // serde writes strings; schemars also permits numbers, for which CRDs have no schema beside strings.
            "rust_decimal::Decimal" | "bigdecimal::BigDecimal" => matching(DECIMAL),
            "chrono::Weekday" => Self::of_type("string").with("enum", WEEKDAYS.to_vec()),
            // These serialize as ISO 8601. The API server's format `duration` is Go's (`5m`).
            "jiff::SignedDuration" | "jiff::Span" => Self::of_type("string"),
            "chrono::NaiveDateTime"
            | "chrono::NaiveTime"
            | "jiff::Zoned"
            | "jiff::civil::DateTime"
            | "jiff::civil::Time" => Self::of_type("string"),
            "char" => Self::of_type("string")
                .with("minLength", 1)
                .with("maxLength", 1),
            _ => {
                return path
                    .rsplit_once("::NonZero")
                    .and_then(|(_, name)| non_zero(name));
            }
        })
    }
}

fn int_or_string() -> Schema {
    Schema::default()
        .with("anyOf", json!([{"type": "integer"}, {"type": "string"}]))
        .with("x-kubernetes-int-or-string", true)
}

/// The metadata that an embedded object may set; the server manages the rest.
fn object_meta() -> Schema {
    let texts = || Schema {
        additional: Some(Arc::new(Schema::of_type("string"))),
        ..Schema::of_type("object")
    };
    let mut meta = Schema::of_type("object");
    let finalizers = Schema {
        items: Some(Arc::new(Schema::of_type("string"))),
        ..Schema::of_type("array")
    };
    let properties = [
        ("annotations", texts()),
        ("finalizers", finalizers),
        ("labels", texts()),
        ("name", Schema::of_type("string")),
        ("namespace", Schema::of_type("string")),
    ];
    let properties = properties.map(|(name, schema)| (name.to_owned(), Arc::new(schema)));
    meta.properties.extend(properties);
    meta
}
