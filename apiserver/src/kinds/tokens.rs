//! Service account tokens: unsigned JSON Web Tokens that only this server accepts.

use serde_json::{Value, json};

use crate::metadata::object;
use crate::registry::Cluster;
use crate::types::base64;

/// The issuer of the tokens, and their default audience, unless the server is given another.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The claims of a token.
pub(crate) struct Claims<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) account: &'a Value,
    pub(crate) audiences: &'a Value,
    /// The object that the token is bound to, or null.
    pub(crate) bound_to: &'a Value,
    /// In seconds since the Unix epoch.
    pub(crate) issued: i64,
    pub(crate) expires: i64,
}

/// Issues a token.
pub(crate) fn issue(claims: &Claims<'_>) -> String {
    let (namespace, name) = (
        object::namespace(claims.account),
        object::name(claims.account),
    );
    let mut bound = json!({
        "namespace": namespace,
        "serviceaccount": {"name": name, "uid": object::uid(claims.account)},
    });
    if let Some(kind) = claims.bound_to["kind"].as_str() {
        bound[kind.to_lowercase()] =
            json!({"name": claims.bound_to["name"], "uid": claims.bound_to["uid"]});
    }
    let payload = json!({
        "aud": claims.audiences,
        "exp": claims.expires,
        "iat": claims.issued,
        "nbf": claims.issued,
        "iss": claims.issuer,
        "jti": object::new_uid(),
        "kubernetes.io": bound,
        "sub": format!("system:serviceaccount:{namespace}:{name}"),
    });
    let header = json!({"alg": "none", "typ": "JWT"});
    format!("{}.{}.", part(&header), part(&payload))
}

fn part(value: &Value) -> String {
    let text = base64::encode(value.to_string().as_bytes());
    text.replace('+', "-")
        .replace('/', "_")
        .trim_end_matches('=')
        .to_owned()
}

/// Returns the user and the audiences of a token, if it is valid now and its service account
/// exists.
pub(crate) fn user(cluster: &dyn Cluster, token: &str) -> Option<(Value, Value)> {
    let payload = base64::decode(token.split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&payload).ok()?;
    let now = cluster.now().as_second();
    let in_force = claims["iss"] == cluster.issuer() && claims["exp"].as_i64()? > now;
    let (namespace, account) = (
        claims["kubernetes.io"]["namespace"].as_str()?,
        &claims["kubernetes.io"]["serviceaccount"],
    );
    let exists = cluster.stored("", "serviceaccounts").iter().any(|stored| {
        object::namespace(stored) == namespace && object::uid(stored) == account["uid"]
    });
    (in_force && exists).then(|| {
        let user = json!({
            "username": claims["sub"],
            "uid": account["uid"],
            "groups": [
                "system:serviceaccounts",
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated",
            ],
        });
        (user, claims["aud"].clone())
    })
}
