//! The list of renditions.

use std::fmt::Write;

use super::lane::Lane;
use super::name::{Rendition, RungPlace};
use super::playlist::VERSION;
use super::snapshot::{Described, Ladder, Picture, Sound};

/// Writes the multivariant playlist for the lanes there are: picture, sound, and the rungs that are offered.
pub(super) fn write(
    lanes: [Option<&Lane>; 2],
    described: &Described,
    ladder: &Ladder<'_>,
) -> String {
    let mut text = format!("#EXTM3U\n#EXT-X-VERSION:{VERSION}\n");
    let rungs = ladder.steps.iter().map(|step| step.lane);
    let is_independent = lanes
        .into_iter()
        .flatten()
        .chain(rungs)
        .all(|lane| !lane.has_dependent_segment);
    if is_independent {
        text.push_str("#EXT-X-INDEPENDENT-SEGMENTS\n");
    }
    // Writing into a String cannot fail.
    let _ = lines(&mut text, lanes, described, ladder);
    text
}

/// Bits per second: of the fattest segment, and on average.
fn rate(lane: Option<&Lane>) -> (u64, u64) {
    lane.map_or((0, 0), |lane| lane.rate.peak_and_average(&lane.open))
}

fn lines(
    text: &mut String,
    lanes: [Option<&Lane>; 2],
    described: &Described,
    ladder: &Ladder<'_>,
) -> std::fmt::Result {
    let main = Rendition::Main.folder();
    match (&described.video, &described.audio) {
        (Some(video), sound) => {
            let own = sound.as_ref().map(|sound| Heard {
                group: "audio",
                folder: Rendition::Audio.folder(),
                sound,
                rate: rate(lanes[1]),
            });
            let encoded = ladder.sound.as_ref().map(|one| Heard {
                group: "aac",
                folder: Rendition::Aac.folder(),
                sound: one.sound,
                rate: rate(Some(one.lane)),
            });
            let (own, encoded) = (own.as_ref(), encoded.as_ref());
            for heard in own.into_iter().chain(encoded) {
                heard.group(text)?;
            }
            // Who cannot play the source's own sound finds every picture with one that everybody can play. Players do
            // not change the codec of the sound by themselves, so whoever can play it needs all of them with it, too.
            let other = encoded.filter(|_| ladder.lists_both_sounds);
            let source = |text: &mut String| {
                let heard = own.into_iter().chain(other);
                qualities(text, main, video, rate(lanes[0]), heard)
            };
            let source_at = ladder.source_at();
            for (index, step) in ladder.steps.iter().enumerate() {
                if source_at == index {
                    source(text)?;
                }
                if let Some(place) = RungPlace::new(step.place) {
                    let folder = Rendition::Rung(place).folder();
                    let wanted = encoded.filter(|_| step.has_encoded_sound && other.is_none());
                    let heard = wanted.or(own).into_iter().chain(other);
                    qualities(text, folder, step.picture, rate(Some(step.lane)), heard)?;
                }
            }
            if source_at == ladder.steps.len() {
                source(text)?;
            }
            if let (Some(own), true, Some(_)) = (own, described.lists_audio, lanes[1]) {
                own.alone(text)?;
                if let Some(other) = other {
                    other.alone(text)?;
                }
            }
            Ok(())
        }
        (None, Some(sound)) => {
            let (peak, average) = rate(lanes[1]);
            writeln!(
                text,
                "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}\"",
                sound.codecs
            )?;
            writeln!(text, "{main}/stream.m3u8")
        }
        (None, None) => Ok(()),
    }
}

/// A sound that pictures can be heard with.
#[derive(Debug)]
struct Heard<'a> {
    group: &'static str,
    folder: &'static str,
    sound: &'a Sound,
    rate: (u64, u64),
}

impl Heard<'_> {
    /// Groups have the same members, so players know one for the other by its name.
    fn group(&self, text: &mut String) -> std::fmt::Result {
        let Self { group, folder, .. } = self;
        writeln!(
            text,
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"{group}\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"{}\",URI=\"{folder}/stream.m3u8\"",
            self.sound.channels
        )
    }

    /// As a quality without a picture.
    fn alone(&self, text: &mut String) -> std::fmt::Result {
        let Self { group, folder, .. } = self;
        let (peak, average) = self.rate;
        writeln!(
            text,
            "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}\",AUDIO=\"{group}\"",
            self.sound.codecs
        )?;
        writeln!(text, "{folder}/stream.m3u8")
    }
}

/// A picture with each sound it is heard with, or alone if there is none.
fn qualities<'a>(
    text: &mut String,
    folder: &str,
    picture: &Picture,
    rate: (u64, u64),
    mut heard: impl Iterator<Item = &'a Heard<'a>>,
) -> std::fmt::Result {
    quality(text, folder, picture, rate, heard.next())?;
    heard.try_for_each(|one| quality(text, folder, picture, rate, Some(one)))
}

/// A picture and the sound it is heard with.
fn quality(
    text: &mut String,
    folder: &str,
    picture: &Picture,
    (own_peak, own_average): (u64, u64),
    heard: Option<&Heard<'_>>,
) -> std::fmt::Result {
    let (sound_peak, sound_average) = heard.map_or((0, 0), |heard| heard.rate);
    let peak = own_peak + sound_peak;
    let average = (own_average + sound_average).min(peak);
    write!(
        text,
        "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}",
        picture.codecs
    )?;
    if let Some(heard) = heard {
        write!(text, ",{}", heard.sound.codecs)?;
    }
    write!(
        text,
        "\",RESOLUTION={}x{},FRAME-RATE={:.3}",
        picture.width, picture.height, picture.frame_rate
    )?;
    if let Some(heard) = heard {
        write!(text, ",AUDIO=\"{}\"", heard.group)?;
    }
    writeln!(text, "\n{folder}/stream.m3u8")
}
