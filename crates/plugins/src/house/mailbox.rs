//! What waits for a plugin.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::resident::AskError;
use crate::engine::CallKind;
use crate::host::{Occasion, SessionChange};

/// Mails that may wait for one plugin. When it is full the oldest tick makes room; if there is none, the new mail is
/// refused and counted.
pub const MAILBOX: usize = 1024;

/// One thing to do for a plugin.
#[derive(Debug)]
pub struct Mail {
    /// What is asked.
    pub kind: CallKind,
    /// As JSON.
    pub input: String,
    /// How many emitted events in a row led to it.
    pub depth: u8,
    /// Ticks make room for everything else: the next one comes soon.
    pub is_tick: bool,
    /// Where the answer goes, if anybody waits for it.
    pub reply: Option<oneshot::Sender<Result<Answered, AskError>>>,
}

/// What came of a call.
#[derive(Debug, Default)]
pub struct Answered {
    /// The plugin's answer.
    pub text: String,
    /// What it wants changed about the viewer's session; the last change counts.
    pub session: Vec<SessionChange>,
}

impl Mail {
    /// Whether whoever asked has gone.
    pub(super) fn is_abandoned(&self) -> bool {
        self.reply.as_ref().is_some_and(oneshot::Sender::is_closed)
    }

    /// In what the plugin is called.
    pub(super) fn occasion(&self) -> Occasion {
        match self.kind {
            CallKind::Event => Occasion::Event { depth: self.depth },
            CallKind::Http => Occasion::Http,
            _ => Occasion::Other,
        }
    }

    pub(super) fn answer(self, answer: Result<Answered, AskError>) {
        if let Some(reply) = self.reply {
            // Nobody there any more: then nobody needs it.
            let _ = reply.send(answer);
        }
    }
}

/// First in, first out; but chat waits for filters, so they come before the rest.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    state: Mutex<State>,
    has_mail: Notify,
}

#[derive(Debug, Default)]
struct State {
    is_open: bool,
    filters: VecDeque<Mail>,
    others: VecDeque<Mail>,
}

/// What became of a mail, and how many were lost because of it.
#[derive(Debug)]
pub(super) enum Posted {
    Taken {
        lost: usize,
    },
    /// Too much waits already.
    Full,
    /// Nobody is at home.
    Closed,
}

impl Mailbox {
    pub(super) fn post(&self, mail: Mail) -> Posted {
        let mut state = self.lock();
        if !state.is_open {
            return Posted::Closed;
        }
        if mail.is_tick && state.others.iter().any(|waiting| waiting.is_tick) {
            // It has not heard the last one yet.
            return Posted::Taken { lost: 0 };
        }
        let mut lost = 0;
        if state.filters.len() + state.others.len() >= MAILBOX {
            let Some(oldest_tick) = state.others.iter().position(|waiting| waiting.is_tick) else {
                return Posted::Full;
            };
            state.others.remove(oldest_tick);
            lost = 1;
        }
        match mail.kind {
            CallKind::Filter => state.filters.push_back(mail),
            _ => state.others.push_back(mail),
        }
        drop(state);
        self.has_mail.notify_one();
        Posted::Taken { lost }
    }

    /// The next mail, when there is one. Only the plugin's own task calls this.
    pub(super) async fn next(&self) -> Mail {
        loop {
            if let Some(mail) = self.take() {
                return mail;
            }
            self.has_mail.notified().await;
        }
    }

    fn take(&self) -> Option<Mail> {
        let mut state = self.lock();
        state
            .filters
            .pop_front()
            .or_else(|| state.others.pop_front())
    }

    /// From now on mail is taken.
    pub(super) fn open(&self) {
        self.lock().is_open = true;
    }

    /// From now on mail is refused; what was waiting comes back.
    pub(super) fn close(&self) -> Vec<Mail> {
        let mut state = self.lock();
        state.is_open = false;
        let State {
            filters, others, ..
        } = &mut *state;
        filters.drain(..).chain(others.drain(..)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
