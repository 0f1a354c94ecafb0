//! Configuration: defaults, every setter, and what is shown afterwards.

use serde_json::{Value, json};
use server::testing::TestServer;

use crate::http::{Answer, PASSWORD, get, post, set_up_server};
use crate::stream::broadcast_of;

async fn set(server: &TestServer, path: &str, value: &Value) -> Answer {
    let change = post(
        &format!("/api/admin/config/{path}"),
        &json!({ "value": value }),
    );
    change.by_admin().send(server).await
}

async fn serverconfig(server: &TestServer) -> Value {
    let answer = get("/api/admin/serverconfig").by_admin().send(server).await;
    answer.json()
}

/// Every setter that existing tests call, and where its value appears.
fn setters() -> Vec<(&'static str, Value, &'static str)> {
    let s3 = json!({
        "enabled": true, "endpoint": "https://s3.example", "accessKey": "key", "secret": "hush", "bucket": "b",
        "region": "eu", "acl": "public-read", "pathPrefix": "live", "forcePathStyle": true,
    });
    let actions = json!([{ "url": "", "html": "<b>x</b><script>alert(1)</script>", "title": "Tip", "description": "d",
        "icon": "/public/a.png", "color": "#0af", "openExternally": false }]);
    let discord =
        json!({ "enabled": true, "webhook": "https://discord.example/x", "goLiveMessage": "on" });
    vec![
        ("name", json!("Another name"), "/instanceDetails/name"),
        (
            "streamtitle",
            json!("A title"),
            "/instanceDetails/streamTitle",
        ),
        (
            "serversummary",
            json!("A summary"),
            "/instanceDetails/summary",
        ),
        (
            "pagecontent",
            json!("<p>some content</p>"),
            "/instanceDetails/extraPageContent",
        ),
        ("tags", json!(["one", "two"]), "/instanceDetails/tags"),
        (
            "video/streamlatencylevel",
            json!(3),
            "/videoSettings/latencyLevel",
        ),
        (
            "socialhandles",
            json!([{ "platform": "made-up", "url": "https://x.example" }]),
            "/instanceDetails/socialHandles",
        ),
        ("s3", s3, "/s3"),
        (
            "chat/forbiddenusernames",
            json!(["one", "two"]),
            "/forbiddenUsernames",
        ),
        ("serverurl", json!("http://x.tld"), "/yp/instanceUrl"),
        (
            "federation/username",
            json!("somebody"),
            "/federation/username",
        ),
        (
            "federation/livemessage",
            json!("I am on"),
            "/federation/goLiveMessage",
        ),
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
            "federation/blockdomains",
            json!(["bad.example"]),
            "/federation/blockedDomains",
        ),
        ("federation/enable", json!(true), "/federation/enabled"),
        (
            "offlinemessage",
            json!("away"),
            "/instanceDetails/offlineMessage",
        ),
        ("hideviewercount", json!(true), "/hideViewerCount"),
        (
            "appearance",
            json!({ "--theme-x": "red" }),
            "/instanceDetails/appearanceVariables",
        ),
        (
            "customstyles",
            json!("body{}"),
            "/instanceDetails/customStyles",
        ),
        (
            "customjavascript",
            json!("var x = 1;"),
            "/instanceDetails/customJavascript",
        ),
        ("directoryenabled", json!(true), "/yp/enabled"),
        (
            "disablesearchindexing",
            json!(true),
            "/disableSearchIndexing",
        ),
        (
            "sockethostoverride",
            json!("wss://x.example"),
            "/socketHostOverride",
        ),
        (
            "videoservingendpoint",
            json!("https://cdn.example"),
            "/videoServingEndpoint",
        ),
        ("video/codec", json!("libx265"), "/videoCodec"),
        ("externalactions", actions, "/externalActions"),
        ("notifications/discord", discord, "/notifications/discord"),
        (
            "notifications/browser",
            json!({ "enabled": true, "goLiveMessage": "on" }),
            "/notifications/browser",
        ),
        ("autoplay", json!("sound-only"), "/instanceDetails/autoplay"),
        ("ffmpegpath", json!("/bin/sh"), "/ffmpegPath"),
    ]
}

