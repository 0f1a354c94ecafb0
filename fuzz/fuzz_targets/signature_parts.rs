//! Dates, digests, dictionaries and keys are read within their bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| federation::signature::fuzzing::parts_of_signatures_hold(input));
