//! A TCP proxy whose connections can fall silent without being closed.

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
    /// Connections with lower numbers pass nothing on.
    silent_below: AtomicUsize,
    all_silent: AtomicBool,
}

impl Shared {
    fn is_silent(&self, number: usize) -> bool {
        number < self.silent_below.load(Ordering::SeqCst) || self.all_silent.load(Ordering::SeqCst)
    }
}

impl Proxy {
    /// A proxy before `server`.
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

    /// The connections that there are fall silent for ever; new ones do not.
    pub fn silence(&self) {
        let accepted = self.shared.accepted.load(Ordering::SeqCst);
        self.shared.silent_below.store(accepted, Ordering::SeqCst);
    }

    /// All connections are silent, those to come too, or only those that [`Self::silence`] met.
    pub fn silence_all(&self, silent: bool) {
        self.silence();
        self.shared.all_silent.store(silent, Ordering::SeqCst);
    }

    /// How many connections there were.
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
            // Neither passed on nor closed, until the other side hangs up.
            while matches!(from.read(&mut buffer).await, Ok(1..)) {}
            return;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
