//! URLs, as accepted by Go's `url.ParseRequestURI`.

/// The parts of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) query: String,
}

/// Parses a URL.
pub(crate) fn read(text: &str) -> Option<Url> {
    if !crate::formats::matches("uri", text)? {
        return None;
    }
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let scheme = text
        .split_once(':')
        .filter(|(scheme, _)| !scheme.contains('/'));
    let (scheme, rest) = scheme.unwrap_or(("", text));
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or((rest, ""), |at| rest.split_at(at)),
        None => ("", rest),
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    Some(Url {
        scheme: scheme.to_ascii_lowercase(),
        host: host.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
    })
}
