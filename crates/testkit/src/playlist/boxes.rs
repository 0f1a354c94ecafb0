//! The fields of fMP4 (ISO/IEC 14496-12) that a playlist makes promises about: times, and sync samples.
//!
//! Reads headers only and copies nothing; media data is not read.

use std::fmt;

/// The bytes are not fMP4, or end too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenBox(&'static str);

impl fmt::Display for BrokenBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BrokenBox {}

/// The first track of an initialization section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// Time units per second.
    pub timescale: u32,
    /// Default sample duration.
    pub default_duration: u32,
    /// Default sample flags.
    pub default_flags: u32,
}

/// One `moof` of a part or segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// `tfdt`: decode time of its first sample.
    pub base_time: u64,
    /// The sum of its samples' durations.
    pub duration: u64,
    /// How many samples it has.
    pub samples: u64,
    /// How many of them have no duration.
    pub timeless: u64,
    /// Whether the first sample is a sync sample; absent if unknown or if there is no sample.
    pub starts_with_sync: Option<bool>,
}

/// `sample_is_non_sync_sample` of the sample flags.
const NON_SYNC: u32 = 0x1_0000;
/// Samples of one run; more are an error. Samples need no bytes of their own, so their number must not
/// decide how long the reader works.
const MAX_SAMPLES: u32 = 1_000_000;

pub fn track(bytes: &[u8]) -> Result<Track, BrokenBox> {
    let moov = find(bytes, b"moov")?.ok_or(BrokenBox("no moov"))?;
    let media_header = path(moov, &[b"trak", b"mdia", b"mdhd"])?.ok_or(BrokenBox("no mdhd"))?;
    let timescale_at = if media_header.first() == Some(&1) {
        20
    } else {
        12
    };
    let timescale = BoxReader::at(media_header, timescale_at).u32()?;
    let mut track = Track {
        timescale,
        ..Track::default()
    };
    if let Some(extends) = path(moov, &[b"mvex", b"trex"])? {
        track.default_duration = BoxReader::at(extends, 12).u32()?;
        track.default_flags = BoxReader::at(extends, 20).u32()?;
    }
    Ok(track)
}

/// Reads all fragments of a part or segment; one traf per moof, as CMAF requires. Without `track`,
/// samples that rely on its defaults have no duration and an unknown sync flag.
pub fn fragments(bytes: &[u8], track: Option<&Track>) -> Result<Vec<Fragment>, BrokenBox> {
    let mut found = Vec::new();
    for (kind, moof) in children(bytes)? {
        if &kind == b"moof" {
            let traf = find(moof, b"traf")?.ok_or(BrokenBox("moof without traf"))?;
            found.push(fragment(traf, track)?);
        }
    }
    Ok(found)
}

fn fragment(traf: &[u8], track: Option<&Track>) -> Result<Fragment, BrokenBox> {
    let header = find(traf, b"tfhd")?.ok_or(BrokenBox("traf without tfhd"))?;
    let mut reader = BoxReader::at(header, 0);
    let flags = reader.u32()?;
    reader.skip(4);
    reader.skip(if flags & 0x1 != 0 { 8 } else { 0 });
    reader.skip(if flags & 0x2 != 0 { 4 } else { 0 });
    let duration = reader.optional(flags, 0x8)?;
    reader.optional(flags, 0x10)?;
    let sample_flags = reader.optional(flags, 0x20)?;
    let defaults = Defaults {
        duration: duration.unwrap_or(track.map_or(0, |track| track.default_duration)),
        flags: sample_flags.or(track.map(|track| track.default_flags)),
    };

    let time = find(traf, b"tfdt")?.ok_or(BrokenBox("traf without tfdt"))?;
    let mut reader = BoxReader::at(time, 4);
    let base_time = if time.first() == Some(&1) {
        reader.u64()?
    } else {
        u64::from(reader.u32()?)
    };
    let mut fragment = Fragment {
        base_time,
        duration: 0,
        samples: 0,
        timeless: 0,
        starts_with_sync: None,
    };
    for (kind, run) in children(traf)? {
        if &kind == b"trun" {
            add_run(run, defaults, &mut fragment)?;
        }
    }
    Ok(fragment)
}

