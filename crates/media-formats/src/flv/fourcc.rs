//! The common parts of Enhanced RTMP audio and video headers: modifiers, multiple tracks, the FourCC.

use bytes::{Buf, Bytes};

use super::FlvError;

/// A packet after its enhanced header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// The number in the header; its meaning differs between audio and video.
    pub(super) kind: u8,
    pub(super) codec: [u8; 4],
    pub(super) body: Bytes,
}

/// The packet type numbers of audio and video for packets that wrap another one.
#[derive(Clone, Copy)]
pub(super) struct Wrappers {
    pub(super) multitrack: u8,
    pub(super) modifiers: u8,
}

/// Parses what follows the first byte. `None` if the packet belongs only to further tracks.
pub(super) fn packet(
    mut kind: u8,
    mut body: Bytes,
    wrappers: Wrappers,
) -> Result<Option<Packet>, FlvError> {
    while kind == wrappers.modifiers {
        kind = skip_modifier(&mut body)?;
    }
    if kind == wrappers.multitrack {
        let mut tracks = PacketTracks::open(body)?;
        while let Some((track, packet)) = tracks.next()? {
            if track == 0 {
                return Ok(Some(packet));
            }
        }
        return Ok(None);
    }
    let codec = take_codec(&mut body)?;
    Ok(Some(Packet { kind, codec, body }))
}

/// The further tracks of a packet, as far as it can be parsed.
pub(super) fn further(mut kind: u8, mut body: Bytes, wrappers: Wrappers) -> FurtherTracks {
    let mut found = FurtherTracks::default();
    while kind == wrappers.modifiers {
        match skip_modifier(&mut body) {
            Ok(modified) => kind = modified,
            Err(_) => return found,
        }
    }
    if kind == wrappers.multitrack
        && let Ok(mut tracks) = PacketTracks::open(body)
    {
        while let Ok(Some((track, _))) = tracks.next() {
            found.insert(track);
        }
    }
    found
}

/// The set of tracks besides the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FurtherTracks([u128; 2]);

impl FurtherTracks {
    fn insert(&mut self, track: u8) {
        if track > 0 {
            self.0[usize::from(track >> 7)] |= 1 << (track & 0x7f);
        }
    }

    /// The union of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// The number of tracks.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }
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

/// The tracks of a packet with one or several tracks.
struct PacketTracks {
    layout: u8,
    kind: u8,
    codec: [u8; 4],
    body: Bytes,
}

impl PacketTracks {
    const ONE_TRACK: u8 = 0;
    const MANY_CODECS: u8 = 2;

    fn open(mut body: Bytes) -> Result<Self, FlvError> {
        let head = take_u8(&mut body)?;
        let (layout, kind) = (head >> 4, head & 0x0f);
        let mut codec = [0; 4];
        if layout != Self::MANY_CODECS {
            codec = take_codec(&mut body)?;
        }
        Ok(Self {
            layout,
            kind,
            codec,
            body,
        })
    }

    /// The next track: its number and its packet.
    fn next(&mut self) -> Result<Option<(u8, Packet)>, FlvError> {
        if self.body.is_empty() {
            return Ok(None);
        }
        if self.layout == Self::MANY_CODECS {
            self.codec = take_codec(&mut self.body)?;
        }
        let track = take_u8(&mut self.body)?;
        let size = if self.layout == Self::ONE_TRACK {
            self.body.len()
        } else {
            take_u24(&mut self.body)?
        };
        if self.body.len() < size {
            return Err(SHORT);
        }
        let packet = Packet {
            kind: self.kind,
            codec: self.codec,
            body: self.body.split_to(size),
        };
        Ok(Some((track, packet)))
    }
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

/// The name of a FourCC that a publisher knows.
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
