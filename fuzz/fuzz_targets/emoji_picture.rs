//! No upload is kept but as a small PNG or GIF that we wrote, and decoding stays within its budget.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| chat::emoji::fuzz::fuzz_picture(input));
