//! Time ticks, about once a second.

use std::sync::Arc;
use std::time::Duration;

use model::Clock;
use tokio_util::sync::CancellationToken;

use super::listener::{EventDelivery, RunningPlugins, broadcast};

/// Between two ticks.
const TICK: Duration = Duration::from_secs(1);

/// Sends ticks to all subscribers until the server stops. A plugin that is still busy with the last tick does not get
/// the next; its mailbox ensures that.
pub async fn tick(
    plugins: Arc<dyn RunningPlugins>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) {
    loop {
        let next = clock.now() + TICK;
        tokio::select! {
            () = stop.cancelled() => return,
            () = clock.sleep_until(next) => {}
        }
        let now = clock.now().as_millisecond();
        if let Some(delivery) = EventDelivery::new("tick", &format!(r#"{{"now":{now}}}"#)) {
            broadcast(&*plugins, &delivery, None);
        }
    }
}

#[cfg(test)]
mod tests;
