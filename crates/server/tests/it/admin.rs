use serde_json::json;

use crate::http::{get, post, request, server_with, set_up_server};

#[tokio::test]
async fn every_setting_can_be_written_and_read_back() {
    let server = set_up_server().await;
    let values = [
        ("name", json!("A name"), "/instanceDetails/name"),
        (
            "serversummary",
            json!("A summary"),
            "/instanceDetails/summary",
        ),
        ("tags", json!(["one", "two"]), "/instanceDetails/tags"),
        (
            "streamtitle",
            json!("A title"),
            "/instanceDetails/streamTitle",
        ),
        (
            "offlinemessage",
            json!("**gone**"),
            "/instanceDetails/offlineMessage",
        ),
        (
            "pagecontent",
            json!("# About"),
            "/instanceDetails/extraPageContent",
        ),
        (
            "socialhandles",
            json!([{"platform": "made-up", "url": "https://x.example/me"}]),
            "/instanceDetails/socialHandles",
        ),
        ("nsfw", json!(true), "/instanceDetails/nsfw"),
        ("serverurl", json!("http://x.tld"), "/yp/instanceUrl"),
        ("hideviewercount", json!(true), "/hideViewerCount"),
        (
            "disablesearchindexing",
            json!(true),
            "/disableSearchIndexing",
        ),
        (
            "customstyles",
            json!("body{}"),
            "/instanceDetails/customStyles",
        ),
        (
            "appearance",
            json!({"--theme-x": "red"}),
            "/instanceDetails/appearanceVariables",
        ),
        (
            "video/streamlatencylevel",
            json!(1),
            "/videoSettings/latencyLevel",
        ),
        (
            "video/graceseconds",
            json!(5),
            "/videoSettings/graceSeconds",
        ),
        (
            "video/publishertimeout",
            json!(20),
            "/videoSettings/publisherTimeoutSeconds",
        ),
        (
            "video/audioonlyvariant",
            json!(true),
            "/videoSettings/audioOnlyVariant",
        ),
        (
            "welcomemessage",
            json!("Hello"),
            "/instanceDetails/welcomeMessage",
        ),
        ("chat/disable", json!(true), "/chatDisabled"),
        ("chat/whenoffline", json!("always"), "/chatWhenOffline"),
        (
            "chat/joinmessagesenabled",
            json!(false),
            "/chatJoinMessagesEnabled",
        ),
        (
            "chat/joinmessagesmaxpeople",
            json!(200),
            "/chatJoinMessagesMaxPeople",
        ),
        (
            "chat/requireauthentication",
            json!(true),
            "/chatRequireAuthentication",
        ),
        (
            "chat/establishedusermode",
            json!(true),
            "/chatEstablishedUserMode",
        ),
        ("chat/knownpeopleonly", json!(true), "/chatKnownPeopleOnly"),
        (
            "chat/holdfirstmessage",
            json!(true),
            "/chatHoldFirstMessage",
        ),
        ("chat/paused", json!(true), "/chatPaused"),
        (
            "chat/holdcopiedmessages",
            json!(false),
            "/chatHoldCopiedMessages",
        ),
        (
            "chat/spamprotectionenabled",
            json!(false),
            "/chatSpamProtectionEnabled",
        ),
        ("chat/slowmode", json!(30), "/chatSlowModeSeconds"),
        (
            "chat/rejectduplicates",
            json!(true),
            "/chatRejectDuplicates",
        ),
        ("chat/links", json!("known"), "/chatLinks"),
        (
            "chat/slurfilterenabled",
            json!(true),
            "/chatSlurFilterEnabled",
        ),
        (
            "chat/forbiddenwords",
            json!(["turnip"]),
            "/chatForbiddenWords",
        ),
        (
            "chat/forbiddenusernames",
            json!(["boss"]),
            "/forbiddenUsernames",
        ),
        (
            "chat/suggestedusernames",
            json!(["ada"]),
            "/suggestedUsernames",
        ),
        ("chat/historyhours", json!(24), "/chatHistoryHours"),
        ("chat/logexport", json!(true), "/chatLogExport"),
        ("chat/trustedhtml", json!(true), "/chatTrustedHtml"),
        (
            "customjavascript",
            json!("document.title = 'x';"),
            "/instanceDetails/customJavascript",
        ),
        ("autoplay", json!("off"), "/instanceDetails/autoplay"),
        (
            "video/streamoutputvariants",
            json!([{"name": "Small", "videoPassthrough": false, "audioPassthrough": true, "videoBitrate": 800,
                    "audioBitrate": 0, "scaledHeight": 360, "framerate": 30, "cpuUsageLevel": 1}]),
            "/videoSettings/videoQualityVariants",
        ),
        ("video/codec", json!("h264_vaapi"), "/videoCodec"),
        ("ffmpegpath", json!("/bin/sh"), "/ffmpegPath"),
        (
            "externalactions",
            json!([{"url": "https://tips.example/me", "html": "", "title": "Tip", "description": "",
                    "icon": "", "color": "#0af", "openExternally": true}]),
            "/externalActions",
        ),
        ("schedule/enabled", json!(true), "/schedule/enabled"),
        (
            "schedule/showcountdown",
            json!(true),
            "/schedule/showCountdown",
        ),
        (
            "schedule/chatopenminutes",
            json!(30),
            "/schedule/chatOpenMinutesBefore",
        ),
        (
            "schedule/remindermessage",
            json!("soon"),
            "/schedule/reminderMessage",
        ),
        ("federation/enable", json!(true), "/federation/enabled"),
        ("federation/private", json!(true), "/federation/isPrivate"),
        (
            "federation/showengagement",
            json!(false),
            "/federation/showEngagement",
        ),
        (
            "federation/enablequotes",
            json!(false),
            "/federation/enableQuotes",
        ),
        (
            "federation/hidefollowers",
            json!(true),
            "/federation/hideFollowersTab",
        ),
        (
            "webhooks/allowinternal",
            json!(true),
            "/webhooksAllowInternal",
        ),
        (
            "federation/pluginposts",
            json!(false),
            "/federation/pluginPosts",
        ),
        (
            "federation/username",
            json!("stage"),
            "/federation/username",
        ),
        (
            "federation/livemessage",
            json!("On air."),
            "/federation/goLiveMessage",
        ),
        (
            "federation/blockdomains",
            json!(["bad.example"]),
            "/federation/blockedDomains",
        ),
        (
            "federation/livedelay",
            json!(30),
            "/federation/liveDelaySeconds",
        ),
        (
            "federation/livecooldown",
            json!(20),
            "/federation/liveCooldownMinutes",
        ),
        (
            "federation/directoryurl",
            json!("https://directory.example"),
            "/federation/directoryUrl",
        ),
        (
            "federation/namespace",
            json!("https://ns.example/ns"),
            "/federation/namespace",
        ),
        (
            "federation/inboxperaddress",
            json!(100),
            "/federation/inboxPerAddress",
        ),
        (
            "federation/inboxperhost",
            json!(200),
            "/federation/inboxPerHost",
        ),
        (
            "streamkeys",
            json!([{"key": "my-own-key", "comment": "c", "takeOver": true}]),
            "/streamKeys",
        ),
        ("recording/mode", json!("by_key"), "/recording/mode"),
        ("recording/chat", json!(true), "/recording/chat"),
        (
            "recording/rewindminutes",
            json!(120),
            "/recording/rewindMinutes",
        ),
        (
            "recording/visibility",
            json!("private"),
            "/recording/visibility",
        ),
        ("recording/keepdays", json!(30), "/recording/keepDays"),
        (
            "recording/keepgigabytes",
            json!(500),
            "/recording/keepGigabytes",
        ),
        (
            "recording/minfreegigabytes",
            json!(5),
            "/recording/minFreeGigabytes",
        ),
    ];
    for (path, value, pointer) in &values {
        let change = post(
            &format!("/api/admin/config/{path}"),
            &json!({ "value": value }),
        );
        let answer = change.by_admin().send(&server).await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (200, &json!(true)),
            "{path}: {answer:?}"
        );
        let shown = get("/api/admin/serverconfig")
            .by_admin()
            .send(&server)
            .await
            .json();
        assert_eq!(shown.pointer(pointer), Some(value), "{path}");
    }
    let listed = get("/api/admin/settings")
        .by_admin()
        .send(&server)
        .await
        .json();
    let listed = listed["settings"].as_array().unwrap();
    assert_eq!(listed.len(), values.len());
    for (path, value, _) in &values {
        let row = listed.iter().find(|row| row["path"] == *path).unwrap();
        assert_eq!(
            (&row["value"], &row["source"], &row["locked"]),
            (value, &json!("database"), &json!(false))
        );
    }
}

