//! What an author sees: the plugin, the chat, the notes, and the plugin's stored data.

use std::sync::Arc;

use ::plugin_tools::dev_server::{DevServer, LoadStatus, Note, SAMPLES, StoredData};
use ::plugins::engine::{CallKind, Registration};
use ::plugins::host::wire::ChatMessage;
use ::plugins::installed::{CallFacts, RunFacts};
use ::plugins::manifest::{ChatCommand, Manifest};
use ::plugins::permission::Permission;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Response};
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::DevServerState;
use super::pulse::Pulse;
use crate::plugins::operator::confine;
use crate::plugins::package_reader::read;
use crate::public::not_found;

/// What the client has already.
#[derive(Deserialize)]
pub(super) struct StateQuery {
    #[serde(default)]
    since: u64,
    /// The chat's change counter.
    chat: Option<u64>,
}

/// Everything except the plugin's stored data.
#[derive(Serialize)]
struct Overview {
    pulse: Pulse,
    plugin: Option<PluginSummary>,
    /// The chat, unless the client has it already.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<ChatMessage>>,
    notes: Vec<Note>,
}

/// A plugin as its author sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PluginSummary {
    name: String,
    slug: String,
    version: String,
    description: Option<String>,
    /// `running`, `disabled` or `stopped`.
    state: &'static str,
    /// Why it is not running.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    loading: LoadStatus,
    permissions: Vec<GrantedPermission>,
    commands: Vec<ChatCommand>,
    /// Events it subscribes to.
    events: Vec<String>,
    /// Whether it filters chat lines.
    is_filter: bool,
    links: Vec<PageLink>,
    calls: CallFacts,
    memory_bytes: u64,
}

#[derive(Serialize)]
struct GrantedPermission {
    name: Permission,
    meaning: &'static str,
}

/// A page of the plugin.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct PageLink {
    title: String,
    href: String,
}

/// `GET /_dev/state`
pub(super) async fn state(
    State(server): State<DevServerState>,
    Query(seen): Query<StateQuery>,
) -> Response {
    let dev_server = &server.0.dev_server;
    let bench = dev_server.sample_server();
    // Counters first, data second: a change in between is seen twice but never missed.
    let pulse = Pulse::of(&server);
    let is_seen = seen.chat == Some(pulse.moment.chat);
    let overview = Overview {
        plugin: summary(dev_server),
        messages: (!is_seen).then(|| bench.chat()),
        notes: bench.notes(seen.since),
        pulse,
    };
    Json(overview).into_response()
}

/// `GET /_dev/data`
pub(super) async fn data(State(server): State<DevServerState>) -> Json<StoredData> {
    Json(server.0.dev_server.stored_data().await)
}

/// `GET /_dev/samples`
pub(super) async fn samples() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], SAMPLES).into_response()
}

/// `GET /_dev/tab/{name}`: a tab of the viewer page by itself.
pub(super) async fn tab(
    State(server): State<DevServerState>,
    Path(name): Path<String>,
) -> Response {
    let dev_server = &server.0.dev_server;
    let slug = dev_server.slug();
    let plugin = slug.and_then(|slug| dev_server.runtime().running_plugin(slug.as_str()));
    let Some(plugin) = plugin else {
        return not_found().await;
    };
    let Some(tab) = plugin.manifest().tabs.iter().find(|tab| tab.slug == name) else {
        return not_found().await;
    };
    let html = match tab.file.clone() {
        Some(file) => {
            let package = Arc::clone(plugin.package());
            let bytes = read(move || package.file(&file)).await;
            let bytes = bytes.ok().flatten().unwrap_or_default();
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        None => {
            let question = json!({ "slug": name }).to_string();
            plugin.ask(CallKind::Tab, question).await
        }
    };
    match html {
        Ok(html) => {
            let mut response = Html(html).into_response();
            confine(&mut response, false);
            response
        }
        Err(error) => {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            (status, format!("{error}\n")).into_response()
        }
    }
}

fn summary(dev_server: &DevServer) -> Option<PluginSummary> {
    let package = dev_server.package()?;
    let manifest = package.manifest();
    let facts = dev_server.facts().unwrap_or_default();
    let registration = dev_server.registration().unwrap_or_default();
    let permissions = manifest.permissions.iter();
    let state = state_of(&facts);
    Some(PluginSummary {
        name: manifest.name.clone(),
        slug: manifest.slug.to_string(),
        version: manifest.version.clone(),
        description: manifest.description.clone(),
        state,
        error: facts.last_error.filter(|_| state != "running"),
        loading: dev_server.sample_server().loading(),
        permissions: permissions
            .map(|name| GrantedPermission {
                meaning: name.meaning(),
                name,
            })
            .collect(),
        commands: facts.commands,
        events: events_of(&registration),
        is_filter: !registration.subscriptions.filter.is_empty(),
        links: links(manifest),
        calls: facts.calls,
        memory_bytes: facts.memory_bytes,
    })
}

pub(super) fn state_of(facts: &RunFacts) -> &'static str {
    match facts {
        RunFacts {
            is_running: true, ..
        } => "running",
        RunFacts {
            is_auto_disabled: true,
            ..
        } => "disabled",
        _ => "stopped",
    }
}

fn events_of(registration: &Registration) -> Vec<String> {
    let wanted = registration.subscriptions.notify.iter();
    wanted.map(|one| one.event.clone()).collect()
}

/// Links to the plugin's pages.
fn links(manifest: &Manifest) -> Vec<PageLink> {
    let below = format!("/plugins/{}", manifest.slug);
    let mut links = Vec::new();
    if manifest.permissions.has(Permission::HttpServe) {
        links.push(PageLink {
            title: "Its pages".to_owned(),
            href: format!("{below}/"),
        });
    }
    links.extend(manifest.admin_pages.iter().map(|page| {
        // A pattern links to its fixed prefix.
        let path = page.paths.as_str();
        let end = path.find(['*', '?', '\\']).unwrap_or(path.len());
        PageLink {
            title: page.title.clone(),
            href: format!("{below}{}", &path[..end]),
        }
    }));
    links.extend(manifest.tabs.iter().map(|tab| PageLink {
        title: tab.title.clone(),
        href: format!("/_dev/tab/{}", tab.slug),
    }));
    let actions = manifest.actions.iter();
    links.extend(actions.filter_map(|action| {
        let href = action.url.clone()?;
        let title = action.title.clone();
        let mut starts = ["/", "http://", "https://"].into_iter();
        let is_page = starts.any(|start| href.starts_with(start));
        is_page.then_some(PageLink { title, href })
    }));
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_a_plugin_can_be_reached() {
        let manifest = Manifest::parse(
            &json!({
                "api": "1", "name": "Bell", "slug": "bell", "version": "1",
                "permissions": ["http.serve", "ui.modify"],
                "admin": {"pages": {"/admin": {"title": "Desk"}, "/rings/*": {"title": "Rings"}}},
                "tabs": {"log": {"title": "Log"}},
                "actions": [
                    {"title": "Ring", "url": "https://bell.example/ring"},
                    {"title": "Text", "html": "<p>ding</p>"},
                ],
            })
            .to_string(),
        );
        let links = links(&manifest.unwrap());
        let links: Vec<_> = links
            .iter()
            .map(|link| (link.title.as_str(), link.href.as_str()))
            .collect();
        assert_eq!(
            links,
            [
                ("Its pages", "/plugins/bell/"),
                ("Desk", "/plugins/bell/admin"),
                ("Rings", "/plugins/bell/rings/"),
                ("Log", "/_dev/tab/log"),
                ("Ring", "https://bell.example/ring"),
            ]
        );
    }
}
