//! A report of a player is read within its bounds, whatever it says.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| fuzz::web::fuzzing::cmcd(input));
