//! What was seen of a rendition, as rules get it.

use std::time::Duration;

use super::history::PlaylistHistory;
use super::model::{Edge, MediaPlaylist};
use super::rule::Rule;

/// The content of a rendition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Pictures, with or without sound.
    Video,
    /// Sound alone: every sample is a sync sample, so every part is independent.
    Audio,
}

/// `_HLS_skip`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// `YES`.
    Yes,
    /// `v2`: date ranges too.
    V2,
}

/// The delivery directives of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// `_HLS_msn`.
    pub msn: Option<u64>,
    /// `_HLS_part`.
    pub part: Option<u64>,
    /// `_HLS_skip`.
    pub skip: Option<Skip>,
}

/// One response to a request for the media playlist.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// When the request was sent, on any clock that does not jump.
    pub asked_at: Duration,
    /// When the response had arrived.
    pub at: Duration,
    pub asked: Directives,
    /// The HTTP status.
    pub status: u16,
    pub text: &'a str,
}

impl<'a> Observation<'a> {
    /// A plain reload with an immediate response.
    pub fn of(at: Duration, text: &'a str) -> Self {
        Self {
            asked_at: at,
            at,
            asked: Directives::default(),
            status: 200,
            text,
        }
    }
}

/// An observation of another rendition of the same stream.
#[derive(Clone, Copy, Debug)]
pub struct OtherRendition {
    /// When its playlist was requested.
    pub asked_at: Duration,
    /// When its playlist had arrived.
    pub at: Duration,
    /// The newest entry in it.
    pub edge: Edge,
}

/// The input of a rule: the new playlist, and what is known from earlier responses.
#[derive(Debug)]
pub(crate) struct RuleContext<'a> {
    pub(crate) list: &'a MediaPlaylist,
    pub(crate) seen: &'a Observation<'a>,
    pub(crate) history: &'a PlaylistHistory,
    pub(crate) role: Role,
    pub(crate) url: &'a str,
}

impl RuleContext<'_> {
    /// The target duration as first promised; a playlist that changes it breaks rule 2 alone.
    pub(crate) fn target(&self) -> Duration {
        let frozen = self.history.frozen.target_duration;
        Duration::from_secs(frozen.or(self.list.target_duration).unwrap_or_default())
    }

    /// The rule for a contradiction to earlier responses: in a delta update that of delta updates,
    /// because a wrong number of skipped segments looks like any other contradiction.
    pub(crate) fn past(&self, rule: Rule) -> Rule {
        if self.list.skip.is_some() {
            Rule::List(10)
        } else {
            rule
        }
    }
}
