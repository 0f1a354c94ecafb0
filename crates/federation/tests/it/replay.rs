//! Fuzz corpora on every run.

use testkit::replay::replay;

#[test]
fn names_and_the_documents_behind_them_are_read_within_their_bounds() {
    let spice = b"@:/.{}[]\"\\%#?,acturil";
    replay("account", spice, federation::lookup::fuzzing::names_hold);
}

#[test]
fn no_request_is_accepted_that_was_never_signed() {
    let spice = b"\n\r \t:=\",;()@\\/?%#-_+.0123456789aszAZ\xe4";
    replay(
        "signed_request",
        spice,
        federation::signature::fuzzing::signed_requests_hold,
    );
}

#[test]
fn dates_digests_dictionaries_and_keys_are_read_within_their_bounds() {
    let spice = b"\n:=\",;()-+/?. 0123456789aszAZ";
    replay(
        "signature_parts",
        spice,
        federation::signature::fuzzing::parts_of_signatures_hold,
    );
}

#[test]
fn whatever_comes_to_the_inbox_is_read_within_its_bounds() {
    let spice = b"{}[]\":,@<>/\\#idtyperecoxnm0";
    replay("activity", spice, federation::wire::fuzzing::activity_holds);
}
