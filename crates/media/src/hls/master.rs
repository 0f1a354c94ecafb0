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
    let (audio_peak, audio_average) = rate(lanes[1]);
    let (main, audio) = (Rendition::Main.folder(), Rendition::Audio.folder());
    match (&described.video, &described.audio) {
        (Some(video), sound) => {
            if let Some(sound) = sound {
                writeln!(
                    text,
                    "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"{}\",URI=\"{audio}/stream.m3u8\"",
                    sound.channels
                )?;
            }
            let beside = (sound.as_ref(), rate(lanes[1]));
            let source_at = ladder.source_at();
            for (index, step) in ladder.steps.iter().enumerate() {
                if source_at == index {
                    quality(text, main, video, rate(lanes[0]), beside)?;
                }
                if let Some(place) = RungPlace::new(step.place) {
                    let folder = Rendition::Rung(place).folder();
                    quality(text, folder, step.picture, rate(Some(step.lane)), beside)?;
                }
            }
            if source_at == ladder.steps.len() {
                quality(text, main, video, rate(lanes[0]), beside)?;
            }
            if let (Some(sound), true, Some(_)) = (sound, described.lists_audio, lanes[1]) {
                writeln!(
                    text,
                    "#EXT-X-STREAM-INF:BANDWIDTH={audio_peak},AVERAGE-BANDWIDTH={audio_average},CODECS=\"{}\",AUDIO=\"audio\"",
                    sound.codecs
                )?;
                writeln!(text, "{audio}/stream.m3u8")?;
            }
            Ok(())
        }
        (None, Some(sound)) => {
            writeln!(
                text,
                "#EXT-X-STREAM-INF:BANDWIDTH={audio_peak},AVERAGE-BANDWIDTH={audio_average},CODECS=\"{}\"",
                sound.codecs
            )?;
            writeln!(text, "{main}/stream.m3u8")
        }
        (None, None) => Ok(()),
    }
}

/// A picture and the sound it is heard with.
fn quality(
    text: &mut String,
    folder: &str,
    picture: &Picture,
    (own_peak, own_average): (u64, u64),
    (sound, (sound_peak, sound_average)): (Option<&Sound>, (u64, u64)),
) -> std::fmt::Result {
    let peak = own_peak + sound_peak;
    let average = (own_average + sound_average).min(peak);
    write!(
        text,
        "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}",
        picture.codecs
    )?;
    if let Some(sound) = sound {
        write!(text, ",{}", sound.codecs)?;
    }
    write!(
        text,
        "\",RESOLUTION={}x{},FRAME-RATE={:.3}",
        picture.width, picture.height, picture.frame_rate
    )?;
    text.push_str(if sound.is_some() {
        ",AUDIO=\"audio\"\n"
    } else {
        "\n"
    });
    writeln!(text, "{folder}/stream.m3u8")
}
