//! The loop of a publication: read, hand over, answer, and keep an eye on silence.

use std::pin::pin;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncReadExt;
use tokio::time::{MissedTickBehavior, interval};

use super::{Guest, House};
use crate::rtmp::desk::{End, Sink};
use crate::rtmp::pace::{LOOKS, Pace};
use crate::rtmp::session::Event;
use crate::rtmp::transport::{self, Stream};

/// Room for one read from a publisher; what does not fit waits in the kernel. Wake-ups cost more than bytes, so one read
/// should take all there is.
const READ_BYTES: usize = 128 * 1024;
/// Room below which the buffer is renewed before a read.
const MIN_READ_BYTES: usize = 16 * 1024;
/// Answers that may wait while input is pending; more are sent at once.
const MAX_WAITING_OUTPUT_BYTES: usize = 4 * 1024;
/// Time is handed to the session in steps of at least this, so that no fraction gets lost.
const TIME_STEP: Duration = Duration::from_millis(100);

/// Feeds the sink until the publication is over. What is left in the session's output is the last word to the peer.
pub(super) async fn relay(guest: &mut Guest, sink: &mut dyn Sink, house: &House) -> End {
    let mut revoked = pin!(sink.revoked().cancelled_owned());
    let mut stopped = pin!(house.stop.cancelled());
    let mut looks = interval((sink.idle_limit() / LOOKS).max(Duration::from_millis(1)));
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks.tick().await;
    let mut pace = Pace::new(house.clock.uptime());
    let mut time_told = house.clock.uptime();
    let mut is_more_pending = false;
    loop {
        if let Err(end) = hand_over(guest, sink, &mut pace) {
            return end;
        }
        // A sender that closes with an answer unread resets the connection, and what it sent last is lost. So answers
        // wait until we have caught up with it.
        let may_wait = is_more_pending && guest.session.output().len() < MAX_WAITING_OUTPUT_BYTES;
        if !may_wait
            && let Err(error) = transport::send(&mut *guest.stream, guest.session.output()).await
        {
            return End::Dropped(format!("the connection broke: {error}"));
        }
        tokio::select! {
            // In this order: a server that stops also takes back what it granted, and the publisher has to hear that it
            // may come back. Reading comes last, so that nobody is kept from that by a publisher who never pauses.
            biased;
            () = &mut stopped => {
                guest.session.ask_to_reconnect("The server is about to restart.");
                guest.session.end_publish("The server is stopping.");
                return End::Dropped("the server is stopping".to_owned());
            }
            () = &mut revoked => {
                guest.session.end_publish("The stream was ended by the server.");
                return End::Revoked;
            }
            _ = looks.tick() => {
                is_more_pending = false;
                if let Err(stall) = pace.look(house.clock.uptime()) {
                    guest.session.end_publish(stall.reason());
                    return End::Dropped(stall.reason().to_owned());
                }
            }
            read = read(&mut *guest.stream, &mut guest.input) => match read {
                Ok(0) => return End::Dropped("the connection was closed".to_owned()),
                Ok(bytes) => {
                    pace.bytes(bytes);
                    is_more_pending = guest.input.len() == guest.input.capacity();
                }
                Err(error) => return End::Dropped(format!("the connection broke: {error}")),
            },
        }
        let elapsed = house.clock.uptime().saturating_sub(time_told);
        if elapsed >= TIME_STEP {
            time_told += elapsed;
            guest.session.pass_time(elapsed);
        }
    }
}

async fn read(stream: &mut dyn Stream, input: &mut BytesMut) -> std::io::Result<usize> {
    if input.capacity() - input.len() < MIN_READ_BYTES {
        input.reserve(READ_BYTES);
    }
    stream.read_buf(input).await
}

/// Hands everything that is whole to the sink.
fn hand_over(guest: &mut Guest, sink: &mut dyn Sink, pace: &mut Pace) -> Result<(), End> {
    loop {
        let event = match guest.session.receive(&mut guest.input) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error) => {
                let reason = error.to_string();
                guest.session.reject_media(&reason);
                return Err(End::Dropped(reason));
            }
        };
        let taken = match event {
            Event::Video { timestamp, body } => {
                pace.message();
                sink.video(timestamp, body)
            }
            Event::Audio { timestamp, body } => {
                pace.message();
                sink.audio(timestamp, body)
            }
            Event::Metadata(metadata) => {
                sink.metadata(metadata);
                Ok(())
            }
            Event::Unpublish => return Err(End::Unpublished),
            // The session refuses a second request by itself.
            Event::Publish(_) => Ok(()),
        };
        if let Err(rejected) = taken {
            guest.session.reject_media(&rejected.reason);
            return Err(End::Dropped(rejected.reason));
        }
    }
}
