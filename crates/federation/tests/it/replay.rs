//! Fuzz corpora on every run.

use testkit::replay::replay;

#[test]
fn names_and_the_documents_behind_them_are_read_within_their_bounds() {
    let spice = b"@:/.{}[]\"\\%#?,acturil";
    replay("account", spice, federation::lookup::fuzzing::names_hold);
}
