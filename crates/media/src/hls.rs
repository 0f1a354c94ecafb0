//! Parts, segments and playlists, out of memory.
//!
//! [`Packager`] cuts; whenever a part is complete it publishes an immutable [`Snapshot`] through a [`Shelf`], and
//! everything a viewer can ask for is a pure read of the newest one. Readers never wait for the packager and the
//! packager never waits for readers.

mod compress;
mod lane;
mod master;
mod name;
mod packager;
mod playlist;
mod reload;
mod segment;
mod shelf;
mod snapshot;
mod targets;

pub use master::of_quality;
pub use name::{Ask, File, Rendition, RungPlace};
pub use packager::{
    AudioTrack, Encoded, Encoding, Given, GivenSound, Offer, OfferedRung, Packager, Settings,
    Tracks, VideoTrack,
};
pub use reload::{BadReload, Reload};
pub use segment::{Init, Part, Segment};
pub use shelf::Shelf;
pub use snapshot::{Rendered, RenditionView, Snapshot};
pub use targets::{LatencyLevel, Targets};
