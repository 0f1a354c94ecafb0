//! No request is accepted that was never signed, whatever its headers say.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| federation::signature::fuzzing::signed_requests_hold(input));
