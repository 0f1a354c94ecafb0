//! Reads the event log and fills the mailboxes.

use std::sync::Arc;
use std::time::Duration;

use model::LoggedEvent;
use model::settings::table::{STREAM_TITLE, SUMMARY};
use store::settings::Settings;
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use super::commands::{Commands, is_moderator};
use super::help::{help, is_call_for_help};
use super::listener::{EventDelivery, RunningPlugins, broadcast};
use super::payload::{EventTranslator, line};
use crate::host::HostServices;

/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// The log is looked at this often even if nobody says that it has grown.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Delivers new events to plugins until the server stops. Older events are skipped: handlers answer people, and nobody
/// waits for an answer to yesterday's line.
pub async fn follow(
    store: Store,
    settings: Settings,
    plugins: Arc<dyn RunningPlugins>,
    services: Arc<dyn HostServices>,
    stop: CancellationToken,
) {
    let mut wakeups = store.event_wakeups();
    let title = settings.now().get(&STREAM_TITLE).clone();
    let mut follower = EventFollower {
        translator: EventTranslator::new(title),
        commands: Commands::default(),
        settings,
        plugins: &*plugins,
        services: &*services,
    };
    let mut place = None;
    while !stop.is_cancelled() {
        wakeups.mark_unchanged();
        let pause = match follower.read_on(&store, &mut place).await {
            Ok(true) => continue,
            Ok(false) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "plugins: cannot read on in the event log, trying again");
                DATABASE_PAUSE
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = wakeups.changed(), if pause == LOOK_EVERY => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Delivers log entries to the plugins.
struct EventFollower<'a> {
    translator: EventTranslator,
    commands: Commands,
    settings: Settings,
    plugins: &'a dyn RunningPlugins,
    services: &'a dyn HostServices,
}

impl EventFollower<'_> {
    /// Handles the entries after `place`; `false` if there are none.
    async fn read_on(
        &mut self,
        store: &Store,
        place: &mut Option<i64>,
    ) -> Result<bool, StoreError> {
        let seq = match *place {
            Some(seq) => seq,
            None => store.event_bounds().await?.1,
        };
        *place = Some(seq);
        let facts = store.events_after(seq).await?;
        for fact in &facts {
            self.deliver_events(fact);
            self.run_commands(fact).await;
            *place = Some(fact.seq);
        }
        Ok(!facts.is_empty())
    }

    fn deliver_events(&mut self, fact: &LoggedEvent) {
        let settings = self.settings.now();
        for event in self
            .translator
            .translate(fact, settings.get(&SUMMARY).as_str())
        {
            match EventDelivery::new(event.event, &event.payload) {
                Some(delivery) => broadcast(self.plugins, &delivery, None),
                None => tracing::warn!(
                    seq = fact.seq,
                    "plugins: an event is not JSON and is left out"
                ),
            }
        }
    }

    /// Runs after the line itself was delivered: a command is an ordinary line too.
    async fn run_commands(&mut self, fact: &LoggedEvent) {
        let Some(message) = line(fact) else { return };
        let loaded = self.plugins.loaded();
        for listener in loaded.iter() {
            if let Some(delivery) = self.commands.find(listener, &message) {
                self.plugins.deliver(&listener.slug, delivery);
            }
        }
        if is_call_for_help(&message.body)
            && let Some(html) = help(&loaded, is_moderator(&message))
        {
            // The server has written down why, if it could not.
            self.services.send_chat_system(&html).await.ok();
        }
    }
}

#[cfg(test)]
mod tests;
