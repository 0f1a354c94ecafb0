use super::*;

#[test]
fn the_server_url_must_be_reachable_from_outside() {
    let url = |text: &str| server_url(text.to_owned());
    assert_eq!(
        url(" https://live.example.org/ "),
        Ok("https://live.example.org".into())
    );
    assert_eq!(url("http://x.tld"), Ok("http://x.tld".into()));
    assert_eq!(url(""), Ok(String::new()));
    for bad in [
        "not.valid.url",
        "ftp://live.example.org",
        "https://127.0.0.1",
        "https://192.168.1.4:8080",
        "http://[::1]/",
        "http://0x7f.1",
        "https://admin:pw@live.example.org",
        "https://live.example.org/?x=1",
        "https://live.example.org/stream",
        "https://live.example.org/stream/",
    ] {
        assert!(url(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_server_url_has_one_spelling() {
    let url = |text: &str| server_url(text.to_owned());
    for (typed, kept) in [
        ("HTTPS://Live.Example.ORG:443/", "https://live.example.org"),
        ("http://live.example.org:80", "http://live.example.org"),
        (
            "https://Bücher.example:8443",
            "https://xn--bcher-kva.example:8443",
        ),
        ("https://live.example.org//", "https://live.example.org"),
    ] {
        assert_eq!(url(typed), Ok(kept.into()));
    }
}

#[test]
fn tags_lose_their_hash_and_their_doubles() {
    let list = ["#music", "Music", " ", "live coding"]
        .map(String::from)
        .to_vec();
    assert_eq!(tags(list), Ok(vec!["music".into(), "live coding".into()]));
}

#[test]
fn social_links_cannot_run_scripts() {
    let handle = |url: &str| {
        vec![SocialHandle {
            platform: "x".into(),
            url: url.into(),
        }]
    };
    assert!(social(handle("https://example.org/me")).is_ok());
    assert!(social(handle("javascript:alert(1)")).is_err());
    assert!(social(handle("example.org")).is_err());
}

#[test]
fn css_values_cannot_leave_their_declaration() {
    let one = |name: &str, value: &str| css_variables([(name.to_owned(), value.to_owned())].into());
    assert!(one("--theme-color-action", "#0af").is_ok());
    let kept = one("theme-color-action", "rgb(1 2 3)").unwrap();
    assert!(
        kept.contains_key("theme-color-action"),
        "read back as written"
    );
    for (name, value) in [
        ("--x y", "red"),
        ("--x", "red;}body{"),
        ("--x", "</style>"),
        ("--", "red"),
        ("", "red"),
    ] {
        assert!(one(name, value).is_err(), "{name}: {value}");
    }
}

#[test]
fn stream_keys_are_never_empty_short_or_double() {
    let keys = |list: &[&str]| {
        stream_keys(
            list.iter()
                .map(|key| StreamKey {
                    key: (*key).into(),
                    comment: String::new(),
                    take_over: false,
                    record: false,
                })
                .collect(),
        )
    };
    assert!(keys(&["abc123", "another-key"]).is_ok());
    // Keys that other servers generate for their publishers.
    assert!(keys(&["aZ09!@#$^&*", "100%25more%"]).is_ok());
    for bad in [
        &[][..],
        &[""],
        &["short"],
        &["with space"],
        &["a/b/c/d"],
        &["abc123", "abc123"],
    ] {
        assert!(keys(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn lines_are_limited_by_characters_not_bytes() {
    assert!(line::<3>("äöü".into()).is_ok());
    assert!(line::<3>("abcd".into()).is_err());
    assert!(line::<9>("a\nb".into()).is_err());
    assert!(lines::<9>("a\nb".into()).is_ok());
    assert!(lines::<9>("a\0b".into()).is_err());
    assert!(required_line::<9>("  ".into()).is_err());
}
