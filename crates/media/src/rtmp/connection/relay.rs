//! The loop of a publication: reads, passes media on, replies, and watches for silence.

use std::pin::pin;
use std::time::Duration;

use bytes::BytesMut;
use media_formats::rtmp::session::SessionEvent;
use tokio::io::AsyncReadExt;
use tokio::time::{MissedTickBehavior, interval};

use super::{ListenerContext, RtmpPeer};
use crate::rtmp::publish_handler::{PublicationEnd, Sink};
use crate::rtmp::stall_detector::{CHECKS, StallDetector};
use crate::rtmp::transport::{self, Transport};

/// Room for one read from a publisher; what does not fit waits in the kernel. Wake-ups cost more than bytes, so one read
/// should take all there is.
const READ_BYTES: usize = 128 * 1024;
/// Room below which the buffer is renewed before a read.
const MIN_READ_BYTES: usize = 16 * 1024;
/// Answers that may wait while input is pending; more are sent at once.
const MAX_WAITING_OUTPUT_BYTES: usize = 4 * 1024;
/// Time is handed to the session in steps of at least this, so that no fraction gets lost.
const TIME_STEP: Duration = Duration::from_millis(100);

/// Feeds the sink until the publication is over. The session's remaining output is for the peer.
pub(super) async fn relay(
    rtmp_peer: &mut RtmpPeer,
    sink: &mut dyn Sink,
    context: &ListenerContext,
) -> PublicationEnd {
    let mut revoked = pin!(sink.revoked().cancelled_owned());
    let mut stopped = pin!(context.stop.cancelled());
    let mut checks = interval((sink.idle_limit() / CHECKS).max(Duration::from_millis(1)));
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    checks.tick().await;
    let mut stall_detector = StallDetector::new(context.clock.uptime());
    let mut time_told = context.clock.uptime();
    let mut is_more_pending = false;
    loop {
        if let Err(end) = hand_over(rtmp_peer, sink, &mut stall_detector) {
            return end;
        }
        // A publisher that closes with an unread reply resets the connection, and its last data is lost. So replies
        // wait until we have caught up with it.
        let may_wait =
            is_more_pending && rtmp_peer.session.output().len() < MAX_WAITING_OUTPUT_BYTES;
        if !may_wait
            && let Err(error) =
                transport::send(&mut *rtmp_peer.stream, rtmp_peer.session.output()).await
        {
            return PublicationEnd::Dropped(format!("the connection broke: {error}"));
        }
        tokio::select! {
            // In this order: a server that stops also revokes its grant, and the publisher has to learn that it may
            // come back. Reading comes last, so that a publisher that never pauses cannot keep others from that.
            biased;
            () = &mut stopped => {
                rtmp_peer.session.ask_to_reconnect("The server is about to restart.");
                rtmp_peer.session.end_publish("The server is stopping.");
                return PublicationEnd::Dropped("the server is stopping".to_owned());
            }
            () = &mut revoked => {
                rtmp_peer.session.end_publish("The stream was ended by the server.");
                return PublicationEnd::Revoked;
            }
            _ = checks.tick() => {
                is_more_pending = false;
                if let Err(stall) = stall_detector.check(context.clock.uptime()) {
                    rtmp_peer.session.end_publish(stall.reason());
                    return PublicationEnd::Dropped(stall.reason().to_owned());
                }
            }
            read = read(&mut *rtmp_peer.stream, &mut rtmp_peer.input) => match read {
                Ok(0) => return PublicationEnd::Dropped("the connection was closed".to_owned()),
                Ok(bytes) => {
                    stall_detector.bytes(bytes);
                    is_more_pending = rtmp_peer.input.len() == rtmp_peer.input.capacity();
                }
                Err(error) => return PublicationEnd::Dropped(format!("the connection broke: {error}")),
            },
        }
        let elapsed = context.clock.uptime().saturating_sub(time_told);
        if elapsed >= TIME_STEP {
            time_told += elapsed;
            rtmp_peer.session.pass_time(elapsed);
        }
    }
}

async fn read(stream: &mut dyn Transport, input: &mut BytesMut) -> std::io::Result<usize> {
    if input.capacity() - input.len() < MIN_READ_BYTES {
        input.reserve(READ_BYTES);
    }
    stream.read_buf(input).await
}

/// Passes everything complete to the sink.
fn hand_over(
    rtmp_peer: &mut RtmpPeer,
    sink: &mut dyn Sink,
    stall_detector: &mut StallDetector,
) -> Result<(), PublicationEnd> {
    loop {
        let event = match rtmp_peer.session.receive(&mut rtmp_peer.input) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error) => {
                let reason = error.to_string();
                rtmp_peer.session.reject_media(&reason);
                return Err(PublicationEnd::Dropped(reason));
            }
        };
        let taken = match event {
            SessionEvent::Video { timestamp, body } => {
                stall_detector.message();
                sink.video(timestamp, body)
            }
            SessionEvent::Audio { timestamp, body } => {
                stall_detector.message();
                sink.audio(timestamp, body)
            }
            SessionEvent::Metadata(metadata) => {
                sink.metadata(metadata);
                Ok(())
            }
            SessionEvent::Unpublish => return Err(PublicationEnd::Unpublished),
            // The session itself rejects a second request.
            SessionEvent::Publish(_) => Ok(()),
        };
        if let Err(rejected) = taken {
            rtmp_peer.session.reject_media(&rejected.reason);
            return Err(PublicationEnd::Dropped(rejected.reason));
        }
    }
}
