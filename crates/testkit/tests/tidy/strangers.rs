//! Log lines that a stranger can cause go through `model::stranger_line!`, which limits them: a request costs
//! its sender nothing, and a line for each would fill the disk.

use crate::tree::{File, files};

/// Code that handles strangers' requests.
const OPEN_TO_STRANGERS: [&str; 8] = [
    "crates/http-server/src/",
    "crates/web/src/",
    "crates/access/src/",
    "crates/chat/src/",
    "crates/media-formats/src/",
    "crates/media/src/rtmp/",
    "crates/federation/src/inbox/",
    "crates/federation/src/lookup/",
];
/// Exceptions that only the operator reaches.
const FOR_THE_OPERATOR: [&str; 1] = ["crates/web/src/admin/"];

/// Files with other log lines: how many, and why no stranger can cause more than a few.
const BOUNDED: [(&str, usize, &str); 18] = [
    (
        "crates/http-server/src/listener.rs",
        1,
        "once, when the server stops",
    ),
    (
        "crates/http-server/src/client.rs",
        1,
        "once in the life of the process",
    ),
    ("crates/web/src/state/placeholder.rs", 1, "once for a logo"),
    ("crates/web/src/chat/emoji.rs", 3, "the operator's doing"),
    ("crates/web/src/chat/operator.rs", 1, "the operator's doing"),
    (
        "crates/web/src/state/upgrades.rs",
        1,
        "once until it is mended",
    ),
    ("crates/web/src/state/feed.rs", 1, "one task, with pauses"),
    ("crates/web/src/plugins.rs", 1, "once, at the start"),
    (
        "crates/http-server/src/tls.rs",
        2,
        "when a file of the operator changes",
    ),
    (
        "crates/access/src/admin.rs",
        2,
        "guesses are throttled before they are looked at, and a good link is good once",
    ),
    ("crates/access/src/tokens.rs", 1, "once, at the start"),
    ("crates/chat/src/emoji/store.rs", 1, "one task, with pauses"),
    (
        "crates/chat/src/emoji/store/index.rs",
        1,
        "when the operator's folder changes",
    ),
    ("crates/chat/src/room.rs", 1, "one task, with pauses"),
    (
        "crates/chat/src/room/log_reader.rs",
        1,
        "one task, with pauses",
    ),
    (
        "crates/media/src/rtmp/listener.rs",
        1,
        "with a pause after each",
    ),
    (
        "crates/media/src/rtmp/connection.rs",
        2,
        "a refusal costs its sender a pause, or one mention of an address in a while",
    ),
    (
        "crates/federation/src/inbox/worker.rs",
        4,
        "one task, with pauses",
    ),
];

/// Reports lines that are neither limited nor listed.
fn unbounded_lines(files: &[File], bounded: &[(&str, usize, &str)]) -> Vec<String> {
    let is_below =
        |file: &File, roots: &[&str]| roots.iter().any(|root| file.path.starts_with(root));
    let open = files.iter().filter(|file| {
        file.has_extension(&["rs"])
            && is_below(file, &OPEN_TO_STRANGERS)
            && !is_below(file, &FOR_THE_OPERATOR)
    });
    let mut complaints = Vec::new();
    for file in open {
        let lines = ["info", "warn", "error"].map(|level| {
            let call = format!("tracing::{level}!(");
            file.text.matches(&call).count()
        });
        let lines: usize = lines.iter().sum();
        let known = bounded.iter().find(|(path, ..)| *path == file.path);
        let known = known.map_or(0, |(_, count, _)| *count);
        if lines != known {
            complaints.push(format!(
                "{} writes {lines} lines of the log without model::stranger_line!, and {known} are known to be few",
                file.path
            ));
        }
    }
    complaints
}

#[test]
fn no_stranger_can_fill_the_log() {
    crate::assert_no_complaints(&unbounded_lines(&files(), &BOUNDED));
}

#[test]
fn a_line_that_strangers_can_cause_without_end_is_found() {
    let line = "fn f() { tracing::warn!(\"no\"); }";
    let found = |path: &str, text: &str| unbounded_lines(&[File::new(path, text)], &BOUNDED).len();
    assert_eq!(found("crates/web/src/hls.rs", line), 1);
    assert_eq!(found("crates/web/src/admin/hls.rs", line), 0);
    assert_eq!(found("crates/http-server/src/client.rs", line), 0);
    assert_eq!(
        found("crates/http-server/src/client.rs", &line.repeat(2)),
        1
    );
    assert_eq!(
        found(
            "crates/web/src/hls.rs",
            "model::stranger_line!(warn, \"x\", \"yes\");"
        ),
        0
    );
}
