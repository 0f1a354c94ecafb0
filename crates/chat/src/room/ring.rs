//! What was heard lately: for newcomers, and for those who come back.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use model::MessageId;
use model::chat::ChatUser;
use store::Reply;

use crate::heard::{Encode, Heard, What};

/// Lines kept in memory; who missed more gets the newest [`HISTORY`] of them.
pub(super) const KEPT_LINES: usize = 500;
/// Other things that are kept, such as new names. They have places of their own, so that nobody can push the lines out
/// with them.
const KEPT_OTHERS: usize = 200;
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
        self.make_room(line.is_some());
        self.kept.push_back(Kept {
            id: heard.id.clone(),
            at: heard.at,
            frame,
            line,
            is_hidden: false,
        });
    }

    /// The oldest of the same kind goes.
    fn make_room(&mut self, for_line: bool) {
        let is_same = |kept: &Kept| kept.line.is_some() == for_line;
        let limit = if for_line { KEPT_LINES } else { KEPT_OTHERS };
        let count = self.kept.iter().filter(|kept| is_same(kept)).count();
        if count >= limit
            && let Some(oldest) = self.kept.iter().position(is_same)
        {
            self.kept.remove(oldest);
        }
    }

    /// What came after `last`; the newest lines when that is not known any more.
    pub(super) fn after(&self, last: &MessageId) -> Vec<Bytes> {
        let known = self.kept.iter().rposition(|kept| kept.id == *last);
        let from = known.map_or_else(|| self.start_of_history(), |at| at + 1);
        let missed = self.kept.range(from..).filter(|kept| !kept.is_hidden);
        missed.map(|kept| kept.frame.clone()).collect()
    }

    fn start_of_history(&self) -> usize {
        let lines = self.kept.iter().enumerate().rev();
        let lines = lines.filter(|(_, kept)| kept.line.is_some() && !kept.is_hidden);
        lines
            .take(HISTORY)
            .last()
            .map_or(self.kept.len(), |(at, _)| at)
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

    /// Hides lines or shows them again. Answers do not go on quoting what was hidden.
    pub(super) fn set_hidden(&mut self, ids: &[MessageId], is_hidden: bool, encode: Encode) {
        let ids: HashSet<&MessageId> = ids.iter().collect();
        for kept in &mut self.kept {
            let Some(line) = &mut kept.line else { continue };
            if ids.contains(&kept.id) {
                kept.is_hidden = is_hidden;
            }
            let is_quoted = line
                .reply
                .as_ref()
                .is_some_and(|reply| ids.contains(&reply.id));
            if is_hidden && is_quoted {
                line.reply = None;
                kept.frame = encode(&Heard {
                    id: line.id.clone(),
                    at: line.at,
                    what: What::Line {
                        user: Arc::clone(&line.user),
                        body: line.body.clone(),
                        reply: None,
                    },
                });
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
        self.kept.retain(|kept| kept.at >= before);
        self.kept.len() < count
    }
}
