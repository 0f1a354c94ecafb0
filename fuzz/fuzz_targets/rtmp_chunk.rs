//! Chunks are read the same however they are cut, within the memory limit, and can be written again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| media_formats::fuzzing::chunk(input));
