//! The processes that this test starts as copies of itself: an API server, and a proxy in front of
//! it. They end when their standard input is closed, so that none outlives the test.

use std::io::Read;
use std::net::SocketAddr;

use embedded_apiserver::ApiServer;
use tokio::net::{TcpListener, TcpStream};

pub const LISTEN: &str = "CHAOS_LISTEN";
pub const TARGET: &str = "CHAOS_TARGET";

fn address(name: &str) -> Option<SocketAddr> {
    Some(std::env::var(name).ok()?.parse().unwrap())
}

async fn until_input_ends() {
    let waiting = tokio::task::spawn_blocking(|| {
        let mut nothing = Vec::new();
        drop(std::io::stdin().read_to_end(&mut nothing));
    });
    waiting.await.unwrap();
}

/// Ignored because it is not a test by itself: the chaos test starts it as a process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a process of the chaos test"]
async fn api_server() {
    let Some(listen) = address(LISTEN) else {
        return;
    };
    let server = ApiServer::builder().history(50_000).build().unwrap();
    let _serving = server.serve(listen).await.unwrap();
    until_input_ends().await;
}

/// Ignored because it is not a test by itself: the chaos test starts it as a process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a process of the chaos test"]
async fn proxy() {
    let (Some(listen), Some(target)) = (address(LISTEN), address(TARGET)) else {
        return;
    };
    let listener = TcpListener::bind(listen).await.unwrap();
    let accept = async {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                if let Ok(mut server) = TcpStream::connect(target).await {
                    drop(tokio::io::copy_bidirectional(&mut client, &mut server).await);
                }
            });
        }
    };
    tokio::select! {
        () = until_input_ends() => {}
        () = accept => {}
    }
}
