//! A service with the token for it: logs in, and renews a token that is rejected.

use codegen_runtime::error::chain;
use http::{Method, StatusCode};
use serde_json::Value;
use tokio::sync::Mutex;

use super::NeutronFlagsError;
use super::http::{Answer, Service, Transport};
use super::keystone::{Keystone, Session};
use crate::backend::BackendError;

/// A service, and the token for it.
#[derive(Debug)]
pub(super) struct Http {
    fixed: Option<Service>,
    transport: Transport,
    keystone: Option<Keystone>,
    session: Mutex<Option<(Session, Service)>>,
}

impl Http {
    /// Uses the service at `url`, or else the endpoint in Keystone's catalog.
    pub(super) fn new(
        url: Option<&str>,
        transport: Transport,
        keystone: Option<Keystone>,
    ) -> Result<Self, NeutronFlagsError> {
        let fixed = url.map(|url| Service::new("--neutron-url", url, &transport));
        Ok(Self {
            fixed: fixed.transpose()?,
            transport,
            keystone,
            session: Mutex::default(),
        })
    }

    /// Sends a request with a token. A rejected token is renewed once; 429 and 503 are retried
    /// after a pause. A request whose response is lost is not retried: the next reconciliation
    /// first checks whether it succeeded.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, BackendError> {
        let (token, service) = self.access(None).await?;
        let answer = service.send(&method, path, token.as_deref(), body).await?;
        if answer.status != StatusCode::UNAUTHORIZED || self.keystone.is_none() {
            return Ok(answer);
        }
        let (token, service) = self.access(token).await?;
        service.send(&method, path, token.as_deref(), body).await
    }

    /// Returns a token, other than the `refused` one, and the service.
    async fn access(
        &self,
        refused: Option<String>,
    ) -> Result<(Option<String>, Service), BackendError> {
        let Some(keystone) = &self.keystone else {
            let missing = || BackendError::Unavailable("the service has no address".to_owned());
            return Ok((None, self.fixed.clone().ok_or_else(missing)?));
        };
        // Single-flight: one login at a time; the others take its token.
        let mut session = self.session.lock().await;
        let usable = session
            .as_ref()
            .filter(|(session, _)| !session.is_over() && Some(&session.token) != refused.as_ref());
        if let Some((session, service)) = usable {
            return Ok((Some(session.token.clone()), service.clone()));
        }
        let new = keystone.log_in().await?;
        let service = match (&self.fixed, &new.endpoint) {
            (Some(service), _) => service.clone(),
            (None, Some(url)) => Service::new("the catalog", url, &self.transport)
                .map_err(|error| BackendError::Unavailable(chain(&error).to_string()))?,
            (None, None) => {
                return Err(BackendError::Unavailable(
                    "Keystone's catalog has no endpoint of type \"network\": set --neutron-url"
                        .to_owned(),
                ));
            }
        };
        let token = new.token.clone();
        *session = Some((new, service.clone()));
        Ok((Some(token), service))
    }
}
