//! A stream with a deadline for writes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Fails if written data is not flushed within the limit, measured from the first byte: a peer that
/// reads a byte now and then gets no more time than one that reads none. Calls `flushed` whenever
/// all written data has been flushed.
pub(super) struct WriteDeadline<S, F> {
    inner: S,
    flushed: F,
    limit: Duration,
    timer: Pin<Box<Sleep>>,
    /// Whether written data may not have been flushed yet.
    writes: bool,
    /// Whether data was written since the last flush.
    wrote: bool,
}

impl<S: AsyncWrite + Unpin, F: FnMut() + Unpin> WriteDeadline<S, F> {
    pub(super) fn new(inner: S, limit: Duration, flushed: F) -> Self {
        Self {
            inner,
            flushed,
            limit,
            timer: Box::pin(sleep(limit)),
            writes: false,
            wrote: false,
        }
    }

    /// Polls a write operation, up to the deadline.
    fn poll_step<T>(
        &mut self,
        cx: &mut Context<'_>,
        step: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if !self.writes {
            self.writes = true;
            let end = Instant::now() + self.limit;
            self.timer.as_mut().reset(end);
        }
        if let Poll::Ready(done) = step(Pin::new(&mut self.inner), cx) {
            return Poll::Ready(done);
        }
        ready!(self.timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin, F: Unpin> AsyncRead for WriteDeadline<S, F> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin, F: FnMut() + Unpin> AsyncWrite for WriteDeadline<S, F> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.wrote = true;
        self.poll_step(cx, |inner, cx| inner.poll_write(cx, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(self.poll_step(cx, |inner, cx| inner.poll_flush(cx)));
        self.writes = false;
        if std::mem::take(&mut self.wrote) {
            (self.flushed)();
        }
        Poll::Ready(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_step(cx, |inner, cx| inner.poll_shutdown(cx))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.wrote = true;
        self.poll_step(cx, |inner, cx| inner.poll_write_vectored(cx, bytes))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_a_byte_now_and_then_gets_no_more_time() {
        let (mut peer, stream) = tokio::io::duplex(4);
        let mut stream = WriteDeadline::new(stream, LIMIT, || {});
        let trickle = async {
            loop {
                sleep(Duration::from_secs(5)).await;
                drop(peer.read_u8().await);
            }
        };
        let started = Instant::now();
        let error = tokio::select! {
            written = stream.write_all(&[0; 100]) => written.unwrap_err(),
            () = trickle => unreachable!(),
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(started.elapsed(), LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn each_answer_has_its_own_time() {
        let (mut peer, stream) = tokio::io::duplex(4);
        let mut stream = WriteDeadline::new(stream, LIMIT, || {});
        let write = async {
            for _ in 0..3 {
                stream.write_all(&[0; 8]).await.unwrap();
                stream.flush().await.unwrap();
                sleep(LIMIT).await;
            }
        };
        let read = async {
            for _ in 0..3 {
                sleep(Duration::from_secs(20)).await;
                peer.read_exact(&mut [0; 8]).await.unwrap();
            }
        };
        tokio::join!(write, read);
    }
}
