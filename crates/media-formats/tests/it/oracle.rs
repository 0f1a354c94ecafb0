//! Compares with another implementation, in both directions.

use bytes::{Bytes, BytesMut};
use media_formats::rtmp::wire::amf0::{self, Amf0Value};
use media_formats::rtmp::wire::chunk::{ChunkDecoder, ChunkEncoder};
use media_formats::rtmp::wire::limits::PUBLISHER;
use media_formats::rtmp::wire::message::{MessageType, RtmpMessage};
use proptest::prelude::*;
use rtmp_rs::amf::AmfValue;
use rtmp_rs::protocol::chunk::RtmpChunk;

fn read_theirs(bytes: &mut BytesMut, chunk_size: u32) -> Vec<RtmpChunk> {
    let mut decoder = rtmp_rs::protocol::ChunkDecoder::new();
    decoder.set_chunk_size(chunk_size);
    let mut found = Vec::new();
    loop {
        let before = bytes.len();
        found.extend(decoder.decode(bytes).unwrap());
        if bytes.len() == before {
            return found;
        }
    }
}

/// Time steps, chunk streams and payloads; times stay below the three-byte limit, where the other implementation
/// follows the specification, and begin so late that no step equals the first time.
fn media() -> impl Strategy<Value = Vec<(u32, u8, u32, Vec<u8>)>> {
    let payload = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..6),
        prop::collection::vec(any::<u8>(), 100..400),
        Just(vec![7; 20]),
    ];
    let step = prop_oneof![Just(23u32), 0..5_000u32];
    prop::collection::vec((2..400u32, 8..=9u8, step, payload), 1..30).prop_map(|media| {
        // Few chunk streams, of all three header sizes.
        let id = |id: u32| [3, 4, 6, 63, 64, 319, 320, 390][id as usize % 8];
        media
            .into_iter()
            .map(|(stream, kind, step, payload)| (id(stream), kind, step, payload))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn we_read_what_they_write(media in media(), chunk_size in 1..300u32) {
        let mut encoder = rtmp_rs::protocol::ChunkEncoder::new();
        let mut bytes = BytesMut::new();
        let mut sent = Vec::new();
        let size = RtmpMessage::control(MessageType::SET_CHUNK_SIZE, chunk_size);
        ChunkEncoder::default().encode(2, &size, &mut bytes);
        encoder.set_chunk_size(chunk_size);
        let mut time = 1_000_000;
        for (csid, kind, step, payload) in media {
            time += step;
            let payload = Bytes::from(payload);
            let chunk = RtmpChunk {
                csid,
                timestamp: time,
                message_type: kind,
                stream_id: 1,
                payload: payload.clone(),
            };
            encoder.encode(&chunk, &mut bytes);
            sent.push(RtmpMessage { kind: MessageType(kind), timestamp: time, stream: 1, payload });
        }
        let mut decoder = ChunkDecoder::new(PUBLISHER);
        let mut found = Vec::new();
        while let Some(message) = decoder.decode(&mut bytes).unwrap() {
            found.push(message);
        }
        prop_assert_eq!(found, sent);
    }

    #[test]
    fn they_read_what_we_write(
        messages in prop::collection::vec((2..=63u8, any::<u32>(), prop::collection::vec(any::<u8>(), 1..500)), 1..10),
        chunk_size in 128..5_000u32,
    ) {
        let mut encoder = ChunkEncoder::default();
        let mut bytes = BytesMut::new();
        let size = RtmpMessage::control(MessageType::SET_CHUNK_SIZE, chunk_size);
        encoder.encode(2, &size, &mut bytes);
        let header = bytes.split_to(bytes.len());
        prop_assert_eq!(header.len(), 16);
        for (id, timestamp, payload) in &messages {
            let payload = Bytes::copy_from_slice(payload);
            let message = RtmpMessage { kind: MessageType::VIDEO, timestamp: *timestamp, stream: 1, payload };
            encoder.encode(*id, &message, &mut bytes);
        }
        let found = read_theirs(&mut bytes, chunk_size);
        let found: Vec<_> = found
            .into_iter()
            .map(|chunk| (chunk.csid as u8, chunk.timestamp, chunk.payload.to_vec()))
            .collect();
        prop_assert_eq!(found, messages);
    }

    #[test]
    fn both_read_the_same_values(text in "\\PC{0,40}", number in any::<i32>(), flag in any::<bool>()) {
        let ours = [Amf0Value::from(text.as_str()), Amf0Value::Number(f64::from(number)), Amf0Value::Boolean(flag), Amf0Value::Null];
        let theirs = [AmfValue::String(text), AmfValue::Number(f64::from(number)), AmfValue::Boolean(flag), AmfValue::Null];
        prop_assert_eq!(&rtmp_rs::amf::amf0::decode_all(&amf0::encode(&ours)).unwrap(), &theirs);
        prop_assert_eq!(&amf0::decode_all(&rtmp_rs::amf::amf0::encode_all(&theirs)).unwrap(), &ours);
    }
}
