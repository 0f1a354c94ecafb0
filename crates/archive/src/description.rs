//! What a multivariant playlist says about a rendition.

use serde::{Deserialize, Serialize};

/// What is known of a chunk beside its bytes. It is kept with the chunk's row as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChunkDescription {
    /// As `CODECS` says it: of the picture, or of the sound.
    pub codecs: String,
    /// Of the picture; 0 for sound.
    pub width: u32,
    pub height: u32,
    pub frame_rate: f64,
    /// Of the sound; 0 for a picture.
    pub channels: u16,
    /// Bits per second of its largest segment.
    pub bandwidth: u64,
    /// What the page calls it, such as `720p`.
    pub name: String,
}
