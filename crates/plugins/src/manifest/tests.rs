use super::*;
use serde_json::json;

/// A valid manifest with these members changed or, if null, removed.
// JSON that is written where it is used.
#[allow(clippy::needless_pass_by_value)]
fn with(changes: Value) -> Result<Manifest, ManifestError> {
    let mut whole = json!({ "api": "1", "name": "Door Bell", "version": "0.2.0", "permissions": ["ui.modify", "http.serve"] });
    for (key, value) in changes.as_object().unwrap().clone() {
        whole[key.as_str()] = value;
    }
    Manifest::parse(&whole.to_string())
}

fn good(changes: Value) -> Manifest {
    with(changes).unwrap()
}

#[test]
fn a_manifest_is_read_whole() {
    let manifest = good(json!({
        "permissions": ["ui.modify", "http.serve", "network.fetch"],
        "network": { "allowedHosts": ["api.example.com", "*.example.org:8443"] },
        "bot": { "displayName": "Bell" },
        "config": { "cooldownMs": { "type": "number", "default": 2000, "description": "how long" } },
        "actions": [{ "title": "Ring", "url": "/ring", "icon": "https://e.example/i.png", "openExternally": true }],
        "admin": { "pages": { "/b": { "title": "B" }, "/a/*": { "title": "A", "icon": "gear" } } },
        "styles": ["theme.css", "/x/y.CSS", "/plugins/door-bell/z.css"],
        "scripts": ["a.js"],
        "extraPageContent": { "slug": "hello" },
        "tabs": { "two": { "title": "Two", "content": "two.html" }, "one": { "title": "One" } },
        "commands": [{ "name": "ring", "aliases": ["r"], "cooldownMs": 5000, "modOnly": true }],
    }));
    assert_eq!(manifest.slug.as_str(), "door-bell");
    assert_eq!(manifest.bot_display_name, "Bell");
    assert_eq!(manifest.allowed_hosts.len(), 2);
    assert_eq!(manifest.config["cooldownMs"].default, Some(json!(2000)));
    assert_eq!(
        serde_json::to_string(&manifest.actions[0]).unwrap(),
        r#"{"title":"Ring","url":"/plugins/door-bell/ring","icon":"https://e.example/i.png","openExternally":true}"#
    );
    let pages: Vec<&str> = manifest
        .admin_pages
        .iter()
        .map(|page| page.paths.as_str())
        .collect();
    assert_eq!(pages, ["/a/*", "/b"]);
    assert!(manifest.is_admin_path("/a/deep/down") && !manifest.is_admin_path("/c"));
    assert_eq!(
        manifest.styles,
        ["assets/theme.css", "assets/x/y.CSS", "assets/z.css"]
    );
    let tabs: Vec<&str> = manifest.tabs.iter().map(|tab| tab.slug.as_str()).collect();
    assert_eq!(tabs, ["one", "two"]);
    assert_eq!(manifest.files().count(), 5);
    let ring = &manifest.commands[0];
    assert_eq!(
        (ring.prefix.as_str(), ring.cooldown_ms, ring.mod_only),
        ("!", 5000, true)
    );
    assert_eq!(manifest.remarks, Vec::<String>::new());
}

