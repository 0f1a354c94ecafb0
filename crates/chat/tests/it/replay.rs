//! Replays the corpora of the fuzz targets, and seeded mutations of them.

use chat::fuzzing;
use testkit::replay::replay;

#[test]
fn rendering_holds_on_the_corpus_and_its_mutations() {
    let spice = b"<>\"'&;:/*_`[]()!#\\\n =-\x00\xc2\xa0";
    replay("chat_render", spice, fuzzing::fuzz_render);
}

#[test]
fn pictures_hold_on_the_corpus_and_its_mutations() {
    let spice = b"\x89PNG\r\nIHDRIDATGIF89a\x00\xff,;!RIFFWEBP";
    replay("emoji_picture", spice, chat::emoji::fuzz::fuzz_picture);
}
