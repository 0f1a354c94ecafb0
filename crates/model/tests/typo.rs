//! Names that were mistyped.

use model::typo::nearest;

#[test]
fn a_mistyped_name_is_known_again_and_another_one_is_not() {
    let known = ["listen", "data_dir", "tick"];
    for (given, meant) in [
        ("lissten", Some("listen")),
        ("datadir", Some("data_dir")),
        ("Listen", Some("listen")),
        ("kcit", None),
        ("something", None),
        ("", None),
    ] {
        assert_eq!(nearest(given, known), meant, "{given}");
    }
}
