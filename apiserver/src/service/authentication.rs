//! Who makes a request.
//!
//! Without [`Authentication`], a request is the administrator's unless it names a user. A listener
//! with it decides as kube-apiserver does: the client's certificate, the token, or nobody in
//! particular.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use http::HeaderName;
use http::header::AUTHORIZATION;
use http::request::Parts;

use crate::authorization;
use crate::core::Core;
use crate::kinds::tokens;
use crate::rbac::access::{Access, Target};
use crate::rbac::user::User;
use crate::registry::Cluster;
use crate::status::ApiError;

/// How a listener finds out who its clients are.
#[derive(Clone)]
pub struct Authentication {
    anonymous: bool,
    tokens: BTreeMap<String, User>,
    #[cfg(feature = "tls")]
    authorities: Option<Arc<crate::x509::client::Authorities>>,
}

impl fmt::Debug for Authentication {
    /// Without the tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let users = self.tokens.values().map(|user| &user.name);
        f.debug_struct("Authentication")
            .field("anonymous", &self.anonymous)
            .field("users", &users.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Default for Authentication {
    /// Tokens of service accounts only; requests without credentials are those of
    /// `system:anonymous`.
    fn default() -> Self {
        Self {
            anonymous: true,
            tokens: BTreeMap::new(),
            #[cfg(feature = "tls")]
            authorities: None,
        }
    }
}

impl Authentication {
    /// Whether requests without credentials are answered, as those of `system:anonymous`; otherwise
    /// they get 401.
    #[must_use]
    pub fn anonymous(mut self, on: bool) -> Self {
        self.anonymous = on;
        self
    }

    /// Adds users with fixed tokens, a line each, as kube-apiserver's `--token-auth-file` has them:
    /// `token,name,uid[,"group1,group2"]`. A later line of the same token replaces an earlier one.
    ///
    /// # Errors
    /// The number of a line that has fewer than three columns.
    pub fn tokens(mut self, csv: &str) -> Result<Self, usize> {
        for (number, line) in csv.lines().enumerate() {
            let columns = columns(line);
            match columns.as_slice() {
                [only] if only.is_empty() => {}
                [token, name, uid, rest @ ..] => {
                    let groups = rest.first().map_or("", String::as_str).split(',');
                    let user = User {
                        name: name.clone(),
                        uid: uid.clone(),
                        groups: groups
                            .map(|it| it.trim().to_owned())
                            .filter(|it| !it.is_empty())
                            .collect(),
                    };
                    self.tokens.insert(token.clone(), user);
                }
                _ => return Err(number + 1),
            }
        }
        Ok(self)
    }

    /// Takes client certificates that these authorities signed, in PEM: the common name is the
    /// user, the organizations are the groups.
    ///
    /// # Errors
    /// If the PEM is malformed or has no certificates.
    #[cfg(feature = "tls")]
    pub fn client_authorities(mut self, pem: &[u8]) -> Result<Self, crate::x509::pem::TlsError> {
        self.authorities = Some(Arc::new(crate::x509::pem::read_authorities(pem)?));
        Ok(self)
    }

    #[cfg(feature = "tls")]
    pub(crate) fn authorities(&self) -> Option<&Arc<crate::x509::client::Authorities>> {
        self.authorities.as_ref()
    }
}

/// Splits a line of comma-separated values, which may stand in double quotes.
fn columns(line: &str) -> Vec<String> {
    let mut columns = vec![String::new()];
    let mut quoted = false;
    for letter in line.trim().chars() {
        match (letter, columns.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => columns.push(String::new()),
            (letter, Some(last)) => last.push(letter),
            (_, None) => {}
        }
    }
    columns.iter().map(|it| it.trim().to_owned()).collect()
}

/// What the certificate of a connection says about its client.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "tls"),
    expect(dead_code, reason = "only TLS has certificates")
)]
pub(crate) enum Certified {
    /// There is none, or it names nobody.
    #[default]
    No,
    User(User),
    /// It is not trusted.
    Refused,
}

/// The client of a connection to a listener that asks for credentials, as an extension of its
/// requests.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) authentication: Arc<Authentication>,
    pub(crate) certified: Certified,
}

