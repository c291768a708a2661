//! Watches over WebSocket: the handshake, and one message per event.
//!
//! As in kube-apiserver, a watch is served over a WebSocket (RFC 6455) when the client asks to
//! upgrade the connection; JSON events are text messages. The handshake follows kube-apiserver's
//! library: `Origin` is required, and at most one subprotocol is accepted; it is echoed, whatever
//! its name.

use std::fmt;

use bytes::{Bytes, BytesMut};
use futures::{SinkExt, StreamExt};
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, ORIGIN, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{Response, StatusCode, Uri};
use http_body_util::BodyExt;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_util::sync::CancellationToken;

use super::body::Body;

/// The subprotocol prefix with which browsers send a bearer token. Such an entry authenticates and
/// is not negotiated.
const BEARER: &str = "base64url.bearer.authorization.k8s.io.";

/// Clients send only control frames on a watch.
const INCOMING_LIMIT: usize = 64 * 1024;

/// Signals the sockets of a stopping listener to close. Passed with each request, because an
/// upgraded connection outlives it.
#[derive(Clone, Debug)]
pub(crate) struct ListenerStop(pub(crate) CancellationToken);

/// Whether a request asks to upgrade its connection to a WebSocket.
pub(crate) fn is_requested(headers: &HeaderMap) -> bool {
    text(headers, &UPGRADE).eq_ignore_ascii_case("websocket")
        && text(headers, &CONNECTION)
            .to_ascii_lowercase()
            .contains("upgrade")
}

/// Answers a watch request with 101 and sends `events` (lines of JSON) over the upgraded
/// connection.
///
/// An invalid handshake gets the same code as from kube-apiserver: 400 for a missing key, a version
/// other than 13 or several subprotocols, 403 without an origin.
pub(crate) fn respond(parts: &Parts, events: Body) -> Response<Body> {
    let handshake = match Handshake::read(&parts.headers) {
        Ok(handshake) => handshake,
        Err(refusal) => return refusal.respond(),
    };
    let Some(connection) = parts.extensions.get::<OnUpgrade>().cloned() else {
        return Refusal::NoConnection.respond();
    };
    let stop = parts.extensions.get::<ListenerStop>().cloned();
    tokio::spawn(async move {
        let stop = stop.map_or_else(CancellationToken::new, |stop| stop.0);
        tokio::select! {
            () = stop.cancelled() => {}
            () = serve(connection, events) => {}
        }
    });
    handshake.respond()
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .map_or("", str::trim)
}

/// Why a handshake is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Version,
    Key,
    Origin,
    Protocols,
    /// The transport cannot be upgraded: HTTP/2, or an in-process client.
    NoConnection,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => "missing or bad WebSocket Version",
            Self::Key => "mismatch challenge/response",
            Self::Origin | Self::Protocols => "",
            Self::NoConnection => "the connection cannot be upgraded to a WebSocket",
        })
    }
}

impl Refusal {
    fn respond(self) -> Response<Body> {
        let mut response = Response::new(Body::full(self.to_string()));
        *response.status_mut() = match self {
            Self::Origin => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_REQUEST,
        };
        if self == Self::Version {
            let version = HeaderValue::from_static("13");
            response
                .headers_mut()
                .insert(SEC_WEBSOCKET_VERSION, version);
        }
        response
    }
}

/// A valid handshake.
#[derive(Debug, PartialEq, Eq)]
struct Handshake {
    accept: HeaderValue,
    protocol: Option<HeaderValue>,
}

impl Handshake {
    fn read(headers: &HeaderMap) -> Result<Self, Refusal> {
        let key = headers.get(SEC_WEBSOCKET_KEY).ok_or(Refusal::Key)?;
        if text(headers, &SEC_WEBSOCKET_VERSION) != "13" {
            return Err(Refusal::Version);
        }
        if text(headers, &ORIGIN).parse::<Uri>().is_err() {
            return Err(Refusal::Origin);
        }
        let mut protocols = text(headers, &SEC_WEBSOCKET_PROTOCOL)
            .split(',')
            .map(str::trim)
            .filter(|protocol| !protocol.is_empty() && !protocol.starts_with(BEARER));
        let protocol = protocols.next();
        if protocols.next().is_some() {
            return Err(Refusal::Protocols);
        }
        let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes()));
        let protocol = protocol.map(HeaderValue::from_str).transpose();
        Ok(Self {
            accept: accept.map_err(|_| Refusal::Key)?,
            protocol: protocol.map_err(|_| Refusal::Protocols)?,
        })
    }

    fn respond(self) -> Response<Body> {
        let mut response = Response::new(Body::full(Bytes::new()));
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, self.accept);
        if let Some(protocol) = self.protocol {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        response
    }
}

