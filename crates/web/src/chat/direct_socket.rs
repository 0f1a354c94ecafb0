//! A socket that the room writes to directly.
//!
//! With a queue and a task per listener, one line wakes ten thousand tasks, and half its cost is the waking. Here the
//! room hands the bytes, already framed, straight to the system. Only if a listener's connection does not take them at
//! once is anything queued, and the listener's task writes it later.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use chat::{CloseReason, DirectWriter, LISTENER_QUEUE};
use http_server::UpgradedStream;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// First byte of a whole message of text (RFC 6455 §5.2).
const TEXT: u8 = 0x81;
/// Says that the length follows in two bytes.
const TWO_BYTES: u8 = 126;
/// Says that the length follows in eight bytes.
const EIGHT_BYTES: u8 = 127;
/// Pieces given to the system at once.
const PIECES: usize = 32;

/// Appends a text to `out` as a WebSocket frame.
pub fn wrap(text: &[u8], out: &mut BytesMut) {
    let length = text.len();
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short), _) if short < TWO_BYTES => out.extend_from_slice(&[TEXT, short]),
        (_, Ok(middle)) => {
            out.extend_from_slice(&[TEXT, TWO_BYTES]);
            out.extend_from_slice(&middle.to_be_bytes());
        }
        _ => {
            out.extend_from_slice(&[TEXT, EIGHT_BYTES]);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(text);
}

/// A TCP connection with two writers, the room and the listener's task; their writes never interleave.
#[derive(Debug)]
pub(super) struct DirectTcp {
    tcp: TcpStream,
    unsent: Mutex<UnsentFrames>,
    /// Signalled when something could not be written at once.
    has_unsent: Notify,
}

/// Data still to be written.
#[derive(Debug, Default)]
struct UnsentFrames {
    /// Whether the room may write. Until then the task writes what was queued, and data from the room waits here.
    is_open: bool,
    pieces: VecDeque<(Bytes, usize)>,
    frames: usize,
    /// The first piece is partly written.
    is_begun: bool,
}

impl UnsentFrames {
    fn keep(&mut self, piece: Bytes, frames: usize) {
        self.frames += frames;
        self.pieces.push_back((piece, frames));
    }

    /// Removes this many written bytes.
    fn advance(&mut self, mut count: usize) {
        while let Some((piece, frames)) = self.pieces.front_mut() {
            if count < piece.len() {
                piece.advance(count);
                self.is_begun |= count > 0;
                return;
            }
            count -= piece.len();
            self.frames -= *frames;
            self.is_begun = false;
            self.pieces.pop_front();
        }
    }
}

impl DirectTcp {
    pub(super) fn new(tcp: TcpStream) -> Self {
        Self {
            tcp,
            unsent: Mutex::default(),
            has_unsent: Notify::new(),
        }
    }

    fn unsent(&self) -> MutexGuard<'_, UnsentFrames> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the room writes directly, after what it has already queued.
    pub(super) fn open(&self) {
        self.unsent().is_open = true;
        self.has_unsent.notify_one();
    }

    /// Drops what the listener was too slow for, except a frame that has been partly written.
    pub(super) fn forget(&self) {
        let mut unsent = self.unsent();
        let kept = usize::from(unsent.is_begun);
        unsent.pieces.truncate(kept);
        unsent.frames = unsent.pieces.iter().map(|(_, frames)| frames).sum();
    }

    /// Writes unsent data for as long as the connection lasts.
    pub(super) async fn drain(&self) -> io::Error {
        loop {
            if self.is_drained() {
                self.has_unsent.notified().await;
                continue;
            }
            if let Err(error) = self.tcp.writable().await {
                return error;
            }
            match self.write_unsent() {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return error,
            }
        }
    }

    fn is_drained(&self) -> bool {
        let unsent = self.unsent();
        !unsent.is_open || unsent.pieces.is_empty()
    }

