//! Authentication with OpenStack Identity (Keystone), API v3.

use clap::Args;
use http::Method;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::NeutronFlagsError;
use super::http::{Service, Transport};
use crate::backend::BackendError;

/// A token is renewed this long before it expires.
const EARLY: SignedDuration = SignedDuration::from_secs(60);

/// Credentials, in the variables of OpenStack's own clients.
#[derive(Clone, Debug, Default, Args)]
#[group(skip)]
pub struct KeystoneFlags {
    /// The address of OpenStack Identity, such as `https://identity.example.com/v3`; no
    /// authentication unless set.
    #[arg(long, value_name = "URL", env = "OS_AUTH_URL", hide_env_values = true)]
    pub os_auth_url: Option<String>,
    /// The user; the password is taken from $OS_PASSWORD.
    #[arg(long, value_name = "NAME", env = "OS_USERNAME", hide_env_values = true)]
    pub os_username: Option<String>,
    /// The user's domain.
    #[arg(
        long,
        value_name = "NAME",
        env = "OS_USER_DOMAIN_NAME",
        hide_env_values = true,
        default_value = "Default"
    )]
    pub os_user_domain_name: String,
    /// The project's name.
    #[arg(
        long,
        value_name = "NAME",
        env = "OS_PROJECT_NAME",
        hide_env_values = true
    )]
    pub os_project_name: Option<String>,
    /// The project's domain.
    #[arg(
        long,
        value_name = "NAME",
        env = "OS_PROJECT_DOMAIN_NAME",
        hide_env_values = true,
        default_value = "Default"
    )]
    pub os_project_domain_name: String,
    /// An application credential instead of a user; the secret is taken from
    /// $OS_APPLICATION_CREDENTIAL_SECRET.
    #[arg(
        long,
        value_name = "ID",
        env = "OS_APPLICATION_CREDENTIAL_ID",
        hide_env_values = true
    )]
    pub os_application_credential_id: Option<String>,
    /// The region of the endpoint in the catalog; any unless set.
    #[arg(
        long,
        value_name = "NAME",
        env = "OS_REGION_NAME",
        hide_env_values = true
    )]
    pub os_region_name: Option<String>,
    /// The interface of the endpoint in the catalog.
    #[arg(
        long,
        value_name = "NAME",
        env = "OS_INTERFACE",
        hide_env_values = true,
        default_value = "public"
    )]
    pub os_interface: String,
}

/// How to authenticate.
pub(super) struct Keystone {
    service: Service,
    path: &'static str,
    request: Value,
    region: Option<String>,
    interface: String,
}

/// An authenticated session.
pub(super) struct Session {
    pub(super) token: String,
    pub(super) endpoint: Option<String>,
    expires: Timestamp,
}

impl Session {
    pub(super) fn is_over(&self) -> bool {
        self.expires < Timestamp::now() + EARLY
    }
}

#[derive(Deserialize)]
struct Body {
    token: Token,
}

#[derive(Deserialize)]
struct Token {
    expires_at: Timestamp,
    #[serde(default)]
    catalog: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    type_: String,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

#[derive(Deserialize)]
struct Endpoint {
    interface: String,
    #[serde(default)]
    region: Option<String>,
    url: String,
}

impl Keystone {
    /// Builds the login request from the flags; `None` if they configure no authentication.
    pub(super) fn new(
        flags: &KeystoneFlags,
        transport: &Transport,
        secret: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, NeutronFlagsError> {
        let Some(url) = &flags.os_auth_url else {
            return Ok(None);
        };
        let missing = NeutronFlagsError::Missing;
        let auth = match &flags.os_application_credential_id {
            Some(id) => {
                let secret = secret("OS_APPLICATION_CREDENTIAL_SECRET")
                    .ok_or(missing("$OS_APPLICATION_CREDENTIAL_SECRET"))?;
                json!({ "identity": {
                    "methods": ["application_credential"],
                    "application_credential": { "id": id, "secret": secret },
                } })
            }
            None => {
                let user = flags.os_username.as_ref();
                let user =
                    user.ok_or(missing("--os-username or --os-application-credential-id"))?;
                let project = flags.os_project_name.as_ref();
                json!({
                    "identity": {
                        "methods": ["password"],
                        "password": { "user": {
                            "name": user,
                            "domain": { "name": flags.os_user_domain_name },
                            "password": secret("OS_PASSWORD").ok_or(missing("$OS_PASSWORD"))?,
                        } },
                    },
                    "scope": { "project": {
                        "name": project.ok_or(missing("--os-project-name"))?,
                        "domain": { "name": flags.os_project_domain_name },
                    } },
                })
            }
        };
        let has_version = url.trim_end_matches('/').ends_with("/v3");
        Ok(Some(Self {
            service: Service::new("--os-auth-url", url, transport)?,
            path: if has_version {
                "/auth/tokens"
            } else {
                "/v3/auth/tokens"
            },
            request: json!({ "auth": auth }),
            region: flags.os_region_name.clone(),
            interface: flags.os_interface.clone(),
        }))
    }

    pub(super) async fn log_in(&self) -> Result<Session, BackendError> {
        let request = Some(&self.request);
        let answer = self.service.send(&Method::POST, self.path, None, request);
        let answer = answer.await?;
        let token = answer.headers.get("X-Subject-Token").cloned();
        let Body { token: body } = answer.read()?;
        let token = token.and_then(|token| Some(token.to_str().ok()?.to_owned()));
        let token = token.ok_or_else(|| {
            BackendError::Unavailable("Keystone's answer has no X-Subject-Token".to_owned())
        })?;
        let endpoint = body
            .catalog
            .iter()
            .filter(|entry| entry.type_ == "network")
            .flat_map(|entry| &entry.endpoints)
            .find(|endpoint| {
                let is_here = |region: &String| endpoint.region.as_ref() == Some(region);
                endpoint.interface == self.interface && self.region.as_ref().is_none_or(is_here)
            });
        Ok(Session {
            token,
            endpoint: endpoint.map(|endpoint| endpoint.url.clone()),
            expires: body.expires_at,
        })
    }
}

impl std::fmt::Debug for Keystone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Omits the request, which contains the secret.
        f.debug_struct("Keystone")
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Omits the token.
        f.debug_struct("Session")
            .field("endpoint", &self.endpoint)
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_secrets_nor_tokens_are_printed() {
        let session = Session {
            token: "s3cret".to_owned(),
            endpoint: Some("https://network.example.com".to_owned()),
            expires: Timestamp::UNIX_EPOCH,
        };
        let shown = format!("{session:?}");
        assert!(shown.contains("network.example.com"), "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
