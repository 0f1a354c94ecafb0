//! Finds an account's actor (RFC 7033), and where its owner follows others.

use outbound::{FetchBudget, Url};
use serde_json::Value;

use super::account::Account;
use super::request::{self, HostScope};
use super::{Lookup, LookupError, request::json};

/// What is asked for.
const ACCEPT: &str = "application/jrd+json, application/json";
/// The link that leads to the page where one follows others.
const SUBSCRIBE: &str = "http://ostatus.org/schema/1.0/subscribe";
/// Links looked at; the rest of a longer list is ignored.
const MAX_LINKS: usize = 100;
/// The profile that makes `application/ld+json` a document of the Fediverse.
const PROFILE: &str = "https://www.w3.org/ns/activitystreams";

/// The location of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountLocation {
    pub account: Account,
    /// The address of the actor; its document is not fetched yet.
    pub actor: Url,
    /// The address with `{uri}` where the owner follows others; not checked yet.
    subscribe: Option<String>,
}

impl AccountLocation {
    /// The page where the owner's browser follows `actor`.
    ///
    /// The address comes from a stranger and goes to a browser, so it is returned only if it is https and on the
    /// account's own host or a related one.
    #[must_use]
    pub fn follow_address(&self, actor: &str) -> Option<Url> {
        let template = self.subscribe.as_deref()?;
        if !template.contains("{uri}") {
            return None;
        }
        let encoded: String = url::form_urlencoded::byte_serialize(actor.as_bytes()).collect();
        let address = Url::parse(&template.replace("{uri}", &encoded)).ok()?;
        let is_plain = address.username().is_empty() && address.password().is_none();
        let home = Url::parse(&format!("https://{}/", self.account.host())).ok()?;
        (is_plain && HostScope::Related.includes(&home, &address)).then_some(address)
    }
}

/// Asks the account's host and, if its actor is elsewhere, that host too: both must agree.
pub(super) async fn locate(
    lookup: &Lookup,
    account: &Account,
    budget: &FetchBudget,
) -> Result<AccountLocation, LookupError> {
    let home = home(account.host())?;
    request::check(lookup, &home).map_err(|_| LookupError::Account)?;
    let located = ask(lookup, &home, account, budget).await?;
    if HostScope::Related.includes(&home, &located.actor) {
        return Ok(located);
    }
    // Otherwise anybody could claim another server's actor under a name of their own.
    let mut elsewhere = located.actor.clone();
    elsewhere.set_path("/");
    elsewhere.set_query(None);
    request::check(lookup, &elsewhere)
        .map_err(|_| LookupError::Answer("an actor at an address that is not contacted"))?;
    let confirmed = ask(lookup, &elsewhere, account, budget).await?;
    match confirmed.actor == located.actor {
        true => Ok(located),
        false => Err(LookupError::Answer("an actor of another server")),
    }
}

fn home(host: &str) -> Result<Url, LookupError> {
    Url::parse(&format!("https://{host}/")).map_err(|_| LookupError::Account)
}

async fn ask(
    lookup: &Lookup,
    server: &Url,
    account: &Account,
    budget: &FetchBudget,
) -> Result<AccountLocation, LookupError> {
    let mut url = server.clone();
    url.set_path("/.well-known/webfinger");
    url.query_pairs_mut()
        .append_pair("resource", &account.resource());
    let document = json(lookup, &url, ACCEPT, HostScope::Related, budget).await?;
    read(account, &document)
}

/// Reads what a document says about the requested account.
pub(super) fn read(account: &Account, document: &Value) -> Result<AccountLocation, LookupError> {
    let subject = document.get("subject").and_then(Value::as_str);
    let is_account = subject.is_some_and(|subject| subject.starts_with("acct:"));
    if !is_account {
        return Err(LookupError::Answer("no account"));
    }
    let links = document.get("links").and_then(Value::as_array);
    let links = links.map(Vec::as_slice).unwrap_or_default();
    let (mut actor, mut subscribe) = (None, None);
    for link in links.iter().take(MAX_LINKS) {
        let text = |name| link.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("rel") {
            "self" if actor.is_none() && is_actor_type(text("type")) => {
                actor = Url::parse(text("href")).ok();
            }
            SUBSCRIBE if subscribe.is_none() => {
                subscribe = Some(text("template").to_owned()).filter(|text| !text.is_empty());
            }
            _ => {}
        }
    }
    let actor = actor.filter(|actor| actor.scheme() == "https" && actor.domain().is_some());
    Ok(AccountLocation {
        account: account.clone(),
        actor: actor.ok_or(LookupError::Answer("no actor"))?,
        subscribe,
    })
}

