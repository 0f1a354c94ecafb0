//! Whatever comes through a socket of the chat is read within its size and sent to others as one line of JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| fuzz::web::fuzzing::chat_frame(input));
