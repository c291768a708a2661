//! Who may read the metrics: asks the API server, and remembers its answers for a while.
//!
//! A client shows a bearer token. A TokenReview says whose it is, and a SubjectAccessReview whether
//! that user may `get` the path, as with controller-runtime's filter: the ClusterRole of a client
//! has a rule with `nonResourceURLs`.

use std::collections::BTreeMap;
use std::time::Duration;

use http::{Request, StatusCode, header};
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use crate::error::chain;

/// How long an allowed client stays allowed after its token or its roles have changed.
const ALLOWED_FOR: Duration = Duration::from_secs(60);

/// How long a refused client stays refused after it was allowed.
const REFUSED_FOR: Duration = Duration::from_secs(10);

/// The deadline of a review.
const REVIEW: Duration = Duration::from_secs(10);

/// The maximum number of remembered answers: clients are few, and a stranger may send any number of
/// tokens.
const MOST_KNOWN: usize = 256;

/// The access to paths, by tokens.
pub(super) struct Access {
    client: Client,
    known: Mutex<BTreeMap<Question, (Instant, Verdict)>>,
}

/// What a client asks for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    token: String,
    verb: String,
    path: String,
}

/// The answer to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Allowed,
    /// The token is nobody's.
    Unknown,
    /// The roles of this user do not allow it.
    Forbidden(String),
}

/// Why a client is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) message: String,
}

impl Refused {
    fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }
}

impl Access {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            known: Mutex::default(),
        }
    }

    /// Checks whether the client of a request may make it.
    pub(super) async fn check<B>(&self, request: &Request<B>) -> Result<(), Refused> {
        let unauthorized = |message| Refused::new(StatusCode::UNAUTHORIZED, message);
        let Some(token) = bearer(request) else {
            return Err(unauthorized("a bearer token is required"));
        };
        let question = Question {
            token: token.to_owned(),
            verb: request.method().as_str().to_lowercase(),
            path: request.uri().path().to_owned(),
        };
        let verdict = match self.remembered(&question) {
            Some(verdict) => verdict,
            None => self.ask(question).await?,
        };
        match verdict {
            Verdict::Allowed => Ok(()),
            Verdict::Unknown => Err(unauthorized("the bearer token is not valid")),
            Verdict::Forbidden(user) => Err(Refused::new(
                StatusCode::FORBIDDEN,
                format!("{user} may not get this path"),
            )),
        }
    }

    fn remembered(&self, question: &Question) -> Option<Verdict> {
        let known = self.known.lock();
        let (until, verdict) = known.get(question)?;
        (*until > Instant::now()).then(|| verdict.clone())
    }

    /// Asks the API server, and remembers the answer. Errors are not remembered.
    async fn ask(&self, question: Question) -> Result<Verdict, Refused> {
        let reviewed = timeout(REVIEW, self.review(&question)).await;
        let verdict = match reviewed {
            Ok(Ok(verdict)) => verdict,
            failed => {
                match failed {
                    Ok(Err(error)) => {
                        tracing::warn!(error = %chain(&error), "cannot review access to the metrics");
                    }
                    _ => {
                        tracing::warn!(within = ?REVIEW, "no answer to a review of access to the metrics")
                    }
                }
                let message = "access cannot be reviewed";
                return Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, message));
            }
        };
        let lasts = match verdict {
            Verdict::Allowed => ALLOWED_FOR,
            _ => REFUSED_FOR,
        };
        let now = Instant::now();
        let mut known = self.known.lock();
        if known.len() >= MOST_KNOWN {
            known.retain(|_, (until, _)| *until > now);
        }
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(question, (now + lasts, verdict.clone()));
        Ok(verdict)
    }

    async fn review(&self, question: &Question) -> Result<Verdict, kube::Error> {
        #[allow(
            clippy::useless_conversion,
            reason = "the token is optional in some versions of Kubernetes"
        )]
        let token = question.token.clone().into();
        let spec = TokenReviewSpec {
            token,
            ..TokenReviewSpec::default()
        };
        let review = TokenReview {
            spec,
            ..TokenReview::default()
        };
        let reviews = Api::<TokenReview>::all(self.client.clone());
        let reviewed = reviews.create(&PostParams::default(), &review).await?;
        let status = reviewed.status.unwrap_or_default();
        let Some(user) = status.user.filter(|_| status.authenticated == Some(true)) else {
            return Ok(Verdict::Unknown);
        };
        self.review_access(question, user).await
    }

    async fn review_access(
        &self,
        question: &Question,
        user: UserInfo,
    ) -> Result<Verdict, kube::Error> {
        let name = user.username.clone().unwrap_or_default();
        let spec = SubjectAccessReviewSpec {
            user: user.username,
            groups: user.groups,
            uid: user.uid,
            extra: user.extra,
            non_resource_attributes: Some(NonResourceAttributes {
                path: Some(question.path.clone()),
                verb: Some(question.verb.clone()),
            }),
            ..SubjectAccessReviewSpec::default()
        };
        let review = SubjectAccessReview {
            spec,
            ..SubjectAccessReview::default()
        };
        let reviews = Api::<SubjectAccessReview>::all(self.client.clone());
        let reviewed = reviews.create(&PostParams::default(), &review).await?;
        let allowed = reviewed.status.is_some_and(|status| status.allowed);
        Ok(match allowed {
            true => Verdict::Allowed,
            false => Verdict::Forbidden(name),
        })
    }
}

/// The token of a request.
fn bearer<B>(request: &Request<B>) -> Option<&str> {
    let value = request
        .headers()
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(authorization: &str) -> Request<()> {
        let request = Request::get("/metrics").header("authorization", authorization);
        request.body(()).unwrap()
    }

    #[test]
    fn a_bearer_token_has_its_scheme_and_is_not_empty() {
        let check = |authorization: &str, expected: Option<&str>| {
            assert_eq!(bearer(&request(authorization)), expected, "{authorization}");
        };
        check("Bearer a.b", Some("a.b"));
        check("bearer  a.b ", Some("a.b"));
        for other in ["a.b", "Basic a.b", "Bearer", "Bearer ", ""] {
            check(other, None);
        }
        assert_eq!(bearer(&Request::new(())), None);
    }
}
