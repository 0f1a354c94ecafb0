//! What was heard lately: for newcomers, and for those who come back.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use model::MessageId;
use model::chat::ChatUser;
use store::Reply;

use crate::heard::{Heard, What};

/// What is kept in memory; who missed more gets the newest [`HISTORY`] lines.
const KEPT: usize = 500;
/// Lines a newcomer is shown.
pub const HISTORY: usize = 50;

/// A line as newcomers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct PastLine {
    /// Which.
    pub id: MessageId,
    /// When.
    pub at: Timestamp,
    /// Who wrote it, as they are now.
    pub user: Arc<ChatUser>,
    /// Sanitised HTML.
    pub body: String,
    /// What it answers.
    pub reply: Option<Reply>,
}

#[derive(Debug)]
struct Kept {
    id: MessageId,
    at: Timestamp,
    frame: Bytes,
    /// Only lines are history.
    line: Option<PastLine>,
    is_hidden: bool,
}

#[derive(Debug, Default)]
pub(super) struct Ring {
    kept: VecDeque<Kept>,
}

impl Ring {
    pub(super) fn push(&mut self, heard: &Heard, frame: Bytes) {
        let line = match &heard.what {
            What::Line { user, body, reply } => Some(PastLine {
                id: heard.id.clone(),
                at: heard.at,
                user: Arc::clone(user),
                body: body.clone(),
                reply: reply.clone(),
            }),
            _ => None,
        };
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(Kept {
            id: heard.id.clone(),
            at: heard.at,
            frame,
            line,
            is_hidden: false,
        });
    }

    /// What came after `last`; the newest lines when that is not known any more.
    pub(super) fn after(&self, last: &MessageId) -> Vec<Bytes> {
        let known = self.kept.iter().rposition(|kept| kept.id == *last);
        let from = known.map_or(self.kept.len().saturating_sub(HISTORY), |at| at + 1);
        let missed = self.kept.range(from..).filter(|kept| !kept.is_hidden);
        missed.map(|kept| kept.frame.clone()).collect()
    }

    /// The newest lines that can be read, oldest first.
    pub(super) fn history(&self) -> Vec<PastLine> {
        let readable = self.kept.iter().rev().filter(|kept| !kept.is_hidden);
        let mut lines: Vec<PastLine> = readable
            .filter_map(|kept| kept.line.clone())
            .take(HISTORY)
            .collect();
        lines.reverse();
        lines
    }

    pub(super) fn set_hidden(&mut self, ids: &[MessageId], is_hidden: bool) {
        for kept in &mut self.kept {
            if kept.line.is_some() && ids.contains(&kept.id) {
                kept.is_hidden = is_hidden;
            }
        }
    }

    /// Shows a person's lines under their present name.
    pub(super) fn refresh(&mut self, user: &Arc<ChatUser>) {
        let lines = self.kept.iter_mut().filter_map(|kept| kept.line.as_mut());
        for line in lines.filter(|line| line.user.id == user.id) {
            line.user = Arc::clone(user);
        }
    }

    /// Forgets what is older; true when something was.
    pub(super) fn forget(&mut self, before: Timestamp) -> bool {
        let count = self.kept.len();
        while self.kept.front().is_some_and(|kept| kept.at < before) {
            self.kept.pop_front();
        }
        self.kept.len() < count
    }
}