#[tokio::test]
async fn a_fresh_config_has_its_defaults_and_no_title() {
    let server = set_up_server().await;
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["name"], "New Rillcast server");
    assert!(config.get("streamTitle").is_none() && config.get("socketHostOverride").is_none());
    assert_eq!(config["summary"], "A live stream of my own.");
    assert_eq!(
        config["extraPageContent"],
        "<h1>Welcome</h1>\n<p>This server is ready. Its operator will say more here soon.</p>"
    );
    assert_eq!(config["offlineMessage"], "");
    assert_eq!(config["logo"], "/logo");
    assert_eq!(config["socialHandles"], json!([]));
    assert_eq!(config["externalActions"], json!([]));
    assert_eq!(config["autoplay"], "always");
    assert_eq!(config["pluginStyles"], "");
    assert_eq!(config["pluginTabs"], json!([]));
}

#[tokio::test]
async fn a_fresh_serverconfig_is_complete_and_nothing_in_it_is_null() {
    let server = set_up_server().await;
    let config = serverconfig(&server).await;
    assert_eq!(config["instanceDetails"]["name"], "New Rillcast server");
    assert_eq!(
        config["instanceDetails"]["tags"],
        json!(["rillcast", "streaming"])
    );
    assert_eq!(
        config["forbiddenUsernames"],
        json!(["rillcast", "operator", "admin", "system"])
    );
    assert_eq!(config["streamKeys"].as_array().unwrap().len(), 1);
    assert_eq!(config["yp"], json!({ "enabled": false, "instanceUrl": "" }));
    assert_eq!(
        config["s3"],
        json!({ "enabled": false, "forcePathStyle": false })
    );
    assert_eq!(config["hideViewerCount"], json!(false));
    assert_eq!(
        config["federation"],
        json!({ "enabled": false, "isPrivate": false, "username": "live", "goLiveMessage": "I've gone live!",
            "showEngagement": true, "blockedDomains": [], "enableQuotes": true, "hideFollowersTab": false,
            "pluginPosts": true,
            "liveDelaySeconds": 15, "liveCooldownMinutes": 10, "directoryUrl": "",
            "namespace": "https://rillcast.example/ns", "inboxPerAddress": 300, "inboxPerHost": 600 })
    );
    assert_eq!(
        config["videoSettings"]["videoQualityVariants"][0]["name"],
        "Source"
    );
    let texts = [
        "ffmpegPath",
        "webServerIP",
        "videoCodec",
        "videoServingEndpoint",
        "rtmpServerAddress",
        "adminPassword",
    ];
    for key in texts {
        assert!(config[key].is_string(), "{key}");
    }
    for key in ["webServerPort", "rtmpServerPort"] {
        assert!(config[key].is_u64(), "{key}");
    }
    let flags = [
        "streamKeyOverridden",
        "chatDisabled",
        "chatJoinMessagesEnabled",
        "chatEstablishedUserMode",
        "chatSpamProtectionEnabled",
        "chatSlurFilterEnabled",
        "disableSearchIndexing",
    ];
    for key in flags {
        assert!(config[key].is_boolean(), "{key}");
    }
    for key in ["externalActions", "supportedCodecs", "suggestedUsernames"] {
        assert!(config[key].is_array(), "{key}");
    }
    for key in [
        "extraPageContent",
        "welcomeMessage",
        "offlineMessage",
        "logo",
        "customStyles",
        "customJavascript",
        "autoplay",
    ] {
        assert!(config["instanceDetails"][key].is_string(), "{key}");
    }
    assert!(config["notifications"]["browser"]["enabled"].is_boolean());
    assert!(config["notifications"]["discord"]["enabled"].is_boolean());
    assert!(!config.to_string().contains("null"), "{config}");
}

#[tokio::test]
async fn stream_keys_without_a_value_are_a_400() {
    let server = set_up_server().await;
    let answer = post("/api/admin/config/streamkeys", &json!({})).by_admin();
    assert_eq!(answer.send(&server).await.status, 400);
}

#[tokio::test]
async fn every_setter_succeeds_and_its_value_is_shown() {
    let server = set_up_server().await;
    for (path, value, pointer) in setters() {
        let answer = set(&server, path, &value).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert_eq!(answer.json()["success"], json!(true), "{path}");
        let shown = serverconfig(&server).await;
        assert_eq!(shown.pointer(pointer), Some(&value), "{path}");
    }
    let keys = json!([{ "key": "first-key", "comment": "a" }, { "key": "second-key", "comment": "b" },
        { "key": "third-key", "comment": "c" }]);
    assert_eq!(set(&server, "streamkeys", &keys).await.status, 200);
    let shown = serverconfig(&server).await["streamKeys"].clone();
    assert_eq!(shown.as_array().unwrap().len(), 3);
    assert_eq!(
        (&shown[2]["key"], &shown[2]["comment"]),
        (&json!("third-key"), &json!("c"))
    );
}

