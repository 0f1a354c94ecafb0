//! Parts, segments and playlists, served from memory.
//!
//! [`Packager`] cuts; whenever a part is complete, it publishes an immutable [`Snapshot`] through a [`LiveSnapshot`],
//! and every viewer request is a pure read of the newest one. Readers never wait for the packager, and the packager
//! never waits for readers.

mod compress;
mod delivery_directives;
#[doc(hidden)]
pub mod fuzz;
mod live_snapshot;
mod master;
mod name;
mod packager;
mod part_follower;
mod playlist;
mod rendition_description;
mod rendition_window;
mod rendition_writer;
mod replica;
mod rewind;
mod segment;
mod snapshot;
mod targets;

pub use compress::{ChainedText, TextPiece};
pub use delivery_directives::{DeliveryDirectives, DirectivesError};
pub use live_snapshot::LiveSnapshot;
pub use master::of_quality;
pub use name::{HlsFile, HlsPath, Rendition, RungIndex};
pub use packager::{
    AudioTrack, EncoderEvent, LadderOffer, OfferedRung, Packager, PackagerSettings, PictureFrame,
    ResumePoint, SoundFrame, SourceEncoder, Tracks, VideoTrack,
};
pub use part_follower::{FollowedPart, FollowedParts, PartFollower};
pub use rendition_description::RenditionDescription;
pub use replica::{
    FileUpdate, OnAir, Replica, ReplicaView, SnapshotPublisher, StateUpdate, UnreadableUpdate,
    Update,
};
pub use rewind::{InitName, PastSegment, RewindList, RewindNumbers, past_text, rewind_master};
pub use segment::{Init, PartialSegment, Segment};
pub use snapshot::{RenderedText, RenditionView, Snapshot};
pub use targets::{LatencyLevel, Targets};
