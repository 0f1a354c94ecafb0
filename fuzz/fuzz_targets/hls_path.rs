//! What is understood below `/hls/` is the only name of its file.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| fuzz::media::hls::fuzz::hls_path(input));
