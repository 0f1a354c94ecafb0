//! One broadcaster's connection, from its first byte to its last.

mod relay;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use model::Clock;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::desk::{Desk, PublishRequest, Refusal, RefusalCode, Sink};
use super::door::Place;
use super::session::{Event, Request, Session};
use super::transport::{self, Opening, Stream, Upgrade};
use super::wire::ProtocolError;

/// How long a stranger may take for TLS, handshake and dialogue together until it asks to publish; then it is dropped.
const PATIENCE: Duration = Duration::from_secs(5);
/// Read buffer of a stranger; more input waits in the kernel.
const STRANGER_READ_BYTES: usize = 4 * 1024;
/// Of so many strangers that are sent away one is mentioned in the log, so that they cannot fill it.
const MENTION_EVERY: u64 = 100;

/// What all connections of a listener share.
pub(super) struct House {
    pub(super) desk: Arc<dyn Desk>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) upgrade: Option<Upgrade>,
    pub(super) stop: CancellationToken,
    pub(super) sent_away: AtomicU64,
}

/// A peer we can talk to.
struct Guest {
    stream: Box<dyn Stream>,
    session: Session,
    input: BytesMut,
    is_tls: bool,
}

/// Why a stranger is sent away.
#[derive(Debug, thiserror::Error)]
enum Leave {
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

/// Keeps the number of connections right however the task ends.
struct Counted;

impl Counted {
    fn new() -> Self {
        metrics::gauge!("rillcast_rtmp_connections").increment(1.0);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        metrics::gauge!("rillcast_rtmp_connections").decrement(1.0);
    }
}

pub(super) fn count_refusal(reason: &'static str) {
    metrics::counter!("rillcast_rtmp_refused_total", "reason" => reason).increment(1);
}

/// Attends to one connection until it is over.
pub(super) async fn attend(tcp: TcpStream, peer: SocketAddr, place: Place, house: Arc<House>) {
    let _counted = Counted::new();
    let mut guest = None;
    let greeting = timeout(PATIENCE, greet(tcp, &house, &mut guest));
    let asked = tokio::select! {
        () = house.stop.cancelled() => return,
        asked = greeting => asked.unwrap_or(Err(Leave::TooSlow)),
    };
    match (asked, guest) {
        (Ok(request), Some(guest)) => Box::pin(admit(guest, request, peer, place, &house)).await,
        (Err(leave), guest) => {
            house.send_away(peer, &leave);
            if let (Leave::Protocol(_), Some(mut guest)) = (leave, guest) {
                guest.part(&house).await;
            }
        }
        (Ok(_), None) => {}
    }
}

/// Opens the transport, puts the guest where the caller keeps it, and talks until it asks to publish.
async fn greet(tcp: TcpStream, house: &House, guest: &mut Option<Guest>) -> Result<Request, Leave> {
    tcp.set_nodelay(true)?;
    let opening = transport::opening(&tcp).await?;
    let stream: Box<dyn Stream> = match (opening, &house.upgrade) {
        (Opening::Nothing, _) => return Err(Leave::Closed),
        (Opening::Plain, _) => Box::new(tcp),
        (Opening::Tls, Some(upgrade)) => upgrade(tcp).await.map_err(Leave::Tls)?,
        (Opening::Tls, None) => return Err(Leave::NoTls),
    };
    let guest = guest.insert(Guest {
        stream,
        session: Session::default(),
        input: BytesMut::with_capacity(STRANGER_READ_BYTES),
        is_tls: opening == Opening::Tls,
    });
    loop {
        guest.input.reserve(STRANGER_READ_BYTES);
        if guest.stream.read_buf(&mut guest.input).await? == 0 {
            return Err(Leave::Closed);
        }
        // The session hands out no media before a publication was accepted, so any other event is no event.
        while let Some(event) = guest.session.receive(&mut guest.input)? {
            if let Event::Publish(request) = event {
                return Ok(request);
            }
        }
        transport::send(&mut *guest.stream, guest.session.output()).await?;
    }
}

/// Asks the desk, and lets the guest in or out.
async fn admit(mut guest: Guest, request: Request, peer: SocketAddr, place: Place, house: &House) {
    let encoder = request.encoder.clone();
    let asking = house.desk.publish(PublishRequest {
        key: request.key,
        app: request.app,
        peer,
        encoder: request.encoder,
        is_tls: guest.is_tls,
    });
    let answer = tokio::select! {
        () = house.stop.cancelled() => Err(stopping()),
        answer = asking => answer,
    };
    match answer {
        Ok(sink) => {
            drop(place);
            tracing::info!(%peer, encoder, is_tls = guest.is_tls, "a broadcaster publishes");
            publish(guest, sink, peer, house).await;
        }
        Err(refusal) => {
            count_refusal(refusal.code.label());
            tracing::warn!(%peer, encoder, reason = refusal.reason, "a broadcaster was refused");
            // The place stays taken meanwhile, also when the guest has left: that is what guessing costs.
            tokio::select! {
                () = house.stop.cancelled() => {}
                () = sleep(refusal.delay) => {}
            }
            guest.session.refuse_publish(refusal.code, &refusal.reason);
            guest.part(house).await;
            drop(place);
        }
    }
}

async fn publish(mut guest: Guest, mut sink: Box<dyn Sink>, peer: SocketAddr, house: &House) {
    guest.session.accept_publish();
    let how = relay::relay(&mut guest, &mut *sink, house).await;
    tracing::info!(%peer, end = ?how, "a broadcaster's publication ended");
    sink.end(how);
    guest.part(house).await;
}

fn stopping() -> Refusal {
    Refusal {
        code: RefusalCode::Stopping,
        reason: "The server is stopping.".to_owned(),
        delay: Duration::ZERO,
    }
}

impl Guest {
    async fn part(&mut self, house: &House) {
        transport::part(&mut *self.stream, self.session.output(), &house.stop).await;
    }
}

impl House {
    fn send_away(&self, peer: SocketAddr, leave: &Leave) {
        count_refusal(match leave {
            Leave::Closed | Leave::Broken(_) => "gone",
            Leave::NoTls => "no_tls",
            Leave::Tls(_) => "tls",
            Leave::Protocol(_) => "protocol",
            Leave::TooSlow => "too_slow",
        });
        let is_noise = matches!(
            leave,
            Leave::Closed | Leave::Broken(_) | Leave::Protocol(ProtocolError::NotRtmp(_))
        );
        let is_mentioned = || {
            let before = self.sent_away.fetch_add(1, Ordering::Relaxed);
            before.is_multiple_of(MENTION_EVERY)
        };
        if is_noise || !is_mentioned() {
            tracing::debug!(%peer, reason = %leave, "a broadcaster was sent away");
        } else {
            tracing::warn!(%peer, reason = %leave, "a broadcaster was sent away");
        }
    }
}
