//! Of a chunk and its index, whatever is left of them, no more is told than is there.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| archive::fuzzing::salvage_holds(input));