#[test]
fn every_refusal_names_the_place_and_says_why() {
    let cases: &[(Value, &str, &str)] = &[
        (json!({ "api": "2" }), "api", "supports \"1\""),
        (json!({ "api": 1 }), "api", "supports \"1\""),
        (json!({ "api": null }), "api", "missing"),
        (json!({ "name": null }), "name", "missing"),
        (json!({ "name": "  " }), "name", "empty"),
        (json!({ "version": null }), "version", "missing"),
        (json!({ "version": 1 }), "version", "text"),
        (json!({ "name": "日本" }), "slug", "cannot be made"),
        (json!({ "slug": "Bell" }), "slug", "^[a-z]"),
        (json!({ "permissions": "chat.send" }), "permissions", "list"),
        (
            json!({ "permissions": ["ui.modify", 7] }),
            "permissions[1]",
            "text",
        ),
        (json!({ "config": { "__x": {} } }), "config.__x", "reserved"),
        (json!({ "config": [] }), "config", "object"),
        (
            json!({ "admin": { "pages": { "/a": {} } } }),
            "admin.pages[\"/a\"].title",
            "missing",
        ),
        (
            json!({ "admin": { "pages": { "/a[": { "title": "A" } } } }),
            "admin.pages[\"/a[\"]",
            "brackets",
        ),
        (
            json!({ "admin": { "pages": { "/a": { "title": "A", "path": "/a" } } } }),
            "admin.pages[\"/a\"].path",
            "leave it out",
        ),
        (
            json!({ "permissions": ["network.fetch"] }),
            "network.allowedHosts",
            "at least one host",
        ),
        (
            json!({ "permissions": ["network.fetch"], "network": { "allowedHosts": [] } }),
            "network.allowedHosts",
            "at least one",
        ),
        (
            json!({ "network": { "allowedHosts": ["a.example", " "] } }),
            "network.allowedHosts[1]",
            "empty",
        ),
        (
            json!({ "actions": [{ "url": "/x" }] }),
            "actions[0].title",
            "missing",
        ),
        (
            json!({ "actions": [{ "title": "x" }] }),
            "actions[0]",
            "exactly one",
        ),
        (
            json!({ "actions": [{ "title": "x", "url": "/x", "html": "y" }] }),
            "actions[0]",
            "exactly one",
        ),
        (
            json!({ "actions": [{ "title": "x", "url": "/plugins/other/x" }] }),
            "actions[0].url",
            "\"other\"",
        ),
        (
            json!({ "actions": [{ "title": "x", "url": "/plugins/door-bell/%2e./other" }] }),
            "actions[0].url",
            "climb",
        ),
        (
            json!({ "actions": [{ "title": "x", "url": "javascript:alert(1)" }] }),
            "actions[0].url",
            "https://",
        ),
        (
            json!({ "actions": [{ "title": "x", "html": "y", "icon": "/plugins/other/i.png" }] }),
            "actions[0].icon",
            "\"other\"",
        ),
        (
            json!({ "permissions": ["ui.modify"], "actions": [{ "title": "x", "url": "/x" }] }),
            "actions[0].url",
            "http.serve",
        ),
        (
            json!({ "permissions": ["ui.modify"], "actions": [{ "title": "x", "html": "y", "icon": "/i.png" }] }),
            "actions[0].icon",
            "http.serve",
        ),
        (
            json!({ "styles": ["https://e.example/x.css"] }),
            "styles[0]",
            "bundled",
        ),
        (
            json!({ "styles": ["//e.example/x.css"] }),
            "styles[0]",
            "bundled",
        ),
        (json!({ "styles": ["a.css", "b.js"] }), "styles[1]", ".css"),
        (json!({ "styles": [""] }), "styles[0]", "empty"),
        (json!({ "styles": ["../x.css"] }), "styles[0]", ".."),
        (
            json!({ "scripts": ["/plugins/other/x.js"] }),
            "scripts[0]",
            "\"other\"",
        ),
        (
            json!({ "extraPageContent": { "content": "x.txt" } }),
            "extraPageContent.content",
            ".html",
        ),
        (
            json!({ "extraPageContent": {} }),
            "extraPageContent",
            "slug",
        ),
        (
            json!({ "tabs": { "Bad": { "title": "x" } } }),
            "tabs.Bad",
            "^[a-z]",
        ),
        (
            json!({ "tabs": { "a": { "title": "x" }, "b": { "title": "x" } } }),
            "tabs.b",
            "second tab",
        ),
        (
            json!({ "tabs": { "a": { "title": "x", "slug": "a" } } }),
            "tabs.a.slug",
            "leave it out",
        ),
        (json!({ "tabs": { "a": {} } }), "tabs.a.title", "missing"),
        (
            json!({ "commands": [{ "name": "x", "cooldownMs": -1 }] }),
            "commands[0]",
            "-1",
        ),
        (json!({ "commands": [{}] }), "commands[0].name", "missing"),
        (json!({ "bot": "x" }), "bot", "object"),
    ];
    for (changes, path, why) in cases {
        let error = with(changes.clone()).expect_err(&changes.to_string());
        assert_eq!(&error.path, path, "{changes} gave {error}");
        assert!(error.why.contains(why), "{changes} gave {error}");
    }
}

