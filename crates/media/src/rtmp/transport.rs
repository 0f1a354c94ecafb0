//! The byte stream below a session: plain TCP, or TLS on top of it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Longest time a peer may take to accept what we send; then the connection is dropped.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time we wait after our last word for the peer to close; then we close.
const LINGER: Duration = Duration::from_secs(2);

/// The same once the server stops; long enough for a peer that listens.
const SHORT_LINGER: Duration = Duration::from_millis(200);

/// A bidirectional connection.
pub trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// Upgrades a TCP connection to TLS; the server provides certificate and library.
pub type TlsUpgrade =
    Arc<dyn Fn(TcpStream) -> BoxFuture<'static, io::Result<Box<dyn Transport>>> + Send + Sync>;

/// The client's protocol, detected from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientProtocol {
    Plain,
    Tls,
    /// Closed without sending anything.
    Nothing,
}

/// Peeks at the first byte.
pub(super) async fn detect_protocol(stream: &TcpStream) -> io::Result<ClientProtocol> {
    const TLS_HANDSHAKE: u8 = 0x16;
    let mut first = [0; 1];
    let protocol = match stream.peek(&mut first).await? {
        0 => ClientProtocol::Nothing,
        _ if first[0] == TLS_HANDSHAKE => ClientProtocol::Tls,
        _ => ClientProtocol::Plain,
    };
    Ok(protocol)
}

/// Sends all of `output`.
pub(super) async fn send(mut stream: &mut dyn Transport, output: &mut BytesMut) -> io::Result<()> {
    if output.is_empty() {
        return Ok(());
    }
    let sending = async {
        AsyncWriteExt::write_all_buf(&mut stream, output).await?;
        stream.flush().await
    };
    match timeout(WRITE_TIMEOUT, sending).await {
        Ok(result) => result,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// Sends the remaining output and lets the peer read it: closing while the peer still sends would reset the connection
/// and lose our reason.
pub(super) async fn close(
    stream: &mut dyn Transport,
    output: &mut BytesMut,
    stop: &CancellationToken,
) {
    let closing = async {
        send(stream, output).await?;
        stream.shutdown().await?;
        let mut waste = [0; 4096];
        while stream.read(&mut waste).await? > 0 {}
        Ok::<(), io::Error>(())
    };
    let stopping = async {
        stop.cancelled().await;
        sleep(SHORT_LINGER).await;
    };
    tokio::select! {
        () = sleep(LINGER) => {}
        () = stopping => {}
        // Either way, the connection is over.
        closed = closing => if let Err(error) = closed {
            tracing::debug!(%error, "a broadcaster did not wait for the end");
        },
    }
}
