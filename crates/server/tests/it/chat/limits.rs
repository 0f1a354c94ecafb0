//! Limits on size, rate and number.

use serde_json::json;
use testkit::eventually;

use super::chatter::{Chatter, Heard, narrow_socket, register, socket};
use super::events::TALKATIVE;
use crate::http::{get, server_with};

#[tokio::test]
async fn who_talks_too_fast_is_silent_for_a_while_and_told_once() {
    let server = server_with(&[]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let mut bob = Chatter::join(&server, "bob").await;
    ada.say_and_hear("one").await;
    for text in ["two", "three", "four"] {
        ada.say(text).await;
    }
    let notice = ada.hears("CHAT_ACTION").await;
    assert_eq!(notice["notice"], "flood");
    // A second connection does not get around it.
    let mut other = Chatter::connect(&server, ada.person.clone(), "").await;
    other.say("five").await;
    bob.say("quiet, please").await;
    assert_eq!(bob.line().await, "<p>one</p>");
    assert_eq!(bob.line().await, "<p>quiet, please</p>");
}

#[tokio::test]
async fn who_sends_more_than_thirty_frames_a_second_is_told_why_before_the_end() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    for _ in 0..40 {
        ada.send_text("{}").await;
    }
    let notice = ada.hears("CHAT_ACTION").await;
    assert_eq!(notice["notice"], "flood");
    let body = notice["body"].as_str().unwrap();
    assert!(body.contains("the connection was closed"), "{body}");
    assert_eq!(ada.next().await, Heard::Closed(Some(1008)));
}

#[tokio::test]
async fn a_farewell_is_answered_with_the_same() {
    let server = server_with(&[TALKATIVE]).await;
    for code in [1000, 1001, 4321] {
        let mut ada = Chatter::join(&server, "ada").await;
        assert_eq!(ada.close(Some(code)).await, Some(code));
    }
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say_and_hear("bye").await;
    assert_eq!(ada.close(Some(1000)).await, Some(1000));
}

#[tokio::test]
async fn a_frame_of_more_than_2048_bytes_is_answered_and_one_of_more_than_4096_ends_the_connection()
{
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say(&"x".repeat(2100)).await;
    assert_eq!(ada.hears("CHAT_ACTION").await["notice"], "refused");
    ada.say(&"é".repeat(501)).await;
    assert_eq!(ada.hears("CHAT_ACTION").await["notice"], "refused");
    assert_eq!(ada.say_and_hear(&"x".repeat(500)).await["type"], "CHAT");
    ada.say(&"x".repeat(5000)).await;
    let end = ada.next().await;
    assert!(matches!(end, Heard::Closed(_)), "{end:?}");
}

#[tokio::test]
async fn slow_mode_makes_people_wait_and_says_how_long() {
    let server = server_with(&[TALKATIVE, "chat_slow_mode_seconds=60"]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say_and_hear("one").await;
    ada.say("two").await;
    let notice = ada.hears("CHAT_ACTION").await;
    assert_eq!(notice["notice"], "slow-mode");
    let wait = notice["retryAfterSeconds"].as_u64().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(notice["code"], "slow-mode");
    assert_eq!(notice["params"]["seconds"], notice["retryAfterSeconds"]);
    let person = ada.leave().await;
    let query = format!("?accessToken={}", person.token);
    let mut again = Chatter::raw(socket(&server, &query).await, person);
    let info = again.hears("CONNECTED_USER_INFO").await;
    let wait = info["slowModeForSeconds"].as_u64().unwrap();
    assert!(
        (1..=60).contains(&wait),
        "a page that is loaded again knows: {info}"
    );
    again.say("three").await;
    assert_eq!(again.hears("CHAT_ACTION").await["notice"], "slow-mode");
}

#[tokio::test]
async fn words_links_and_repetitions_can_be_kept_out() {
    let settings = [
        TALKATIVE,
        "chat_forbidden_words=turnip,cab*",
        "chat_links=known",
        "chat_reject_duplicates=true",
    ];
    let server = server_with(&settings).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say_and_hear("a fine day").await;
    for text in [
        "T u r n i p",
        "cabbages!",
        "see https://example.org",
        "[here](http://example.org)",
        "A  fine day",
    ] {
        ada.say(text).await;
        let notice = ada.hears("CHAT_ACTION").await;
        assert_eq!(notice["notice"], "refused", "{text}");
        let word = match text {
            "T u r n i p" => json!("turnip"),
            "cabbages!" => json!("cab"),
            _ => json!(null),
        };
        assert_eq!(notice["blockedWord"], word, "{text}");
        let body = notice["body"].as_str().unwrap();
        let is_named = word
            .as_str()
            .is_some_and(|word| body.contains(&format!("“{word}”")));
        assert_eq!(is_named, word.is_string(), "{body}");
    }
    assert_eq!(ada.say_and_hear("another fine day").await["type"], "CHAT");
}

#[tokio::test]
async fn newcomers_can_be_kept_silent_in_four_ways() {
    for setting in [
        "chat_established_only=true",
        "chat_require_authentication=true",
        "chat_known_people_only=true",
        "chat_hold_first_message=true",
    ] {
        let server = server_with(&[TALKATIVE, setting]).await;
        let mut ada = Chatter::join(&server, "ada").await;
        ada.say("let me in").await;
        let notice = ada.hears("CHAT_ACTION").await;
        assert!(
            notice["notice"] == "refused" || notice["notice"] == "held",
            "{setting}: {notice}"
        );
        let listed = get("/api/admin/chat/messages")
            .by_admin()
            .send(&server)
            .await
            .json();
        assert_eq!(listed, json!([]), "{setting}");
    }
}

#[tokio::test]
async fn a_listener_that_reads_nothing_is_sent_away_and_nobody_else_notices() {
    let server = server_with(&[TALKATIVE]).await;
    // This one connects and then never reads again.
    let person = register(&server, "stuck").await;
    let query = format!("?accessToken={}", person.token);
    let stuck = narrow_socket(&server, &query).await;
    let mut bob = Chatter::join(&server, "bob").await;
    let mut talkers = Vec::new();
    for number in 0..24 {
        talkers.push(Chatter::join(&server, &format!("talker {number}")).await);
    }
    let everybody = talkers.len() + 1;
    let connections = async || {
        let clients = get("/api/admin/chat/clients").by_admin();
        clients.send(&server).await.json().as_array().unwrap().len()
    };
    // The system buffers about a megabyte for a reader that does not read.
    let long = "\u{1f600}".repeat(480);
    for _ in 0..200 {
        for talker in &mut talkers {
            talker.say(&long).await;
        }
        for _ in 0..talkers.len() {
            bob.hears("CHAT").await;
        }
        for talker in &mut talkers {
            talker.drain().await;
        }
        if connections().await == everybody {
            break;
        }
    }
    eventually("the stuck one is gone", || async {
        (connections().await == everybody).then_some(())
    })
    .await;
    let metrics = get("/api/admin/prometheus")
        .by_admin()
        .send(&server)
        .await
        .body;
    assert!(
        metrics.contains(r#"rillcast_chat_dismissed_total{why="too slow"}"#),
        "{metrics}"
    );
    drop(stuck);
}
