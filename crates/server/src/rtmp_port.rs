//! Keeps the broadcasters' port until the media engine listens there.
//!
//! Binding it now means that an occupied port is reported at the start and not when the first stream is due. Whoever
//! connects is turned away with a line in the log that says why.

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Of so many connections one is mentioned, so that a stranger cannot fill the log.
const MENTION_EVERY: u64 = 100;

pub(crate) async fn turn_away(listener: TcpListener, stop: CancellationToken) {
    let mut turned_away: u64 = 0;
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                drop(stream);
                if turned_away.is_multiple_of(MENTION_EVERY) {
                    tracing::warn!(%peer, "a broadcaster was turned away: this version does not take in streams yet");
                }
                turned_away += 1;
            }
            Err(error) => {
                tracing::error!(%error, "cannot accept broadcasters");
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        }
    }
}
