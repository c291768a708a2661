//! One request, one attempt: all requests of this crate to an API server go through here.
//!
//! Since kube 5 a default [`Client`] contains a retry layer that sends a request again, up to 15
//! times over hours, when the answer is 429, 503 or 504. It must not act where this crate's own
//! rules (relist, back-off, renewal) depend on those answers. There is no way to detect it.
//! However, it copies each request before sending it, and passes the first answer on if it cannot:
//! so this module sends requests with a body that cannot be copied. That works for every retry
//! layer of tower's kind over kube's [`Body::try_clone`]; it does not work for a layer that reads a
//! body to its end and sends the bytes again.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;

use super::Result;
use super::answer::{self, Size};
use super::sent::{Answer, Sent, Server};

/// Sends `request` once; an unsuccessful answer becomes an error. Returns also what was requested,
/// to [name](Sent::blame) it in errors of reading the answer.
pub(crate) async fn send(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<(Response<Body>, Sent)> {
    let (parts, body) = request.into_parts();
    let body = Bytes::from(body);
    let mut sent = Sent::new(&parts, &body);
    let body = single_use(Body::from(body)).await?;
    let response = client.send(Request::from_parts(parts, body)).await;
    let response = response.map_err(|error| sent.blame(error))?;
    sent.server = response.extensions().get::<Server>().cloned();
    if response.status().is_success() {
        Ok((response, sent))
    } else {
        let error = answer::status_error(response, &sent).await;
        Err(sent.blame(error))
    }
}

/// Sends `request` once and reads the whole answer.
pub(super) async fn whole(
    client: &Client,
    request: Request<Vec<u8>>,
    size: Size,
) -> Result<Answer> {
    let (response, sent) = send(client, request).await?;
    let created = response.status() == StatusCode::CREATED;
    let body = answer::read(response.into_body(), size).await;
    let body = body.map_err(|error| sent.blame(error))?;
    Ok(Answer {
        body,
        created,
        sent,
    })
}

/// Wraps `client` so that every request is one attempt, for [`kube::Api`] and other code that
/// builds requests itself.
///
/// # Panics
///
/// Outside a tokio runtime.
pub fn single_attempts(client: &Client) -> Client {
    let (namespace, valid_until) = (client.default_namespace().to_owned(), *client.valid_until());
    let client = client.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        async move {
            let (parts, body) = request.into_parts();
            let body = single_use(body).await?;
            client.send(Request::from_parts(parts, body)).await
        }
    });
    Client::new(service, namespace).with_valid_until(valid_until)
}

/// Converts `body` to one that [`Body::try_clone`] does not copy.
///
/// kube creates such bodies only for answers, so this returns the answer of an echo service.
async fn single_use(body: Body) -> Result<Body> {
    if body.try_clone().is_none() {
        return Ok(body);
    }
    let echo = tower::service_fn(|request: Request<Body>| {
        std::future::ready(Ok::<_, Infallible>(Response::new(request.into_body())))
    });
    let echoed = Client::new(echo, "").send(Request::new(body)).await?;
    Ok(echoed.into_body())
}
