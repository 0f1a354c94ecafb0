//! Sample entries: what a decoder needs before the first sample.

use super::boxes::Boxes;
use crate::codec::{AudioConfig, VideoConfig};

/// Tags of MPEG-4 descriptors (ISO/IEC 14496-1 clause 7.2.2).
mod tag {
    pub(super) const STREAM: u8 = 3;
    pub(super) const DECODER: u8 = 4;
    pub(super) const DECODER_SPECIFIC: u8 = 5;
    pub(super) const SYNC_LAYER: u8 = 6;
}

pub(super) fn video(boxes: &mut Boxes, config: &VideoConfig) {
    let kind = match config {
        VideoConfig::Avc(_) => b"avc1",
        VideoConfig::Hevc(_) => b"hvc1",
        VideoConfig::Av1(_) => b"av01",
        VideoConfig::Vp9(_) => b"vp09",
    };
    boxes.plain(kind, |boxes| {
        visual_header(boxes, config);
        match config {
            VideoConfig::Avc(avc) => {
                boxes.plain(b"avcC", |boxes| boxes.slice(&avc.file_record()));
            }
            VideoConfig::Hevc(hevc) => {
                boxes.plain(b"hvcC", |boxes| boxes.slice(hevc.file_record()));
            }
            VideoConfig::Av1(av1) => {
                boxes.plain(b"av1C", |boxes| boxes.slice(av1.record()));
            }
            VideoConfig::Vp9(vp9) => {
                boxes.full(b"vpcC", 1, 0, |boxes| boxes.slice(&vp9.file_record()));
            }
        }
        pixel_aspect(boxes, config);
        colour(boxes, config);
    });
}

fn visual_header(boxes: &mut Boxes, config: &VideoConfig) {
    boxes.zeros(6);
    boxes.u16(1); // data reference
    boxes.zeros(16);
    // Parameter sets with larger pictures are rejected by the parser.
    boxes.u16(u16::try_from(config.width()).unwrap_or(u16::MAX));
    boxes.u16(u16::try_from(config.height()).unwrap_or(u16::MAX));
    boxes.u32(0x0048_0000); // 72 dots per inch across
    boxes.u32(0x0048_0000); // and down
    boxes.zeros(4);
    boxes.u16(1); // frames per sample
    boxes.zeros(32); // compressor name
    boxes.u16(0x18); // colour without alpha
    boxes.u16(0xffff); // pre_defined = -1
}

fn pixel_aspect(boxes: &mut Boxes, config: &VideoConfig) {
    let (across, down) = config.sample_aspect();
    if across != down {
        boxes.plain(b"pasp", |boxes| {
            boxes.u32(across.into());
            boxes.u32(down.into());
        });
    }
}

fn colour(boxes: &mut Boxes, config: &VideoConfig) {
    if let Some(colour) = config.colour() {
        boxes.plain(b"colr", |boxes| {
            boxes.slice(b"nclx");
            boxes.u16(colour.primaries.into());
            boxes.u16(colour.transfer.into());
            boxes.u16(colour.matrix.into());
            boxes.u8(u8::from(colour.is_full_range) << 7);
        });
    }
}

pub(super) fn audio(boxes: &mut Boxes, config: &AudioConfig) {
    const MPEG4_AUDIO: u8 = 0x40;
    match config {
        AudioConfig::Aac(aac) => {
            let specific = descriptor(tag::DECODER_SPECIFIC, aac.record());
            mpeg(boxes, config, MPEG4_AUDIO, specific);
        }
        AudioConfig::Mp3(mp3) => mpeg(boxes, config, mp3.object_type(), Vec::new()),
        AudioConfig::Opus(opus) => boxes.plain(b"Opus", |boxes| {
            sound_header(boxes, config, 16);
            boxes.plain(b"dOps", |boxes| boxes.slice(opus.file_record()));
        }),
        AudioConfig::Flac(flac) => boxes.plain(b"fLaC", |boxes| {
            sound_header(boxes, config, flac.depth().into());
            boxes.full(b"dfLa", 0, 0, |boxes| boxes.slice(&flac.file_record()));
        }),
    }
}

fn sound_header(boxes: &mut Boxes, config: &AudioConfig, bits_per_sample: u16) {
    boxes.zeros(6);
    boxes.u16(1); // data reference
    boxes.zeros(8);
    boxes.u16(config.channels());
    boxes.u16(bits_per_sample);
    boxes.zeros(4);
    boxes.u16(listed_rate(config));
    boxes.u16(0);
}

/// 16.16 fixed point cannot hold more than 65,535 Hz; above that, the decoder's own configuration has the rate.
fn listed_rate(config: &AudioConfig) -> u16 {
    let mut rate = config.sample_rate();
    // "Encapsulation of FLAC in ISO Base Media File Format" 3.3.1 requires a regular division, such as 48 kHz for 192.
    while matches!(config, AudioConfig::Flac(_)) && rate > u32::from(u16::MAX) {
        rate /= 2;
    }
    u16::try_from(rate).unwrap_or(0)
}

/// The sample entry of codecs with an MPEG-4 systems object type.
fn mpeg(boxes: &mut Boxes, config: &AudioConfig, object_type: u8, specific: Vec<u8>) {
    boxes.plain(b"mp4a", |boxes| {
        sound_header(boxes, config, 16);
        boxes.full(b"esds", 0, 0, |boxes| {
            boxes.slice(&stream_descriptor(object_type, specific));
        });
    });
}

fn stream_descriptor(object_type: u8, specific: Vec<u8>) -> Vec<u8> {
    // An audio stream, and a reserved bit that is always set.
    const AUDIO_STREAM: u8 = 0x15;
    const MP4_SYNC_LAYER: u8 = 2;
    let mut decoder = vec![object_type, AUDIO_STREAM];
    decoder.extend([0; 3]); // buffer size
    decoder.extend([0; 8]); // maximum and average bit rate, unknown
    decoder.extend(specific);
    let mut stream = vec![0, 0, 0]; // stream id and priority
    stream.extend(descriptor(tag::DECODER, &decoder));
    stream.extend(descriptor(tag::SYNC_LAYER, &[MP4_SYNC_LAYER]));
    descriptor(tag::STREAM, &stream)
}

/// A tag, a length of as many bytes as it needs, and a body.
fn descriptor(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = body.len();
    for shift in [21, 14, 7] {
        if length >> shift > 0 {
            out.push(0x80 | seven_bits(length >> shift));
        }
    }
    out.push(seven_bits(length));
    out.extend_from_slice(body);
    out
}

fn seven_bits(value: usize) -> u8 {
    u8::try_from(value & 0x7f).unwrap_or(0)
}
