//! Sends reviews: `client <who> <address> <certificate> <seconds>`. Prints a row of the table.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};
use tokio_rustls::TlsConnector;
use webhooks_bench::{PATH, review};

/// The number of connections with small reviews.
const CONNECTIONS: usize = 8;

/// The interval of small reviews on a connection, where their wait is measured.
const PACE: Duration = Duration::from_millis(40);

type Sender = SendRequest<Full<Bytes>>;

async fn connect(address: &str, connector: &TlsConnector) -> Sender {
    let stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let stream = connector.connect(name, stream).await.unwrap();
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    sender
}

async fn ask(sender: &mut Sender, body: &Bytes) {
    sender.ready().await.unwrap();
    let request =
        Request::post(format!("{PATH}?timeout=10s")).header("content-type", "application/json");
    let request = request
        .header("host", "127.0.0.1")
        .body(Full::new(body.clone()))
        .unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let is_allowed = body.windows(14).any(|part| part == b"\"allowed\":true");
    assert!(status == 200 && is_allowed, "{status}");
}

/// Sends large reviews until `stop` is set, and counts them.
async fn send_large(
    mut sender: Sender,
    body: Bytes,
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicUsize>,
) {
    while !stop.load(Ordering::Relaxed) {
        ask(&mut sender, &body).await;
        sent.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [who, address, certificate, seconds] = arguments.as_slice() else {
        panic!("usage: client <who> <address> <certificate> <seconds>");
    };
    let lasts = Duration::from_secs(seconds.parse().unwrap());
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(certificate).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let connector = TlsConnector::from(Arc::new(
        config.with_root_certificates(roots).with_no_client_auth(),
    ));
    let small = Bytes::from(review(2, 10));
    let large = Bytes::from(review(70, 600));

    let mut workers = Vec::new();
    for _ in 0..CONNECTIONS {
        let (mut sender, small) = (connect(address, &connector).await, small.clone());
        workers.push(tokio::spawn(async move {
            let end = Instant::now() + lasts;
            let mut sent = 0;
            while Instant::now() < end {
                ask(&mut sender, &small).await;
                sent += 1;
            }
            sent
        }));
    }
    let mut sent = 0;
    for worker in workers {
        sent += worker.await.unwrap();
    }
    let rate = sent as f64 / lasts.as_secs_f64();

    let (stop, count) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let mut others = Vec::new();
    for _ in 0..2 {
        let sender = connect(address, &connector).await;
        others.push(tokio::spawn(send_large(
            sender,
            large.clone(),
            stop.clone(),
            count.clone(),
        )));
    }
    let mut workers = Vec::new();
    for at in 0..CONNECTIONS {
        let (mut sender, small) = (connect(address, &connector).await, small.clone());
        workers.push(tokio::spawn(async move {
            let start = Instant::now()
                + PACE * u32::try_from(at).unwrap() / u32::try_from(CONNECTIONS).unwrap();
            let mut waits = Vec::new();
            let mut due = start;
            while due < start + lasts {
                sleep_until(due).await;
                ask(&mut sender, &small).await;
                // From when it was due, so that a slow answer counts for those that it delays.
                waits.push(due.elapsed());
                due += PACE;
            }
            waits
        }));
    }
    let mut waits = Vec::new();
    for worker in workers {
        waits.extend(worker.await.unwrap());
    }
    stop.store(true, Ordering::Relaxed);
    for other in others {
        other.await.unwrap();
    }
    waits.sort();
    let wait =
        |part: f64| waits[((waits.len() - 1) as f64 * part) as usize].as_secs_f64() * 1_000.0;
    let large_rate = count.load(Ordering::Relaxed) as f64 / lasts.as_secs_f64();
    println!(
        "{who}\t{rate:.0}\t{:.1}\t{:.1}\t{:.1}\t{large_rate:.1}",
        wait(0.5),
        wait(0.99),
        wait(1.0)
    );
    eprintln!(
        "small reviews of {} bytes, large ones of {}",
        small.len(),
        large.len()
    );
}
