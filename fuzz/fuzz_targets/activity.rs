//! Whatever comes to the inbox is refused, or read within its bounds and without anything that runs.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| federation::wire::fuzzing::activity_holds(input));
