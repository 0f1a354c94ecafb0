//! The init segment: everything about a track, or two, except the samples.

use bytes::Bytes;

use super::boxes::Boxes;
use super::{Track, VIDEO_TIMESCALE, entry};
use crate::codec::{AudioConfig, VideoConfig};

/// The transformation that leaves pictures as they are, in 16.16 and 2.30 fixed point.
const IDENTITY: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// Writes the init segment of a video track.
#[must_use]
pub fn video(config: &VideoConfig) -> Bytes {
    write(&[InitTrack::video(Track::ID, config)])
}

/// Writes the init segment of an audio track.
#[must_use]
pub fn audio(config: &AudioConfig) -> Bytes {
    write(&[InitTrack::audio(Track::ID, config)])
}

/// Writes an init segment for the given tracks, for fragments of [`super::fragment::write_together`].
#[must_use]
pub fn together(video: Option<&VideoConfig>, audio: Option<&AudioConfig>) -> Bytes {
    let video = video.map(|config| InitTrack::video(Track::Video.id_together(), config));
    let audio = audio.map(|config| InitTrack::audio(Track::Audio.id_together(), config));
    let tracks: Vec<InitTrack<'_>> = video.into_iter().chain(audio).collect();
    write(&tracks)
}

/// The data that a track's headers need.
#[derive(Debug)]
struct Header {
    timescale: u32,
    /// The brand that the codec's binding requires besides the common ones.
    brand: Option<[u8; 4]>,
    handler: [u8; 4],
    handler_name: &'static [u8],
    size: (u32, u32),
    volume: u16,
}

/// How the samples of a track are coded.
#[derive(Clone, Copy, Debug)]
enum Config<'a> {
    Video(&'a VideoConfig),
    Audio(&'a AudioConfig),
}

/// A track of the file.
#[derive(Debug)]
struct InitTrack<'a> {
    id: u32,
    header: Header,
    config: Config<'a>,
}

impl<'a> InitTrack<'a> {
    fn video(id: u32, config: &'a VideoConfig) -> Self {
        let (width, height) = config.display_size();
        Self {
            id,
            header: Header {
                timescale: VIDEO_TIMESCALE,
                // AV1 files have to declare a brand ("AV1 Codec ISO Media File Format Binding" 2.1).
                brand: matches!(config, VideoConfig::Av1(_)).then_some(*b"av01"),
                handler: *b"vide",
                handler_name: b"Video\0",
                // Whole pixels in 16.16 fixed point; display_size stays within 16 bits.
                size: (width << 16, height << 16),
                volume: 0,
            },
            config: Config::Video(config),
        }
    }

    fn audio(id: u32, config: &'a AudioConfig) -> Self {
        Self {
            id,
            header: Header {
                timescale: config.sample_rate(),
                brand: None,
                handler: *b"soun",
                handler_name: b"Audio\0",
                size: (0, 0),
                volume: 0x0100,
            },
            config: Config::Audio(config),
        }
    }

    fn media_header(&self, boxes: &mut Boxes) {
        match self.config {
            Config::Video(_) => boxes.full(b"vmhd", 0, 1, |boxes| boxes.zeros(8)),
            Config::Audio(_) => boxes.full(b"smhd", 0, 0, |boxes| boxes.zeros(4)),
        }
    }

    fn sample_entry(&self, boxes: &mut Boxes) {
        match self.config {
            Config::Video(config) => entry::video(boxes, config),
            Config::Audio(config) => entry::audio(boxes, config),
        }
    }
}

