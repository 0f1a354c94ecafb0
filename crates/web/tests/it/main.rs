//! Input from strangers: socket frames, player reports.

mod sentences;

use testkit::replay::replay;
use web::fuzzing;

#[test]
fn a_frame_is_read_within_its_size_and_told_to_others_on_one_line() {
    replay(
        "chat_frame",
        br#"{}[]":,\u0aCHATtypebody"#,
        fuzzing::chat_frame,
    );
}

#[test]
fn a_players_report_is_bounded_whatever_it_says() {
    replay("cmcd", br#"{}[]",=();\?1abemtplc0-."#, fuzzing::cmcd);
}
