//! Replays the corpora of the fuzz targets, seeded mutations of them, and random bytes.

use media_formats::codec::fuzz::{kinds, parameter_sets};
use media_formats::fuzzing;
use proptest::prelude::*;
use testkit::replay::replay;

const SPICE: &[u8] = b"\x00\x01\x02\x03\x09\x11\x17\x7f\x80\xaf\xc3\xc6\xff";

#[test]
fn chunks_hold_on_the_corpus_and_its_mutations() {
    replay("rtmp_chunk", SPICE, fuzzing::chunk);
}

#[test]
fn amf0_holds_on_the_corpus_and_its_mutations() {
    replay("amf0", SPICE, fuzzing::amf0);
}

#[test]
fn flv_tags_hold_on_the_corpus_and_their_mutations() {
    replay("flv_tag", SPICE, fuzzing::flv_tag);
}

#[test]
fn codec_headers_keep_their_promises_on_the_corpus_and_its_mutations() {
    let spice = b"\x00\x01\x03\x09\x0c\x65\x67\x68\x7f\x80\xe1\xff";
    replay("parameter_sets", spice, parameter_sets);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(input in prop::collection::vec(any::<u8>(), 0..200)) {
        for choice in 0..kinds() {
            let chosen = [&[choice][..], &input].concat();
            parameter_sets(&chosen);
        }
    }
}