    /// Writes as much unsent data as the system takes.
    fn write_unsent(&self) -> io::Result<()> {
        let mut unsent = self.unsent();
        while unsent.is_open && !unsent.pieces.is_empty() {
            let pieces = unsent.pieces.iter().take(PIECES);
            let slices: Vec<_> = pieces.map(|(piece, _)| IoSlice::new(piece)).collect();
            let written = self.tcp.try_write_vectored(&slices)?;
            unsent.advance(written);
        }
        Ok(())
    }

    /// Writes whole frames, or queues what cannot be written now.
    fn write(
        &self,
        bytes: &[u8],
        frames: usize,
        kept: impl FnOnce(usize) -> Bytes,
    ) -> io::Result<()> {
        let mut unsent = self.unsent();
        let mut written = 0;
        if unsent.is_open && unsent.pieces.is_empty() {
            match self.tcp.try_write(bytes) {
                Ok(count) if count == bytes.len() => return Ok(()),
                Ok(count) => written = count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            unsent.is_begun = written > 0;
        }
        if unsent.frames + frames > LISTENER_QUEUE {
            return Err(ErrorKind::StorageFull.into());
        }
        unsent.keep(kept(written), frames);
        drop(unsent);
        self.has_unsent.notify_one();
        Ok(())
    }
}

impl DirectWriter for DirectTcp {
    fn write_frames(&self, frames: &Bytes, count: usize) -> Result<(), CloseReason> {
        let written = self.write(frames, count, |from| frames.slice(from..));
        written.map_err(|error| match error.kind() {
            ErrorKind::StorageFull => CloseReason::TooSlow,
            _ => CloseReason::Removed,
        })
    }
}

/// The stream that tungstenite reads and writes.
pub(super) enum SocketIo {
    /// A wire that the room writes to as well; `read` holds bytes that came with the request.
    Direct { wire: Arc<DirectTcp>, read: Bytes },
    /// Anything else, such as TLS: only the listener's task writes.
    Other(Box<UpgradedStream>),
}

impl SocketIo {
    pub(super) fn direct(wire: Arc<DirectTcp>, read: Bytes) -> Self {
        metrics::gauge!("rillcast_chat_straight_connections").increment(1.0);
        Self::Direct { wire, read }
    }
}

impl Drop for SocketIo {
    fn drop(&mut self) {
        if let Self::Direct { wire, .. } = self {
            metrics::gauge!("rillcast_chat_straight_connections").decrement(1.0);
            // The room may hold the connection a moment longer, and the peer should not wait for that. It may already
            // be closed.
            SockRef::from(&wire.tcp)
                .shutdown(std::net::Shutdown::Both)
                .ok();
        }
    }
}

impl AsyncRead for SocketIo {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Other(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Direct { read, .. } if !read.is_empty() => {
                let count = read.len().min(buffer.remaining());
                buffer.put_slice(&read.split_to(count));
                Poll::Ready(Ok(()))
            }
            Self::Direct { wire, .. } => loop {
                ready!(wire.tcp.poll_read_ready(cx))?;
                match wire.tcp.try_read_buf(buffer) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    read => return Poll::Ready(read.map(drop)),
                }
            },
        }
    }
}

impl AsyncWrite for SocketIo {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wire = match self.get_mut() {
            Self::Other(stream) => return Pin::new(stream).poll_write(cx, bytes),
            Self::Direct { wire, .. } => wire,
        };
        if wire.unsent().is_open {
            // The room may write next, so accept all of it.
            let written = wire.write(bytes, 1, |from| Bytes::copy_from_slice(&bytes[from..]));
            return Poll::Ready(written.map(|()| bytes.len()));
        }
        loop {
            ready!(wire.tcp.poll_write_ready(cx))?;
            match wire.tcp.try_write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = match self.get_mut() {
            Self::Other(stream) => return Pin::new(stream).poll_flush(cx),
            Self::Direct { wire, .. } => wire,
        };
        loop {
            match wire.write_unsent() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    ready!(wire.tcp.poll_write_ready(cx))?;
                }
                paid => return Poll::Ready(paid),
            }
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Other(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Direct { wire, .. } => {
                let end = std::net::Shutdown::Write;
                Poll::Ready(SockRef::from(&wire.tcp).shutdown(end))
            }
        }
    }
}

#[cfg(test)]
mod tests;
