//! The multivariant playlist.

use std::fmt::Write;

use super::name::{Rendition, RungIndex};
use super::playlist::VERSION;
use super::rendition_window::RenditionWindow;
use super::snapshot::{Ladder, PictureDescription, SoundDescription, TrackDescriptions};

/// Writes the multivariant playlist for the current renditions: picture, sound, and the offered rungs.
pub(super) fn write(
    windows: [Option<&RenditionWindow>; 2],
    described: &TrackDescriptions,
    ladder: &Ladder<'_>,
) -> String {
    let mut text = format!("#EXTM3U\n#EXT-X-VERSION:{VERSION}\n");
    let rungs = ladder.steps.iter().map(|step| step.window);
    let is_independent = windows
        .into_iter()
        .flatten()
        .chain(rungs)
        .all(|window| !window.has_dependent_segment);
    if is_independent {
        text.push_str(INDEPENDENT);
        text.push('\n');
    }
    // Writing into a String cannot fail.
    let _ = lines(&mut text, windows, described, ladder);
    text
}

/// Bits per second: the peak segment's, and the average.
fn rate(window: Option<&RenditionWindow>) -> (u64, u64) {
    window.map_or((0, 0), RenditionWindow::peak_and_average)
}

fn lines(
    text: &mut String,
    windows: [Option<&RenditionWindow>; 2],
    described: &TrackDescriptions,
    ladder: &Ladder<'_>,
) -> std::fmt::Result {
    let main = Rendition::Main;
    match (&described.video, &described.audio) {
        (Some(video), sound) => {
            let own = sound.as_ref().map(|sound| AudioGroup {
                group: "audio",
                rendition: Rendition::Audio,
                sound,
                rate: rate(windows[1]),
            });
            let encoded = ladder.sound.as_ref().map(|one| AudioGroup {
                group: "aac",
                rendition: Rendition::Aac,
                sound: one.sound,
                rate: rate(Some(one.window)),
            });
            let (own, encoded) = (own.as_ref(), encoded.as_ref());
            for audio_group in own.into_iter().chain(encoded) {
                audio_group.group(text)?;
            }
            // Players that cannot play the source's sound find every picture with one that all can play. Players do not
            // switch audio codecs by themselves, so those that can play the source's sound need all pictures with it,
            // too.
            let other = encoded.filter(|_| ladder.lists_both_sounds);
            let source = |text: &mut String| {
                let audio_group = own.into_iter().chain(other);
                qualities(text, main, video, rate(windows[0]), audio_group)
            };
            let source_at = ladder.source_at();
            for (index, step) in ladder.steps.iter().enumerate() {
                if source_at == index {
                    source(text)?;
                }
                if let Some(place) = RungIndex::new(step.place) {
                    let rung = Rendition::Rung(place);
                    let wanted = encoded.filter(|_| step.has_encoded_sound && other.is_none());
                    let audio_group = wanted.or(own).into_iter().chain(other);
                    qualities(
                        text,
                        rung,
                        step.picture,
                        rate(Some(step.window)),
                        audio_group,
                    )?;
                }
            }
            if source_at == ladder.steps.len() {
                source(text)?;
            }
            if let (Some(own), true, Some(_)) = (own, described.lists_audio, windows[1]) {
                own.alone(text)?;
                if let Some(other) = other {
                    other.alone(text)?;
                }
            }
            Ok(())
        }
        (None, Some(sound)) => {
            let (peak, average) = rate(windows[1]);
            writeln!(
                text,
                "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}\"",
                sound.codecs
            )?;
            writeln!(text, "{}", path(Rendition::Main))
        }
        (None, None) => Ok(()),
    }
}

/// A sound rendition that pictures can be combined with.
#[derive(Debug)]
struct AudioGroup<'a> {
    group: &'static str,
    rendition: Rendition,
    sound: &'a SoundDescription,
    rate: (u64, u64),
}

impl AudioGroup<'_> {
    /// All groups have the same member names, so that players recognise a member across groups.
    fn group(&self, text: &mut String) -> std::fmt::Result {
        let group = self.group;
        writeln!(
            text,
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"{group}\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"{}\",URI=\"{}\"",
            self.sound.channels,
            path(self.rendition)
        )
    }

    /// Writes it as a variant without a picture.
    fn alone(&self, text: &mut String) -> std::fmt::Result {
        let group = self.group;
        let (peak, average) = self.rate;
        writeln!(
            text,
            "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}\",AUDIO=\"{group}\"",
            self.sound.codecs
        )?;
        writeln!(text, "{}", path(self.rendition))
    }
}

/// The path of a playlist, relative to the multivariant playlist.
fn path(rendition: Rendition) -> String {
    format!("{}/{}", rendition.folder(), rendition.playlist())
}

/// A picture with each sound it is combined with, or alone if there is none.
fn qualities<'a>(
    text: &mut String,
    rendition: Rendition,
    picture: &PictureDescription,
    rate: (u64, u64),
    mut audio_group: impl Iterator<Item = &'a AudioGroup<'a>>,
) -> std::fmt::Result {
    quality(text, rendition, picture, rate, audio_group.next())?;
    audio_group.try_for_each(|one| quality(text, rendition, picture, rate, Some(one)))
}