#[derive(Clone, Copy)]
struct Defaults {
    duration: u32,
    flags: Option<u32>,
}

fn add_run(run: &[u8], defaults: Defaults, fragment: &mut Fragment) -> Result<(), BrokenBox> {
    let mut reader = BoxReader::at(run, 0);
    let flags = reader.u32()?;
    let count = reader.u32()?;
    reader.optional(flags, 0x1)?;
    let first_flags = reader.optional(flags, 0x4)?;
    if count > MAX_SAMPLES {
        return Err(BrokenBox("a run of too many samples"));
    }
    for index in 0..count {
        let duration = reader.optional(flags, 0x100)?;
        reader.optional(flags, 0x200)?;
        let own_flags = reader.optional(flags, 0x400)?;
        reader.optional(flags, 0x800)?;
        let sample_flags = match index {
            0 => first_flags.or(own_flags),
            _ => own_flags,
        };
        if fragment.samples == 0 {
            let sample_flags = sample_flags.or(defaults.flags);
            fragment.starts_with_sync = sample_flags.map(|flags| flags & NON_SYNC == 0);
        }
        let duration = duration.unwrap_or(defaults.duration);
        fragment.duration += u64::from(duration);
        fragment.timeless += u64::from(duration == 0);
        fragment.samples += 1;
    }
    Ok(())
}

/// The type of a box and its content.
pub type Child<'a> = ([u8; 4], &'a [u8]);

/// The boxes in `bytes`, one level deep.
pub fn children(bytes: &[u8]) -> Result<Vec<Child<'_>>, BrokenBox> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut reader = BoxReader::at(rest, 0);
        let short = u64::from(reader.u32()?);
        let kind = reader.u32()?.to_be_bytes();
        let (size, header) = match short {
            0 => (rest.len() as u64, 8),
            1 => (reader.u64()?, 16),
            size => (size, 8),
        };
        let size = usize::try_from(size).map_err(|_| BrokenBox("a box larger than memory"))?;
        let content = rest
            .get(header..size)
            .ok_or(BrokenBox("a box that ends behind the end"))?;
        found.push((kind, content));
        rest = &rest[size..];
    }
    Ok(found)
}

fn find<'a>(bytes: &'a [u8], wanted: &[u8; 4]) -> Result<Option<&'a [u8]>, BrokenBox> {
    let found = children(bytes)?
        .into_iter()
        .find(|(kind, _)| kind == wanted);
    Ok(found.map(|(_, content)| content))
}

fn path<'a>(bytes: &'a [u8], wanted: &[&[u8; 4]]) -> Result<Option<&'a [u8]>, BrokenBox> {
    let mut here = bytes;
    for kind in wanted {
        match find(here, kind)? {
            Some(inner) => here = inner,
            None => return Ok(None),
        }
    }
    Ok(Some(here))
}

struct BoxReader<'a> {
    rest: &'a [u8],
}

impl<'a> BoxReader<'a> {
    fn at(bytes: &'a [u8], offset: usize) -> Self {
        Self {
            rest: bytes.get(offset..).unwrap_or_default(),
        }
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn u32(&mut self) -> Result<u32, BrokenBox> {
        let (first, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(BrokenBox("a box too short"))?;
        self.rest = rest;
        Ok(u32::from_be_bytes(*first))
    }

    fn u64(&mut self) -> Result<u64, BrokenBox> {
        let (high, low) = (self.u32()?, self.u32()?);
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// A field that is present if its bit in `flags` is set.
    fn optional(&mut self, flags: u32, bit: u32) -> Result<Option<u32>, BrokenBox> {
        if flags & bit == 0 {
            return Ok(None);
        }
        self.u32().map(Some)
    }
}
