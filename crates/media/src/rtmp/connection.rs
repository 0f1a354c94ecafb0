//! One publisher's connection, from first byte to last.

mod relay;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use media_formats::rtmp::session::{PublishCommand, RefusalCode, RtmpSession, SessionEvent};
use media_formats::rtmp::wire::ProtocolError;
use model::Clock;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::connection_limit::ConnectionPermit;
use super::publish_handler::{PublishHandler, PublishRefusal, PublishRequest, Sink};
use super::transport::{self, ClientProtocol, TlsUpgrade, Transport};

/// Limit (broadcasters): time from connecting to the request to publish; then the connection is closed.
const PATIENCE: Duration = Duration::from_secs(5);
/// Read buffer of a stranger; more input waits in the kernel.
const STRANGER_READ_BYTES: usize = 4 * 1024;
/// Of so many strangers that are sent away one is mentioned in the log, so that they cannot fill it.
const MENTION_EVERY: u64 = 100;

/// What all connections of a listener share.
pub(super) struct ListenerContext {
    pub(super) publish_handler: Arc<dyn PublishHandler>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) upgrade: Option<TlsUpgrade>,
    pub(super) stop: CancellationToken,
    pub(super) rejected: AtomicU64,
}

/// A peer whose transport is open.
struct RtmpPeer {
    stream: Box<dyn Transport>,
    session: RtmpSession,
    input: BytesMut,
    is_tls: bool,
}

/// Why a connection ends before it asks to publish.
#[derive(Debug, thiserror::Error)]
enum ConnectError {
    #[error("it closed the connection")]
    Closed,
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
    #[error(
        "it speaks RTMPS, but this server has no certificate; use rtmp:// in the broadcasting software"
    )]
    NoTls,
    #[error("TLS failed: {0}")]
    Tls(io::Error),
    #[error("{0}")]
    Protocol(#[from] ProtocolError),
    #[error("it did not ask to publish within {} s", PATIENCE.as_secs())]
    TooSlow,
}

/// Keeps the connection count right, however the task ends.
struct ConnectionGauge;

impl ConnectionGauge {
    fn new() -> Self {
        metrics::gauge!("rillcast_rtmp_connections").increment(1.0);
        Self
    }
}

impl Drop for ConnectionGauge {
    fn drop(&mut self) {
        metrics::gauge!("rillcast_rtmp_connections").decrement(1.0);
    }
}

pub(super) fn count_refusal(reason: &'static str) {
    metrics::counter!("rillcast_rtmp_refused_total", "reason" => reason).increment(1);
}

/// Handles one connection until it is over.
pub(super) async fn handle_connection(
    tcp: TcpStream,
    peer: SocketAddr,
    permit: ConnectionPermit,
    context: Arc<ListenerContext>,
) {
    let _gauge = ConnectionGauge::new();
    let mut rtmp_peer = None;
    let publish_wait = timeout(PATIENCE, read_until_publish(tcp, &context, &mut rtmp_peer));
    let requested = tokio::select! {
        () = context.stop.cancelled() => return,
        requested = publish_wait => requested.unwrap_or(Err(ConnectError::TooSlow)),
    };
    match (requested, rtmp_peer) {
        (Ok(request), Some(rtmp_peer)) => {
            Box::pin(authorize(rtmp_peer, request, peer, permit, &context)).await
        }
        (Err(error), rtmp_peer) => {
            context.log_rejection(peer, &error);
            if let (ConnectError::Protocol(_), Some(mut rtmp_peer)) = (error, rtmp_peer) {
                rtmp_peer.close(&context).await;
            }
        }
        (Ok(_), None) => {}
    }
}

