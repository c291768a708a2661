//! What a request asks for.

use std::collections::BTreeMap;
use std::fmt;

use http::request::Parts;
use serde_json::Value;

/// One request, taken apart.
#[derive(Debug, Clone)]
pub struct Call {
    pub verb: &'static str,
    pub api_version: String,
    pub plural: String,
    pub namespace: String,
    pub name: String,
    pub subresource: String,
    pub query: BTreeMap<String, String>,
    pub body: Value,
}

impl Call {
    pub fn parse(parts: &Parts, body: &[u8]) -> Self {
        let segments: Vec<_> = parts
            .uri
            .path()
            .split('/')
            .filter(|segment| !segment.is_empty())
            .collect();
        let (api_version, rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ((*version).to_owned(), rest),
            ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
            other => panic!("unexpected path {other:?}"),
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
            rest => ("", rest),
        };
        let at = |n: usize| rest.get(n).copied().unwrap_or_default().to_owned();
        let query = parts.uri.query().unwrap_or_default();
        let query: BTreeMap<_, _> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        let verb = match (parts.method.as_str(), rest.len()) {
            ("GET", 1) if query.get("watch").is_some_and(|watch| watch == "true") => "watch",
            ("GET", 1) => "list",
            ("GET", _) => "get",
            ("POST", _) => "create",
            ("PUT", _) => "update",
            ("PATCH", _) => "patch",
            ("DELETE", _) => "delete",
            other => panic!("unexpected method {other:?}"),
        };
        let body = serde_json::from_slice(body).unwrap_or(Value::Null);
        let namespace = namespace.to_owned();
        Self {
            verb,
            api_version,
            plural: at(0),
            namespace,
            name: at(1),
            subresource: at(2),
            query,
            body,
        }
    }

    /// The name that the request is about: of the path, of the body, or of a field selector.
    pub fn target(&self) -> Option<&str> {
        if !self.name.is_empty() {
            return Some(&self.name);
        }
        if let Some(selector) = self.query.get("fieldSelector") {
            return selector.strip_prefix("metadata.name=");
        }
        self.body["metadata"]["name"].as_str()
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.plural)?;
        for part in [self.target().unwrap_or_default(), &self.subresource] {
            if !part.is_empty() {
                write!(f, "/{part}")?;
            }
        }
        Ok(())
    }
}
