//! Images of containers and volumes.

use serde_json::Value;

/// Returns when an image is pulled by default: always if its tag is, or defaults to, `latest`.
pub(super) fn pull_policy(image: Option<&Value>) -> &'static str {
    let image = image.and_then(Value::as_str).unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    let tag = name.split_once(':').map(|(_, tag)| tag);
    let latest = !image.contains('@') && matches!(tag, None | Some("latest"));
    if latest { "Always" } else { "IfNotPresent" }
}
