//! The complete document.

use std::collections::BTreeMap;

use model::product;
use serde_json::{Value, json};

use super::components::Components;
use super::operation::{of_row, security_schemes, shared_answers};
use super::page::render;
use super::settings;
use crate::route::{Doc, RouteRow};

/// A group of operations: its name, its description, and the path prefixes that belong to it.
struct Group(&'static str, &'static str, &'static [&'static str]);

/// The first group with a beginning that fits counts.
const GROUPS: [Group; 8] = [
    Group(
        "Settings",
        "Everything that can be set, one by one.",
        &["/api/admin/config/"],
    ),
    Group(
        "Moderation",
        "The chat as the operator sees it.",
        &["/api/admin/chat/", "/api/admin/users", "/api/admin/emoji/"],
    ),
    Group(
        "Integrations",
        "What bots and overlays do with an access token, and what they are told by webhooks.",
        &[
            "/api/integrations/",
            "/api/admin/accesstokens",
            "/api/admin/webhooks",
        ],
    ),
    Group(
        "Plugins",
        "What the operator decides about plugins, and what everybody may see of them.",
        &[
            "/api/admin/plugins",
            "/api/admin/plugin-registry/",
            "/api/admin/broken-plugins",
            "/api/plugins/",
        ],
    ),
    Group(
        "Admin",
        "What else only the operator reads and changes.",
        &["/api/admin/", "/api/auth/provider/"],
    ),
    Group(
        "Chat",
        "The chat, for those who talk in it and for their moderators.",
        &[
            "/ws",
            "/api/chat",
            "/api/moderation/",
            "/api/auth/",
            "/api/emoji",
        ],
    ),
    Group(
        "Recordings",
        "Streams that were recorded, for those who watch them.",
        &["/api/videos"],
    ),
    Group("Server", "What anybody may read of the server.", &["/"]),
];

const ABOUT: &str = "The HTTP API of a Rillcast server. Answers are JSON unless an operation says otherwise. \
    Errors are answered with the `Envelope` and a `message` for people; a caller who may not use an operation gets 401 in plain text. Numbers and texts that are too large are refused; unknown keys are ignored.";

/// Every row with what it says.
type Rows = [(RouteRow, Doc)];

pub(super) fn make(rows: &Rows) -> Value {
    let mut components = Components::default();
    let mut paths: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for (row, doc) in rows {
        if row.path == settings::PATH {
            for (path, operation) in settings::operations(group_of(row.path), &mut components) {
                paths
                    .entry(path)
                    .or_default()
                    .insert("post".into(), operation);
            }
        } else if is_described(row.path) {
            let operation = of_row(row, doc, group_of(row.path), &mut components);
            let methods = paths.entry(row.path.to_owned()).or_default();
            methods.insert(row.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    let responses = shared_answers(&mut components);
    let schemas = components.finish();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": product::TITLE,
            "version": product::VERSION,
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "tags": GROUPS.iter().rev().map(|Group(name, about, _)| json!({ "name": name, "description": about }))
            .collect::<Vec<_>>(),
        "paths": paths,
        "components": { "schemas": schemas, "responses": responses, "securitySchemes": security_schemes() },
    })
}

/// Pages, files and media are not operations; the chat's socket is described because its API begins there. A path with
/// a trailing slash is another spelling of the one without.
pub(super) fn is_described(path: &str) -> bool {
    path == "/ws" || (path.starts_with("/api/") && !path.ends_with('/'))
}

fn group_of(path: &str) -> &'static str {
    let group = GROUPS.iter().find(|Group(_, _, beginnings)| {
        beginnings
            .iter()
            .any(|beginning| path.starts_with(beginning))
    });
    group.map_or("Server", |Group(name, _, _)| name)
}

/// The document as it is served and committed.
pub(crate) fn text(rows: &Rows) -> String {
    let mut text =
        serde_json::to_string_pretty(&make(rows)).expect("a JSON value can always be written");
    text.push('\n');
    text
}

/// The document as a page to read.
pub(crate) fn html_page(rows: &Rows) -> String {
    render(&make(rows))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::routes::described;

    fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(entries) => entries.iter().for_each(|entry| references(entry, found)),
            _ => {}
        }
    }

    #[test]
    fn every_row_of_the_api_says_what_it_is_for_and_what_it_answers() {
        for (row, doc) in described() {
            if is_described(row.path) && row.path != settings::PATH {
                let named = format!("{} {}", row.method, row.path);
                assert!(!doc.summary.is_empty(), "{named} says nothing");
                assert!(!doc.summary.ends_with('.'), "{named}: no full stop");
                assert!(!doc.answers.is_empty(), "{named} has no answer");
            }
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = make(&described());
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 20, "the document refers to shapes");
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{reference} dangles");
        }
    }

    #[test]
    fn every_operation_has_an_id_of_its_own() {
        let document = make(&described());
        let paths = document["paths"].as_object().unwrap();
        let operations = paths
            .values()
            .flat_map(|methods| methods.as_object().unwrap().values());
        let ids: Vec<&str> = operations
            .map(|operation| operation["operationId"].as_str().unwrap())
            .collect();
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(unique.len(), ids.len());
        assert!(
            unique.contains("getAdminChatHeld")
                && unique.contains("postAdminConfigVideoStreamlatencylevel")
        );
    }
}