/// Sends each line of `events` as a text message until the events end or the client disconnects.
async fn serve(connection: OnUpgrade, mut events: Body) {
    let upgraded = match connection.await {
        Ok(upgraded) => upgraded,
        Err(error) => {
            tracing::debug!(%error, "WebSocket upgrade failed");
            return;
        }
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(INCOMING_LIMIT))
        .max_frame_size(Some(INCOMING_LIMIT));
    let io = TokioIo::new(upgraded);
    let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let (mut sender, mut receiver) = socket.split();
    let mut lines = Lines::default();
    loop {
        tokio::select! {
            // Reading also answers pings; messages from the client are ignored.
            received = receiver.next() => match received {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            frame = events.frame() => {
                let Some(Ok(frame)) = frame else { break };
                let Ok(chunk) = frame.into_data() else { continue };
                for line in lines.push(&chunk) {
                    if sender.send(Message::Text(line)).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
    let normal = CloseFrame {
        code: CloseCode::Normal,
        reason: Utf8Bytes::default(),
    };
    // The client may already be gone.
    drop(sender.send(Message::Close(Some(normal))).await);
}

/// Splits chunks into lines, each with its line feed, like the messages of kube-apiserver.
#[derive(Debug, Default)]
struct Lines(BytesMut);

impl Lines {
    fn push(&mut self, chunk: &[u8]) -> Vec<Utf8Bytes> {
        self.0.extend_from_slice(chunk);
        let mut lines = Vec::new();
        while let Some(end) = self.0.iter().position(|byte| *byte == b'\n') {
            let line = self.0.split_to(end + 1).freeze();
            // Events are serialised JSON, so this never fails.
            lines.extend(Utf8Bytes::try_from(line));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(extra: &[(&'static str, &'static str)]) -> HeaderMap {
        let base = [
            ("upgrade", "WebSocket"),
            ("connection", "keep-alive, Upgrade"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("sec-websocket-version", "13"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        let mut headers = HeaderMap::new();
        for (name, value) in base.iter().chain(extra) {
            headers.remove(*name);
            if !value.is_empty() {
                headers.insert(*name, HeaderValue::from_static(value));
            }
        }
        headers
    }

    #[test]
    fn a_handshake_is_accepted_as_rfc_6455_says() {
        assert!(is_requested(&headers(&[])));
        assert!(!is_requested(&headers(&[("connection", "keep-alive")])));
        let handshake = Handshake::read(&headers(&[])).unwrap();
        assert_eq!(handshake.accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(handshake.protocol, None);
    }

    #[test]
    fn one_subprotocol_is_echoed_and_a_bearer_token_is_none() {
        let protocol = |text: &'static str| {
            Handshake::read(&headers(&[("sec-websocket-protocol", text)])).map(|h| h.protocol)
        };
        let echoed = Some(HeaderValue::from_static("base64.binary.k8s.io"));
        assert_eq!(protocol("base64.binary.k8s.io"), Ok(echoed.clone()));
        let with_token = "base64url.bearer.authorization.k8s.io.dG9rZW4, base64.binary.k8s.io";
        assert_eq!(protocol(with_token), Ok(echoed));
        assert_eq!(protocol("a, b"), Err(Refusal::Protocols));
    }

    #[test]
    fn incomplete_handshakes_are_refused() {
        let check = |name: &'static str, value: &'static str, expected: Refusal| {
            assert_eq!(Handshake::read(&headers(&[(name, value)])), Err(expected));
        };
        check("origin", "", Refusal::Origin);
        check("sec-websocket-version", "8", Refusal::Version);
        check("sec-websocket-key", "", Refusal::Key);
    }

    #[test]
    fn chunks_become_whole_lines() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(b"{\"a\":"), Vec::<Utf8Bytes>::new());
        assert_eq!(lines.push(b"1}\n{}\n{"), ["{\"a\":1}\n", "{}\n"]);
        assert_eq!(lines.push(b"}\n"), ["{}\n"]);
    }
}