#[tokio::test]
async fn a_wrong_value_is_a_400_envelope_that_says_why() {
    let server = set_up_server().await;
    for (path, body, says) in [
        ("name", r#"{"value": 7}"#, "name"),
        ("nsfw", r#"{"value": "yes"}"#, "nsfw"),
        ("streamkeys", "{}", "value"),
        ("streamkeys", r#"{"value": []}"#, "at least one"),
        (
            "serverurl",
            r#"{"value": "not.valid.url"}"#,
            "not.valid.url",
        ),
        ("name", "{not json", "JSON"),
        ("name", "", "empty"),
        ("name", "[1,2]", "JSON"),
        ("tags", r#"{"value": null}"#, "value"),
    ] {
        let change = request("POST", &format!("/api/admin/config/{path}")).raw_body(body);
        let answer = change.by_admin().send(&server).await;
        assert_eq!(answer.status, 400, "{path} {body}: {answer:?}");
        let envelope = answer.json();
        assert_eq!(envelope["success"], json!(false));
        let message = envelope["message"].as_str().unwrap();
        assert!(message.contains(says), "{path} {body}: {message}");
        assert_eq!(envelope["error"], envelope["message"]);
    }
}

#[tokio::test]
async fn an_error_that_people_run_into_has_a_code_and_what_stands_in_its_gaps() {
    let server = set_up_server().await;
    for (path, value, code, params) in [
        (
            "serverurl",
            json!("not.valid.url"),
            "setting-not-a-url",
            json!({ "address": "not.valid.url", "setting": "server_url" }),
        ),
        (
            "streamkeys",
            json!([]),
            "setting-needs-stream-key",
            json!({ "setting": "stream_keys" }),
        ),
        (
            "socialhandles",
            json!([{ "platform": "", "url": "https://a.example" }]),
            "setting-empty",
            json!({ "setting": "social_handles", "field": "platform" }),
        ),
    ] {
        let change = post(
            &format!("/api/admin/config/{path}"),
            &json!({ "value": value }),
        );
        let envelope = change.by_admin().send(&server).await.json();
        assert_eq!(envelope["code"], code, "{envelope}");
        assert_eq!(envelope["params"], params, "{envelope}");
    }
    let nothing = post("/api/admin/config/nothing", &json!({ "value": 1 }));
    let envelope = nothing.by_admin().send(&server).await.json();
    assert_eq!(envelope["code"], "not-found");
}

#[tokio::test]
async fn an_unknown_setting_is_404() {
    let server = set_up_server().await;
    for path in ["nothing", "name/x", "..%2f..%2fx"] {
        let change = post(&format!("/api/admin/config/{path}"), &json!({ "value": 1 }));
        assert_eq!(change.by_admin().send(&server).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_setting_given_outside_is_shown_locked_and_refused() {
    let server = server_with(&["name=From outside"]).await;
    let answer = post("/api/admin/config/name", &json!({ "value": "Mine" }))
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(answer.status, 409);
    assert!(
        answer.json()["message"].as_str().unwrap().contains("--set"),
        "{answer:?}"
    );
    let listed = get("/api/admin/settings")
        .by_admin()
        .send(&server)
        .await
        .json();
    let row = listed["settings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["path"] == "name")
        .unwrap()
        .clone();
    assert_eq!(
        (&row["locked"], &row["value"], &row["source"]),
        (&json!(true), &json!("From outside"), &json!("flag"))
    );
}

#[tokio::test]
async fn the_json_body_counts_whatever_the_content_type_says() {
    let server = set_up_server().await;
    let change = post(
        "/api/admin/config/name",
        &json!({ "value": "x", "unknown": 1 }),
    );
    let answer = change
        .header("content-type", "text/plain")
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn serverconfig_never_shows_the_password_or_its_hash() {
    let server = set_up_server().await;
    let answer = get("/api/admin/serverconfig")
        .by_admin()
        .send(&server)
        .await;
    assert!(!answer.body.contains("argon2") && !answer.body.contains(crate::http::PASSWORD));
    assert_eq!(
        answer.json()["webServerPort"],
        json!(server.address().port())
    );
}

#[tokio::test]
async fn metrics_are_for_the_operator() {
    let server = set_up_server().await;
    let answer = get("/api/admin/prometheus").by_admin().send(&server).await;
    assert!(answer.header("content-type").starts_with("text/plain"));
    for name in [
        "rillcast_http_requests_total",
        "rillcast_connections",
        "rillcast_panics_total",
    ] {
        assert!(answer.body.contains(name), "{name}");
    }
}

#[tokio::test]
async fn admin_status_tells_what_the_page_needs() {
    let server = set_up_server().await;
    let status = get("/api/admin/status")
        .by_admin()
        .send(&server)
        .await
        .json();
    assert_eq!(
        (&status["online"], &status["broadcaster"]),
        (&json!(false), &json!(null))
    );
    assert!(
        get("/api/admin/logs")
            .by_admin()
            .send(&server)
            .await
            .json()
            .is_array()
    );
    assert!(
        get("/api/admin/logs/warnings")
            .by_admin()
            .send(&server)
            .await
            .json()
            .is_array()
    );
}

#[tokio::test]
async fn a_draft_in_markdown_is_rendered_for_its_place_and_cleaned() {
    let server = set_up_server().await;
    let path = "/api/admin/markdown";
    let draft = |place: &str| {
        let text = "## Hello\n\n**you** <script>alert(1)</script>";
        json!({ "place": place, "text": text })
    };
    assert_eq!(post(path, &draft("page")).send(&server).await.status, 401);
    for place in ["page", "chat", "post"] {
        let rendered = post(path, &draft(place)).by_admin().send(&server).await;
        assert_eq!(rendered.status, 200, "{rendered:?}");
        let document = rendered.json();
        let html = document["html"].as_str().unwrap();
        assert!(html.contains("<strong>you</strong>"), "{place}: {html}");
        assert!(!html.contains("<script"), "{place}: {html}");
        // Posts have no headings.
        assert_eq!(html.contains("<h2>"), place != "post", "{place}: {html}");
    }
    let nowhere = post(path, &draft("poster")).by_admin().send(&server).await;
    assert_eq!(nowhere.status, 400, "{nowhere:?}");
}