#[tokio::test]
async fn a_partial_variant_is_completed() {
    let server = set_up_server().await;
    let partial = json!([{ "name": "mine", "framerate": 42, "cpuUsageLevel": 4 }]);
    assert_eq!(
        set(&server, "video/streamoutputvariants", &partial)
            .await
            .status,
        200
    );
    let shown = serverconfig(&server).await;
    assert_eq!(
        shown["videoSettings"]["videoQualityVariants"],
        json!([{ "name": "mine", "videoPassthrough": false, "audioPassthrough": true, "videoBitrate": 1200,
            "audioBitrate": 0, "framerate": 42, "cpuUsageLevel": 4 }])
    );
}

#[tokio::test]
async fn a_server_url_without_a_host_is_refused() {
    let server = set_up_server().await;
    let answer = set(&server, "serverurl", &json!("not.valid.url")).await;
    assert_eq!(
        (answer.status, &answer.json()["success"]),
        (400, &json!(false))
    );
    assert_eq!(
        set(&server, "serverurl", &json!("http://x.tld"))
            .await
            .status,
        200
    );
    assert_eq!(
        set(&server, "federation/enable", &json!(true)).await.status,
        200
    );
}

#[tokio::test]
async fn a_new_password_counts_at_once() {
    let server = set_up_server().await;
    let other = "another battery staple";
    let status = async |password: &str| {
        let request = get("/api/admin/status").basic("admin", password);
        request.send(&server).await.status
    };
    assert_eq!(set(&server, "adminpass", &json!(other)).await.status, 200);
    assert_eq!((status(PASSWORD).await, status(other).await), (401, 200));
    let back = post("/api/admin/config/adminpass", &json!({ "value": PASSWORD }));
    assert_eq!(back.basic("admin", other).send(&server).await.status, 200);
    assert_eq!((status(PASSWORD).await, status(other).await), (200, 401));
}

#[tokio::test]
async fn the_public_config_follows_the_setters() {
    let server = set_up_server().await;
    for (path, value, _) in setters() {
        assert_eq!(set(&server, path, &value).await.status, 200, "{path}");
    }
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["name"], "Another name");
    assert_eq!(config["streamTitle"], "A title");
    assert_eq!(config["summary"], "A summary");
    assert_eq!(config["extraPageContent"], "<p>some content</p>");
    assert_eq!(config["offlineMessage"], "<p>away</p>");
    assert_eq!(
        config["socialHandles"],
        json!([{ "platform": "made-up", "url": "https://x.example" }])
    );
    assert_eq!(config["socketHostOverride"], "wss://x.example");
    assert_eq!(config["customStyles"], "body{}");
    assert_eq!(config["autoplay"], "sound-only");
    assert_eq!(
        config["externalActions"][0]["html"], "<b>x</b>",
        "scripts do not reach the page"
    );
    assert_eq!(
        config["federation"],
        json!({ "enabled": true, "account": "somebody@x.tld", "followerCount": 0, "hideFollowersTab": true })
    );
    assert!(
        get("/api/status")
            .send(&server)
            .await
            .json()
            .get("viewerCount")
            .is_none()
    );
    let robots = get("/robots.txt").send(&server).await.body;
    assert_eq!(
        robots,
        "User-agent: *\nDisallow: /admin\nDisallow: /api\nDisallow: /"
    );
    let script = get("/customjavascript").send(&server).await;
    assert_eq!(
        script.header("content-type"),
        "text/javascript; charset=utf-8"
    );
    assert_eq!(script.body, "var x = 1;");
}

