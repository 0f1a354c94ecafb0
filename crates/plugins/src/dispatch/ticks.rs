//! The time, about once a second.

use std::sync::Arc;
use std::time::Duration;

use model::Clock;
use tokio_util::sync::CancellationToken;

use super::listener::{EventDelivery, EventListeners, broadcast};

/// Between two ticks.
const TICK: Duration = Duration::from_secs(1);

/// Tells the time to everybody who asked for it, until the server stops. A plugin that is busy with the last tick is not
/// told of the next: its mailbox sees to that.
pub async fn tick(
    listeners: Arc<dyn EventListeners>,
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
            broadcast(&*listeners, &delivery, None);
        }
    }
}

#[cfg(test)]
mod tests;
