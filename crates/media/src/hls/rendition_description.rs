//! What the multivariant playlist says about each rendition, for those who cannot ask the packager.

use super::name::{Rendition, RungIndex};
use super::snapshot::{Ladder, PictureDescription, SoundDescription, TrackDescriptions};

/// A picture or a sound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenditionDescription {
    /// As `CODECS` says it.
    pub codecs: String,
    /// 0 for a sound, as the height.
    pub width: u32,
    pub height: u32,
    pub frame_rate: f64,
    /// 0 for a picture.
    pub channels: u16,
}

impl RenditionDescription {
    fn of_picture(picture: &PictureDescription) -> Self {
        Self {
            codecs: picture.codecs.clone(),
            width: picture.width,
            height: picture.height,
            frame_rate: picture.frame_rate,
            channels: 0,
        }
    }

    fn of_sound(sound: &SoundDescription) -> Self {
        Self {
            codecs: sound.codecs.clone(),
            channels: sound.channels,
            ..Self::default()
        }
    }

    /// Those of all renditions.
    pub(super) fn all(tracks: &TrackDescriptions, ladder: &Ladder<'_>) -> Vec<(Rendition, Self)> {
        let mut all = Vec::new();
        if let Some(picture) = &tracks.video {
            all.push((Rendition::Main, Self::of_picture(picture)));
        }
        if let Some(sound) = &tracks.audio {
            all.push((Rendition::Audio, Self::of_sound(sound)));
        }
        if let Some(encoded) = &ladder.sound {
            all.push((Rendition::Aac, Self::of_sound(encoded.sound)));
        }
        for step in &ladder.steps {
            if let Some(place) = RungIndex::new(step.place) {
                all.push((Rendition::Rung(place), Self::of_picture(step.picture)));
            }
        }
        all
    }
}
