//! Requests to webhooks over TCP, with TLS if the feature `tls` is enabled.

use std::error::Error;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::BoxError;
#[cfg(feature = "tls")]
use crate::x509::trust;

/// Where a request goes, and whom it trusts there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Route<'a> {
    /// The host to connect to, if not that of the URL.
    pub(super) host: Option<&'a str>,
    /// The name on the server's certificate, if not the host of the URL.
    pub(super) server_name: Option<&'a str>,
    /// A `caBundle`: base64-encoded PEM.
    pub(super) roots: &'a str,
}

/// Sends a request over a new connection.
///
/// # Errors
/// If the connection fails, or the certificate is not trusted.
pub(super) async fn send(
    request: Request<Full<Bytes>>,
    route: Route<'_>,
) -> Result<Response<Incoming>, BoxError> {
    let uri = request.uri().clone();
    let host = uri.host().ok_or("invalid webhook URL: no host")?;
    let is_tls = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
    let place = route.host.unwrap_or(host);
    let stream = TcpStream::connect((place.trim_matches(['[', ']']), port))
        .await
        .map_err(|error| format!("dial tcp {place}:{port}: connect: {}", words(&error)))?;
    if is_tls {
        let name = route.server_name.unwrap_or(host);
        let stream = secure(stream, name, route.roots).await?;
        exchange(TokioIo::new(stream), request, &uri).await
    } else {
        exchange(TokioIo::new(stream), request, &uri).await
    }
}

async fn exchange<T>(
    stream: T,
    request: Request<Full<Bytes>>,
    uri: &Uri,
) -> Result<Response<Incoming>, BoxError>
where
    T: Read + Write + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(stream).await?;
    // The task ends with the response.
    tokio::spawn(connection);
    let (mut parts, body) = request.into_parts();
    if let Some(authority) = uri.authority() {
        let host = http::HeaderValue::from_str(authority.as_str())?;
        parts.headers.insert(http::header::HOST, host);
    }
    // An origin server expects only the path, unlike a proxy.
    parts.uri = uri.path_and_query().map_or("/", |it| it.as_str()).parse()?;
    Ok(sender
        .send_request(Request::from_parts(parts, body))
        .await?)
}

#[cfg(feature = "tls")]
async fn secure(
    stream: TcpStream,
    host: &str,
    roots: &str,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, BoxError> {
    use std::sync::Arc;

    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, ServerName};

    let pem = crate::types::base64::decode(roots).map_err(|_| "caBundle must be base64")?;
    let anchors = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = trust::Verifier::new(anchors, &provider);
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let connected = connector.connect(name, stream).await;
    connected.map_err(|error| match trust::distrust(&error) {
        Some(why) => why.into(),
        None => error.into(),
    })
}

#[cfg(not(feature = "tls"))]
async fn secure(_: TcpStream, _: &str, _: &str) -> Result<TcpStream, BoxError> {
    Err("webhooks over TLS need the feature `tls` of embedded-apiserver".into())
}

fn words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns why a request failed: the innermost cause, with Go's message for common errors.
pub(super) fn reason(error: &(dyn Error + Send + Sync + 'static)) -> String {
    let mut innermost: &(dyn Error + 'static) = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    if text.contains("connection closed before message completed") {
        return "EOF".to_owned();
    }
    text
}
