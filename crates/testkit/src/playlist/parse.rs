//! Parses the text of a media playlist into [`MediaPlaylist`], strictly where players differ.

use super::model::{
    Hint, HintKind, MediaPlaylist, PartialSegment, RenditionReport, Segment, ServerControl,
};
use super::rule::{Findings, Rule};
use super::second_opinion::check_second_opinion;
use super::tags::{Attributes, integer, seconds};

/// Parses a media playlist. Unreadable lines are findings of rule S and left out.
pub(crate) fn parse(text: &str, findings: &mut Findings) -> MediaPlaylist {
    check_second_opinion(text, findings);
    findings.check_at(Rule::Syntax, 1, starts_well(text), || {
        "the first line is not #EXTM3U".to_owned()
    });
    let mut parser = PlaylistParser::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        let result = parser.line(index + 1, line);
        let error = result.err().unwrap_or_default();
        findings.check_at(Rule::Syntax, index + 1, error.is_empty(), || {
            format!("{error}: {line}")
        });
    }
    findings.check(Rule::Syntax, parser.duration.is_none(), || {
        "the last EXTINF has no URI".to_owned()
    });
    parser.list.open = parser.segment;
    parser.list
}

impl MediaPlaylist {
    /// Parses a playlist without checking it, for a player that has to continue with what it got.
    pub fn read(text: &str) -> Self {
        parse(text, &mut Findings::default())
    }
}

fn starts_well(text: &str) -> bool {
    text.lines().next() == Some("#EXTM3U")
}

#[derive(Default)]
struct PlaylistParser {
    list: MediaPlaylist,
    /// The segment whose tags are being collected.
    segment: Segment,
    /// EXTINF, until its URI comes.
    duration: Option<std::time::Duration>,
    map: Option<String>,
    /// The tags seen so far that are allowed only once.
    once: Vec<String>,
}

/// Tags that stand at most once in a playlist.
const ONCE: [&str; 10] = [
    "#EXTM3U",
    "#EXT-X-VERSION",
    "#EXT-X-TARGETDURATION",
    "#EXT-X-MEDIA-SEQUENCE",
    "#EXT-X-DISCONTINUITY-SEQUENCE",
    "#EXT-X-SERVER-CONTROL",
    "#EXT-X-PART-INF",
    "#EXT-X-SKIP",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    "#EXT-X-ENDLIST",
];

impl PlaylistParser {
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        if line.is_empty() || (line.starts_with('#') && !line.starts_with("#EXT")) {
            return Ok(());
        }
        if !line.starts_with('#') {
            return self.uri(number, line);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if ONCE.contains(&name) {
            if self.once.iter().any(|seen| seen == name) {
                return Err("this tag may stand once only".to_owned());
            }
            self.once.push(name.to_owned());
        }
        match name {
            "#EXT-X-VERSION" => self.list.version = Some(integer(value)?),
            "#EXT-X-TARGETDURATION" => self.list.target_duration = Some(integer(value)?),
            "#EXT-X-MEDIA-SEQUENCE" => self.list.media_sequence = integer(value)?,
            "#EXT-X-DISCONTINUITY-SEQUENCE" => {
                self.list.discontinuity_sequence = integer(value)?;
                self.list.discontinuity_sequence_line = Some(number);
            }
            "#EXT-X-PLAYLIST-TYPE" => self.list.playlist_type_line = Some(number),
            "#EXT-X-INDEPENDENT-SEGMENTS" => self.list.is_independent = true,
            "#EXT-X-ENDLIST" => self.list.is_ended = true,
            "#EXT-X-STREAM-INF" | "#EXT-X-MEDIA" => {
                return Err("a tag of the multivariant playlist".to_owned());
            }
            "#EXT-X-PART-INF" => {
                let target = Attributes::parse(value)?.seconds("PART-TARGET")?;
                self.list.part_target = Some(Attributes::required(target, "PART-TARGET")?);
            }
            "#EXT-X-SERVER-CONTROL" => self.list.control = Some(control(number, value)?),
            "#EXT-X-SKIP" => {
                let skipped = Attributes::parse(value)?.integer("SKIPPED-SEGMENTS")?;
                let skipped = Attributes::required(skipped, "SKIPPED-SEGMENTS")?;
                self.list.skip = Some((skipped, number));
            }
            "#EXT-X-PRELOAD-HINT" => self.list.hints.push(hint(number, value)?),
            "#EXT-X-RENDITION-REPORT" => self.list.reports.push(report(number, value)?),
            _ => self.segment_tag(number, name, value)?,
        }
        Ok(())
    }