/// Opens the transport, stores the peer in the caller's slot, and handles messages until it asks to publish.
async fn read_until_publish(
    tcp: TcpStream,
    context: &ListenerContext,
    rtmp_peer: &mut Option<RtmpPeer>,
) -> Result<PublishCommand, ConnectError> {
    tcp.set_nodelay(true)?;
    let protocol = transport::detect_protocol(&tcp).await?;
    let stream: Box<dyn Transport> = match (protocol, &context.upgrade) {
        (ClientProtocol::Nothing, _) => return Err(ConnectError::Closed),
        (ClientProtocol::Plain, _) => Box::new(tcp),
        (ClientProtocol::Tls, Some(upgrade)) => upgrade(tcp).await.map_err(ConnectError::Tls)?,
        (ClientProtocol::Tls, None) => return Err(ConnectError::NoTls),
    };
    let rtmp_peer = rtmp_peer.insert(RtmpPeer {
        stream,
        session: RtmpSession::default(),
        input: BytesMut::with_capacity(STRANGER_READ_BYTES),
        is_tls: protocol == ClientProtocol::Tls,
    });
    loop {
        rtmp_peer.input.reserve(STRANGER_READ_BYTES);
        if rtmp_peer.stream.read_buf(&mut rtmp_peer.input).await? == 0 {
            return Err(ConnectError::Closed);
        }
        // The session emits no media before a publication is accepted, so other events cannot occur.
        while let Some(event) = rtmp_peer.session.receive(&mut rtmp_peer.input)? {
            if let SessionEvent::Publish(request) = event {
                return Ok(request);
            }
        }
        transport::send(&mut *rtmp_peer.stream, rtmp_peer.session.output()).await?;
    }
}

/// Asks the publish handler, and accepts or rejects the publication.
async fn authorize(
    mut rtmp_peer: RtmpPeer,
    request: PublishCommand,
    peer: SocketAddr,
    permit: ConnectionPermit,
    context: &ListenerContext,
) {
    let encoder = request.encoder.clone();
    let asking = context.publish_handler.publish(PublishRequest {
        key: request.key,
        app: request.app,
        peer,
        encoder: request.encoder,
        is_tls: rtmp_peer.is_tls,
    });
    let answer = tokio::select! {
        () = context.stop.cancelled() => Err(stopping()),
        answer = asking => answer,
    };
    match answer {
        Ok(sink) => {
            drop(permit);
            publish(rtmp_peer, sink, peer, context).await;
        }
        Err(refusal) => {
            count_refusal(refusal.code.label());
            tracing::warn!(%peer, encoder, reason = refusal.reason, "a broadcaster was refused");
            // The permit is held meanwhile, even if the peer has left: that is the cost of guessing.
            tokio::select! {
                () = context.stop.cancelled() => {}
                () = sleep(refusal.delay) => {}
            }
            rtmp_peer
                .session
                .refuse_publish(refusal.code, &refusal.reason);
            rtmp_peer.close(context).await;
            drop(permit);
        }
    }
}

async fn publish(
    mut rtmp_peer: RtmpPeer,
    mut sink: Box<dyn Sink>,
    peer: SocketAddr,
    context: &ListenerContext,
) {
    rtmp_peer.session.accept_publish();
    let how = relay::relay(&mut rtmp_peer, &mut *sink, context).await;
    // The stream says what follows from it: offline, or waiting.
    tracing::debug!(%peer, end = ?how, "a broadcaster's publication ended");
    sink.end(how);
    rtmp_peer.close(context).await;
}

fn stopping() -> PublishRefusal {
    PublishRefusal {
        code: RefusalCode::Stopping,
        reason: "The server is stopping.".to_owned(),
        delay: Duration::ZERO,
    }
}

impl RtmpPeer {
    async fn close(&mut self, context: &ListenerContext) {
        transport::close(&mut *self.stream, self.session.output(), &context.stop).await;
    }
}

impl ListenerContext {
    fn log_rejection(&self, peer: SocketAddr, error: &ConnectError) {
        count_refusal(match error {
            ConnectError::Closed | ConnectError::Broken(_) => "gone",
            ConnectError::NoTls => "no_tls",
            ConnectError::Tls(_) => "tls",
            ConnectError::Protocol(_) => "protocol",
            ConnectError::TooSlow => "too_slow",
        });
        let is_noise = matches!(
            error,
            ConnectError::Closed
                | ConnectError::Broken(_)
                | ConnectError::Protocol(ProtocolError::NotRtmp(_))
        );
        let is_mentioned = || {
            let before = self.rejected.fetch_add(1, Ordering::Relaxed);
            before.is_multiple_of(MENTION_EVERY)
        };
        if is_noise || !is_mentioned() {
            tracing::debug!(%peer, reason = %error, "a broadcaster was turned away");
        } else {
            tracing::warn!(%peer, reason = %error, "a broadcaster was turned away");
        }
    }
}
