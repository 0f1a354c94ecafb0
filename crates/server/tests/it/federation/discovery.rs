//! How other servers find the account, and which clients get a page instead.

use serde_json::{Value, json};

use super::stage::{ACTOR, ask, federated, is_to_the_page, publish, read};
use crate::http::{get, request, server_with, set_up_server};

const PATHS: [&str; 12] = [
    "/.well-known/webfinger?resource=acct:live@live.example",
    "/.well-known/host-meta",
    "/.well-known/nodeinfo",
    "/.well-known/x-nodeinfo2",
    "/nodeinfo/2.0",
    "/api/v1/instance",
    "/federation/user/live",
    "/federation/user/live/inbox",
    "/federation/user/live/outbox",
    "/federation/user/live/followers",
    "/federation/user/live/following",
    "/federation/some-object",
];

const FINDERS: [&str; 6] = [
    "/.well-known/webfinger?resource=acct:live@live.example",
    "/.well-known/host-meta",
    "/.well-known/nodeinfo",
    "/.well-known/x-nodeinfo2",
    "/nodeinfo/2.0",
    "/api/v1/instance",
];

// Case 1 of docs/federation-cases.md.
#[tokio::test]
async fn switched_off_every_address_answers_405_to_every_method_and_everybody() {
    let server = server_with(&["server_url=https://live.example"]).await;
    let more = [
        "/federation/",
        "/federation/user/",
        "/federation/media/x.png",
    ];
    for path in PATHS.into_iter().chain(more) {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            for accept in [None, Some("application/activity+json"), Some("text/html")] {
                let mut asked = request(method, path);
                if let Some(accept) = accept {
                    asked = asked.header("accept", accept);
                }
                let answer = asked.send(&server).await;
                assert_eq!(answer.status, 405, "{method} {path} {accept:?}");
                assert_eq!(
                    answer.headers.get("allow").map(String::as_str),
                    Some(""),
                    "{method} {path}"
                );
            }
        }
    }
}

async fn finger(server: &server::testing::TestServer, query: &str) -> (u16, Value) {
    let answer = get(&format!("/.well-known/webfinger{query}"))
        .send(server)
        .await;
    let caching = match answer.status {
        200 => "public, max-age=3600",
        _ => "no-store",
    };
    assert_eq!(answer.header("cache-control"), caching, "{query}");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let body = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
    if answer.status == 200 {
        assert_eq!(answer.header("content-type"), "application/jrd+json");
    }
    (answer.status, body)
}

#[tokio::test]
async fn hashtags_lead_to_the_page_of_the_own_server() {
    let server = federated(&["tags=music"]).await;
    let actor = super::stage::read(&server, "/federation/user/live").await;
    assert_eq!(actor["tag"][0]["href"], "https://live.example/tags/music");
    for path in ["/tags/music", "/tags/%E6%97%A5%E6%9C%AC"] {
        let answer = get(path).send(&server).await;
        assert_eq!((answer.status, answer.header("location")), (307, "/"));
    }
}

// Cases 2 and 3 of docs/federation-cases.md.
#[tokio::test]
async fn webfinger_tells_malformed_foreign_and_unknown_accounts_apart() {
    let server = federated(&[]).await;
    for (query, status) in [
        ("", 400),
        ("?resource=", 400),
        ("?resource=live@live.example", 400),
        ("?resource=notacct:live@live.example", 400),
        ("?resource=acct:live", 400),
        ("?resource=acct:a@b@c", 400),
        ("?resource=https://live.example/federation/user/live", 400),
        ("?resource=acct:nobody@live.example", 404),
        ("?resource=acct:live@other.example", 501),
        ("?resource=acct:nobody@other.example", 501),
    ] {
        assert_eq!(finger(&server, query).await.0, status, "{query}");
    }
}

