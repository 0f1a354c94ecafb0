//! Hears what is said on a subject, for as long as the server runs.

use std::time::Duration;

use bus::{Bus, Subject};
use tokio_util::sync::CancellationToken;

/// After a subscription that NATS refused.
pub(super) const LISTEN_PAUSE: Duration = Duration::from_secs(5);

/// Hands over the body of each message until `stop`. What is said while NATS is away is lost.
pub(super) async fn each_message(
    bus: &Bus,
    subject: Subject,
    stop: &CancellationToken,
    mut take: impl FnMut(&[u8]) + Send,
) {
    loop {
        let mut messages = match bus.subscribe(subject).await {
            Ok(messages) => messages,
            Err(error) => {
                tracing::warn!(%error, "cannot hear the other machines");
                if stops_within(stop, LISTEN_PAUSE).await {
                    return;
                }
                continue;
            }
        };
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = messages.next() => message,
            };
            match message {
                Some(message) => take(&message.body),
                None => break,
            }
        }
        // The connection was given up for good, which it is only at the end.
        if stops_within(stop, LISTEN_PAUSE).await {
            return;
        }
    }
}

/// Whether the server stops while this time passes.
pub(super) async fn stops_within(stop: &CancellationToken, time: Duration) -> bool {
    tokio::time::timeout(time, stop.cancelled()).await.is_ok()
}
