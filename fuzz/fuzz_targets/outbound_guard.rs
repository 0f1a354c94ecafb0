//! No URL or address passes the outbound guard that an independent reading calls not global.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| outbound::fuzzing::guard_holds(input));