// Cases 4 and 6 of docs/federation-cases.md.
#[tokio::test]
async fn webfinger_finds_the_account_in_every_spelling() {
    let server = federated(&[]).await;
    for query in [
        "?resource=acct:live@live.example",
        "?resource=acct%3Alive%40live.example",
        "?resource=acct:LIVE@Live.Example",
        "?resource=acct:%40live@live.example",
    ] {
        let (status, found) = finger(&server, query).await;
        assert_eq!(
            (status, &found["subject"]),
            (200, &json!("acct:live@live.example")),
            "{query}"
        );
        assert_eq!(found["aliases"], json!([ACTOR]));
        let links = found["links"].as_array().unwrap();
        let kinds: Vec<&str> = links
            .iter()
            .map(|link| link["rel"].as_str().unwrap())
            .collect();
        assert_eq!(
            kinds,
            [
                "self",
                "http://webfinger.net/rel/profile-page",
                "http://webfinger.net/rel/avatar",
                "alternate"
            ]
        );
        assert_eq!(
            (&links[0]["href"], &links[0]["type"]),
            (&json!(ACTOR), &json!("application/activity+json"))
        );
        assert_eq!(links[3]["href"], "https://live.example/hls/stream.m3u8");
    }
    let (_, found) = finger(&server, "?resource=acct:live@live.example&rel=self").await;
    assert_eq!(found["links"].as_array().unwrap().len(), 1);
    let actor = read(&server, "/federation/user/live").await;
    assert_eq!(actor["id"], found["links"][0]["href"]);
}

// Case 5 of docs/federation-cases.md.
#[tokio::test]
async fn an_address_in_foreign_letters_is_answered_in_one_spelling() {
    let server = server_with(&[
        "server_url=https://Bücher.example:8443",
        "federation_enabled=true",
    ])
    .await;
    for host in ["b%C3%BCcher.example:8443", "xn--bcher-kva.example:8443"] {
        let (status, found) = finger(&server, &format!("?resource=acct:live@{host}")).await;
        assert_eq!(status, 200, "{host}");
        let text = found.to_string();
        assert!(!text.contains('ü'), "{text}");
        assert_eq!(found["subject"], "acct:live@xn--bcher-kva.example:8443");
        assert_eq!(
            found["aliases"],
            json!(["https://xn--bcher-kva.example:8443/federation/user/live"])
        );
    }
}

// Case 7 of docs/federation-cases.md.
#[tokio::test]
async fn host_meta_leads_to_webfinger() {
    let server = federated(&[]).await;
    let answer = get("/.well-known/host-meta").send(&server).await;
    assert_eq!(
        answer.header("content-type"),
        "application/xrd+xml; charset=utf-8"
    );
    assert_eq!(answer.header("cache-control"), "public, max-age=86400");
    assert!(
        answer
            .body
            .starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<XRD ")
    );
    assert!(answer.body.trim_end().ends_with("</XRD>"));
    let template = "template=\"https://live.example/.well-known/webfinger?resource={uri}\"/>";
    assert!(answer.body.contains(template), "{}", answer.body);
    assert_eq!(answer.body.matches("<Link ").count(), 1);
}

