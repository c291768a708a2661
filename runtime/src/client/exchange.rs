//! One request, one attempt: how everything in this crate talks to an API server.
//!
//! Since kube 5 a default [`Client`] holds a retry layer that sends a request again, up to 15 times over hours, when the answer
//! is 429, 503 or 504. Under rules that depend on those answers (a relist, a back-off, a renewal) it must not act. It cannot be
//! asked whether it is there, but it copies a request before it sends it, and passes the first answer on where it cannot: so
//! requests leave here with a body that cannot be copied. That holds for every retry layer of tower's kind over kube's
//! [`Body::try_clone`]; a layer that reads a body to its end and sends the bytes again is out of reach.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;

use super::Result;
use super::answer::{self, Size};

/// Sends `request` once; an unsuccessful answer becomes an error.
pub(crate) async fn send(client: &Client, request: Request<Vec<u8>>) -> Result<Response<Body>> {
    let (parts, body) = request.into_parts();
    let body = single_use(Body::from(body)).await?;
    let response = client.send(Request::from_parts(parts, body)).await?;
    if response.status().is_success() {
        Ok(response)
    } else {
        Err(answer::status_error(response).await)
    }
}

/// Sends `request` once and reads the whole answer.
pub(super) async fn bytes(client: &Client, request: Request<Vec<u8>>, size: Size) -> Result<Bytes> {
    let response = send(client, request).await?;
    answer::read(response.into_body(), size).await
}

/// A client over `client` whose every request is one attempt, for [`kube::Api`] and what else builds requests itself.
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

/// `body` as one that [`Body::try_clone`] does not copy.
///
/// kube makes such bodies of answers only, so this is the answer of a client that echoes.
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
