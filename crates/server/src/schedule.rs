//! Background work for announced streams: lays out the dates of series, and posts reminders when the chat opens.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chat::Room;
use jiff::Timestamp;
use model::ScheduleId;
use model::settings::table::schedule::{CHAT_OPEN_MINUTES, ENABLED, REMINDER_MESSAGE};
use store::{Lease, LeaseName, Store};
use tokio_util::sync::CancellationToken;

use crate::wiring::Components;

/// Between looks at what is next, which is in memory.
const TICK: Duration = Duration::from_secs(1);
/// Looks between rounds of upkeep: a minute.
const UPKEEP_TICKS: u32 = 60;

/// Runs until the server stops, while it is the one that does this.
pub(crate) async fn keep(components: Arc<Components>, chat: Room, stop: CancellationToken) {
    let work = |lease, until| look_after(Arc::clone(&components), chat.clone(), lease, until);
    let leases = &components.leases;
    leases.while_held(LeaseName::Schedule, stop, work).await;
}

async fn look_after(
    components: Arc<Components>,
    chat: Room,
    lease: Lease,
    until: CancellationToken,
) {
    let (store, schedule) = (
        components.store.under(&lease),
        components.schedule.under(&lease),
    );
    let mut said = HashSet::new();
    let mut tick: u32 = 0;
    loop {
        if tick.is_multiple_of(UPKEEP_TICKS)
            && let Err(error) = schedule.keep(components.clock.now()).await
        {
            tracing::warn!(%error, "cannot update the announced streams");
        }
        remind(&components, &store, &chat, &mut said).await;
        tick = tick.wrapping_add(1);
        tokio::select! {
            () = until.cancelled() => return,
            () = tokio::time::sleep(TICK) => {}
        }
    }
}

/// Posts the operator's reminder once for every stream whose chat has opened and which has not begun.
async fn remind(
    components: &Components,
    store: &Store,
    chat: &Room,
    said: &mut HashSet<(ScheduleId, Timestamp)>,
) {
    let settings = components.settings.now();
    let text = settings.text(&REMINDER_MESSAGE);
    if text.is_empty() || !*settings.get(&ENABLED) {
        return;
    }
    let (minutes, now) = (*settings.get(&CHAT_OPEN_MINUTES), components.clock.now());
    let agenda = components.schedule.now();
    let near: Vec<_> = agenda
        .events()
        .iter()
        .filter(|event| event.opens_chat(minutes, now) && now < event.starts_at)
        .map(|event| (event.id.clone(), event.starts_at))
        .collect();
    said.retain(|known| near.contains(known));
    for event in near {
        if said.contains(&event) {
            continue;
        }
        // Stored before it is posted: after a crash in between nobody is reminded, which is better than twice.
        let is_first = match store.claim_reminder(&event.0, now).await {
            Ok(is_first) => is_first,
            Err(error) => {
                tracing::warn!(%error, "cannot record a reminder");
                return;
            }
        };
        if is_first && let Err(error) = chat.say_system(text.to_owned()).await {
            tracing::warn!(%error, "cannot send a reminder to the chat");
        }
        said.insert(event);
    }
}
