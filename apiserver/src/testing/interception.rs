//! What tests have ordered for a request: failures, answers of their own, cut connections.

use std::future::pending;
use std::io;

use bytes::Bytes;

use super::faults::{Failure, Faults, Struck};
use super::links::Link;
use super::reactor::{Reaction, Reactors};
use super::recorder::{Action, Recorder, decode_body};
use crate::BoxError;
use crate::http::respond::{Answer, Content};
use crate::status::ApiError;

/// What meets each request, and records it.
#[derive(Default)]
pub(crate) struct Interceptor {
    pub(crate) recorder: Recorder,
    pub(crate) reactors: Reactors,
    pub(crate) faults: Faults,
}

/// The faults and the reaction that one request meets.
pub(crate) struct Interception {
    link: Link,
    reaction: Reaction,
    loses_answer: bool,
    /// The number of the recorded request.
    pub(crate) recorded: usize,
    pub(crate) struck: Struck,
}

/// A request without an answer.
pub(crate) enum Failed {
    Error(ApiError),
    /// An injected fault broke the connection.
    Broken(BoxError),
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl Interceptor {
    /// Records a request, and lets the faults strike that come before it is handled.
    ///
    /// # Errors
    /// If a fault ends the request.
    pub(crate) async fn intercept(
        &self,
        mut action: Action,
        body: &Bytes,
    ) -> Result<Interception, Failed> {
        let link = self.faults.link(&action.user);
        if link.is_cut() {
            pending::<()>().await;
        }
        let mut struck = self.faults.strike(&action);
        let reaction = if self.reactors.is_empty() {
            Reaction::Pass
        } else {
            action.body = decode_body(&action.content_type, body);
            self.reactors.react(&action)
        };
        if let Reaction::Fault(kind) = &reaction {
            struck.add(kind, &action);
        }
        let recorded = self.recorder.record(action, body.clone());
        if !struck.delay.is_zero() {
            tokio::time::sleep(struck.delay).await;
        }
        let loses_answer = match struck.failure.take() {
            Some(Failure::Error(error)) => return Err(error.into()),
            Some(Failure::DropConnection) => {
                let reset = "connection reset by an injected fault";
                let reset = io::Error::new(io::ErrorKind::ConnectionReset, reset);
                return Err(Failed::Broken(reset.into()));
            }
            Some(Failure::Hang) => pending().await,
            Some(Failure::LoseAnswer) => true,
            None => false,
        };
        Ok(Interception {
            link,
            reaction,
            loses_answer,
            recorded,
            struck,
        })
    }
}

impl Interception {
    /// The answer that a reactor gives in place of the server.
    pub(crate) fn answer(&self) -> Option<Result<Answer, ApiError>> {
        match &self.reaction {
            Reaction::Pass | Reaction::Fault(_) => None,
            Reaction::Respond(object) => Some(Ok(Answer::document(object.clone()))),
            Reaction::Fail(error) => Some(Err(error.clone())),
        }
    }

    /// Sends an answer, unless it is lost; a watch falls silent when its connection is cut.
    pub(crate) async fn send(self, answer: Result<Answer, ApiError>) -> Result<Answer, ApiError> {
        if self.loses_answer {
            pending::<()>().await;
        }
        let link = self.link;
        answer.map(|answer| Answer {
            content: match answer.content {
                Content::Events(body) => Content::Events(body.silent_once(move || link.is_cut())),
                content => content,
            },
            ..answer
        })
    }
}
