//! Streams with bytes put back in front, and streams whose peer must keep reading.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A peer that takes nothing for this long while we have something for it is cut; it holds memory otherwise.
const WRITE_STALL: Duration = Duration::from_secs(15);

/// What a peer has to take of a long answer in that time, in bytes; one that takes it in drops would keep it in memory for
/// as long as it likes. This is a twentieth of the slowest stream worth watching.
const MIN_TAKEN: u64 = 120 * 1024;

/// A stream whose first bytes have been read already.
pub(super) struct PrefixedStream<S> {
    prefix: Bytes,
    inner: S,
}

impl<S> PrefixedStream<S> {
    pub(super) fn new(prefix: Bytes, inner: S) -> Self {
        Self { prefix, inner }
    }

    /// The stream, and those of its first bytes that have not been consumed yet.
    pub(super) fn into_parts(self) -> (S, Bytes) {
        (self.inner, self.prefix)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PrefixedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.prefix.is_empty() {
            return Pin::new(&mut self.inner).poll_read(cx, buffer);
        }
        let count = self.prefix.len().min(buffer.remaining());
        buffer.put_slice(&self.prefix[..count]);
        self.prefix.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PrefixedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

/// A stream that fails once its peer has stopped reading.
///
/// A fast sender waits for its peer thousands of times a second, so the timer is set once and checked when it fires.
pub(super) struct StallGuard<S> {
    inner: S,
    /// Since when a write has been waiting.
    waiting: Option<Instant>,
    /// Since when the peer has been behind, and the bytes it has taken since.
    behind: Option<(Instant, u64)>,
    alarm: Option<Pin<Box<Sleep>>>,
    received: Arc<AtomicU64>,
}

impl<S> StallGuard<S> {
    /// Adds received bytes to `received`.
    pub(super) fn new(inner: S, received: Arc<AtomicU64>) -> Self {
        Self {
            inner,
            received,
            waiting: None,
            behind: None,
            alarm: None,
        }
    }

    pub(super) fn into_inner(self) -> S {
        self.inner
    }

    /// Passes on a write's result and checks the time while it is pending.
    fn mind<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let now = Instant::now();
        let (behind_since, taken) = *self.behind.get_or_insert((now, 0));
        if behind_since + WRITE_STALL <= now {
            if taken < MIN_TAKEN {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.behind = Some((now, 0));
        }
        let since = *self.waiting.get_or_insert(now);
        let deadline = since + WRITE_STALL;
        let alarm = self
            .alarm
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        while alarm.as_mut().poll(cx).is_ready() {
            if alarm.deadline() >= deadline {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            // The timer was set for an earlier wait.
            alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl<S> StallGuard<S> {
    /// Records the result of writing `offered` bytes.
    fn note(&mut self, written: &Poll<io::Result<usize>>, offered: usize) {
        if let Poll::Ready(Ok(count)) = written {
            match &mut self.behind {
                Some((_, taken)) if *count < offered => *taken += *count as u64,
                // The peer has taken everything: counting starts afresh.
                behind => *behind = None,
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
        let count = (buffer.filled().len() - before) as u64;
        self.received.fetch_add(count, Ordering::Relaxed);
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallGuard<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.note(&written, bytes.len());
        self.mind(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.mind(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.mind(cx, closed)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, slices);
        self.note(&written, slices.iter().map(|slice| slice.len()).sum());
        self.mind(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}
