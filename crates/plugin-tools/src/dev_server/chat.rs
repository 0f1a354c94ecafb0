//! The development server's chat and events.
//!
//! The order is that of a server: filters first, then subscribers of the line, then commands, then `!help`. Unlike on a
//! server, everything is done when the answer is sent, because authors want to see what a line caused.

use plugins::dispatch::{
    EventDelivery, FilterChain, Judgement, RunningPlugins, help, is_call_for_help, is_moderator,
};
use plugins::engine::CallKind;
use plugins::host::wire::{ChatMessage, User};
use plugins::host::{HostServices, Level};
use plugins::instances::AskError;
use serde_json::value::RawValue;

use super::DevServer;

/// The event that carries a line of chat.
const CHAT_MESSAGE: &str = "chat.message.received";
/// The connection lines come over; see the sample.
const CONNECTION: u64 = 3;

/// What an author is to know whose filter changes more than a server lets it.
const ONLY_HERE: &str =
    "it changed who says a line, which happens here only: a server takes nothing but the text";

/// The outcome of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutcome {
    /// The line was published, as filters left it.
    Allowed(Box<ChatMessage>),
    /// A filter dropped it; the reason may be empty.
    Dropped(String),
}

/// Why an event was not delivered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The payload of a chat event is not a message.
    #[error("the payload is not a chat message: {0}")]
    NoMessage(String),
    /// The plugin crashed too often, or its filter failed too often.
    #[error("the plugin is not running: the lines above say why")]
    NotRunning,
}

impl DevServer {
    /// Posts a line as a user.
    pub async fn say(&self, user: User, body: &str) -> LineOutcome {
        let mut message = self.sample_server.draft(Some(user), Some(CONNECTION), body);
        let listeners = self.runtime.loaded();
        let chain = FilterChain::new(&self.runtime, &listeners, &*self.clock);
        match chain.judge(&message).await {
            Judgement::Dropped { reason, .. } => {
                self.sample_server
                    .note("kept back", &format!("{body}: {reason}"));
                return LineOutcome::Dropped(reason);
            }
            Judgement::Passed {
                payload,
                is_changed: true,
            } => {
                // A filter may return anything; what is not a message changes nothing.
                if let Ok(changed) = serde_json::from_str::<ChatMessage>(&payload) {
                    message.body = changed.body;
                    if message.user != changed.user {
                        self.sample_server
                            .note_as(Level::Warning, "filter", ONLY_HERE);
                        message.user = changed.user;
                    }
                }
            }
            Judgement::Passed { .. } => {}
        }
        self.sample_server.add_line(message.clone());
        let is_bot = message.user.as_ref().is_some_and(|user| user.is_bot);
        // As on a server, so that bots do not answer bots.
        if !is_bot {
            self.hear(&message).await;
        }
        LineOutcome::Allowed(Box::new(message))
    }

    /// Delivers an event.
    ///
    /// # Errors
    /// When it cannot be delivered.
    pub async fn tell(&self, event: &str, payload: &RawValue) -> Result<(), EventError> {
        if event == CHAT_MESSAGE {
            let message: ChatMessage = serde_json::from_str(payload.get())
                .map_err(|error| EventError::NoMessage(error.to_string()))?;
            self.hear(&message).await;
            return Ok(());
        }
        match EventDelivery::new(event, payload.get()) {
            Some(delivery) => self.deliver(&delivery).await,
            None => Ok(()),
        }
    }

    /// Delivers the line, then runs its commands.
    async fn hear(&self, message: &ChatMessage) {
        let text = serde_json::to_string(message).unwrap_or_default();
        let listeners = self.runtime.loaded();
        for listener in listeners.iter() {
            let line =
                EventDelivery::new(CHAT_MESSAGE, &text).filter(|_| listener.wants(CHAT_MESSAGE));
            let command = self.commands().find(listener, message);
            for delivery in line.into_iter().chain(command) {
                // The failure is in the log already.
                drop(self.deliver(&delivery).await);
            }
        }
        if is_call_for_help(&message.body)
            && let Some(html) = help(&listeners, is_moderator(message))
        {
            drop(self.sample_server.send_chat_system(&html).await);
        }
    }

    /// Delivers it to the plugin and waits until the handler has returned.
    async fn deliver(&self, delivery: &EventDelivery) -> Result<(), EventError> {
        let slug = self.slug().ok_or(EventError::NotRunning)?;
        let plugin = self
            .runtime
            .running_plugin(slug.as_str())
            .ok_or(EventError::NotRunning)?;
        let told = plugin.ask(CallKind::Event, delivery.envelope.to_string());
        match told.await {
            Err(AskError::NotRunning) => Err(EventError::NotRunning),
            Err(error @ (AskError::Busy | AskError::Late)) => {
                self.sample_server
                    .note_as(Level::Error, "error", &error.to_string());
                Ok(())
            }
            // Failures of its code were logged when they happened.
            _ => Ok(()),
        }
    }
}
