//! Replays the fuzz target's corpus, seeded mutations of it, and random bytes.

use media::codec::fuzz::{kinds, parameter_sets};
use proptest::prelude::*;
use testkit::replay::replay;

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
