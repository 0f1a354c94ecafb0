//! Replays the corpora of the fuzz targets, and seeded mutations of them.

use media::fuzzing;
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