fn keys(document: &Value) -> Vec<&str> {
    document
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

// Case 8 of docs/federation-cases.md.
#[tokio::test]
async fn nodeinfo_keeps_to_its_closed_schema_and_counts_posts() {
    let server = federated(&[]).await;
    publish(&server, "one", 1).await;
    let links = get("/.well-known/nodeinfo").send(&server).await;
    assert_eq!(links.header("content-type"), "application/json");
    assert_eq!(links.header("cache-control"), "public, max-age=3600");
    assert_eq!(
        links.json(),
        json!({ "links": [{ "rel": "http://nodeinfo.diaspora.software/ns/schema/2.0",
            "href": "https://live.example/nodeinfo/2.0" }] })
    );
    let answer = get("/nodeinfo/2.0").send(&server).await;
    assert_eq!(
        answer.header("content-type"),
        "application/json; profile=\"http://nodeinfo.diaspora.software/ns/schema/2.0#\""
    );
    assert_eq!(answer.header("cache-control"), "public, max-age=1800");
    let node = answer.json();
    assert_eq!(
        keys(&node),
        [
            "metadata",
            "openRegistrations",
            "protocols",
            "services",
            "software",
            "usage",
            "version"
        ]
    );
    assert_eq!(node["version"], "2.0");
    assert_eq!(
        node["software"],
        json!({ "name": "rillcast", "version": model::product::VERSION })
    );
    assert_eq!(node["protocols"], json!(["activitypub"]));
    assert_eq!(node["services"], json!({ "inbound": [], "outbound": [] }));
    assert_eq!(
        node["usage"],
        json!({ "users": { "total": 1, "activeMonth": 1, "activeHalfyear": 1 }, "localPosts": 1 })
    );
    assert_eq!(node["openRegistrations"], false);
    assert_eq!(
        node["metadata"],
        json!({ "chat_enabled": true, "federation": { "username": "live", "featured_streams": 1 } })
    );
}

// Case 8 of docs/federation-cases.md.
#[tokio::test]
async fn the_other_two_descriptions_say_the_same() {
    let server = federated(&["name=My Stream", "summary=All about music"]).await;
    publish(&server, "one", 1).await;
    let node = get("/.well-known/x-nodeinfo2").send(&server).await.json();
    assert_eq!(node["version"], "1.0");
    assert_eq!(node["server"]["baseUrl"], "https://live.example");
    assert_eq!(
        node["organization"],
        json!({ "name": "My Stream", "contact": "https://live.example" })
    );
    assert_eq!(
        node["services"],
        json!({ "inbound": ["activitypub"], "outbound": ["activitypub"] })
    );
    assert_eq!(node["usage"]["users"]["activeWeek"], 1);
    assert_eq!(node["usage"]["localPosts"], 1);
    let instance = get("/api/v1/instance").send(&server).await.json();
    assert_eq!(
        instance,
        json!({
            "uri": "https://live.example", "title": "My Stream",
            "short_description": "All about music", "description": "All about music",
            "version": format!("Rillcast v{}", model::product::VERSION),
            "thumbnail": "https://live.example/logo/external", "languages": [],
            "stats": { "user_count": 1, "status_count": 1, "domain_count": 0 },
            "registrations": false, "approval_required": false, "invites_enabled": false,
        })
    );
}

// Case 9 of docs/federation-cases.md.
#[tokio::test]
async fn without_an_address_of_its_own_the_server_is_not_found() {
    let server = server_with(&["federation_enabled=true"]).await;
    for path in FINDERS {
        assert_eq!(get(path).send(&server).await.status, 404, "{path}");
    }
    for path in [
        "/federation/user/live",
        "/federation/user/live/outbox",
        "/federation/x",
    ] {
        assert_eq!(ask(path).send(&server).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn documents_have_heads_and_everybody_may_read_them() {
    let server = federated(&[]).await;
    for path in FINDERS.into_iter().chain(["/federation/user/live"]) {
        let whole = ask(path).send(&server).await;
        let head = request("HEAD", path).header("accept", "application/activity+json");
        let head = head.send(&server).await;
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        for name in [
            "content-type",
            "cache-control",
            "access-control-allow-origin",
        ] {
            assert_eq!(head.header(name), whole.header(name), "{path} {name}");
        }
        assert_eq!(whole.header("access-control-allow-origin"), "*");
        let post = request("POST", path).raw_body("{}").send(&server).await;
        assert_eq!(post.status, 405, "{path}");
        assert!(post.header("allow").contains("GET"), "{path}");
    }
}

// Case 10 of docs/federation-cases.md.
#[tokio::test]
async fn servers_get_the_actor_however_they_ask() {
    let server = federated(&[]).await;
    for accept in [
        "application/activity+json",
        "application/activity+json;q=0.9",
        "application/ld+json",
        "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"",
        "application/ld+json;profile=https://www.w3.org/ns/activitystreams",
        "application/activity+json, application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\", text/html;q=0.1",
        "application/json",
    ] {
        let answer = get("/federation/user/live")
            .header("accept", accept)
            .send(&server)
            .await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "application/activity+json"),
            "{accept}"
        );
        assert_eq!(answer.header("cache-control"), "public, max-age=180");
        assert!(answer.header("vary").contains("Accept"));
    }
    let by_type = get("/federation/user/live").header("content-type", "application/activity+json");
    assert_eq!(by_type.send(&server).await.status, 200);
}

// Case 11 of docs/federation-cases.md.
#[tokio::test]
async fn browsers_are_sent_to_the_stream() {
    let server = federated(&[]).await;
    let note = publish(&server, "one", 1).await.note;
    let object = super::stage::path_of(&note);
    for path in [
        "/federation/user/live",
        "/federation/user/nobody",
        "/federation/user/",
        "/federation/",
    ] {
        for accept in ["text/html", "*/*", ""] {
            let answer = get(path).header("accept", accept).send(&server).await;
            assert!(is_to_the_page(&answer), "{path} {accept}: {answer:?}");
        }
        let silent = get(path).send(&server).await;
        assert!(is_to_the_page(&silent), "{path}: {silent:?}");
    }
    // Only programs ask for these, so they get the document unless a page is preferred.
    for path in [
        object,
        "/federation/user/live/outbox",
        "/federation/user/live/followers",
    ] {
        let browser = get(path).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        let answer = browser.send(&server).await;
        assert!(is_to_the_page(&answer), "{path}: {answer:?}");
        for accept in ["*/*", ""] {
            let answer = get(path).header("accept", accept).send(&server).await;
            assert_eq!(answer.status, 200, "{path} {accept}");
        }
    }
}

// Case 12 of docs/federation-cases.md.
#[tokio::test]
async fn what_is_not_there_is_not_there_for_anybody() {
    let server = federated(&[]).await;
    for accept in ["application/activity+json", "text/html", "*/*"] {
        let following = get("/federation/user/live/following").header("accept", accept);
        assert_eq!(following.send(&server).await.status, 404, "{accept}");
    }
    for path in [
        "/federation/",
        "/federation/user/",
        "/federation/user/nobody",
        "/federation/user/nobody/outbox",
        "/federation/nothing",
        "/federation/follow/nothing",
        "/federation/undo/nothing",
        "/federation/event/nothing",
    ] {
        assert_eq!(ask(path).send(&server).await.status, 404, "{path}");
    }
    let picture = get("/federation/media/nothing.jpg").header("accept", "text/html");
    assert_eq!(
        picture.send(&server).await.status,
        404,
        "pictures never negotiate"
    );
}

// Case 12 of docs/federation-cases.md.
#[tokio::test]
async fn the_inbox_cannot_be_read() {
    let server = federated(&[]).await;
    for accept in ["application/activity+json", "text/html", "*/*"] {
        let inbox = get("/federation/user/live/inbox").header("accept", accept);
        assert_eq!(inbox.send(&server).await.status, 405, "{accept}");
    }
}

#[tokio::test]
async fn the_page_says_where_the_account_is() {
    let link =
        format!("<link rel=\"alternate\" type=\"application/activity+json\" href=\"{ACTOR}\">");
    let server = federated(&[]).await;
    let preview = get("/")
        .header("user-agent", "Misskey/2026")
        .send(&server)
        .await;
    assert!(preview.body.contains(&link), "{}", preview.body);
    let page = get("/").send(&server).await;
    assert!(
        page.status == 404 || page.body.contains(&link),
        "{}",
        page.body
    );
    let off = set_up_server().await;
    let page = get("/")
        .header("user-agent", "Misskey/2026")
        .send(&off)
        .await;
    assert!(!page.body.contains("activity+json"));
}
