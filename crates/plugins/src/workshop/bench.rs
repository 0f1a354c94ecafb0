//! What the server that is not there remembers.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::Clock;

use super::sample;
use crate::host::wire::{ChatMessage, User, time};
use crate::manifest::Slug;

/// Lines of the chat that are remembered. The oldest make room for newer ones.
pub const MAX_CHAT_LINES: usize = 500;

/// Where it is written what happens, line by line.
pub trait Journal: Debug + Send + Sync {
    /// Writes one line.
    fn write(&self, line: &str);
}

/// A server in memory, with sample data and a chat.
#[derive(Debug)]
pub struct Bench {
    journal: Arc<dyn Journal>,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    plugin: Option<Slug>,
    lines: VecDeque<ChatMessage>,
    last_line: u64,
    /// Whom the plugin vouches for.
    pub(super) registered: Vec<User>,
    /// How often it posted to the Fediverse.
    pub(super) posts: u64,
}

impl Bench {
    pub(super) fn new(journal: Arc<dyn Journal>, clock: Arc<dyn Clock>) -> Self {
        Self {
            journal,
            clock,
            state: Mutex::default(),
        }
    }

    /// Writes down what happened.
    pub fn write(&self, line: &str) {
        self.journal.write(line);
    }

    /// Writes down what the plugin did.
    pub(super) fn note(&self, what: &str, about: &str) {
        let slug = self.plugin();
        let slug = slug.as_ref().map_or("the plugin", Slug::as_str);
        self.write(&format!("[{what} by {slug}] {about}"));
    }

    /// Everything that was said and is still there, oldest first.
    #[must_use]
    pub fn chat(&self) -> Vec<ChatMessage> {
        self.state().lines.iter().cloned().collect()
    }

    /// Somebody the plugin registered, or one of the sample.
    #[must_use]
    pub fn user(&self, id: &str) -> Option<User> {
        self.users().into_iter().find(|user| user.id == id)
    }

    pub(super) fn users(&self) -> Vec<User> {
        let mut all = sample::users();
        all.extend(self.state().registered.iter().cloned());
        all
    }

    /// A line that has its number and its time, and was not said yet.
    pub(super) fn draft(
        &self,
        user: Option<User>,
        client_id: Option<u64>,
        body: &str,
    ) -> ChatMessage {
        let mut state = self.state();
        state.last_line += 1;
        ChatMessage {
            id: format!("dev-{}", state.last_line),
            user,
            client_id,
            body: body.to_owned(),
            timestamp: time(self.clock.now()),
        }
    }

    pub(super) fn said(&self, message: ChatMessage) {
        let mut state = self.state();
        if state.lines.len() >= MAX_CHAT_LINES {
            state.lines.pop_front();
        }
        state.lines.push_back(message);
    }

    pub(super) fn hide(&self, id: &str) {
        self.state().lines.retain(|line| line.id != id);
    }

    pub(super) fn plugin(&self) -> Option<Slug> {
        self.state().plugin.clone()
    }

    pub(super) fn set_plugin(&self, slug: Slug) {
        self.state().plugin = Some(slug);
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