fn is_actor_type(text: &str) -> bool {
    let mut parts = text.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    match kind.to_ascii_lowercase().as_str() {
        "application/activity+json" => true,
        "application/ld+json" => parts.any(|part| {
            let value = part.strip_prefix("profile=").unwrap_or_default();
            let mut profiles = value.trim_matches('"').split_ascii_whitespace();
            profiles.any(|profile| profile == PROFILE)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn alice() -> Account {
        Account::parse("alice@remote.example").unwrap()
    }

    fn with_template(template: &str) -> AccountLocation {
        let document = json!({
            "subject": "acct:alice@remote.example",
            "links": [
                { "rel": "self", "type": "application/activity+json", "href": "https://remote.example/users/alice" },
                { "rel": SUBSCRIBE, "template": template },
            ],
        });
        read(&alice(), &document).unwrap()
    }

    #[test]
    fn the_actor_is_the_first_link_to_self_that_is_one() {
        let document = json!({
            "subject": "acct:Alice@remote.example",
            "links": [
                7,
                { "rel": "self", "type": "text/html", "href": "https://remote.example/@alice" },
                { "rel": "self", "type": "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"", "href": "https://remote.example/1" },
                { "rel": "self", "type": "application/activity+json", "href": "https://remote.example/2" },
            ],
        });
        let located = read(&alice(), &document).unwrap();
        assert_eq!(located.actor.as_str(), "https://remote.example/1");
    }

    #[test]
    fn a_document_without_account_or_actor_is_of_no_use() {
        let link = |href: &str| json!([{ "rel": "self", "type": "application/activity+json", "href": href }]);
        let good = "https://remote.example/1";
        let rows = [
            json!({}),
            json!({ "links": link(good) }),
            json!({ "subject": "https://remote.example/@alice", "links": link(good) }),
            json!({ "subject": "acct:alice@remote.example" }),
            json!({ "subject": "acct:alice@remote.example", "links": {} }),
            json!({ "subject": "acct:alice@remote.example", "links": link("http://remote.example/1") }),
            json!({ "subject": "acct:alice@remote.example", "links": link("https://127.0.0.1/1") }),
            json!({ "subject": "acct:alice@remote.example", "links": link("javascript:alert(1)") }),
        ];
        for document in rows {
            let outcome = read(&alice(), &document);
            assert!(matches!(outcome, Err(LookupError::Answer(_))), "{document}");
        }
    }

    #[test]
    fn the_address_to_follow_from_is_https_and_of_the_accounts_own_house() {
        let actor = "https://live.example/federation/user/live";
        let rows = [
            (
                "https://remote.example/authorize_interaction?uri={uri}",
                Some(
                    "https://remote.example/authorize_interaction?uri=https%3A%2F%2Flive.example%2Ffederation%2Fuser%2Flive",
                ),
            ),
            (
                "https://social.remote.example/follow/{uri}",
                Some(
                    "https://social.remote.example/follow/https%3A%2F%2Flive.example%2Ffederation%2Fuser%2Flive",
                ),
            ),
            ("https://remote.example/authorize_interaction", None),
            ("http://remote.example/?uri={uri}", None),
            ("javascript:alert('{uri}')", None),
            ("JaVaScRiPt:alert('{uri}')//remote.example", None),
            ("data:text/html,{uri}", None),
            ("https://evil.test/?uri={uri}", None),
            ("https://remote.example@evil.test/?uri={uri}", None),
            ("https://user:pass@remote.example/?uri={uri}", None),
            ("https://remote.example.evil.test/?uri={uri}", None),
            ("https://remote.example:8443/?uri={uri}", None),
            ("https://{uri}/remote.example", None),
            ("//evil.test/{uri}", None),
            ("", None),
        ];
        for (template, wanted) in rows {
            let found = with_template(template).follow_address(actor);
            let found = found.as_ref().map(Url::as_str);
            assert_eq!(found, wanted, "{template}");
        }
    }
}
