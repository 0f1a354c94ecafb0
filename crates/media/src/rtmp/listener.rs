//! The port for publishers.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use model::Clock;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{ListenerContext, count_refusal, handle_connection};
use super::connection_limit::UnauthenticatedLimit;
use super::publish_handler::PublishHandler;
use super::transport::TlsUpgrade;

/// Pause after a failed accept, so that a system out of file descriptors is not asked in a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts publishers until `stop` is cancelled, and returns once the last connection is over.
///
/// With an `upgrade`, clients that begin a TLS handshake are served as RTMPS on the same port.
pub async fn serve(
    listener: TcpListener,
    upgrade: Option<TlsUpgrade>,
    publish_handler: Arc<dyn PublishHandler>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) {
    let context = Arc::new(ListenerContext {
        publish_handler,
        clock,
        upgrade,
        stop: stop.clone(),
        rejected: AtomicU64::new(0),
    });
    let limit = UnauthenticatedLimit::default();
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((tcp, peer)) => match limit.try_acquire(peer.ip()) {
                Ok(permit) => {
                    connections.spawn(handle_connection(tcp, peer, permit, Arc::clone(&context)));
                }
                Err(reached) => {
                    count_refusal(reached.label());
                    tracing::debug!(%peer, reason = reached.label(), "a broadcaster's connection was refused");
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
