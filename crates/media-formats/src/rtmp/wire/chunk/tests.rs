use proptest::prelude::*;

use super::*;
use crate::rtmp::wire::limits::{PUBLISHER, STRANGER};

/// A header with all fields.
fn full(id: u8, time: u32, length: usize, kind: u8, stream: u32) -> Vec<u8> {
    let mut bytes = vec![id];
    bytes.extend(&time.min(0x00ff_ffff).to_be_bytes()[1..]);
    bytes.extend(&(length as u32).to_be_bytes()[1..]);
    bytes.push(kind);
    bytes.extend(stream.to_le_bytes());
    if time >= 0x00ff_ffff {
        bytes.extend(time.to_be_bytes());
    }
    bytes
}

fn decode(decoder: &mut ChunkDecoder, bytes: &[u8]) -> Result<Vec<RtmpMessage>, ProtocolError> {
    let mut input = BytesMut::from(bytes);
    let mut messages = Vec::new();
    while let Some(message) = decoder.decode(&mut input)? {
        messages.push(message);
    }
    Ok(messages)
}

fn decode_all(bytes: &[u8]) -> Result<Vec<RtmpMessage>, ProtocolError> {
    decode(&mut ChunkDecoder::new(PUBLISHER), bytes)
}

fn times(bytes: &[u8]) -> Vec<u32> {
    let messages = decode_all(bytes).unwrap();
    messages.iter().map(|message| message.timestamp).collect()
}

#[test]
fn puts_interleaved_messages_together() {
    let mut bytes = full(6, 40, 200, 9, 1);
    bytes.extend([b'v'; 128]);
    bytes.extend(full(4, 23, 3, 8, 1));
    bytes.extend(b"aac");
    bytes.push(0xc6);
    bytes.extend([b'v'; 72]);
    let messages = decode_all(&bytes).unwrap();
    assert_eq!(messages[0].payload, "aac");
    assert_eq!(
        (messages[0].kind, messages[0].timestamp),
        (MessageType::AUDIO, 23)
    );
    assert_eq!(messages[1].payload, vec![b'v'; 200]);
    assert_eq!(
        (messages[1].kind, messages[1].stream),
        (MessageType::VIDEO, 1)
    );
}

#[test]
fn adds_the_deltas_of_short_headers() {
    let mut bytes = full(4, 1_000, 1, 8, 1);
    bytes.extend(b"a\x44\0\0\x17\0\0\x01\x08b");
    bytes.extend(b"\x84\0\0\x18c");
    assert_eq!(times(&bytes), [1_000, 1_023, 1_047]);
}

/// A silent microphone sends frames of equal size; a parser that forgets the delta ran at two thirds of the
/// speed.
#[test]
fn a_header_without_fields_that_begins_a_message_applies_the_delta_again() {
    let mut bytes = full(4, 0, 1, 8, 1);
    bytes.extend(b"a\x84\0\0\x17b\xc4c\xc4d");
    assert_eq!(times(&bytes), [0, 23, 46, 69]);
}

#[test]
fn a_header_without_fields_after_an_absolute_time_keeps_the_time() {
    let mut bytes = full(4, 5_000, 1, 8, 1);
    bytes.extend(b"a\xc4b\xc4c");
    assert_eq!(times(&bytes), [5_000, 5_000, 5_000]);
}

#[test]
fn times_of_four_bytes_are_read_whether_or_not_they_are_repeated() {
    let time = 0x0123_4567;
    for is_repeated in [true, false] {
        let mut bytes = full(6, time, 300, 9, 1);
        for (index, piece) in [7; 300].chunks(128).enumerate() {
            if index > 0 {
                bytes.push(0xc6);
                if is_repeated {
                    bytes.extend(time.to_be_bytes());
                }
            }
            bytes.extend(piece);
        }
        bytes.extend(full(6, time + 33, 1, 9, 1));
        bytes.push(b'x');
        let messages = decode_all(&bytes).unwrap();
        assert_eq!(messages[0].payload, vec![7; 300], "{is_repeated}");
        assert_eq!(messages[1].timestamp, time + 33);
    }
}

#[test]
fn a_delta_of_four_bytes_is_repeated_and_applied_again() {
    let mut bytes = full(4, 10, 1, 8, 1);
    bytes.extend(b"a\x84\xff\xff\xff\x01\0\0\0b");
    bytes.extend(b"\xc4\x01\0\0\0c");
    assert_eq!(times(&bytes), [10, 0x0100_000a, 0x0200_000a]);
}

#[test]
fn time_wraps_after_49_days() {
    let mut bytes = full(4, u32::MAX - 5, 1, 8, 1);
    bytes.extend(b"a\x84\0\0\x17b");
    assert_eq!(times(&bytes), [u32::MAX - 5, 17]);
}

