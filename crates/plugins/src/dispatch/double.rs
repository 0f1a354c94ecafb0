//! Plugins for tests: they remember what they were told.

use std::sync::{Arc, Mutex};

use super::listener::CHAT_MESSAGE;
use super::{Delivery, Listener, Listeners};
use crate::engine::{FilterSubscription, Registration, Subscription};
use crate::manifest::Command;

/// Loaded plugins that do nothing but remember.
#[derive(Debug)]
pub(super) struct Plugins {
    loaded: Arc<[Listener]>,
    got: Mutex<Vec<(String, Delivery)>>,
}

impl Plugins {
    pub(super) fn new<const N: usize>(loaded: [Listener; N]) -> Self {
        Self {
            loaded: loaded.into(),
            got: Mutex::default(),
        }
    }

    /// Who got what so far.
    pub(super) fn got(&self) -> Vec<(String, Delivery)> {
        self.got.lock().unwrap().clone()
    }

    /// Who heard of which event so far.
    pub(super) fn heard(&self) -> Vec<(String, String)> {
        let got = self.got();
        let heard = got
            .into_iter()
            .map(|(slug, one)| (slug, one.event.to_string()));
        heard.collect()
    }
}

impl Listeners for Plugins {
    fn loaded(&self) -> Arc<[Listener]> {
        Arc::clone(&self.loaded)
    }

    fn deliver(&self, slug: &str, delivery: Delivery) {
        self.got.lock().unwrap().push((slug.into(), delivery));
    }
}

/// A plugin that listens to some events.
pub(super) fn listening(slug: &str, events: &[&str]) -> Listener {
    with(slug, |made| made.subscriptions.notify = to(events))
}

/// Subscriptions to some events.
pub(super) fn to(events: &[&str]) -> Vec<Subscription> {
    let event = |event: &&str| Subscription {
        event: (*event).into(),
    };
    events.iter().map(event).collect()
}

/// A plugin that filters chat, or does not.
pub(super) fn filtering(slug: &str, priority: Option<i64>) -> Listener {
    let event = CHAT_MESSAGE.to_owned();
    let filter = priority.map(|priority| FilterSubscription { event, priority });
    with(slug, |made| made.subscriptions.filter.extend(filter))
}

/// A plugin with commands.
pub(super) fn commanding(slug: &str, commands: Vec<Command>) -> Listener {
    with(slug, |made| made.commands = commands)
}

/// A plugin with commands that people know by another name.
pub(super) fn named(slug: &str, name: &str, commands: Vec<Command>) -> Listener {
    with(slug, |made| {
        made.name = name.into();
        made.commands = commands;
    })
}

/// A command without anything special.
pub(super) fn command(name: &str) -> Command {
    Command {
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

/// A plugin that registered something.
pub(super) fn with(slug: &str, registers: impl FnOnce(&mut Registration)) -> Listener {
    let mut registration = Registration::default();
    registers(&mut registration);
    Listener {
        slug: slug.into(),
        registration: Arc::new(registration),
    }
}
