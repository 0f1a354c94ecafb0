//! Describes the server at an address (NodeInfo 2.0 and 2.1, <http://nodeinfo.diaspora.software/>).

use outbound::{FetchBudget, Url};
use serde_json::Value;

use super::request::{HostScope, json};
use super::{Lookup, LookupError};

/// What is asked for.
const ACCEPT: &str = "application/json";
/// The versions that are understood, the one we speak first.
const SCHEMAS: [&str; 2] = [
    "http://nodeinfo.diaspora.software/ns/schema/2.0",
    "http://nodeinfo.diaspora.software/ns/schema/2.1",
];
/// Links looked at; the rest of a longer list is ignored.
const MAX_LINKS: usize = 20;
/// Longest text that is kept of an answer; the rest is cut.
const MAX_TEXT_CHARS: usize = 100;

/// A server's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeInfo {
    /// The software's name, in lower case.
    pub software: String,
    /// Whether it takes part in the Fediverse.
    pub speaks_activitypub: bool,
    /// The name of its only account, if it has just one.
    pub username: Option<String>,
    /// The version in which it tells others that it is live; 0 if it does not.
    pub featured_streams: u64,
}

/// Asks where the description is, then fetches it; both have to be on the same host.
pub(super) async fn read(
    lookup: &Lookup,
    base: &Url,
    budget: &FetchBudget,
) -> Result<NodeInfo, LookupError> {
    let mut url = base.clone();
    url.set_path("/.well-known/nodeinfo");
    let index = json(lookup, &url, ACCEPT, HostScope::Same, budget).await?;
    let address = description(&index).ok_or(LookupError::Answer("no description of itself"))?;
    if !HostScope::Same.includes(base, &address) {
        return Err(LookupError::Answer("a description at another server"));
    }
    let document = json(lookup, &address, ACCEPT, HostScope::Same, budget).await?;
    Ok(described(&document))
}

fn description(index: &Value) -> Option<Url> {
    let links = index.get("links")?.as_array()?;
    let links = &links[..links.len().min(MAX_LINKS)];
    let text = |link: &Value, name| link.get(name).and_then(Value::as_str).map(str::to_owned);
    SCHEMAS.iter().find_map(|schema| {
        let mut of_schema = links
            .iter()
            .filter(|link| text(link, "rel").as_deref() == Some(schema));
        of_schema.find_map(|link| Url::parse(&text(link, "href")?).ok())
    })
}

/// Missing values and values of the wrong type are treated alike.
pub(super) fn described(document: &Value) -> NodeInfo {
    let text = |path: &str| {
        let text = document.pointer(path).and_then(Value::as_str);
        text.map(|text| text.chars().take(MAX_TEXT_CHARS).collect::<String>())
    };
    let protocols = document.get("protocols").and_then(Value::as_array);
    let speaks_activitypub =
        protocols.is_some_and(|list| list.iter().any(|one| one.as_str() == Some("activitypub")));
    let featured = document.pointer("/metadata/federation/featured_streams");
    NodeInfo {
        software: text("/software/name").unwrap_or_default().to_lowercase(),
        speaks_activitypub,
        username: text("/metadata/federation/username").filter(|name| !name.is_empty()),
        featured_streams: featured.and_then(Value::as_u64).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_of_our_kind_is_recognised() {
        let document = json!({
            "version": "2.0",
            "software": { "name": "Rillcast", "version": "0.3.0" },
            "protocols": ["activitypub"],
            "metadata": { "federation": { "username": "live", "featured_streams": 1 } },
        });
        let wanted = NodeInfo {
            software: "rillcast".into(),
            speaks_activitypub: true,
            username: Some("live".into()),
            featured_streams: 1,
        };
        assert_eq!(described(&document), wanted);
    }

    #[test]
    fn what_is_of_another_kind_is_as_good_as_not_said() {
        let long = "a".repeat(5000);
        let rows = [
            json!([]),
            json!({}),
            json!({ "software": "rillcast", "protocols": "activitypub", "metadata": [] }),
            json!({ "software": { "name": 7 }, "metadata": { "federation": { "username": "", "featured_streams": -1 } } }),
            json!({ "metadata": { "federation": { "featured_streams": "1" } } }),
        ];
        for document in rows {
            let nothing = NodeInfo {
                software: String::new(),
                speaks_activitypub: false,
                username: None,
                featured_streams: 0,
            };
            assert_eq!(described(&document), nothing, "{document}");
        }
        let document = json!({ "software": { "name": long } });
        assert_eq!(described(&document).software.len(), MAX_TEXT_CHARS);
    }

    #[test]
    fn the_description_in_our_version_is_preferred() {
        let [ours, later] = SCHEMAS;
        let index = json!({ "links": [
            { "rel": later, "href": "https://a.example/2.1" },
            { "rel": ours, "href": "not an address" },
            { "rel": ours, "href": "https://a.example/2.0" },
        ] });
        assert_eq!(description(&index).unwrap().path(), "/2.0");
        assert_eq!(description(&json!({ "links": [{ "rel": ours }] })), None);
    }
}
