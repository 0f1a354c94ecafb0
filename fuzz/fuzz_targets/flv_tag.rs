//! No part of an FLV tag is larger than the tag.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| media_formats::fuzzing::flv_tag(input));
