//! What the Enhanced RTMP headers of audio and video have in common: modifiers, several tracks, the FourCC.

use bytes::{Buf, Bytes};

use super::FlvError;

/// A packet behind its enhanced header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// Meaning differs between audio and video; the numbers are those of the header.
    pub(super) kind: u8,
    pub(super) codec: [u8; 4],
    pub(super) body: Bytes,
}

/// The numbers that audio and video give to the kinds of packet that wrap another one.
#[derive(Clone, Copy)]
pub(super) struct Wrappers {
    pub(super) multitrack: u8,
    pub(super) modifiers: u8,
}

/// Reads what follows the first byte. `None` when the packet belongs to other tracks than the first.
pub(super) fn packet(
    mut kind: u8,
    mut body: Bytes,
    wrappers: Wrappers,
) -> Result<Option<Packet>, FlvError> {
    while kind == wrappers.modifiers {
        kind = skip_modifier(&mut body)?;
    }
    if kind == wrappers.multitrack {
        return first_track(body);
    }
    let codec = take_codec(&mut body)?;
    Ok(Some(Packet { kind, codec, body }))
}

/// Skips one modifier (such as a nanosecond offset) and returns the kind of what it modifies.
fn skip_modifier(body: &mut Bytes) -> Result<u8, FlvError> {
    let mut size = usize::from(take_u8(body)?) + 1;
    if size == 256 {
        size = usize::from(take_u8(body)?) * 256 + usize::from(take_u8(body)?) + 1;
    }
    if body.len() < size {
        return Err(SHORT);
    }
    body.advance(size);
    Ok(take_u8(body)? & 0x0f)
}

/// Finds track 0 in a packet of one or several tracks.
fn first_track(mut body: Bytes) -> Result<Option<Packet>, FlvError> {
    const ONE_TRACK: u8 = 0;
    const MANY_CODECS: u8 = 2;
    let head = take_u8(&mut body)?;
    let (layout, kind) = (head >> 4, head & 0x0f);
    let mut codec = [0; 4];
    if layout != MANY_CODECS {
        codec = take_codec(&mut body)?;
    }
    while !body.is_empty() {
        if layout == MANY_CODECS {
            codec = take_codec(&mut body)?;
        }
        let track = take_u8(&mut body)?;
        let size = if layout == ONE_TRACK {
            body.len()
        } else {
            take_u24(&mut body)?
        };
        if body.len() < size {
            return Err(SHORT);
        }
        let of_track = body.split_to(size);
        if track == 0 {
            return Ok(Some(Packet {
                kind,
                codec,
                body: of_track,
            }));
        }
    }
    Ok(None)
}

const SHORT: FlvError = FlvError::Truncated("enhanced header");

fn take_u8(body: &mut Bytes) -> Result<u8, FlvError> {
    body.try_get_u8().map_err(|_| SHORT)
}

fn take_u24(body: &mut Bytes) -> Result<usize, FlvError> {
    let high = usize::from(take_u8(body)?);
    let low = usize::from(body.try_get_u16().map_err(|_| SHORT)?);
    Ok(high << 16 | low)
}

fn take_codec(body: &mut Bytes) -> Result<[u8; 4], FlvError> {
    let code = body.try_get_u32().map_err(|_| SHORT)?;
    Ok(code.to_be_bytes())
}

/// A FourCC in words a broadcaster knows.
pub(super) fn name(codec: [u8; 4]) -> String {
    match &codec {
        b"avc1" => "H.264".to_owned(),
        b"hvc1" => "HEVC (H.265)".to_owned(),
        b"vvc1" => "VVC (H.266)".to_owned(),
        b"av01" => "AV1".to_owned(),
        b"vp08" => "VP8".to_owned(),
        b"vp09" => "VP9".to_owned(),
        b"Opus" => "Opus".to_owned(),
        b"fLaC" => "FLAC".to_owned(),
        b"ac-3" => "AC-3".to_owned(),
        b"ec-3" => "E-AC-3".to_owned(),
        b".mp3" => "MP3".to_owned(),
        b"mp4a" => "AAC".to_owned(),
        other => format!("codec \"{}\"", other.escape_ascii()),
    }
}
