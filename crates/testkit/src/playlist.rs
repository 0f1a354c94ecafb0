//! A checker of live HLS and LL-HLS playlists that is independent of the server that wrote them.
//!
//! [`Checker`] follows one rendition through its reloads; [`check_recorded`] reads the list of a recording, which
//! has none. Both are synchronous and pure: feed them texts from
//! a packager's test, or let [`live`] fetch them. [`check_master`] reads the multivariant playlist,
//! [`boxes`] the fields of fMP4 files that a playlist makes promises about. [`Rule`] lists what is checked;
//! most of it is RFC 8216bis, the rest is what players are known to need.

pub mod boxes;
mod checker;
mod history;
pub mod http;
pub mod live;
mod master;
mod media;
mod model;
mod observation;
mod parse;
mod recorded;
mod rule;
mod rules;
mod second_opinion;
mod tags;
mod uri;

pub use checker::Checker;
pub use master::{Master, Rendition, check_master};
pub use media::{Init, Timeline, check_segment_is_its_parts};
pub use model::{
    Edge, Hint, HintKind, MediaPlaylist, PartialSegment, RenditionReport, Segment, ServerControl,
};
pub use observation::{Directives, Observation, OtherRendition, Role, Skip};
pub use recorded::{
    FileRange, RecordedList, RecordedSegment, check_recorded, check_recorded_beside, is_recorded,
};
pub use rule::{Findings, Rule, Violation};
pub use uri::resolve;