#[test]
fn what_changes_the_page_needs_its_permission_and_the_field_is_named() {
    for (field, value) in [
        ("actions", json!([])),
        ("styles", json!(["a.css"])),
        ("scripts", json!(["a.js"])),
        ("extraPageContent", json!("a.html")),
        ("tabs", json!({})),
    ] {
        let error = with(json!({ "permissions": ["chat.send"], field: value })).unwrap_err();
        assert_eq!(error.path, field);
        assert!(error.why.contains("ui.modify"), "{error}");
    }
}

#[test]
fn older_forms_are_understood_with_a_remark() {
    let manifest = good(json!({
        "tabs": [{ "slug": "b", "title": "B" }, { "slug": "a", "title": "A", "content": "a.html" }],
        "admin": { "pages": [{ "path": "/admin", "title": "Admin" }] },
        "extraPageContent": "page.html",
    }));
    assert_eq!(manifest.tabs[0].file.as_deref(), Some("assets/a.html"));
    assert!(manifest.is_admin_path("/admin/x"));
    let content = manifest.page_content.unwrap();
    assert_eq!(
        (content.slug.as_str(), content.file.as_deref()),
        ("", Some("assets/page.html"))
    );
    assert_eq!(manifest.remarks.len(), 2);
    let error =
        with(json!({ "tabs": [{ "slug": "a", "title": "A" }, { "slug": "a", "title": "B" }] }))
            .unwrap_err();
    assert_eq!(error.path, "tabs[1]");
}

#[test]
fn what_is_not_known_is_ignored_with_a_remark() {
    let manifest = good(json!({
        "type": "python", "subscriptions": { "notify": [] }, "homepage": "x", "category": "odd",
        "permissions": ["chat.send", "moon.walk"], "bot": { "avatar": "x" }, "config": { "a": { "default": 1 } },
    }));
    assert_eq!(manifest.permissions.names(), ["chat.send"]);
    for place in [
        "type",
        "subscriptions",
        "homepage",
        "category",
        "permissions[1]",
        "bot.avatar",
        "config.a",
    ] {
        let is_told = manifest
            .remarks
            .iter()
            .any(|remark| remark.starts_with(&format!("{place}: ")));
        assert!(is_told, "{place} is not among {:?}", manifest.remarks);
    }
    assert_eq!(manifest.bot_display_name, "Door Bell");
}

#[test]
fn a_document_that_is_no_manifest_is_refused_by_name() {
    for text in ["", "[]", "{", "nul", &"[".repeat(1000)] {
        let error = Manifest::parse(text).unwrap_err();
        assert_eq!(error.path, "plugin.manifest.json", "{text:.20}");
    }
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(MAX_MANIFEST_BYTES));
    assert!(Manifest::parse(&huge).unwrap_err().why.contains("256 KiB"));
}

#[test]
fn buttons_added_later_follow_the_same_rules() {
    let slug = Slug::parse("bell").unwrap();
    let all = Permissions::from_names(["http.serve", "ui.modify"]);
    let one = read_actions(&json!({ "title": "x", "url": "//odd" }), &slug, all).unwrap();
    assert_eq!(one[0].url.as_deref(), Some("/plugins/bell/odd"));
    let error = read_actions(
        &json!([{ "title": "x", "html": "y" }, { "title": "" }]),
        &slug,
        all,
    )
    .unwrap_err();
    assert_eq!(error.path, "actions[1].title");
}

#[test]
fn names_of_secrets_are_told_apart() {
    for name in [
        "clientSecret",
        "PASSWORD",
        "botToken",
        "apiKey",
        "api_key",
        "key",
        "Key",
    ] {
        assert!(is_secret(name), "{name}");
    }
    for name in ["keyboard", "monkey", "title"] {
        assert!(!is_secret(name), "{name}");
    }
}

proptest::proptest! {
    #[test]
    fn no_document_can_do_more_than_be_refused(text in "[\\[\\]{}\":,a-z0-9/. ]{0,200}") {
        drop(Manifest::parse(&text));
    }
}

#[test]
fn a_filter_with_an_instance_of_its_own_is_asked_for_by_name() {
    let read = |value: &str| {
        let text = format!(r#"{{"api":"1","name":"X","version":"1","filterInstance":"{value}"}}"#);
        let manifest = Manifest::parse(&text).unwrap();
        (manifest.has_own_filter, manifest.remarks.len())
    };
    assert_eq!(read("own"), (true, 0));
    assert_eq!(read("shared"), (false, 0));
    assert_eq!(read("mine"), (false, 1));
}
