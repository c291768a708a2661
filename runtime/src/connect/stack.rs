//! Builds a client from a `Config`: connector, pool and layers.

use hyper::rt::{Read, Write};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ClientBuilder, ConfigExt};
use kube::{Client, Config, Error};
use tower::{BoxError, Service, ServiceBuilder};

use super::observe::{Observe, Rules};
use super::{ClientOptions, KeepAlive};
use crate::client::Server;

/// Selects the connector that `config` needs.
pub(super) fn build(options: &ClientOptions, config: Config) -> Result<Client, Error> {
    if config.proxy_url.is_some() {
        return over_kubes(options, config);
    }
    let connector = connector(options.keep_alive);
    #[cfg(feature = "rustls-tls")]
    {
        choose_crypto_provider();
        let connector = config.rustls_https_connector_with_connector(connector)?;
        over(options, config, connector)
    }
    #[cfg(all(feature = "openssl-tls", not(feature = "rustls-tls")))]
    {
        let connector = config.openssl_https_connector_with_connector(connector)?;
        over(options, config, connector)
    }
    #[cfg(not(any(feature = "openssl-tls", feature = "rustls-tls")))]
    if config.cluster_url.scheme() == Some(&http::uri::Scheme::HTTPS) {
        // The application may have enabled a TLS feature of kube that this crate does not know.
        over_kubes(options, config)
    } else {
        over(options, config, connector)
    }
}

/// Builds a client over kube's own connector.
fn over_kubes(options: &ClientOptions, config: Config) -> Result<Client, Error> {
    let rules = rules(options, &config);
    let observe = tower::layer::layer_fn(move |inner| Observe::new(inner, rules.clone()));
    Ok(ClientBuilder::try_from(config)?
        .with_layer(&observe)
        .build())
}

/// Where several crypto providers are linked, rustls panics unless one is chosen. kube chooses when
/// it creates a client.
#[cfg(feature = "rustls-tls")]
fn choose_crypto_provider() {
    static CHOSEN: std::sync::Once = std::sync::Once::new();
    CHOSEN.call_once(|| {
        let anywhere = http::Uri::from_static("http://localhost");
        drop(ClientBuilder::try_from(Config::new(anywhere)));
    });
}

/// TCP with keep-alive, for `http` and under TLS.
fn connector(keep_alive: KeepAlive) -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_keepalive(Some(keep_alive.idle));
    connector.set_keepalive_interval(Some(keep_alive.interval));
    connector.set_keepalive_retries(Some(keep_alive.probes));
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    connector.set_tcp_user_timeout(Some(keep_alive.limit()));
    connector
}

fn over<H>(options: &ClientOptions, config: Config, connector: H) -> Result<Client, Error>
where
    H: Service<http::Uri> + Clone + Send + Sync + 'static,
    H::Response: Connection + Read + Write + Send + Unpin + 'static,
    H::Future: Send + 'static,
    H::Error: Into<BoxError>,
{
    let mut connector = TimeoutConnector::new(connector);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector.set_reset_reader_on_write(config.reset_reader_on_write);
    let pool: Pool<_, Body> = Pool::builder(TokioExecutor::new()).build(connector);
    let rules = rules(options, &config);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .layer_fn(move |inner| Observe::new(inner, rules.clone()))
        .service(pool);
    Ok(Client::new(service, config.default_namespace))
}

fn rules(options: &ClientOptions, config: &Config) -> Rules {
    let metrics = options.metrics.as_ref();
    let url = &config.cluster_url;
    let host = url.authority().map(|it| it.to_string());
    let scheme = url.scheme_str().unwrap_or("http");
    let server = format!("{scheme}://{}", host.as_deref().unwrap_or_default());
    Rules {
        server: Server(server.into()),
        metrics: metrics.map(|metrics| metrics.rest_client(host.as_deref().unwrap_or_default())),
        response_timeout: options.response_timeout,
    }
}
