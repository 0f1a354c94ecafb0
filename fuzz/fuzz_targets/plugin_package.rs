//! A package of a plugin keeps to its limits or is refused, whatever its archive and manifest say.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| fuzz::plugins::package::fuzz::fuzz_package(input));
