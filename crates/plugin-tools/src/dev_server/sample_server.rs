//! The state of the in-memory server that the author's plugin runs on.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::Clock;
use plugins::host::Level;
use plugins::host::wire::{ChatMessage, User, time};
use plugins::manifest::Slug;
use serde::Serialize;
use tokio::sync::watch;

use super::notes::{Note, Notes};
use super::sample;

/// Lines of the chat that are remembered. The oldest make room for newer ones.
pub const MAX_CHAT_LINES: usize = 500;

/// An in-memory server with sample data and a chat.
#[derive(Debug)]
pub struct SampleServer {
    /// Logs an event, as one line.
    journal: fn(&str),
    clock: Arc<dyn Clock>,
    moment: watch::Sender<ChangeCounters>,
    state: Mutex<SampleServerState>,
}

/// Change counters; comparing two snapshots tells what to reload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeCounters {
    pub chat: u64,
    /// The number of the last note.
    pub notes: u64,
    /// The key-value store.
    pub kept: u64,
    /// Attempts to load the plugin.
    pub loads: u64,
}

/// The state of loading the plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadStatus {
    /// How often it was loaded, including the first time.
    pub times: u64,
    /// When it was last loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_at: Option<String>,
    /// Why the newest code is not running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<LoadFailure>,
}

/// Why code was not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadFailure {
    pub at: String,
    /// A sentence or a traceback.
    pub why: String,
}

#[derive(Debug, Default)]
pub(super) struct SampleServerState {
    plugin: Option<Slug>,
    loading: LoadStatus,
    notes: Notes,
    lines: VecDeque<ChatMessage>,
    last_line: u64,
    /// Users registered by the plugin.
    pub(super) registered: Vec<User>,
    /// Number of its posts to the Fediverse.
    pub(super) posts: u64,
}

impl SampleServer {
    pub(super) fn new(journal: fn(&str), clock: Arc<dyn Clock>) -> Self {
        Self {
            journal,
            clock,
            moment: watch::Sender::new(ChangeCounters::default()),
            state: Mutex::default(),
        }
    }

    /// Logs an event.
    pub fn write(&self, level: Level, what: &str, line: &str) {
        (self.journal)(line);
        self.remember(level, what, line);
    }

    /// Logs an action of the plugin.
    pub(super) fn note(&self, what: &str, about: &str) {
        self.note_as(Level::Info, what, about);
    }

    /// Logs an action of the plugin with a severity.
    pub(super) fn note_as(&self, level: Level, what: &str, about: &str) {
        let slug = self.plugin();
        let slug = slug.as_ref().map_or("the plugin", Slug::as_str);
        (self.journal)(&format!("[{what} by {slug}] {about}"));
        self.remember(level, what, about);
    }

    fn remember(&self, level: Level, what: &str, text: &str) {
        let mut state = self.state();
        let place = state.notes.add(self.clock.now(), level, what, text);
        drop(state);
        self.moment
            .send_modify(|moment| moment.notes = moment.notes.max(place));
    }

    /// The notes after this number, oldest first; 0 returns all of them.
    #[must_use]
    pub fn notes(&self, since: u64) -> Vec<Note> {
        self.state().notes.since(since)
    }

    /// The change counters, for callers that wait for changes.
    #[must_use]
    pub fn moment(&self) -> watch::Receiver<ChangeCounters> {
        self.moment.subscribe()
    }

    #[must_use]
    pub fn loading(&self) -> LoadStatus {
        self.state().loading.clone()
    }

    pub(super) fn loaded(&self) {
        let mut state = self.state();
        state.loading = LoadStatus {
            times: state.loading.times + 1,
            loaded_at: Some(time(self.clock.now())),
            refused: None,
        };
        drop(state);
        self.moment.send_modify(|moment| moment.loads += 1);
    }

    pub(super) fn not_loaded(&self, why: &str) {
        self.state().loading.refused = Some(LoadFailure {
            at: time(self.clock.now()),
            why: why.to_owned(),
        });
        self.moment.send_modify(|moment| moment.loads += 1);
    }

    pub(super) fn values_changed(&self) {
        self.moment.send_modify(|moment| moment.kept += 1);
    }

    /// All lines that are still stored, oldest first.
    #[must_use]
    pub fn chat(&self) -> Vec<ChatMessage> {
        self.state().lines.iter().cloned().collect()
    }

    /// A user the plugin registered, or a sample user.
    #[must_use]
    pub fn user(&self, id: &str) -> Option<User> {
        self.users().into_iter().find(|user| user.id == id)
    }

    pub(super) fn users(&self) -> Vec<User> {
        let mut all = sample::users();
        all.extend(self.state().registered.iter().cloned());
        all
    }

    /// A line with its number and time that is not published yet.
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

    pub(super) fn add_line(&self, message: ChatMessage) {
        let mut state = self.state();
        if state.lines.len() >= MAX_CHAT_LINES {
            state.lines.pop_front();
        }
        state.lines.push_back(message);
        drop(state);
        self.moment.send_modify(|moment| moment.chat += 1);
    }

    pub(super) fn hide(&self, id: &str) {
        self.state().lines.retain(|line| line.id != id);
        self.moment.send_modify(|moment| moment.chat += 1);
    }

    pub(super) fn plugin(&self) -> Option<Slug> {
        self.state().plugin.clone()
    }

    pub(super) fn set_plugin(&self, slug: Slug) {
        self.state().plugin = Some(slug);
    }

    pub(super) fn state(&self) -> MutexGuard<'_, SampleServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
