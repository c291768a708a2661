//! A TCP proxy whose connections can become silent without being closed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The proxy; it ends when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    _running: JoinSet<()>,
}

#[derive(Default)]
struct Shared {
    accepted: AtomicUsize,
    /// Connections with lower numbers do not forward data.
    silent_below: AtomicUsize,
    all_silent: AtomicBool,
}

impl Shared {
    fn is_silent(&self, number: usize) -> bool {
        number < self.silent_below.load(Ordering::SeqCst) || self.all_silent.load(Ordering::SeqCst)
    }
}

impl Proxy {
    /// Starts a proxy in front of `server`.
    pub async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let mut running = JoinSet::new();
        let of_all = Arc::clone(&shared);
        running.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let number = of_all.accepted.fetch_add(1, Ordering::SeqCst);
                let shared = Arc::clone(&of_all);
                connections.spawn(async move {
                    let server = TcpStream::connect(server).await.unwrap();
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::select! {
                        () = pass(&shared, number, from_client, to_server) => {}
                        () = pass(&shared, number, from_server, to_client) => {}
                    }
                });
            }
        });
        Self {
            address,
            shared,
            _running: running,
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Silences the existing connections for ever, but not new ones.
    pub fn silence(&self) {
        let accepted = self.shared.accepted.load(Ordering::SeqCst);
        self.shared.silent_below.store(accepted, Ordering::SeqCst);
    }

    /// Silences all connections, including new ones, or only those silenced by [`Self::silence`].
    pub fn silence_all(&self, silent: bool) {
        self.silence();
        self.shared.all_silent.store(silent, Ordering::SeqCst);
    }

    /// Returns the number of connections so far.
    pub fn accepted(&self) -> usize {
        self.shared.accepted.load(Ordering::SeqCst)
    }
}

async fn pass(
    shared: &Shared,
    number: usize,
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let Ok(length @ 1..) = from.read(&mut buffer).await else {
            return;
        };
        if shared.is_silent(number) {
            // Neither forwards nor closes, until the other side disconnects.
            while matches!(from.read(&mut buffer).await, Ok(1..)) {}
            return;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
