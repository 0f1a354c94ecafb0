//! The multivariant playlist of a replay.

use std::fmt::{Result, Write};

use super::media::VERSION;
use super::{Replay, is_sound};
use crate::timeline::{RenditionTimeline, TimelineSegment};

/// A rendition with its rates over what is shown.
struct Offer<'a> {
    rendition: &'a RenditionTimeline,
    /// Bits per second: the peak segment's, and the average.
    peak: u64,
    average: u64,
    is_independent: bool,
}

impl<'a> Offer<'a> {
    fn of(replay: &Replay, rendition: &'a RenditionTimeline) -> Self {
        let segments = replay.segments_of(rendition);
        let (peak, average) = rates(segments);
        Self {
            rendition,
            peak,
            average,
            is_independent: segments.iter().all(|segment| segment.is_independent),
        }
    }

    fn path(&self) -> String {
        let folder = &self.rendition.rendition;
        let name = match is_sound(self.rendition) {
            true => "stream.m3u8",
            false => "video.m3u8",
        };
        format!("{folder}/{name}")
    }
}

/// Segments of less than half the usual length do not count for the peak: players fill their buffers over longer times.
fn rates(segments: &[TimelineSegment]) -> (u64, u64) {
    let bits = |bytes: u64, us: i64| bytes.saturating_mul(8_000_000) / us.max(1).unsigned_abs();
    let total: i64 = segments.iter().map(|segment| segment.duration_us).sum();
    let bytes: u64 = segments.iter().map(|segment| segment.len).sum();
    let average = bits(bytes, total);
    let longest = segments.iter().map(|segment| segment.duration_us).max();
    let half = longest.unwrap_or_default() / 2;
    let long = segments
        .iter()
        .filter(|segment| segment.duration_us >= half);
    let peak = long.map(|segment| bits(segment.len, segment.duration_us));
    (peak.max().unwrap_or_default().max(average), average)
}

pub(super) fn write(replay: &Replay) -> String {
    let offers = replay
        .offered()
        .map(|rendition| Offer::of(replay, rendition));
    let (sounds, mut pictures): (Vec<_>, Vec<_>) =
        offers.partition(|offer| is_sound(offer.rendition));
    // The best first; the source is most often the best.
    pictures.sort_by_key(|offer| std::cmp::Reverse(offer.peak));
    let mut text = format!("#EXTM3U\n#EXT-X-VERSION:{VERSION}\n");
    if sounds
        .iter()
        .chain(&pictures)
        .all(|offer| offer.is_independent)
    {
        text.push_str("#EXT-X-INDEPENDENT-SEGMENTS\n");
    }
    // Writing into a String cannot fail.
    let _ = lines(&mut text, &sounds, &pictures);
    text
}

fn lines(text: &mut String, sounds: &[Offer<'_>], pictures: &[Offer<'_>]) -> Result {
    if pictures.is_empty() {
        return sounds.iter().try_for_each(|sound| alone(text, sound));
    }
    for sound in sounds {
        group(text, sound)?;
    }
    for picture in pictures {
        if sounds.is_empty() {
            quality(text, picture, None)?;
        }
        // Players do not switch to another kind of sound by themselves: each finds every picture with one it can play.
        for sound in sounds {
            quality(text, picture, Some(sound))?;
        }
    }
    Ok(())
}

/// All groups have the same member names, so that players recognise a member across groups.
fn group(text: &mut String, sound: &Offer<'_>) -> Result {
    writeln!(
        text,
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"{}\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"{}\",URI=\"{}\"",
        sound.rendition.rendition,
        sound.rendition.described.channels.max(1),
        sound.path()
    )
}

/// Sound without a picture.
fn alone(text: &mut String, sound: &Offer<'_>) -> Result {
    let (peak, average) = (sound.peak, sound.average);
    let codecs = &sound.rendition.described.codecs;
    writeln!(
        text,
        "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{codecs}\"\n{}",
        sound.path()
    )
}

/// A picture with a sound, or alone if there is none.
fn quality(text: &mut String, picture: &Offer<'_>, sound: Option<&Offer<'_>>) -> Result {
    let peak = picture.peak + sound.map_or(0, |sound| sound.peak);
    let average = picture.average + sound.map_or(0, |sound| sound.average);
    let described = &picture.rendition.described;
    write!(
        text,
        "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={},CODECS=\"{}",
        average.min(peak),
        described.codecs
    )?;
    if let Some(sound) = sound {
        write!(text, ",{}", sound.rendition.described.codecs)?;
    }
    write!(
        text,
        "\",RESOLUTION={}x{},FRAME-RATE={:.3}",
        described.width, described.height, described.frame_rate
    )?;
    if let Some(sound) = sound {
        write!(text, ",AUDIO=\"{}\"", sound.rendition.rendition)?;
    }
    writeln!(text, "\n{}", picture.path())
}