#[test]
fn a_chunk_size_of_two_billion_costs_nothing_and_works() {
    let mut bytes = full(2, 0, 4, 1, 0);
    bytes.extend(b"\x7f\xff\xff\xff");
    bytes.extend(full(6, 0, 2_000_000, 9, 1));
    let mut decoder = ChunkDecoder::new(PUBLISHER);
    assert!(decode(&mut decoder, &bytes).unwrap().is_empty());
    assert_eq!(decoder.unfinished_bytes(), 0);
    let messages = decode(&mut decoder, &vec![1; 2_000_000]).unwrap();
    assert_eq!(messages[0].payload.len(), 2_000_000);
}

#[test]
fn a_chunk_size_of_zero_or_32_bits_is_refused() {
    for size in [0, 0x8000_0000, u32::MAX] {
        let mut bytes = full(2, 0, 4, 1, 0);
        bytes.extend(size.to_be_bytes());
        assert_eq!(decode_all(&bytes), Err(ProtocolError::BadChunkSize(size)));
    }
}

/// Another server reserved 30 GB for 2,000 chunk streams that each announced 15 MB.
#[test]
fn announced_lengths_reserve_nothing() {
    let mut decoder = ChunkDecoder::new(PUBLISHER);
    for id in 2..18 {
        let mut bytes = full(id, 0, PUBLISHER.message_bytes, 9, 1);
        bytes.extend([0; 128]);
        decode(&mut decoder, &bytes).unwrap();
    }
    assert!(decoder.unfinished_bytes() <= 16 * FIRST_RESERVE_BYTES);
    let error = decode(&mut decoder, &full(18, 0, 1, 9, 1));
    assert_eq!(error, Err(ProtocolError::TooManyChunkStreams(16)));
}

#[test]
fn unfinished_messages_stay_below_the_memory_limit() {
    let mut decoder = ChunkDecoder::new(PUBLISHER);
    let mut announced = full(2, 0, 4, 1, 0);
    announced.extend(b"\x00\x10\x00\x00");
    decode(&mut decoder, &announced).unwrap();
    let mut outcome = Ok(Vec::new());
    for id in 3..10 {
        let mut bytes = full(id, 0, PUBLISHER.message_bytes, 9, 1);
        for _ in 0..7 {
            bytes.extend(vec![0; 1 << 20]);
            bytes.push(0xc0 | id);
        }
        bytes.pop();
        outcome = decode(&mut decoder, &bytes);
        if outcome.is_err() {
            break;
        }
    }
    let limit = PUBLISHER.unfinished_bytes;
    assert_eq!(outcome, Err(ProtocolError::TooMuchUnfinished(limit)));
}

#[test]
fn a_message_beyond_the_limit_of_its_phase_is_refused_by_its_header() {
    for limits in [STRANGER, PUBLISHER] {
        let (limit, length) = (limits.message_bytes, limits.message_bytes + 1);
        let mut decoder = ChunkDecoder::new(limits);
        assert!(decode(&mut decoder, &full(3, 0, limit, 20, 0)).is_ok());
        let mut decoder = ChunkDecoder::new(limits);
        let error = decode(&mut decoder, &full(3, 0, length, 20, 0));
        assert_eq!(error, Err(ProtocolError::MessageTooLong { length, limit }));
    }
}

#[test]
fn a_stranger_gets_eight_chunk_streams() {
    let mut decoder = ChunkDecoder::new(STRANGER);
    for id in 2..10 {
        assert!(decode(&mut decoder, &full(id, 0, 0, 9, 1)).is_ok());
    }
    let error = decode(&mut decoder, &full(10, 0, 0, 9, 1));
    assert_eq!(error, Err(ProtocolError::TooManyChunkStreams(8)));
}

