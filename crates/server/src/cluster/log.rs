//! The event log over NATS: what one machine commits is with the others within milliseconds.
//!
//! The database stays the only truth. What is lost here, or comes while NATS is away, is found there.

use bus::{Bus, BusError, BusState, Subject};
use store::{GroupCommit, Store};
use tokio_util::sync::CancellationToken;

use super::listening::each_message;

/// Tells the other machines what this one commits, and hears what they do, until `stop`.
pub(super) async fn share(bus: &Bus, store: &Store, stop: &CancellationToken) {
    tokio::join!(tell(bus, store, stop), hear(bus, store, stop));
}

async fn tell(bus: &Bus, store: &Store, stop: &CancellationToken) {
    let Some(mut groups) = store.own_groups() else {
        return;
    };
    loop {
        let group = tokio::select! {
            () = stop.cancelled() => return,
            group = groups.recv() => group,
        };
        let Some(group) = group else { return };
        if bus.state() == BusState::Away {
            continue;
        }
        if let Err(error) = tell_one(bus, store, &group).await {
            tracing::debug!(%error, "cannot tell the other machines what happened; they will read it");
        }
    }
}

/// What is too large for NATS is only named.
async fn tell_one(bus: &Bus, store: &Store, group: &GroupCommit) -> anyhow::Result<()> {
    let whole = store.seal_group(group)?;
    match bus.publish(Subject::Log, &whole).await {
        Err(BusError::TooLarge { .. }) => {
            let short = store.seal_group_in_short(group)?;
            bus.publish(Subject::Log, &short).await?;
        }
        told => told?,
    }
    Ok(())
}

async fn hear(bus: &Bus, store: &Store, stop: &CancellationToken) {
    let mut is_warned = false;
    let take = |body: &[u8]| {
        let Err(error) = store.hear_group(body) else {
            return;
        };
        // Once: whoever sends one such message sends many.
        if !std::mem::replace(&mut is_warned, true) {
            tracing::warn!(
                %error,
                "another machine said something that cannot be read; is there another cluster of this name?"
            );
        }
    };
    each_message(bus, Subject::Log, stop, take).await;
}
