//! The live player against a test origin.

use std::time::Duration;

use testkit::playlist::Rule;
use testkit::playlist::live::{FetchError, LiveReport, check, check_beside};

use crate::origin::{Fault, start};

/// Long enough for dozens of parts, also on a busy machine.
const LENGTH: Duration = Duration::from_millis(2_400);

async fn follow(fault: Fault) -> LiveReport {
    let url = start(fault).await;
    check(&url, LENGTH).await.unwrap()
}

#[tokio::test]
async fn a_good_origin_passes_and_nearly_every_rule_is_tried() {
    let outcome = follow(Fault::None).await;
    assert!(outcome.is_clean(), "{outcome}");
    let untried = Rule::all().filter(|rule| outcome.checks(*rule) == 0);
    // The list is as long as that of a stream that does not go back.
    let far_back = [2, 3, 4, 5].map(Rule::Rewind);
    let expected: Vec<Rule> = [Rule::Http(8)].into_iter().chain(far_back).collect();
    assert_eq!(untried.collect::<Vec<_>>(), expected, "{outcome}");
    let json = outcome.to_json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["violations"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn each_fault_of_an_origin_is_reported_by_its_rule_alone() {
    let mut runs = tokio::task::JoinSet::new();
    for (fault, rule) in [
        (Fault::PlaylistsAreNeverGzipped, Rule::Http(2)),
        (Fault::SegmentsLackTheirEnd, Rule::Media(1)),
        (Fault::RangesAreIgnored, Rule::Http(7)),
        (Fault::TheFutureIsAnswered, Rule::List(9)),
        (Fault::HintsAreNotServed, Rule::Http(5)),
        (Fault::PartsSkipTime, Rule::Media(2)),
        (Fault::PartsVanishWithTheirLine, Rule::List(7)),
        (Fault::OldSegmentsAreGone, Rule::Rewind(5)),
    ] {
        runs.spawn(async move { (fault, rule, follow(fault).await) });
    }
    while let Some(run) = runs.join_next().await {
        let (fault, rule, outcome) = run.unwrap();
        assert_eq!(outcome.broken_rules(), [rule], "{fault:?}\n{outcome}");
        assert_eq!(outcome.to_json()["ok"], false);
    }
}

#[tokio::test]
async fn a_list_that_goes_back_is_tried_far_back_and_compared_with_the_live_list() {
    let url = start(Fault::ListsAreLong).await;
    let outcome = check_beside(&url, Some(&url), LENGTH).await.unwrap();
    assert!(outcome.is_clean(), "{outcome}");
    for number in [1, 2, 3, 5] {
        assert!(outcome.checks(Rule::Rewind(number)) > 0, "{outcome}");
    }
}

#[tokio::test]
async fn says_when_there_is_nothing_to_follow() {
    let url = start(Fault::None)
        .await
        .replace("stream.m3u8", "other.m3u8");
    assert!(matches!(
        check(&url, LENGTH).await,
        Err(FetchError::NoStream(404))
    ));
    let refused = check("http://127.0.0.1:1/stream.m3u8", LENGTH).await;
    assert!(matches!(refused, Err(FetchError::Connection(_))));
    assert!(matches!(
        check("no address", LENGTH).await,
        Err(FetchError::Address(_))
    ));
}

/// Runs the program and returns its exit code and output.
async fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_playlist-check"));
    let output = program.args(arguments).output().await.unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[tokio::test]
async fn the_program_tells_its_verdict_by_its_exit_code() {
    let (good, bad) = (
        start(Fault::None).await,
        start(Fault::PlaylistsAreNeverGzipped).await,
    );
    let missing = good.replace("stream", "other");
    let (good_run, bad_run, missing_run, help) = (
        ["--seconds", "1", "--json", &good],
        ["--seconds", "1", &bad],
        ["--seconds", "1", &missing],
        ["--help"],
    );
    let runs = tokio::join!(run(&good_run), run(&bad_run), run(&missing_run), run(&help));
    let (good, bad, missing, help) = runs;
    assert_eq!(good.0, Some(0), "{}", good.1);
    let json: serde_json::Value = serde_json::from_str(&good.1).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!(bad.0, Some(1), "{}", bad.1);
    assert!(bad.1.contains("rule H2: "), "{}", bad.1);
    assert_eq!(missing.0, Some(2), "{}", missing.1);
    assert!(missing.1.contains("404"), "{}", missing.1);
    assert_eq!(help.0, Some(0));
    assert!(help.1.contains("Usage: playlist-check URL"), "{}", help.1);
}
