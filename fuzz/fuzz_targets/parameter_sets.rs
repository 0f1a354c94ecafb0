//! Codec headers and units that are accepted keep their promises: sizes within caps, output bounded by input.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| media_formats::codec::fuzz::parameter_sets(input));
