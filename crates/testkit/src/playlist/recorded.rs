//! Rules V1 to V8: lists that are complete from the beginning, of byte ranges of files.

use std::ops::Range;
use std::time::Duration;

use super::parse::parse;
use super::rule::{Findings, Rule};
use super::tags::{Attributes, integer, seconds};

/// EXT-X-GAP needs version 8, EXT-X-MAP in a list of ordinary segments version 6.
const VERSION_OF_GAP: u64 = 8;
const VERSION_OF_MAP: u64 = 6;
/// Entries of two renditions last equally long but for a frame of sound, and this is more than one.
const SAME_LENGTH: Duration = Duration::from_millis(500);

/// Bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// As written.
    pub uri: String,
    pub bytes: Range<u64>,
}

/// An entry of the list.
#[derive(Clone, Debug)]
pub struct RecordedSegment {
    /// The line of its URI.
    pub line: usize,
    /// Nothing of a gap can be fetched.
    pub place: Option<FileRange>,
    pub duration: Duration,
    /// The EXT-X-MAP in force.
    pub map: Option<FileRange>,
    pub is_discontinuity: bool,
    pub has_date: bool,
}

/// The list of one rendition.
#[derive(Clone, Debug, Default)]
pub struct RecordedList {
    pub segments: Vec<RecordedSegment>,
}

/// Whether the text is that of a recording and not of a live stream.
pub fn is_recorded(text: &str) -> bool {
    text.lines().any(|line| line == "#EXT-X-PLAYLIST-TYPE:VOD")
}

/// Reads the list of a recording, and applies the rules to it.
pub fn check_recorded(text: &str, findings: &mut Findings) -> RecordedList {
    let common = parse(text, findings);
    let list = RecordedList::read(text, findings);
    let ends = text.lines().next_back() == Some("#EXT-X-ENDLIST");
    let ok = is_recorded(text) && ends && common.media_sequence == 0;
    findings.check(Rule::Recorded(1), ok, || {
        "not VOD from number 0 to EXT-X-ENDLIST".to_owned()
    });
    let is_live = common.control.is_some()
        || common.part_target.is_some()
        || common.skip.is_some()
        || !common.hints.is_empty()
        || !common.reports.is_empty();
    findings.check(Rule::Recorded(2), !is_live, || {
        "a tag of live lists".to_owned()
    });
    let target = common.target_duration.unwrap_or_default();
    for segment in &list.segments {
        let rounded = (segment.duration + Duration::from_millis(500)).as_secs();
        findings.check_at(Rule::Recorded(3), segment.line, rounded <= target, || {
            format!("lasts {:?}, TARGETDURATION is {target}", segment.duration)
        });
    }
    findings.check(Rule::Recorded(3), !list.segments.is_empty(), || {
        "nothing is listed".to_owned()
    });
    list.check_places(findings);
    list.check_maps(findings);
    list.check_dates(findings);
    let has_gap = list.segments.iter().any(|segment| segment.place.is_none());
    let needed = if has_gap {
        VERSION_OF_GAP
    } else {
        VERSION_OF_MAP
    };
    let version = common.version.unwrap_or_default();
    findings.check(Rule::Recorded(7), version >= needed, || {
        format!("EXT-X-VERSION is {version}, what is used needs {needed}")
    });
    list
}

