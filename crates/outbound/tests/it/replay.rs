//! The fuzz target's corpus on every run, and seeded mutations of it.

use outbound::fuzzing::guard_holds;
use testkit::replay::replay;

#[test]
fn the_guard_holds_on_the_whole_corpus_and_its_mutations() {
    let spice = b".:/@[]%0x127aZ-_\\?#\xe3\x80\x82\x00\xff";
    replay("outbound_guard", spice, guard_holds);
}
