//! Parses the paths of the API.

use crate::status::ApiError;

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/`.
    Root,
    /// `/version`.
    Version,
    /// `/healthz`, `/livez`, `/readyz`, and what follows: the name of a check.
    Health(String, String),
    /// `/metrics`.
    Metrics,
    /// `/api`.
    Core,
    /// `/apis`.
    Groups,
    /// `/apis/<group>`.
    Group(String),
    /// `/api/v1` or `/apis/<group>/<version>`.
    GroupVersion(String, String),
    /// `/openapi/v2`.
    OpenApiV2,
    /// `/openapi/v3`, and what follows.
    OpenApiV3(String),
    /// A path under a group-version: objects.
    Objects(ObjectPath),
    /// Not served.
    Unknown,
}

/// A path under a group-version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectPath {
    pub(crate) group: String,
    pub(crate) version: String,
    /// Whether the path has a `namespaces/<namespace>` part.
    pub(crate) in_namespace: bool,
    pub(crate) namespace: String,
    pub(crate) plural: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
    /// Whether the path has the deprecated `/watch/` form.
    pub(crate) watch: bool,
}

/// Decodes percent-encoding.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Parses a path.
///
/// # Errors
/// 400 for invalid escapes and bytes that are not UTF-8.
pub(crate) fn parse(path: &str) -> Result<Route, ApiError> {
    let mut segments = Vec::new();
    for raw in path.split('/').filter(|s| !s.is_empty()) {
        let segment = percent_decode(raw)
            .filter(|s| !s.contains('\0'))
            .ok_or_else(|| ApiError::bad_request(format!("invalid URL escape \"{raw}\"")))?;
        segments.push(segment);
    }
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    Ok(match segments.as_slice() {
        [] => Route::Root,
        ["version"] => Route::Version,
        [endpoint @ ("healthz" | "livez" | "readyz"), check @ ..] => {
            Route::Health((*endpoint).to_owned(), check.join("/"))
        }
        ["metrics"] => Route::Metrics,
        ["openapi", "v2"] => Route::OpenApiV2,
        ["openapi", "v3", rest @ ..] => Route::OpenApiV3(rest.join("/")),
        ["api"] => Route::Core,
        ["apis"] => Route::Groups,
        ["api", version] => Route::GroupVersion(String::new(), (*version).to_owned()),
        ["apis", group] => Route::Group((*group).to_owned()),
        ["apis", group, version] => Route::GroupVersion((*group).to_owned(), (*version).to_owned()),
        ["api", version, rest @ ..] => object_path("", version, rest),
        ["apis", group, version, rest @ ..] => object_path(group, version, rest),
        _ => Route::Unknown,
    })
}

fn object_path(group: &str, version: &str, segments: &[&str]) -> Route {
    let mut path = ObjectPath {
        group: group.to_owned(),
        version: version.to_owned(),
        ..ObjectPath::default()
    };
    let mut segments = segments;
    if let ["watch", rest @ ..] = segments
        && !rest.is_empty()
    {
        path.watch = true;
        segments = rest;
    }
    match segments {
        // The subresources of a namespace are not objects in it.
        ["namespaces", name, sub @ ("status" | "finalize")] if group.is_empty() => {
            path.plural = "namespaces".to_owned();
            path.name = (*name).to_owned();
            path.subresource = (*sub).to_owned();
            return Route::Objects(path);
        }
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => {
            path.in_namespace = true;
            path.namespace = (*namespace).to_owned();
            segments = rest;
        }
        _ => {}
    }
    match segments {
        [plural] => path.plural = (*plural).to_owned(),
        [plural, name] => {
            path.plural = (*plural).to_owned();
            path.name = (*name).to_owned();
        }
        [plural, name, subresource] => {
            path.plural = (*plural).to_owned();
            path.name = (*name).to_owned();
            path.subresource = (*subresource).to_owned();
        }
        _ => return Route::Unknown,
    }
    Route::Objects(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(path: &str) -> (String, String, String, String, String) {
        match parse(path).unwrap() {
            Route::Objects(p) => (p.group, p.namespace, p.plural, p.name, p.subresource),
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn paths_name_groups_namespaces_resources_and_subresources() {
        let check = |path: &str, expected: [&str; 5]| {
            let (group, namespace, plural, name, sub) = objects(path);
            assert_eq!(
                [&*group, &*namespace, &*plural, &*name, &*sub],
                expected,
                "{path}"
            );
        };
        rows![check:
            ("/api/v1/pods", ["", "", "pods", "", ""]),
            ("/api/v1/namespaces", ["", "", "namespaces", "", ""]),
            ("/api/v1/namespaces/a", ["", "", "namespaces", "a", ""]),
            ("/api/v1/namespaces/a/status", ["", "", "namespaces", "a", "status"]),
            ("/api/v1/namespaces/a/pods/b/status", ["", "a", "pods", "b", "status"]),
            ("/apis/g.io/v1/namespaces/a/things/b", ["g.io", "a", "things", "b", ""]),
            ("/apis/g.io/v1/things/b%3Ac/scale", ["g.io", "", "things", "b:c", "scale"]),
        ];
    }

    #[test]
    fn bad_escapes_are_bad_requests() {
        for path in [
            "/api/v1/pods/%zz",
            "/api/v1/pods/%ff",
            "/api/%",
            "/api/v1/pods/%00",
        ] {
            assert_eq!(parse(path).unwrap_err().code, 400, "{path}");
        }
    }

    #[test]
    fn paths_that_go_too_deep_name_nothing() {
        assert_eq!(parse("/api/v1/pods/a/b/c").unwrap(), Route::Unknown);
        assert_eq!(parse("/nowhere").unwrap(), Route::Unknown);
    }
}
