//! Whatever is written in the chat, only allowed markup comes out, and not much more of it than went in.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| chat::fuzzing::fuzz_render(input));