fn write(tracks: &[InitTrack<'_>]) -> Bytes {
    let mut boxes = Boxes::default();
    boxes.plain(b"ftyp", |boxes| {
        boxes.slice(b"cmfc");
        boxes.u32(0);
        // Fragments use signed composition offsets, which require iso6.
        boxes.slice(b"cmfciso6mp41");
        for brand in tracks.iter().filter_map(|one| one.header.brand) {
            boxes.slice(&brand);
        }
    });
    boxes.plain(b"moov", |boxes| {
        movie_header(boxes, tracks);
        for one in tracks {
            track(boxes, one);
        }
        boxes.plain(b"mvex", |boxes| {
            for one in tracks {
                boxes.full(b"trex", 0, 0, |boxes| {
                    boxes.u32(one.id);
                    boxes.u32(1); // the first and only sample description
                    boxes.zeros(12); // fragments bring durations, sizes and flags of their own
                });
            }
        });
    });
    boxes.finish()
}

fn movie_header(boxes: &mut Boxes, tracks: &[InitTrack<'_>]) {
    let timescale = tracks.first().map_or(1, |one| one.header.timescale);
    let last_id = tracks.last().map_or(0, |one| one.id);
    boxes.full(b"mvhd", 0, 0, |boxes| {
        boxes.zeros(8); // creation and modification time
        boxes.u32(timescale);
        boxes.u32(0); // duration: the stream is live
        boxes.u32(0x1_0000); // normal rate
        boxes.u16(0x0100); // full volume
        boxes.zeros(10);
        identity(boxes);
        boxes.zeros(24);
        boxes.u32(last_id + 1); // next track id
    });
}

fn track(boxes: &mut Boxes, one: &InitTrack<'_>) {
    boxes.plain(b"trak", |boxes| {
        track_header(boxes, one.id, &one.header);
        boxes.plain(b"mdia", |boxes| {
            media(boxes, &one.header);
            boxes.plain(b"minf", |boxes| {
                one.media_header(boxes);
                data_information(boxes);
                boxes.plain(b"stbl", |boxes| sample_table(boxes, one));
            });
        });
    });
}

fn track_header(boxes: &mut Boxes, id: u32, header: &Header) {
    const ENABLED_AND_IN_MOVIE: u32 = 3;
    boxes.full(b"tkhd", 0, ENABLED_AND_IN_MOVIE, |boxes| {
        boxes.zeros(8); // creation and modification time
        boxes.u32(id);
        boxes.zeros(4);
        boxes.u32(0); // duration
        boxes.zeros(8);
        boxes.zeros(4); // layer and alternate group
        boxes.u16(header.volume);
        boxes.zeros(2);
        identity(boxes);
        boxes.u32(header.size.0);
        boxes.u32(header.size.1);
    });
}

fn identity(boxes: &mut Boxes) {
    for value in IDENTITY {
        boxes.u32(value);
    }
}

fn media(boxes: &mut Boxes, header: &Header) {
    // "und", undetermined, as three letters of five bits.
    const NO_LANGUAGE: u16 = 0x55c4;
    boxes.full(b"mdhd", 0, 0, |boxes| {
        boxes.zeros(8); // creation and modification time
        boxes.u32(header.timescale);
        boxes.u32(0); // duration
        boxes.u16(NO_LANGUAGE);
        boxes.u16(0);
    });
    boxes.full(b"hdlr", 0, 0, |boxes| {
        boxes.zeros(4);
        boxes.slice(&header.handler);
        boxes.zeros(12);
        boxes.slice(header.handler_name);
    });
}

/// Declares that the samples are in the same file.
fn data_information(boxes: &mut Boxes) {
    boxes.plain(b"dinf", |boxes| {
        boxes.full(b"dref", 0, 0, |boxes| {
            boxes.u32(1);
            boxes.full(b"url ", 0, 1, |_| {});
        });
    });
}

/// The tables are required and empty: fragments carry the samples.
fn sample_table(boxes: &mut Boxes, one: &InitTrack<'_>) {
    boxes.full(b"stsd", 0, 0, |boxes| {
        boxes.u32(1);
        one.sample_entry(boxes);
    });
    boxes.full(b"stts", 0, 0, |boxes| boxes.u32(0));
    boxes.full(b"stsc", 0, 0, |boxes| boxes.u32(0));
    boxes.full(b"stsz", 0, 0, |boxes| boxes.zeros(8));
    boxes.full(b"stco", 0, 0, |boxes| boxes.u32(0));
}