#[test]
fn a_short_header_on_an_unknown_chunk_stream_is_refused() {
    for first in [0x85, 0xc5] {
        let error = decode_all(&[first, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(error, Err(ProtocolError::UnknownChunkStream(5)));
    }
    let messages = decode_all(b"\x42\0\0\0\0\0\x06\x04\0\x06\0\0\0\x07").unwrap();
    assert_eq!(messages[0].kind, MessageType::USER_CONTROL);
}

#[test]
fn an_abort_drops_the_unfinished_message() {
    let mut decoder = ChunkDecoder::new(PUBLISHER);
    let mut bytes = full(6, 0, 200, 9, 1);
    bytes.extend([0; 128]);
    bytes.extend(full(2, 0, 4, 2, 0));
    bytes.extend(6u32.to_be_bytes());
    assert!(decode(&mut decoder, &bytes).unwrap().is_empty());
    assert_eq!(decoder.unfinished_bytes(), 0);
    let mut next = full(6, 9, 1, 9, 1);
    next.push(b'x');
    assert_eq!(decode(&mut decoder, &next).unwrap()[0].payload, "x");
}

#[test]
fn a_full_header_inside_a_message_begins_a_new_one() {
    let mut bytes = full(6, 0, 200, 9, 1);
    bytes.extend([0; 128]);
    bytes.extend(full(6, 9, 1, 9, 1));
    bytes.push(b'x');
    let mut decoder = ChunkDecoder::new(PUBLISHER);
    let messages = decode(&mut decoder, &bytes).unwrap();
    assert_eq!(messages.len(), 1);
    assert_eq!(decoder.unfinished_bytes(), 0);
}

#[test]
fn empty_messages_are_messages() {
    assert_eq!(
        times(&[full(4, 1, 0, 8, 1), vec![0xc4, 0xc4]].concat()).len(),
        3
    );
}

/// One-byte chunks made another server spend its time on headers.
#[test]
fn one_byte_chunks_are_refused_before_they_cost_much() {
    let mut bytes = full(2, 0, 4, 1, 0);
    bytes.extend(1u32.to_be_bytes());
    bytes.extend(full(6, 0, 1_000_000, 9, 1));
    bytes.push(0);
    bytes.extend([0xc6, 0].repeat(999_999));
    assert_eq!(decode_all(&bytes), Err(ProtocolError::TooManyHeaders));
}

#[test]
fn a_large_message_in_one_piece_is_not_copied() {
    let mut bytes = full(2, 0, 4, 1, 0);
    bytes.extend(65_536u32.to_be_bytes());
    bytes.extend(full(6, 0, MIN_SLICE_BYTES, 9, 1));
    let payload_at = bytes.len();
    bytes.extend(vec![1; MIN_SLICE_BYTES]);
    let mut input = BytesMut::from(&bytes[..]);
    let expected = input[payload_at..].as_ptr();
    let message = ChunkDecoder::new(PUBLISHER).decode(&mut input).unwrap();
    assert_eq!(message.unwrap().payload.as_ptr(), expected);
}

fn messages() -> impl Strategy<Value = Vec<(u8, RtmpMessage)>> {
    let payload = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        prop::collection::vec(any::<u8>(), 100..600),
        (16_000..70_000usize).prop_map(|length| vec![7; length]),
    ];
    // Kinds 1 and 2 speak about the chunks themselves.
    let message = (any::<u32>(), 3..=22u8, any::<u32>(), payload).prop_map(
        |(timestamp, kind, stream, payload)| RtmpMessage {
            kind: MessageType(kind),
            timestamp,
            stream,
            payload: payload.into(),
        },
    );
    prop::collection::vec((2..=12u8, message), 1..8)
}

fn encoded(messages: &[(u8, RtmpMessage)], chunk_size: Option<u32>) -> BytesMut {
    let mut encoder = ChunkEncoder::default();
    let mut bytes = BytesMut::new();
    if let Some(size) = chunk_size {
        encoder.encode(
            2,
            &RtmpMessage::control(MessageType::SET_CHUNK_SIZE, size),
            &mut bytes,
        );
    }
    for (id, message) in messages {
        encoder.encode(*id, message, &mut bytes);
    }
    bytes
}

/// Feeds `bytes` in pieces of the given lengths, repeated.
fn decode_in_pieces(bytes: &[u8], pieces: &[usize]) -> Result<Vec<RtmpMessage>, ProtocolError> {
    let mut decoder = ChunkDecoder::new(PUBLISHER);
    let (mut input, mut found, mut rest) = (BytesMut::new(), Vec::new(), bytes);
    for length in pieces.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, behind) = rest.split_at((*length).min(rest.len()));
        rest = behind;
        input.extend_from_slice(piece);
        while let Some(message) = decoder.decode(&mut input)? {
            found.push(message);
        }
        assert!(decoder.unfinished_bytes() <= PUBLISHER.unfinished_bytes);
    }
    Ok(found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_splits_give_the_same_messages(
        messages in messages(),
        chunk_size in prop::option::of(64..70_000u32),
        pieces in prop::collection::vec(1..5_000usize, 1..20),
    ) {
        let bytes = encoded(&messages, chunk_size);
        let sent: Vec<RtmpMessage> = messages.into_iter().map(|(_, message)| message).collect();
        prop_assert_eq!(&decode_all(&bytes).unwrap(), &sent);
        prop_assert_eq!(&decode_in_pieces(&bytes, &pieces).unwrap(), &sent);
    }

    #[test]
    fn any_bytes_end_within_the_memory_limit(
        bytes in prop::collection::vec(any::<u8>(), 0..4_000),
        pieces in prop::collection::vec(1..700usize, 1..6),
    ) {
        let whole = decode_all(&bytes);
        let in_pieces = decode_in_pieces(&bytes, &pieces);
        prop_assert_eq!(whole, in_pieces);
    }
}
