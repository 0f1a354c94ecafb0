use proptest::prelude::*;

use super::*;

fn nested(depth: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..depth {
        bytes.extend(b"\x0a\0\0\0\x01");
    }
    bytes.push(5);
    bytes
}

#[test]
fn reads_every_kind_of_value() {
    let cases: [(&[u8], Amf0Value); 12] = [
        (b"\0\x3f\xf0\0\0\0\0\0\0", Amf0Value::Number(1.0)),
        (b"\x01\x02", Amf0Value::Boolean(true)),
        (b"\x02\0\x02hi", Amf0Value::from("hi")),
        (b"\x0c\0\0\0\x02hi", Amf0Value::from("hi")),
        (b"\x0f\0\0\0\x02hi", Amf0Value::from("hi")),
        (b"\x05", Amf0Value::Null),
        (b"\x06", Amf0Value::Undefined),
        (b"\x0d", Amf0Value::Undefined),
        (b"\x0b\0\0\0\0\0\0\0\0\0\0", Amf0Value::Date(0.0)),
        (
            b"\x03\0\x01a\x05\0\0\x09",
            Amf0Value::Object(vec![("a".to_owned(), Amf0Value::Null)]),
        ),
        (
            b"\x10\0\x01T\0\x01a\x05\0\0\x09",
            Amf0Value::Object(vec![("a".to_owned(), Amf0Value::Null)]),
        ),
        (
            b"\x08\xff\xff\xff\xff\0\x01a\x05\0\0\x09",
            Amf0Value::EcmaArray(vec![("a".to_owned(), Amf0Value::Null)]),
        ),
    ];
    for (bytes, value) in cases {
        assert_eq!(decode_all(bytes).unwrap(), [value], "{bytes:x?}");
    }
}

#[test]
fn takes_an_object_whose_end_mark_is_missing_at_the_end_of_the_message() {
    let expected = Amf0Value::EcmaArray(vec![("a".to_owned(), Amf0Value::Null)]);
    assert_eq!(
        decode_all(b"\x08\0\0\0\x01\0\x01a\x05").unwrap(),
        [expected]
    );
}

#[test]
fn replaces_what_is_not_text() {
    assert_eq!(
        decode_all(b"\x02\0\x02a\xff").unwrap(),
        [Amf0Value::from("a\u{fffd}")]
    );
}

#[test]
fn refuses_values_nested_beyond_the_limit() {
    assert!(decode_all(&nested(MAX_DEPTH - 1)).is_ok());
    assert_eq!(decode_all(&nested(MAX_DEPTH)), Err(Amf0Error::TooDeep));
    assert_eq!(decode_all(&nested(100_000)), Err(Amf0Error::TooDeep));
}

#[test]
fn refuses_a_string_beyond_the_limit_before_looking_for_its_bytes() {
    let mut longest = b"\x0c\0\0\x10\0".to_vec();
    longest.extend([b'x'; MAX_STRING_BYTES]);
    assert!(decode_all(&longest).is_ok());
    let error = decode_all(b"\x0c\xff\xff\xff\xff");
    assert_eq!(error, Err(Amf0Error::StringTooLong));
}

#[test]
fn an_array_that_announces_four_billion_values_costs_nothing() {
    assert_eq!(
        decode_all(b"\x0a\xff\xff\xff\xff"),
        Err(Amf0Error::Truncated)
    );
    let mut flood = b"\x0a\xff\xff\xff\xff".to_vec();
    flood.extend(vec![5; 16 * 1024]);
    assert_eq!(decode_all(&flood), Err(Amf0Error::TooManyValues));
}

#[test]
fn refuses_amf3_and_references() {
    assert_eq!(decode_all(b"\x11\x0a\x0b"), Err(Amf0Error::Amf3));
    assert_eq!(decode_all(b"\x07\0\0"), Err(Amf0Error::BadMarker(7)));
    assert_eq!(decode_all(b"\x09"), Err(Amf0Error::BadMarker(9)));
}

#[test]
fn says_where_a_value_is_cut_short() {
    for bytes in [
        &b"\0\x3f"[..],
        b"\x01",
        b"\x02\0\x05hi",
        b"\x03\0\x05a",
        b"\x0b\0\0",
    ] {
        assert_eq!(decode_all(bytes), Err(Amf0Error::Truncated), "{bytes:x?}");
    }
}

fn values() -> impl Strategy<Value = Amf0Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(|number| Amf0Value::Number(f64::from(number))),
        any::<bool>().prop_map(Amf0Value::Boolean),
        "\\PC{0,20}".prop_map(Amf0Value::String),
        Just(Amf0Value::Null),
        Just(Amf0Value::Undefined),
        (0..1_000_000i32).prop_map(|date| Amf0Value::Date(f64::from(date))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let pairs = prop::collection::vec(("[a-z]{1,8}", inner.clone()), 0..4);
        prop_oneof![
            pairs.clone().prop_map(Amf0Value::Object),
            pairs.prop_map(Amf0Value::EcmaArray),
            prop::collection::vec(inner, 0..4).prop_map(Amf0Value::StrictArray),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(values in prop::collection::vec(values(), 0..5)) {
        prop_assert_eq!(decode_all(&encode(&values)).unwrap(), values);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _verdict = decode_all(&bytes);
    }
}