    fn segment_tag(&mut self, number: usize, name: &str, value: &str) -> Result<(), String> {
        if self.segment.line == 0 {
            self.segment.line = number;
        }
        match name {
            "#EXTINF" => {
                let (length, _title) = value.split_once(',').ok_or("no comma")?;
                if self.duration.is_some() {
                    return Err("the EXTINF before has no URI".to_owned());
                }
                self.duration = Some(seconds(length)?);
            }
            "#EXT-X-PROGRAM-DATE-TIME" => {
                let date = value
                    .parse()
                    .map_err(|error| format!("no date with an offset ({error})"))?;
                self.segment.date = Some((date, has_milliseconds(value)));
            }
            "#EXT-X-DISCONTINUITY" => self.segment.discontinuity = Some(number),
            "#EXT-X-GAP" => self.segment.is_gap = true,
            "#EXT-X-MAP" => {
                let uri = Attributes::parse(value)?.quoted("URI")?;
                let uri = Attributes::required(uri, "URI")?.to_owned();
                self.map = Some(uri.clone());
                self.segment.own_map = Some(uri);
            }
            "#EXT-X-PART" => {
                if self.duration.is_some() {
                    self.segment.late_parts.push(number);
                }
                self.segment.map.clone_from(&self.map);
                self.segment.parts.push(part(number, value)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn uri(&mut self, number: usize, line: &str) -> Result<(), String> {
        let duration = self.duration.take().ok_or("a URI without EXTINF")?;
        let mut segment = std::mem::take(&mut self.segment);
        segment.line = number;
        segment.uri = line.to_owned();
        segment.duration = duration;
        segment.map.clone_from(&self.map);
        self.list.segments.push(segment);
        Ok(())
    }
}

/// Whether the seconds have at least three decimal places.
fn has_milliseconds(date: &str) -> bool {
    let fraction = date.split_once('.').map_or("", |(_, fraction)| fraction);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 3
}

fn control(line: usize, value: &str) -> Result<ServerControl, String> {
    let attributes = Attributes::parse(value)?;
    Ok(ServerControl {
        line,
        can_block_reload: attributes.yes("CAN-BLOCK-RELOAD")?,
        part_hold_back: attributes.seconds("PART-HOLD-BACK")?,
        hold_back: attributes.seconds("HOLD-BACK")?,
        can_skip_until: attributes.seconds("CAN-SKIP-UNTIL")?,
        can_skip_dateranges: attributes.yes("CAN-SKIP-DATERANGES")?,
    })
}

fn part(line: usize, value: &str) -> Result<PartialSegment, String> {
    let attributes = Attributes::parse(value)?;
    Ok(PartialSegment {
        line,
        uri: Attributes::required(attributes.quoted("URI")?, "URI")?.to_owned(),
        duration: Attributes::required(attributes.seconds("DURATION")?, "DURATION")?,
        is_independent: attributes.yes("INDEPENDENT")?,
        is_gap: attributes.yes("GAP")?,
    })
}

fn hint(line: usize, value: &str) -> Result<Hint, String> {
    let attributes = Attributes::parse(value)?;
    let kind = match attributes.plain("TYPE")? {
        Some("PART") => HintKind::Part,
        Some("MAP") => HintKind::Map,
        other => return Err(format!("TYPE is {other:?}")),
    };
    let uri = Attributes::required(attributes.quoted("URI")?, "URI")?.to_owned();
    Ok(Hint { line, kind, uri })
}

fn report(line: usize, value: &str) -> Result<RenditionReport, String> {
    let attributes = Attributes::parse(value)?;
    Ok(RenditionReport {
        line,
        uri: Attributes::required(attributes.quoted("URI")?, "URI")?.to_owned(),
        last_msn: attributes.integer("LAST-MSN")?,
        last_part: attributes.integer("LAST-PART")?,
    })
}
