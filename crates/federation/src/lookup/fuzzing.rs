//! The body of the fuzz target for names and the documents behind them, shared with the stable replay test.

use outbound::Url;
use serde_json::Value;

use super::account::Account;
use super::{nodeinfo, webfinger};

/// Reads arbitrary bytes as an account and as the documents a server answers a lookup with.
///
/// # Panics
/// When an account is not read back as it was written, or an address comes out that must not reach a browser.
pub fn names_hold(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    for text in text.lines() {
        account_holds(text);
    }
    if let Ok(document) = serde_json::from_str::<Value>(text) {
        documents_hold(&document);
    }
}

fn account_holds(text: &str) {
    let Some(account) = Account::parse(text) else {
        return;
    };
    for written in [account.to_string(), account.handle(), account.resource()] {
        assert_eq!(Account::parse(&written).as_ref(), Some(&account), "{text}");
    }
    let url = Url::parse(&format!("https://{}/", account.host())).expect("a host makes a URL");
    assert!(url.domain().is_some(), "an address hid in a name: {text}");
    assert!(
        url.username().is_empty() && url.path() == "/" && url.query().is_none(),
        "more than a host: {text}"
    );
}

fn documents_hold(document: &Value) {
    let described = nodeinfo::described(document);
    assert!(described.software.len() <= 1200, "a name without a bound");
    let account = Account::parse("alice@remote.example").expect("an account");
    let Ok(located) = webfinger::read(&account, document) else {
        return;
    };
    assert_eq!(located.actor.scheme(), "https");
    if let Some(address) = located.follow_address("https://live.example/federation/user/live") {
        let host = address.host_str().unwrap_or_default();
        let is_home =
            host == "remote.example" || host.ends_with(".remote.example") || host == "example";
        assert!(is_home && address.scheme() == "https", "{address}");
    }
}