#[tokio::test]
async fn the_broadcast_goes_on_when_storage_elsewhere_is_switched_on() {
    let server = set_up_server().await;
    let _client = broadcast_of(&server, "720p60").await;
    let s3 = json!({ "enabled": true, "endpoint": "https://s3.example", "accessKey": "bogus", "secret": "bogus",
        "bucket": "b", "region": "r" });
    let kept = set(&server, "s3", &s3).await;
    assert_eq!(kept.status, 200);
    let message = kept.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("does not use it yet"), "{message}");
    let status = get("/api/admin/status")
        .by_admin()
        .send(&server)
        .await
        .json();
    let details = &status["broadcaster"]["streamDetails"];
    assert_eq!(
        (&details["width"], &details["height"]),
        (&json!(1280), &json!(720))
    );
    assert_eq!(details["framerate"], json!(60.0));
    assert_eq!(
        (&details["videoCodec"], &details["audioCodec"]),
        (&json!("H.264"), &json!("AAC"))
    );
    assert_eq!(status["online"], json!(true));
}

#[tokio::test]
async fn storage_that_is_incomplete_is_refused_without_repeating_its_secret() {
    let server = set_up_server().await;
    let s3 = json!({ "enabled": true, "endpoint": "https://s3.example", "secret": "hush-hush" });
    let answer = set(&server, "s3", &s3).await;
    assert_eq!(answer.status, 400);
    assert!(!answer.body.contains("hush-hush"), "{answer:?}");
}

#[tokio::test]
async fn a_path_that_is_no_program_is_refused() {
    let server = set_up_server().await;
    for (path, why) in [
        ("/none/such", "does not exist"),
        ("/etc/passwd", "not executable"),
        ("/bin", "not a file"),
    ] {
        let answer = set(&server, "ffmpegpath", &json!(path)).await;
        assert_eq!(answer.status, 400, "{path}");
        assert!(
            answer.json()["message"].as_str().unwrap().contains(why),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn where_the_server_listens_is_decided_at_its_start() {
    let server = set_up_server().await;
    for (path, value, flag) in [
        ("webserverport", json!(8081), "--listen"),
        ("webserverip", json!("127.0.0.1"), "--listen"),
        ("rtmpserverport", json!(1936), "--rtmp-listen"),
        ("rtmpserverbindaddress", json!("127.0.0.1"), "--rtmp-listen"),
    ] {
        let answer = set(&server, path, &value).await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (409, &json!(false)),
            "{path}"
        );
        assert!(
            answer.json()["message"].as_str().unwrap().contains(flag),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn the_admin_pages_offer_only_settings_that_have_an_effect() {
    let server = set_up_server().await;
    let listed = get("/api/admin/settings")
        .by_admin()
        .send(&server)
        .await
        .json();
    let listed: Vec<&str> = listed["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["path"].as_str().unwrap())
        .collect();
    for hidden in ["s3", "videoservingendpoint", "notifications/discord"] {
        assert!(!listed.contains(&hidden), "{hidden}");
    }
    for shown in [
        "customjavascript",
        "externalactions",
        "autoplay",
        "federation/enable",
        "ffmpegpath",
        "video/codec",
        "video/streamoutputvariants",
    ] {
        assert!(listed.contains(&shown), "{shown}");
    }
}

#[tokio::test]
async fn a_known_platform_has_an_icon_and_any_other_has_none() {
    let server = set_up_server().await;
    let handles = json!([
        { "platform": "github", "url": "https://github.com/x" },
        { "platform": "made-up", "url": "https://x.example" },
    ]);
    assert_eq!(set(&server, "socialhandles", &handles).await.status, 200);
    let config = get("/api/config").send(&server).await.json();
    let shown = &config["socialHandles"];
    let icon = "/img/platformlogos/github.svg";
    assert_eq!(
        shown[0],
        json!({ "platform": "github", "url": "https://github.com/x", "icon": icon })
    );
    assert!(shown[1].get("icon").is_none());
    let platforms = get("/api/socialplatforms").send(&server).await.json();
    assert_eq!(
        platforms["github"],
        json!({ "platform": "GitHub", "icon": icon })
    );
    let picture = get(icon).send(&server).await;
    assert_eq!(
        (picture.status, picture.header("content-type")),
        (200, "image/svg+xml")
    );
    assert!(picture.body.contains("<path d=\"M"));
    let letter = get("/img/platformlogos/linkedin.svg").send(&server).await;
    assert!(letter.body.contains(">L</text>"));
    for name in ["made-up.svg", "github", "..%2fx.svg"] {
        let path = format!("/img/platformlogos/{name}");
        assert_eq!(get(&path).send(&server).await.status, 404, "{name}");
    }
}
