//! The port broadcasters connect to.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use model::Clock;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{House, attend, count_refusal};
use super::desk::Desk;
use super::door::Door;
use super::transport::Upgrade;

/// Pause after a failed accept, so that a system out of file descriptors is not asked in a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Takes in broadcasters until `stop` is cancelled, and returns once the last connection is over.
///
/// With an `upgrade`, clients that begin a TLS handshake are served as RTMPS on the same port.
pub async fn serve(
    listener: TcpListener,
    upgrade: Option<Upgrade>,
    desk: Arc<dyn Desk>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) {
    let house = Arc::new(House {
        desk,
        clock,
        upgrade,
        stop: stop.clone(),
        sent_away: AtomicU64::new(0),
    });
    let door = Door::default();
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((tcp, peer)) => match door.enter(peer.ip()) {
                Ok(place) => {
                    connections.spawn(attend(tcp, peer, place, Arc::clone(&house)));
                }
                Err(full) => {
                    count_refusal(full.label());
                    tracing::debug!(%peer, reason = full.label(), "a broadcaster was not let in");
                }
            },
            Err(error) => {
                tracing::warn!(%error, "cannot accept a broadcaster");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}
