//! A log of what happened, in order, for later display.

use std::collections::VecDeque;

use jiff::Timestamp;
use plugins::host::Level;
use plugins::host::wire::time;
use serde::Serialize;

/// Notes that are remembered. The oldest make room for newer ones.
pub const MAX_NOTES: usize = 500;

/// Bytes of one note, a traceback among others. A longer one is cut.
const MAX_NOTE_BYTES: usize = 16 * 1024;

/// Follows what was cut.
const CUT: &str = "\n… (cut off)";

/// One log entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Its number, starting at 1.
    pub id: u64,
    pub time: String,
    /// Its severity: `info`, `warning` or `error`.
    pub level: &'static str,
    /// Its kind, in a word or two.
    pub what: String,
    /// The full text; several lines for a traceback.
    pub text: String,
}

#[derive(Debug, Default)]
pub(super) struct Notes {
    all: VecDeque<Note>,
    last: u64,
}

impl Notes {
    /// Stores a note and returns its number.
    pub(super) fn add(&mut self, now: Timestamp, level: Level, what: &str, text: &str) -> u64 {
        self.last += 1;
        if self.all.len() >= MAX_NOTES {
            self.all.pop_front();
        }
        self.all.push_back(Note {
            id: self.last,
            time: time(now),
            level: level.as_str(),
            what: what.to_owned(),
            text: cut(text),
        });
        self.last
    }

    /// The stored notes after this number, oldest first.
    pub(super) fn since(&self, place: u64) -> Vec<Note> {
        let newer = self.all.iter().filter(|note| note.id > place);
        newer.cloned().collect()
    }
}

fn cut(text: &str) -> String {
    if text.len() <= MAX_NOTE_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_NOTE_BYTES);
    format!("{}{CUT}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_notes_are_remembered_and_counted_on() {
        let mut notes = Notes::default();
        for number in 1..=MAX_NOTES + 3 {
            let place = notes.add(
                Timestamp::UNIX_EPOCH,
                Level::Info,
                "log",
                &number.to_string(),
            );
            assert_eq!(place, number as u64);
        }
        let all = notes.since(0);
        assert_eq!((all.len(), all[0].id), (MAX_NOTES, 4));
        let last = MAX_NOTES as u64 + 3;
        let newer = notes.since(last - 1);
        assert_eq!((newer.len(), newer[0].id), (1, last));
        assert!(notes.since(last).is_empty());
    }

    #[test]
    fn a_long_note_is_cut() {
        let mut notes = Notes::default();
        let long = "ä".repeat(MAX_NOTE_BYTES);
        notes.add(Timestamp::UNIX_EPOCH, Level::Error, "error", &long);
        let kept = notes.since(0).remove(0).text;
        assert!(kept.ends_with(CUT));
        assert_eq!(kept.len(), MAX_NOTE_BYTES + CUT.len());
    }
}
