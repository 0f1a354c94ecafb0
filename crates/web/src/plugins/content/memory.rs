//! What plugins said last, for pages that cannot wait for them.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use ::plugins::package::Package;
use ::plugins::shelf::Board;

/// Answers that are remembered. When they are more, all are forgotten and come anew.
const MAX_REMEMBERED: usize = 1024;

/// Bytes of an answer that is remembered. A larger one is shown, but not when the plugin is late.
const MAX_REMEMBERED_BYTES: usize = 256 * 1024;

/// Bytes of all answers that are remembered. When they are more, all are forgotten and come anew.
const MAX_ALL_REMEMBERED_BYTES: usize = 32 * 1024 * 1024;

/// What was asked of whom for whom: what was said about one viewer is never shown to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) slug: String,
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) viewer: String,
}

#[derive(Debug)]
struct Answer {
    text: String,
    /// Who said it: a plugin that is loaded anew has said nothing yet.
    by: Weak<Package>,
}

/// The last good answers of plugins that are loaded.
#[derive(Debug, Default)]
pub(super) struct Memory {
    answers: HashMap<Key, Answer>,
    bytes: usize,
    /// How things stood when it was last looked who is loaded.
    board: Weak<Board>,
}

impl Memory {
    /// Remembers what the package said, unless it was unloaded meanwhile.
    pub(super) fn remember(&mut self, board: &Arc<Board>, by: &Arc<Package>, key: Key, text: &str) {
        self.forget_unloaded(board);
        let by = Arc::downgrade(by);
        if is_loaded(board, &key.slug, &by) {
            self.insert(key, by, text);
        }
    }

    /// What the package said last.
    pub(super) fn recall(&self, key: &Key, by: &Arc<Package>) -> Option<String> {
        let answer = self.answers.get(key)?;
        let is_theirs = answer.by.ptr_eq(&Arc::downgrade(by));
        is_theirs.then(|| answer.text.clone())
    }

    /// Forgets what plugins said that are not loaded any more. Costs nothing while the board is the same.
    pub(super) fn forget_unloaded(&mut self, board: &Arc<Board>) {
        let seen = Arc::downgrade(board);
        if self.board.ptr_eq(&seen) {
            return;
        }
        self.board = seen;
        let mut bytes = 0;
        self.answers.retain(|key, answer| {
            let stays = is_loaded(board, &key.slug, &answer.by);
            if stays {
                bytes += answer.text.len();
            }
            stays
        });
        self.bytes = bytes;
    }

    fn insert(&mut self, key: Key, by: Weak<Package>, text: &str) {
        if let Some(former) = self.answers.remove(&key) {
            self.bytes -= former.text.len();
        }
        let bytes = text.len();
        if bytes > MAX_REMEMBERED_BYTES {
            return;
        }
        if self.answers.len() >= MAX_REMEMBERED || self.bytes + bytes > MAX_ALL_REMEMBERED_BYTES {
            self.answers.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        let text = text.to_owned();
        self.answers.insert(key, Answer { text, by });
    }
}

/// Whether this very package is the one that is loaded under the slug.
fn is_loaded(board: &Board, slug: &str, package: &Weak<Package>) -> bool {
    let entry = board.get(slug);
    let loaded = entry.and_then(|entry| entry.loaded.as_ref());
    loaded.is_some_and(|loaded| Arc::downgrade(loaded).ptr_eq(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(viewer: usize) -> Key {
        Key {
            slug: "bell".into(),
            kind: "tab",
            name: "scores".into(),
            viewer: viewer.to_string(),
        }
    }

    fn insert(memory: &mut Memory, viewer: usize, bytes: usize) {
        memory.insert(key(viewer), Weak::new(), &"x".repeat(bytes));
    }

    /// The bytes there are, which have to be those that were counted.
    fn bytes(memory: &Memory) -> usize {
        let bytes: usize = memory.answers.values().map(|one| one.text.len()).sum();
        assert_eq!(memory.bytes, bytes);
        bytes
    }

    #[test]
    fn all_answers_together_stay_within_their_limit() {
        let mut memory = Memory::default();
        let fitting = MAX_ALL_REMEMBERED_BYTES / MAX_REMEMBERED_BYTES;
        for viewer in 0..fitting {
            insert(&mut memory, viewer, MAX_REMEMBERED_BYTES);
        }
        assert_eq!(bytes(&memory), MAX_ALL_REMEMBERED_BYTES);
        insert(&mut memory, fitting, 1);
        assert_eq!(bytes(&memory), 1, "all others are forgotten");
    }

    #[test]
    fn an_answer_takes_the_place_of_the_one_before() {
        let mut memory = Memory::default();
        for size in [100, 7, MAX_REMEMBERED_BYTES] {
            insert(&mut memory, 0, size);
            assert_eq!(bytes(&memory), size);
        }
        insert(&mut memory, 0, MAX_REMEMBERED_BYTES + 1);
        assert_eq!(bytes(&memory), 0, "it is too large, and the other is old");
        for viewer in 0..2 * MAX_REMEMBERED {
            insert(&mut memory, viewer, 1);
            assert!(bytes(&memory) <= MAX_REMEMBERED);
        }
    }

    #[test]
    fn what_an_unloaded_plugin_said_is_forgotten_with_the_next_look_at_the_board() {
        let mut memory = Memory::default();
        let board = Arc::new(Board::default());
        memory.forget_unloaded(&board);
        insert(&mut memory, 0, 100);
        memory.forget_unloaded(&board);
        assert_eq!(bytes(&memory), 100, "the board is the same");
        memory.forget_unloaded(&Arc::default());
        assert_eq!(bytes(&memory), 0);
    }
}