/// A picture with one sound.
fn quality(
    text: &mut String,
    rendition: Rendition,
    picture: &PictureDescription,
    (own_peak, own_average): (u64, u64),
    audio_group: Option<&AudioGroup<'_>>,
) -> std::fmt::Result {
    let (sound_peak, sound_average) = audio_group.map_or((0, 0), |audio_group| audio_group.rate);
    let peak = own_peak + sound_peak;
    let average = (own_average + sound_average).min(peak);
    write!(
        text,
        "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{}",
        picture.codecs
    )?;
    if let Some(audio_group) = audio_group {
        write!(text, ",{}", audio_group.sound.codecs)?;
    }
    write!(
        text,
        "\",RESOLUTION={}x{},FRAME-RATE={:.3}",
        picture.width, picture.height, picture.frame_rate
    )?;
    if let Some(audio_group) = audio_group {
        write!(text, ",AUDIO=\"{}\"", audio_group.group)?;
    }
    writeln!(text, "\n{}", path(rendition))
}

/// Extracts the multivariant playlist of one picture and its sound from the full one, relative to the picture's folder;
/// `None` if the picture is not offered.
pub fn of_quality(all: &str, rendition: Rendition) -> Option<String> {
    let wanted = path(rendition);
    let lines: Vec<&str> = all.lines().collect();
    let is_wanted = |two: &&[&str]| two[0].starts_with(QUALITY) && two[1] == wanted;
    let own: Vec<&str> = lines
        .windows(2)
        .filter(is_wanted)
        .map(|two| two[0])
        .collect();
    if own.is_empty() {
        return None;
    }
    let mut text = String::new();
    for line in lines {
        if line.starts_with(SOUND) {
            let group = attribute(line, "GROUP-ID");
            if own.iter().any(|own| attribute(own, "AUDIO") == group) {
                text.push_str(&line.replacen("URI=\"", "URI=\"../", 1));
                text.push('\n');
            }
        } else if line.starts_with(QUALITY) {
            break;
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    for line in own {
        text.push_str(&format!("{line}\n{}\n", rendition.playlist()));
    }
    Some(text)
}

/// The multivariant playlist with other lists of the same renditions, as far as these are `offered`. `is_independent` if all
/// their segments are.
pub(super) fn renamed(
    all: &str,
    name: &str,
    offered: &[Rendition],
    is_independent: bool,
) -> String {
    let is_offered = |line: &str| offered.iter().any(|rendition| path(*rendition) == line);
    let renamed = |line: &str| match line.split_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => line.to_owned(),
    };
    let mut text = String::with_capacity(all.len());
    let mut groups = Vec::new();
    let mut lines = all.lines();
    while let Some(line) = lines.next() {
        if line.starts_with(SOUND) {
            let list = attribute(line, "URI").unwrap_or_default();
            if is_offered(list) {
                groups.extend(attribute(line, "GROUP-ID"));
                text.push_str(&line.replacen(list, &renamed(list), 1));
                text.push('\n');
            }
        } else if line.starts_with(QUALITY) {
            let list = lines.next().unwrap_or_default();
            let has_sound = attribute(line, "AUDIO").is_none_or(|group| groups.contains(&group));
            if is_offered(list) && has_sound {
                text.push_str(&format!("{line}\n{}\n", renamed(list)));
            }
        } else if is_independent || line != INDEPENDENT {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Says that a player can begin at every segment.
const INDEPENDENT: &str = "#EXT-X-INDEPENDENT-SEGMENTS";
/// How a line about a quality begins.
const QUALITY: &str = "#EXT-X-STREAM-INF:";
/// How a line about a sound begins.
const SOUND: &str = "#EXT-X-MEDIA:";

/// The value of a quoted attribute.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-INDEPENDENT-SEGMENTS\n\
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Sound\",URI=\"audio/stream.m3u8\"\n\
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",NAME=\"Sound\",URI=\"aac/stream.m3u8\"\n\
        #EXT-X-STREAM-INF:BANDWIDTH=3,AUDIO=\"audio\"\n0/video.m3u8\n\
        #EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO=\"aac\"\n1/video.m3u8\n";

    #[test]
    fn the_list_of_one_quality_has_its_picture_and_its_sound() {
        assert_eq!(
            of_quality(ALL, Rendition::Main).unwrap(),
            "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-INDEPENDENT-SEGMENTS\n\
             #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Sound\",URI=\"../audio/stream.m3u8\"\n\
             #EXT-X-STREAM-INF:BANDWIDTH=3,AUDIO=\"audio\"\nvideo.m3u8\n"
        );
        let mut places = RungIndex::all().map(Rendition::Rung);
        let [first, second] = [places.next().unwrap(), places.next().unwrap()];
        let other = of_quality(ALL, first).unwrap();
        assert!(other.contains("../aac/stream.m3u8") && !other.contains("../audio/"));
        assert_eq!(of_quality(ALL, second), None);
    }

    #[test]
    fn the_list_of_lists_that_go_back_names_them_and_leaves_out_what_has_none() {
        let mut places = RungIndex::all().map(Rendition::Rung);
        let first = places.next().unwrap();
        let all = [Rendition::Main, Rendition::Audio, Rendition::Aac, first];
        assert_eq!(
            renamed(ALL, "rewind.m3u8", &all, true),
            ALL.replace("stream.m3u8", "rewind.m3u8")
                .replace("video.m3u8", "rewind.m3u8")
        );
        let short = renamed(ALL, "rewind.m3u8", &all[..2], false);
        assert_eq!(
            short,
            "#EXTM3U\n#EXT-X-VERSION:9\n\
             #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Sound\",URI=\"audio/rewind.m3u8\"\n\
             #EXT-X-STREAM-INF:BANDWIDTH=3,AUDIO=\"audio\"\n0/rewind.m3u8\n"
        );
        // A picture whose sound has no such list cannot be heard.
        let silent = renamed(
            ALL,
            "rewind.m3u8",
            &[Rendition::Main, Rendition::Audio, first],
            true,
        );
        assert!(!silent.contains("1/rewind.m3u8"), "{silent}");
    }
}
