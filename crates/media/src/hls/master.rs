//! The list of renditions.

use std::fmt::Write;

use super::lane::Lane;
use super::name::Rendition;
use super::playlist::VERSION;
use super::snapshot::Described;

/// Writes the multivariant playlist for the lanes there are: picture, sound.
pub(super) fn write(lanes: [Option<&Lane>; 2], described: &Described) -> String {
    let mut text = format!("#EXTM3U\n#EXT-X-VERSION:{VERSION}\n");
    let rates =
        lanes.map(|lane| lane.map_or((0, 0), |lane| lane.rate.peak_and_average(&lane.open)));
    let is_independent = lanes
        .iter()
        .flatten()
        .all(|lane| !lane.has_dependent_segment);
    if is_independent {
        text.push_str("#EXT-X-INDEPENDENT-SEGMENTS\n");
    }
    // Writing into a String cannot fail.
    let _ = lines(&mut text, lanes, rates, described);
    text
}

fn lines(
    text: &mut String,
    lanes: [Option<&Lane>; 2],
    rates: [(u64, u64); 2],
    described: &Described,
) -> std::fmt::Result {
    let [(video_peak, video_average), (audio_peak, audio_average)] = rates;
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
            let peak = video_peak + audio_peak;
            let average = (video_average + audio_average).min(peak);
            write!(
                text,
                "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}",
                video.codecs
            )?;
            if let Some(sound) = sound {
                write!(text, ",{}", sound.codecs)?;
            }
            write!(
                text,
                "\",RESOLUTION={}x{},FRAME-RATE={:.3}",
                video.width, video.height, video.frame_rate
            )?;
            text.push_str(if sound.is_some() {
                ",AUDIO=\"audio\"\n"
            } else {
                "\n"
            });
            writeln!(text, "{main}/stream.m3u8")?;
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
