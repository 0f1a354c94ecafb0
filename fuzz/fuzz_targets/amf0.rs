//! AMF0 values stay within their limits and survive the round trip.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| media_formats::fuzzing::amf0(input));
