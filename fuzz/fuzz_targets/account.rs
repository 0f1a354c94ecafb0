//! A typed account and the documents behind it never lead a browser or a request where they must not.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| federation::lookup::fuzzing::names_hold(input));
