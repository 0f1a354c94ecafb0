//! Viewers' requests below `/hls/`.

use media::hls::fuzz::hls_path;
use testkit::replay::replay;

#[test]
fn names_below_hls_hold_on_the_corpus_and_its_mutations() {
    replay("hls_path", b"/.-?&=%0_aAsp\x00", hls_path);
}