impl Peer {
    fn user(&self, core: &Core, parts: &Parts) -> Result<User, ApiError> {
        if let Certified::User(user) = &self.certified {
            return Ok(user.clone());
        }
        if let Some(token) = bearer_token(parts) {
            let user = self.authentication.tokens.get(token).cloned();
            return user
                .or_else(|| of_account(core, token))
                .ok_or_else(unauthorized);
        }
        match self.certified {
            Certified::No if self.authentication.anonymous => Ok(User::anonymous()),
            _ => Err(unauthorized()),
        }
    }
}

/// The user of a service, as an extension of requests: for tests that name their clients.
#[derive(Clone)]
pub(crate) struct OwnUser(pub(crate) Arc<str>);

/// Returns the user that makes a request: the impersonated one, that of the connection or the
/// service, or the service account of the token.
///
/// # Errors
/// 401 or 403, from a listener that asks for credentials.
pub(crate) fn user(core: &Core, parts: &Parts) -> Result<User, ApiError> {
    let impersonated = impersonated(parts);
    if let Some(peer) = parts.extensions.get::<Peer>() {
        let own = peer.user(core, parts)?;
        let Some(other) = impersonated? else {
            return Ok(own);
        };
        check_impersonation(core, &own, &other)?;
        return Ok(other);
    }
    if let Ok(Some(other)) = impersonated {
        return Ok(other);
    }
    Ok(match parts.extensions.get::<OwnUser>() {
        Some(OwnUser(name)) if !name.is_empty() => User::named(&**name),
        _ => bearer_token(parts)
            .and_then(|token| of_account(core, token))
            .unwrap_or_default(),
    })
}

fn impersonated(parts: &Parts) -> Result<Option<User>, ApiError> {
    let groups = parts.headers.get_all("impersonate-group").iter();
    let groups: Vec<String> = groups
        .filter_map(|it| it.to_str().ok().map(str::to_owned))
        .collect();
    let name = text(parts, &HeaderName::from_static("impersonate-user"));
    match name {
        Some(name) => Ok(Some(User {
            name: name.to_owned(),
            groups,
            ..User::default()
        })),
        None if groups.is_empty() => Ok(None),
        None => Err(ApiError::internal(format!(
            "requested the groups {groups:?} without impersonating a user"
        ))),
    }
}

/// Checks that a user may act as another (`k8s.io/apiserver/pkg/endpoints/filters/impersonation`).
fn check_impersonation(core: &Core, own: &User, other: &User) -> Result<(), ApiError> {
    let access = |resource: &str, namespace: &str, name: &str| Access {
        verb: "impersonate".to_owned(),
        resource: resource.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        ..Access::default()
    };
    let subject = match other.service_account() {
        Some((namespace, name)) => access("serviceaccounts", namespace, name),
        None => access("users", "", &other.name),
    };
    let groups = other.groups.iter().map(|group| access("groups", "", group));
    std::iter::once(subject)
        .chain(groups)
        .try_for_each(|it| authorization::require(core, own, Target::Resource(&it)))
}

fn of_account(core: &dyn Cluster, token: &str) -> Option<User> {
    let (user, _) = tokens::user(core, token)?;
    Some(User {
        uid: user["uid"].as_str().unwrap_or_default().to_owned(),
        ..User::named(user["username"].as_str()?)
    })
}

fn bearer_token(parts: &Parts) -> Option<&str> {
    let token = text(parts, &AUTHORIZATION)?.strip_prefix("Bearer ")?.trim();
    (!token.is_empty()).then_some(token)
}

fn text<'a>(parts: &'a Parts, name: &HeaderName) -> Option<&'a str> {
    parts.headers.get(name)?.to_str().ok()
}

fn unauthorized() -> ApiError {
    ApiError::new(401, "Unauthorized", "Unauthorized")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_tokens_is_split_at_commas_outside_of_quotes() {
        let check = |line: &str, expected: &[&str]| assert_eq!(columns(line), expected, "{line}");
        check("t,ann,1", &["t", "ann", "1"]);
        check(r#"t, ann ,1,"a,b""#, &["t", "ann", "1", "a,b"]);
        check(r#""t",ann,"#, &["t", "ann", ""]);
        check("", &[""]);
    }

    #[test]
    fn a_line_with_too_few_columns_is_named() {
        let read = |csv: &str| Authentication::default().tokens(csv).map(|it| it.tokens);
        assert_eq!(read("t,ann,1\n\nu,bob").unwrap_err(), 3);
        let users = read("t,ann,1,\"a, b\"\n").unwrap();
        assert_eq!(users["t"].groups, ["a", "b"]);
        assert_eq!(users["t"].uid, "1");
    }
}
