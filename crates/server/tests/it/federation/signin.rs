//! Signing in to the chat with a code sent as a direct message.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;

use super::network::{Network, Peer};
use crate::chat::chatter::{Chatter, Person, register, socket};
use crate::http::{Answer, get, post, server_with};

async fn ask(server: &TestServer, person: &Person, account: &str) -> Answer {
    let path = format!("/api/auth/fediverse?accessToken={}", person.token);
    let request = post(&path, &json!({ "account": account }));
    // Every person has another address.
    let from = format!("192.0.2.{}", person.name.len());
    request.header("x-forwarded-for", &from).send(server).await
}

async fn verify(server: &TestServer, person: &Person, code: &str) -> Answer {
    let path = format!("/api/auth/fediverse/verify?accessToken={}", person.token);
    post(&path, &json!({ "code": code })).send(server).await
}

/// The code in the peer's message with this number.
async fn code(peer: &Peer, number: usize) -> String {
    let message = eventually("a message comes", || async {
        peer.received().get(number - 1).cloned()
    })
    .await;
    let content = message["object"]["content"].as_str().unwrap();
    let digits = content
        .split(|sign: char| !sign.is_ascii_digit())
        .find(|word| word.len() == 6);
    digits
        .unwrap_or_else(|| panic!("no code: {content}"))
        .to_owned()
}

/// The user as the operator sees them.
async fn details(server: &TestServer, person: &Person) -> Value {
    let users = get("/api/admin/users").by_admin().send(server).await.json();
    let users = users["results"].as_array().unwrap();
    let found = users.iter().find(|user| user["id"] == person.id.as_str());
    found.unwrap_or_else(|| panic!("{users:?}")).clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_types_the_code_that_was_sent_is_the_owner_of_the_account() {
    let mut network = Network::of(&["page.example", "social.example"]);
    let page = network.server("page.example", &["name=My stream"]).await;
    let peer = network.peer("social.example");
    let ann = register(&page, "ann").await;
    let asked = ask(&page, &ann, "@alice@social.example").await;
    assert_eq!(asked.status, 200, "{asked:?}");
    let sent = code(&peer, 1).await;
    assert!(!asked.body.contains(&sent), "the page never sees the code");
    let message = peer.received().remove(0);
    assert_eq!(message["type"], "Create");
    assert_eq!(message["to"], json!(["https://social.example/users/alice"]));
    assert_eq!(message["object"]["tag"][0]["name"], "@alice@social.example");
    let content = message["object"]["content"].as_str().unwrap();
    assert!(content.contains("My stream"), "{content}");

    let wrong = if sent == "000000" { "000001" } else { "000000" };
    let refused = verify(&page, &ann, wrong).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    let other = register(&page, "somebody else").await;
    assert_eq!(verify(&page, &other, &sent).await.status, 403);
    let proven = verify(&page, &ann, &format!(" {} {}", &sent[..3], &sent[3..])).await;
    assert_eq!(proven.status, 200, "{proven:?}");
    assert_eq!(
        verify(&page, &ann, &sent).await.status,
        403,
        "it works once"
    );

    // The same account from another browser is the same person.
    let later = register(&page, "ann again").await;
    ask(&page, &later, "alice@SOCIAL.example").await;
    let sent = code(&peer, 2).await;
    assert_eq!(verify(&page, &later, &sent).await.status, 200);
    let kept = details(&page, &ann).await;
    assert_eq!(kept["authenticated"], true, "{kept}");
    assert_eq!(kept["authProviders"], json!(["Fediverse"]));
    let query = format!("?accessToken={}", later.token);
    let mut there = Chatter::raw(socket(&page, &query).await, later);
    let greeting = there.hears("CONNECTED_USER_INFO").await;
    assert_eq!(greeting["user"]["id"], ann.id.as_str(), "{greeting}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_and_messages_are_few() {
    let mut network = Network::of(&["page.example", "social.example"]);
    let page = network.server("page.example", &[]).await;
    let peer = network.peer("social.example");
    let ann = register(&page, "ann").await;
    ask(&page, &ann, "alice@social.example").await;
    let sent = code(&peer, 1).await;
    for guess in 0..5 {
        let guess = format!(
            "{:06}",
            (sent.parse::<u32>().unwrap() + guess + 1) % 1_000_000
        );
        assert_eq!(verify(&page, &ann, &guess).await.status, 403);
    }
    let right = verify(&page, &ann, &sent).await;
    assert_eq!(right.status, 403, "the code is void");

    for name in ["bo", "carl"] {
        let person = register(&page, name).await;
        let asked = ask(&page, &person, "alice@social.example").await;
        assert_eq!(asked.status, 200, "{asked:?}");
    }
    let dora = register(&page, "doris").await;
    let asked = ask(&page, &dora, "alice@social.example").await;
    assert_eq!(asked.status, 429, "nobody is flooded: {asked:?}");
    for _ in 0..4 {
        ask(&page, &dora, "nobody").await;
    }
    let hasty = ask(&page, &dora, "nobody").await;
    assert_eq!(hasty.status, 429, "{hasty:?}");
}

#[tokio::test]
async fn without_federation_or_a_token_there_is_no_code() {
    let server = server_with(&[]).await;
    let ann = register(&server, "ann").await;
    let off = ask(&server, &ann, "alice@social.example").await;
    assert_eq!(off.status, 400);
    assert!(off.body.contains("switched off"), "{}", off.body);
    let body = json!({ "account": "alice@social.example" });
    let stranger = post("/api/auth/fediverse", &body).send(&server).await;
    assert_eq!(stranger.status, 401);
    let unasked = verify(&server, &ann, "123456").await;
    assert_eq!(unasked.status, 403);
}