impl RecordedList {
    fn read(text: &str, findings: &mut Findings) -> Self {
        let mut list = Self::default();
        let mut reader = RecordedReader::default();
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let read = match line.split_once(':') {
                _ if line.is_empty() => Ok(()),
                _ if !line.starts_with('#') => {
                    list.segments.push(reader.segment(number, line));
                    Ok(())
                }
                Some((name, value)) => reader.tag(name, value),
                None => reader.tag(line, ""),
            };
            let error = read.err().unwrap_or_default();
            findings.check_at(Rule::Recorded(4), number, error.is_empty(), || {
                format!("{error}: {line}")
            });
        }
        list
    }

    /// V4: what is not a gap says where it is, back to back in its file, and no byte is there twice.
    fn check_places(&self, findings: &mut Findings) {
        let mut before: Option<&FileRange> = None;
        for segment in &self.segments {
            let Some(place) = &segment.place else {
                before = None;
                continue;
            };
            let is_filled = !place.bytes.is_empty();
            findings.check_at(Rule::Recorded(4), segment.line, is_filled, || {
                format!("{} without EXT-X-BYTERANGE, or an empty one", place.uri)
            });
            if let Some(before) = before.filter(|before| before.uri == place.uri) {
                let ok = before.bytes.end == place.bytes.start;
                findings.check_at(Rule::Recorded(4), segment.line, ok, || {
                    let (end, start) = (before.bytes.end, place.bytes.start);
                    format!(
                        "{} goes on at {start}, its last range ended at {end}",
                        place.uri
                    )
                });
            }
            before = Some(place);
        }
    }

    /// V5: there is a map in force, at the beginning of a file and before the ranges of that file, and another one only
    /// behind a discontinuity.
    fn check_maps(&self, findings: &mut Findings) {
        let mut before: Option<&FileRange> = None;
        for segment in &self.segments {
            let is_start = |map: &FileRange| map.bytes.start == 0 && !map.bytes.is_empty();
            let ok = segment.map.as_ref().is_some_and(is_start);
            findings.check_at(Rule::Recorded(5), segment.line, ok, || {
                "no EXT-X-MAP at the beginning of a file".to_owned()
            });
            let Some(map) = &segment.map else { continue };
            let own = segment.place.as_ref();
            let own = own.filter(|place| place.uri == map.uri && !place.bytes.is_empty());
            if let Some(place) = own {
                let ok = place.bytes.start >= map.bytes.end;
                findings.check_at(Rule::Recorded(5), segment.line, ok, || {
                    format!("{} begins inside its map", place.uri)
                });
            }
            let is_other = before.is_some_and(|before| before != map);
            let ok = !is_other || segment.is_discontinuity;
            findings.check_at(Rule::Recorded(5), segment.line, ok, || {
                "another map without a discontinuity".to_owned()
            });
            before = Some(map);
        }
    }

    /// V6: players learn the date where a file or something new begins.
    fn check_dates(&self, findings: &mut Findings) {
        let mut file: Option<&str> = None;
        for segment in &self.segments {
            let Some(place) = &segment.place else {
                continue;
            };
            if file != Some(place.uri.as_str()) || segment.is_discontinuity {
                findings.check_at(Rule::Recorded(6), segment.line, segment.has_date, || {
                    format!("{} begins without EXT-X-PROGRAM-DATE-TIME", place.uri)
                });
            }
            file = Some(&place.uri);
        }
    }
}

/// V8: another rendition of the same recording has the same entries and breaks.
pub fn check_recorded_beside(one: &RecordedList, other: &RecordedList, findings: &mut Findings) {
    let (count, others) = (one.segments.len(), other.segments.len());
    findings.check(Rule::Recorded(8), count == others, || {
        format!("{count} entries beside {others} of another rendition")
    });
    for (own, beside) in one.segments.iter().zip(&other.segments) {
        let is_same_break = own.is_discontinuity == beside.is_discontinuity;
        let is_same_length = own.duration.abs_diff(beside.duration) <= SAME_LENGTH;
        let ok = is_same_break && is_same_length;
        findings.check_at(Rule::Recorded(8), beside.line, ok, || {
            format!(
                "{:?} beside {:?} of another rendition, or a discontinuity in one only",
                beside.duration, own.duration
            )
        });
    }
}

/// What is known from the tags above a URI.
#[derive(Default)]
struct RecordedReader {
    duration: Duration,
    range: Option<Range<u64>>,
    map: Option<FileRange>,
    is_discontinuity: bool,
    is_gap: bool,
    has_date: bool,
}

impl RecordedReader {
    fn tag(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "#EXTINF" => {
                let length = value.split(',').next().unwrap_or_default();
                self.duration = seconds(length)?;
            }
            "#EXT-X-BYTERANGE" => self.range = Some(range(value)?),
            "#EXT-X-MAP" => {
                let attributes = Attributes::parse(value)?;
                let uri = Attributes::required(attributes.quoted("URI")?, "URI")?;
                let bytes = attributes.quoted("BYTERANGE")?;
                let bytes = Attributes::required(bytes, "BYTERANGE")?;
                self.map = Some(FileRange {
                    uri: uri.to_owned(),
                    bytes: range(bytes)?,
                });
            }
            "#EXT-X-DISCONTINUITY" => self.is_discontinuity = true,
            "#EXT-X-GAP" => self.is_gap = true,
            "#EXT-X-PROGRAM-DATE-TIME" => self.has_date = true,
            _ => {}
        }
        Ok(())
    }

    fn segment(&mut self, line: usize, uri: &str) -> RecordedSegment {
        let tags = std::mem::take(self);
        self.map.clone_from(&tags.map);
        let place = FileRange {
            uri: uri.to_owned(),
            bytes: tags.range.unwrap_or(0..0),
        };
        RecordedSegment {
            line,
            place: (!tags.is_gap).then_some(place),
            duration: tags.duration,
            map: tags.map,
            is_discontinuity: tags.is_discontinuity,
            has_date: tags.has_date,
        }
    }
}

/// `LENGTH@OFFSET`; where the offset is left out, a player has to have read the list from its beginning.
fn range(text: &str) -> Result<Range<u64>, String> {
    let (len, offset) = text.split_once('@').ok_or("a range without its offset")?;
    let (len, offset) = (integer(len)?, integer(offset)?);
    Ok(offset..offset.saturating_add(len))
}
