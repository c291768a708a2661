//! Continue tokens: the position in a list, and its revision.

use serde_json::{Value, json};

use crate::metadata::object::text;
use crate::status::ApiError;
use crate::store::Key;
use crate::types::base64;

/// The message about an expired token.
pub(crate) const EXPIRED: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new \
list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. \
Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between \
the time the first chunk was returned and now may show up in the list.";

const VERSION: &str = "meta.k8s.io/v1";

/// A decoded token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// `None` continues with the current state.
    pub(crate) revision: Option<u64>,
    pub(crate) after: Key,
}

/// Encodes a token in kube-apiserver's format.
pub(crate) fn encode(revision: Option<u64>, after: &Key) -> String {
    let revision = revision.map_or_else(|| json!(-1), |r| json!(r));
    let token = json!({"v": VERSION, "rv": revision, "start": format!("{}/{}\u{0}", after.namespace, after.name)});
    base64::encode(token.to_string().as_bytes())
        .replace('+', "-")
        .replace('/', "_")
        .trim_end_matches('=')
        .to_owned()
}

/// Decodes a token.
///
/// # Errors
/// 400 if the token was not issued by the server.
pub(crate) fn decode(token: &str) -> Result<Token, ApiError> {
    parse(token).map_err(|why| {
        ApiError::bad_request(format!(
            "invalid continue token: continue key is not valid: {why}"
        ))
    })
}

fn parse(token: &str) -> Result<Token, String> {
    let bytes =
        base64::decode(token).map_err(|at| format!("illegal base64 data at input byte {at}"))?;
    let value: Value =
        crate::http::decode::decode(&bytes, crate::http::decode::Encoding::Json)?.value;
    if text(&value, &["v"]) != VERSION {
        return Err("server does not recognize this encoded version".to_owned());
    }
    let revision = match value["rv"].as_i64() {
        None | Some(0) => {
            return Err(
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)".to_owned(),
            );
        }
        Some(revision) => u64::try_from(revision).ok(),
    };
    let start = text(&value, &["start"]).trim_end_matches('\u{0}');
    let Some((namespace, name)) = start.split_once('/') else {
        return Err("encoded start key empty (version meta.k8s.io/v1)".to_owned());
    };
    Ok(Token {
        revision,
        after: Key::new(namespace, name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_the_round_trip_and_others_are_bad_requests() {
        let key = Key::new("ns", "a/b");
        for revision in [Some(7), None] {
            let token = decode(&encode(revision, &key)).unwrap();
            assert_eq!((token.revision, &token.after), (revision, &key));
        }
        for bad in ["", "zz", "ab?", "é", "e30"] {
            assert_eq!(decode(bad).unwrap_err().code, 400, "{bad}");
        }
    }
}
