//! Fake plugins for tests that record what they receive.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};

use super::listener::CHAT_MESSAGE;
use super::{EventDelivery, EventListener, FilterError, RunningPlugins};
use crate::engine::{FilterSubscription, Registration, Subscription};
use crate::manifest::ChatCommand;

/// Loaded plugins that only record deliveries.
#[derive(Debug)]
pub(super) struct FakePlugins {
    loaded: Arc<[EventListener]>,
    got: Mutex<Vec<(String, EventDelivery)>>,
}

impl FakePlugins {
    pub(super) fn new<const N: usize>(loaded: [EventListener; N]) -> Self {
        Self {
            loaded: loaded.into(),
            got: Mutex::default(),
        }
    }

    /// All deliveries so far, with their plugins.
    pub(super) fn got(&self) -> Vec<(String, EventDelivery)> {
        self.got.lock().unwrap().clone()
    }

    /// All events delivered so far, with their plugins.
    pub(super) fn heard(&self) -> Vec<(String, String)> {
        let got = self.got();
        let heard = got
            .into_iter()
            .map(|(slug, one)| (slug, one.event.to_string()));
        heard.collect()
    }
}

impl RunningPlugins for FakePlugins {
    fn loaded(&self) -> Arc<[EventListener]> {
        Arc::clone(&self.loaded)
    }

    fn deliver(&self, slug: &str, delivery: EventDelivery) {
        self.got.lock().unwrap().push((slug.into(), delivery));
    }

    fn filter<'a>(
        &'a self,
        _slug: &'a str,
        _envelope: &'a str,
        _budget: Duration,
    ) -> BoxFuture<'a, Result<String, FilterError>> {
        Box::pin(ready(Err(FilterError::Gone)))
    }

    fn left_out(&self, _slug: &str) {}
}

/// A plugin that subscribes to some events.
pub(super) fn listening(slug: &str, events: &[&str]) -> EventListener {
    with(slug, |made| made.subscriptions.notify = to(events))
}

/// Subscriptions to some events.
pub(super) fn to(events: &[&str]) -> Vec<Subscription> {
    let event = |event: &&str| Subscription {
        event: (*event).into(),
    };
    events.iter().map(event).collect()
}

/// A plugin that may filter chat.
pub(super) fn filtering(slug: &str, priority: Option<i64>) -> EventListener {
    let event = CHAT_MESSAGE.to_owned();
    let filter = priority.map(|priority| FilterSubscription { event, priority });
    with(slug, |made| made.subscriptions.filter.extend(filter))
}

/// A plugin with commands.
pub(super) fn commanding(slug: &str, commands: Vec<ChatCommand>) -> EventListener {
    with(slug, |made| made.commands = commands)
}

/// A plugin with commands and a display name.
pub(super) fn named(slug: &str, name: &str, commands: Vec<ChatCommand>) -> EventListener {
    with(slug, |made| {
        made.name = name.into();
        made.commands = commands;
    })
}

/// A plain command.
pub(super) fn command(name: &str) -> ChatCommand {
    ChatCommand {
        name: name.into(),
        prefix: "!".into(),
        description: String::new(),
        usage: String::new(),
        aliases: vec![],
        mod_only: false,
        case_sensitive: false,
        cooldown_ms: 0,
    }
}

/// A plugin with a custom registration.
pub(super) fn with(slug: &str, registers: impl FnOnce(&mut Registration)) -> EventListener {
    let mut registration = Registration::default();
    registers(&mut registration);
    EventListener {
        slug: slug.into(),
        registration: Arc::new(registration),
    }
}
