//! A socket that the room writes to by itself.
//!
//! With a queue and a task for each listener a line wakes ten thousand tasks, and half of what it costs is the waking. Here
//! the room hands the bytes, already in the form a socket carries, straight to the system. Only for a listener whose
//! connection does not take them at once something is kept, and its task pays it off.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use chat::{Farewell, LISTENER_QUEUE, Straight};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
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

/// Writes a text as a socket carries it, behind what is there.
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

/// A TCP connection with two writers, the room and the listener's task; what either writes stays in one piece.
#[derive(Debug)]
pub(super) struct Wire {
    tcp: TcpStream,
    owed: Mutex<Owed>,
    /// Something could not be written at once.
    owing: Notify,
}

/// What is still to be written.
#[derive(Debug, Default)]
struct Owed {
    /// Whether the room may write. Before that the task writes what was queued, and what the room gives waits here.
    is_open: bool,
    pieces: VecDeque<(Bytes, usize)>,
    /// In all pieces.
    frames: usize,
    /// A part of the first piece is written.
    is_begun: bool,
}

impl Owed {
    fn keep(&mut self, piece: Bytes, frames: usize) {
        self.frames += frames;
        self.pieces.push_back((piece, frames));
    }

    /// So many bytes are written.
    fn pay(&mut self, mut count: usize) {
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

impl Wire {
    pub(super) fn new(tcp: TcpStream) -> Self {
        Self {
            tcp,
            owed: Mutex::default(),
            owing: Notify::new(),
        }
    }

    fn owed(&self) -> MutexGuard<'_, Owed> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the room writes by itself, after what it gave so far.
    pub(super) fn open(&self) {
        self.owed().is_open = true;
        self.owing.notify_one();
    }

    /// Forgets what the listener was too slow for; what has begun has to end.
    pub(super) fn forget(&self) {
        let mut owed = self.owed();
        let kept = usize::from(owed.is_begun);
        owed.pieces.truncate(kept);
        owed.frames = owed.pieces.iter().map(|(_, frames)| frames).sum();
    }

    /// Pays off what is owed, for as long as the connection lasts.
    pub(super) async fn settle(&self) -> io::Error {
        loop {
            if self.is_settled() {
                self.owing.notified().await;
                continue;
            }
            if let Err(error) = self.tcp.writable().await {
                return error;
            }
            match self.pay() {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return error,
            }
        }
    }

    fn is_settled(&self) -> bool {
        let owed = self.owed();
        !owed.is_open || owed.pieces.is_empty()
    }

    /// Writes what is owed as far as it goes.
    fn pay(&self) -> io::Result<()> {
        let mut owed = self.owed();
        while owed.is_open && !owed.pieces.is_empty() {
            let pieces = owed.pieces.iter().take(PIECES);
            let slices: Vec<_> = pieces.map(|(piece, _)| IoSlice::new(piece)).collect();
            let written = self.tcp.try_write_vectored(&slices)?;
            owed.pay(written);
        }
        Ok(())
    }

    /// Writes whole frames, or keeps what cannot be written now.
    fn write(
        &self,
        bytes: &[u8],
        frames: usize,
        kept: impl FnOnce(usize) -> Bytes,
    ) -> io::Result<()> {
        let mut owed = self.owed();
        let mut written = 0;
        if owed.is_open && owed.pieces.is_empty() {
            match self.tcp.try_write(bytes) {
                Ok(count) if count == bytes.len() => return Ok(()),
                Ok(count) => written = count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            owed.is_begun = written > 0;
        }
        if owed.frames + frames > LISTENER_QUEUE {
            return Err(ErrorKind::StorageFull.into());
        }
        owed.keep(kept(written), frames);
        drop(owed);
        self.owing.notify_one();
        Ok(())
    }
}

impl Straight for Wire {
    fn give(&self, frames: &Bytes, count: usize) -> Result<(), Farewell> {
        let written = self.write(frames, count, |from| frames.slice(from..));
        written.map_err(|error| match error.kind() {
            ErrorKind::StorageFull => Farewell::TooSlow,
            _ => Farewell::Removed,
        })
    }
}

/// What the library that knows sockets reads from and writes to.
pub(super) enum Pipe {
    /// A wire the room writes to as well; `read` came with the request.
    Straight { wire: Arc<Wire>, read: Bytes },
    /// Anything else, such as TLS: only the listener's task writes.
    Other(Box<TokioIo<Upgraded>>),
}

impl Pipe {
    pub(super) fn straight(wire: Arc<Wire>, read: Bytes) -> Self {
        metrics::gauge!("rillcast_chat_straight_connections").increment(1.0);
        Self::Straight { wire, read }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        if let Self::Straight { wire, .. } = self {
            metrics::gauge!("rillcast_chat_straight_connections").decrement(1.0);
            // The room may hold it for a moment longer, and the peer should not wait for that. It may be closed already.
            SockRef::from(&wire.tcp)
                .shutdown(std::net::Shutdown::Both)
                .ok();
        }
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Other(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Straight { read, .. } if !read.is_empty() => {
                let count = read.len().min(buffer.remaining());
                buffer.put_slice(&read.split_to(count));
                Poll::Ready(Ok(()))
            }
            Self::Straight { wire, .. } => loop {
                ready!(wire.tcp.poll_read_ready(cx))?;
                match wire.tcp.try_read_buf(buffer) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    read => return Poll::Ready(read.map(drop)),
                }
            },
        }
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wire = match self.get_mut() {
            Self::Other(stream) => return Pin::new(stream).poll_write(cx, bytes),
            Self::Straight { wire, .. } => wire,
        };
        if wire.owed().is_open {
            // The room may be next, so all of it is taken.
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
            Self::Straight { wire, .. } => wire,
        };
        loop {
            match wire.pay() {
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
            Self::Straight { wire, .. } => {
                let end = std::net::Shutdown::Write;
                Poll::Ready(SockRef::from(&wire.tcp).shutdown(end))
            }
        }
    }
}

#[cfg(test)]
mod tests;
