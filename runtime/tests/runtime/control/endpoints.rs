//! The manager's endpoints, with connections that block them.

use codegen_runtime::manager::{Manager, runnable_fn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::{secs, settle};
use crate::transport::hold_the_clock;

#[tokio::test(start_paused = true)]
async fn connections_that_ask_nothing_delay_no_probe() {
    let rig = Rig::new();
    let idle = runnable_fn("idle", false, |context| async move {
        context.stop.cancelled().await;
        Ok(())
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let builder = Manager::builder(&rig.factory)
        .runnable(idle)
        .serve_health(listener);
    let (manager, shutdown) = (builder.build().unwrap(), CancellationToken::new());
    let stop = shutdown.clone();
    let run = tokio::spawn(async move { manager.run(&stop).await });
    let (start, clock) = (Instant::now(), hold_the_clock());
    let mut idle = Vec::new();
    // Twice the maximum. Some systems allow a process only 256 open files.
    for n in 0..130 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if n % 2 == 0 {
            // Or sends half of a request.
            stream.write_all(b"GET /heal").await.unwrap();
        }
        idle.push(stream);
        settle().await;
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert_eq!(start.elapsed(), secs(0), "nobody's time had to run out");
    drop(clock);
    shutdown.cancel();
    run.await.unwrap().unwrap();
}
