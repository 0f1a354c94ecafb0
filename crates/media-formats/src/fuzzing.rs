//! The bodies of the fuzz targets, shared with the replay tests on stable.
//!
//! Each function parses arbitrary bytes and panics if a promise of the parser does not hold.

use bytes::{Bytes, BytesMut};

use crate::flv::{self, AudioTag, FileReader, PipeReader, VideoTag};
use crate::rtmp::session::{RtmpSession, SessionEvent};
use crate::rtmp::wire::ProtocolError;
use crate::rtmp::wire::amf0::{self, Amf0Error};
use crate::rtmp::wire::chunk::{ChunkDecoder, ChunkEncoder};
use crate::rtmp::wire::limits::PUBLISHER;
use crate::rtmp::wire::message::{MessageType, RtmpMessage};

/// Chunks: the same messages however the bytes are split, memory within the limit, and decoded messages can be encoded
/// and decoded again. The first byte selects the split.
///
/// # Panics
/// If one of these does not hold.
pub fn chunk(input: &[u8]) {
    let Some((seed, bytes)) = input.split_first() else {
        return;
    };
    let whole = decode(bytes, bytes.len().max(1));
    let in_pieces = decode(bytes, usize::from(*seed) + 1);
    assert_eq!(whole, in_pieces, "the cut matters");
    let (messages, _) = whole;
    // Only what a server's encoder writes: short ids, and no protocol control messages.
    let sent: Vec<RtmpMessage> = messages
        .into_iter()
        .filter(|message| {
            message.kind != MessageType::SET_CHUNK_SIZE && message.kind != MessageType::ABORT
        })
        .collect();
    let mut encoder = ChunkEncoder::default();
    let mut written = BytesMut::new();
    for message in &sent {
        encoder.encode(3, message, &mut written);
    }
    assert_eq!(decode(&written, written.len().max(1)), (sent, None));
    talk(bytes);
}

fn decode(bytes: &[u8], piece: usize) -> (Vec<RtmpMessage>, Option<ProtocolError>) {
    let mut decoder = ChunkDecoder::new(PUBLISHER);
    let mut input = BytesMut::new();
    let mut messages = Vec::new();
    for piece in bytes.chunks(piece) {
        input.extend_from_slice(piece);
        loop {
            match decoder.decode(&mut input) {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => return (messages, Some(error)),
            }
            assert!(decoder.unfinished_bytes() <= PUBLISHER.unfinished_bytes);
        }
    }
    (messages, None)
}

/// Treats the bytes as a client's input after the handshake; every publish request is granted.
fn talk(bytes: &[u8]) {
    let mut session = RtmpSession::default();
    let mut input = BytesMut::from(&[3][..]);
    input.resize(1 + 2 * 1536, 0);
    input.extend_from_slice(bytes);
    let mut media = 0;
    while let Ok(Some(event)) = session.receive(&mut input) {
        match event {
            SessionEvent::Publish(_) => session.accept_publish(),
            SessionEvent::Video { body, .. } | SessionEvent::Audio { body, .. } => {
                media += body.len()
            }
            SessionEvent::Metadata(_) | SessionEvent::Unpublish => {}
        }
    }
    assert!(media <= bytes.len(), "more media than bytes");
}

/// AMF0: decoded values are within the limits and can be encoded and decoded again.
///
/// # Panics
/// If they cannot.
pub fn amf0(input: &[u8]) {
    let Ok(values) = amf0::decode_all(input) else {
        return;
    };
    let written = amf0::encode(&values);
    match amf0::decode_all(&written) {
        // Compared as bytes, since NaN does not equal itself.
        Ok(again) => assert_eq!(amf0::encode(&again), written),
        // Invalid UTF-8 grows when it is replaced.
        Err(error) => assert_eq!(error, Amf0Error::StringTooLong),
    }
    assert!(values.len() <= amf0::MAX_VALUES);
}

/// FLV: no part is larger than the whole. The first byte selects the kind of tag.
///
/// # Panics
/// If a part is larger.
pub fn flv_tag(input: &[u8]) {
    let Some((choice, body)) = input.split_first() else {
        return;
    };
    let size = body.len();
    let bytes = Bytes::copy_from_slice(body);
    for further in [
        flv::further_video_tracks(&bytes),
        flv::further_audio_tracks(&bytes),
    ] {
        assert!(further.count() <= size as u32, "more tracks than bytes");
    }
    let taken = match choice % 5 {
        0 => match flv::video(bytes) {
            Ok(VideoTag::Config { record: part, .. } | VideoTag::Frame { data: part, .. }) => {
                part.len()
            }
            _ => 0,
        },
        1 => match flv::audio(bytes) {
            Ok(AudioTag::Config { record: part, .. } | AudioTag::Frame { data: part, .. }) => {
                part.len()
            }
            _ => 0,
        },
        2 => flv::metadata(body).map_or(0, |metadata| metadata.encoder.len() / 3),
        3 => FileReader::new(bytes).map_or(0, |tags| {
            tags.map(|tag| tag.map_or(0, |tag| tag.body.len())).sum()
        }),
        _ => {
            let (mut reader, mut input) = (PipeReader::default(), BytesMut::from(body));
            let mut taken = 0;
            while let Ok(Some(tag)) = reader.decode(&mut input) {
                taken += tag.body.len();
            }
            taken
        }
    };
    assert!(taken <= size, "{taken} of {size}");
}
