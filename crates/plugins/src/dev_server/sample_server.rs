//! The server in memory that the author's plugin runs on: what it remembers.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::Clock;
use serde::Serialize;
use tokio::sync::watch;

use super::notes::{Note, Notes};
use super::sample;
use crate::host::Level;
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
pub struct SampleServer {
    journal: Arc<dyn Journal>,
    clock: Arc<dyn Clock>,
    moment: watch::Sender<ChangeCounters>,
    state: Mutex<SampleServerState>,
}

/// How often each thing has changed; whoever has seen one moment knows from the next what to look at again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeCounters {
    pub chat: u64,
    /// The place of the last note.
    pub notes: u64,
    /// Values under keys.
    pub kept: u64,
    /// Tries to load the plugin.
    pub loads: u64,
}

/// How the plugin was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadStatus {
    /// How often it was, the first time included.
    pub times: u64,
    /// When it was the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_at: Option<String>,
    /// Why the newest code is not what runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<LoadFailure>,
}

/// Why code was not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadFailure {
    pub at: String,
    /// A sentence, or a traceback.
    pub why: String,
}

#[derive(Debug, Default)]
pub(super) struct SampleServerState {
    plugin: Option<Slug>,
    loading: LoadStatus,
    notes: Notes,
    lines: VecDeque<ChatMessage>,
    last_line: u64,
    /// Whom the plugin vouches for.
    pub(super) registered: Vec<User>,
    /// How often it posted to the Fediverse.
    pub(super) posts: u64,
}

impl SampleServer {
    pub(super) fn new(journal: Arc<dyn Journal>, clock: Arc<dyn Clock>) -> Self {
        Self {
            journal,
            clock,
            moment: watch::Sender::new(ChangeCounters::default()),
            state: Mutex::default(),
        }
    }

    /// Writes down what happened.
    pub fn write(&self, level: Level, what: &str, line: &str) {
        self.journal.write(line);
        self.remember(level, what, line);
    }

    /// Writes down what the plugin did.
    pub(super) fn note(&self, what: &str, about: &str) {
        self.note_as(Level::Info, what, about);
    }

    /// Writes down what the plugin did, and how much it matters.
    pub(super) fn note_as(&self, level: Level, what: &str, about: &str) {
        let slug = self.plugin();
        let slug = slug.as_ref().map_or("the plugin", Slug::as_str);
        self.journal.write(&format!("[{what} by {slug}] {about}"));
        self.remember(level, what, about);
    }

    fn remember(&self, level: Level, what: &str, text: &str) {
        let mut state = self.state();
        let place = state.notes.add(self.clock.now(), level, what, text);
        drop(state);
        self.moment
            .send_modify(|moment| moment.notes = moment.notes.max(place));
    }

    /// What was written down after the note at this place, oldest first; 0 is before all of them.
    #[must_use]
    pub fn notes(&self, since: u64) -> Vec<Note> {
        self.state().notes.since(since)
    }

    /// What has changed, for those who wait for it.
    #[must_use]
    pub fn moment(&self) -> watch::Receiver<ChangeCounters> {
        self.moment.subscribe()
    }

    /// How the plugin was loaded.
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
