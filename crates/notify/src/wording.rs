//! Facts in the words of their receivers, which somebody else has to find.

use std::fmt::Debug;

use model::LoggedEvent;

/// What receivers are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// One of [`crate::EVENT_NAMES`].
    pub kind: &'static str,
    /// The whole JSON document, with `type` and `eventData`.
    pub body: String,
}

/// Puts facts into words. Called on the way to everybody, so it must be quick and do no IO.
pub trait Wording: Debug + Send + Sync + 'static {
    /// The letter about a fact; `None` for facts nobody can ask for.
    fn letter(&self, event: &LoggedEvent) -> Option<Letter>;

    /// A letter of this kind about something that never happened, to try a receiver with.
    fn sample(&self, kind: &str) -> Option<Letter>;
}
