//! Recent events: the history for newcomers, and the missed events for those who reconnect.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use model::MessageId;
use model::chat::ChatUser;
use store::Reply;

use crate::event::{ChatEvent, ChatEventKind, Encode};

/// Lines kept in memory; who missed more gets the newest [`HISTORY`] of them.
pub(super) const KEPT_LINES: usize = 500;
/// Other things that are kept, such as new names. They have places of their own, so that nobody can push the lines out
/// with them.
const KEPT_OTHERS: usize = 200;
/// Lines a newcomer is shown.
pub const HISTORY: usize = 50;

/// A line as shown to newcomers.
#[derive(Clone, Debug, PartialEq)]
pub struct PastLine {
    pub id: MessageId,
    pub at: Timestamp,
    /// The author, as they are now.
    pub user: Arc<ChatUser>,
    /// Sanitised HTML.
    pub body: String,
    pub reply: Option<Reply>,
}

#[derive(Debug)]
struct RecentEvent {
    id: MessageId,
    at: Timestamp,
    frame: Bytes,
    /// Set for lines only, which make up the history.
    line: Option<PastLine>,
    is_hidden: bool,
}

#[derive(Debug, Default)]
pub(super) struct RecentEvents {
    events: VecDeque<RecentEvent>,
}

impl RecentEvents {
    pub(super) fn push(&mut self, chat_event: &ChatEvent, frame: Bytes) {
        let line = match &chat_event.kind {
            ChatEventKind::Line { user, body, reply } => Some(PastLine {
                id: chat_event.id.clone(),
                at: chat_event.at,
                user: Arc::clone(user),
                body: body.clone(),
                reply: reply.clone(),
            }),
            _ => None,
        };
        self.make_room(line.is_some());
        self.events.push_back(RecentEvent {
            id: chat_event.id.clone(),
            at: chat_event.at,
            frame,
            line,
            is_hidden: false,
        });
    }

    /// Drops the oldest event of the same kind.
    fn make_room(&mut self, for_line: bool) {
        let is_same = |recent: &RecentEvent| recent.line.is_some() == for_line;
        let limit = if for_line { KEPT_LINES } else { KEPT_OTHERS };
        let count = self.events.iter().filter(|recent| is_same(recent)).count();
        if count >= limit
            && let Some(oldest) = self.events.iter().position(is_same)
        {
            self.events.remove(oldest);
        }
    }

    /// The events after `last`; the newest lines if `last` is no longer known.
    pub(super) fn after(&self, last: &MessageId) -> Vec<Bytes> {
        let known = self.events.iter().rposition(|recent| recent.id == *last);
        let from = known.map_or_else(|| self.start_of_history(), |at| at + 1);
        let missed = self.events.range(from..).filter(|recent| !recent.is_hidden);
        missed.map(|recent| recent.frame.clone()).collect()
    }

    fn start_of_history(&self) -> usize {
        let lines = self.events.iter().enumerate().rev();
        let lines = lines.filter(|(_, recent)| recent.line.is_some() && !recent.is_hidden);
        lines
            .take(HISTORY)
            .last()
            .map_or(self.events.len(), |(at, _)| at)
    }

    /// The newest visible lines, oldest first.
    pub(super) fn history(&self) -> Vec<PastLine> {
        let readable = self.events.iter().rev().filter(|recent| !recent.is_hidden);
        let mut lines: Vec<PastLine> = readable
            .filter_map(|recent| recent.line.clone())
            .take(HISTORY)
            .collect();
        lines.reverse();
        lines
    }

    /// Hides or restores lines. Replies stop quoting hidden lines.
    pub(super) fn set_hidden(&mut self, ids: &[MessageId], is_hidden: bool, encode: Encode) {
        let ids: HashSet<&MessageId> = ids.iter().collect();
        for recent in &mut self.events {
            let Some(line) = &mut recent.line else {
                continue;
            };
            if ids.contains(&recent.id) {
                recent.is_hidden = is_hidden;
            }
            let is_quoted = line
                .reply
                .as_ref()
                .is_some_and(|reply| ids.contains(&reply.id));
            if is_hidden && is_quoted {
                line.reply = None;
                recent.frame = encode(&ChatEvent {
                    id: line.id.clone(),
                    at: line.at,
                    kind: ChatEventKind::Line {
                        user: Arc::clone(&line.user),
                        body: line.body.clone(),
                        reply: None,
                    },
                });
            }
        }
    }

    /// Shows a user's lines under their present name.
    pub(super) fn refresh(&mut self, user: &Arc<ChatUser>) {
        let lines = self
            .events
            .iter_mut()
            .filter_map(|recent| recent.line.as_mut());
        for line in lines.filter(|line| line.user.id == user.id) {
            line.user = Arc::clone(user);
        }
    }

    /// Forgets older events; true if there were any.
    pub(super) fn forget(&mut self, before: Timestamp) -> bool {
        let count = self.events.len();
        self.events.retain(|recent| recent.at >= before);
        self.events.len() < count
    }
}
