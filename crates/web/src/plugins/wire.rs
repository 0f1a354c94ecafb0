//! A plugin as the admin page shows it.

use std::collections::BTreeMap;

use ::plugins::installed::{CallFacts, InstalledPlugin, RunFacts};
use ::plugins::manifest::{Action, AdminPage, ChatCommand, ConfigField, Manifest, is_secret};
use ::plugins::permission::{Permission, Permissions};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::html::cleaned;

/// A plugin, its state and how it is doing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Plugin)]
pub(crate) struct WirePlugin {
    slug: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    bot_display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    category: Option<String>,
    /// What the newest package asks for.
    permissions: Vec<String>,
    /// What the newest package asks for beyond what was approved; the approved one runs on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending_permissions: Vec<String>,
    /// The permissions in plain words.
    permission_details: Vec<WirePermission>,
    /// The package's file; empty when the package comes with the server.
    path: String,
    /// The package comes with the server.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    included: bool,
    /// The package is used instead of one that comes with the server.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replaces_included: bool,
    /// The operator wants it to run.
    enabled: bool,
    /// It was loaded.
    loaded: bool,
    /// It is loaded and takes calls.
    running: bool,
    /// It failed as a filter too often, and is switched off for a while.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    auto_disabled: bool,
    /// When a plugin that was switched off by itself comes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    returns_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    has_icon: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    has_instructions: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_error: Option<String>,
    discovered_at: Timestamp,
    /// Hosts it may send requests to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed_hosts: Vec<String>,
    /// Pages of its own for the operator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    admin_pages: Vec<WirePage>,
    /// Chat commands, while it is loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<WireCommand>,
    /// What can be set for it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    config: BTreeMap<String, WireField>,
    /// What is odd about its package and its code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    /// What its code is written in.
    runtime: &'static str,
    memory_bytes: u64,
    strikes: u32,
    dropped_events: u64,
    /// Lines of chat that went on without its filter, because it was busy or too slow.
    unfiltered_lines: u64,
    call_stats: CallStats,
}

/// A permission in plain words.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginPermission)]
struct WirePermission {
    name: &'static str,
    meaning: &'static str,
    /// A mistake with it is seen outside and hard to take back.
    high_trust: bool,
    /// Not approved yet.
    pending: bool,
}

/// A page of a plugin for the operator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PluginPage)]
struct WirePage {
    /// Below `/plugins/<slug>`; may have `*` in it.
    path: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    icon: Option<String>,
}

/// A chat command.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginCommand)]
struct WireCommand {
    name: String,
    prefix: String,
    description: String,
    usage: String,
    aliases: Vec<String>,
    mod_only: bool,
    case_sensitive: bool,
    cooldown_ms: u64,
}

/// A setting of a plugin.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PluginSetting)]
struct WireField {
    /// `string`, `number`, `boolean`, or another name for values that are not checked.
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    default: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    /// To be hidden while it is typed.
    secret: bool,
}

/// Numbers about calls since the plugin was loaded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginCalls)]
struct CallStats {
    total: u64,
    failed: u64,
    /// Failures that ended the instance.
    fatal: u64,
    cpu_micros: u64,
    /// Half of the newest calls were over within this.
    median_micros: u64,
    /// 99 of 100 of the newest calls were over within this.
    p99_micros: u64,
}

impl WirePlugin {
    pub(super) fn new(entry: &InstalledPlugin, facts: Option<RunFacts>) -> Self {
        let package = entry.shown();
        let manifest = package.map(|package| package.manifest());
        let is_loaded = entry.loaded.is_some();
        let facts = facts.filter(|_| is_loaded).unwrap_or_default();
        let wanted = manifest.map_or(entry.approved, |manifest| manifest.permissions);
        let mut remarks = package.map(|package| package.remarks()).unwrap_or_default();
        let warning = facts.warnings.first().cloned();
        remarks.extend(facts.warnings);
        let text = |read: fn(&Manifest) -> &String| manifest.map(|manifest| read(manifest).clone());
        Self {
            slug: entry.slug.to_string(),
            name: text(|manifest| &manifest.name).unwrap_or_else(|| entry.slug.to_string()),
            bot_display_name: text(|manifest| &manifest.bot_display_name),
            version: text(|manifest| &manifest.version),
            description: manifest.and_then(|manifest| manifest.description.clone()),
            category: manifest.and_then(|manifest| manifest.category.clone()),
            permissions: wanted.names(),
            pending_permissions: entry.pending.names(),
            permission_details: details(wanted, entry.pending),
            path: entry.path.display().to_string(),
            included: entry.is_included,
            replaces_included: entry.replaces_included,
            enabled: entry.is_enabled,
            loaded: is_loaded,
            running: facts.is_running && !facts.is_auto_disabled,
            auto_disabled: facts.is_auto_disabled,
            returns_at: facts.returns_at,
            has_icon: package.is_some_and(|package| package.has_icon()),
            has_instructions: package.is_some_and(|package| package.has_instructions()),
            last_error: entry.last_error.clone().or(facts.last_error).or(warning),
            discovered_at: entry.discovered_at,
            allowed_hosts: manifest
                .map(|manifest| manifest.allowed_hosts.clone())
                .unwrap_or_default(),
            admin_pages: manifest.map(pages).unwrap_or_default(),
            commands: facts.commands.into_iter().map(WireCommand::from).collect(),
            config: manifest.map(settings).unwrap_or_default(),
            remarks,
            runtime: "python",
            memory_bytes: facts.memory_bytes,
            strikes: facts.strikes,
            dropped_events: facts.dropped_events,
            unfiltered_lines: facts.unfiltered_lines,
            call_stats: facts.calls.into(),
        }
    }
}

fn details(wanted: Permissions, pending: Permissions) -> Vec<WirePermission> {
    let one = |permission: Permission| WirePermission {
        name: permission.as_str(),
        meaning: permission.meaning(),
        high_trust: permission.needs_high_trust(),
        pending: pending.has(permission),
    };
    wanted.iter().map(one).collect()
}

fn pages(manifest: &Manifest) -> Vec<WirePage> {
    let one = |page: &AdminPage| WirePage {
        path: page.paths.as_str().to_owned(),
        title: page.title.clone(),
        icon: page.icon.clone(),
    };
    manifest.admin_pages.iter().map(one).collect()
}

fn settings(manifest: &Manifest) -> BTreeMap<String, WireField> {
    let one = |(key, field): (&String, &ConfigField)| {
        let field = WireField {
            kind: field.kind.clone(),
            default: field.default.clone(),
            description: field.description.clone(),
            secret: is_secret(key),
        };
        (key.clone(), field)
    };
    manifest.config.iter().map(one).collect()
}

impl From<ChatCommand> for WireCommand {
    fn from(command: ChatCommand) -> Self {
        Self {
            name: command.name,
            prefix: command.prefix,
            description: command.description,
            usage: command.usage,
            aliases: command.aliases,
            mod_only: command.mod_only,
            case_sensitive: command.case_sensitive,
            cooldown_ms: command.cooldown_ms,
        }
    }
}

impl From<CallFacts> for CallStats {
    fn from(calls: CallFacts) -> Self {
        Self {
            total: calls.total,
            failed: calls.failed,
            fatal: calls.fatal,
            cpu_micros: calls.cpu_micros,
            median_micros: calls.median_micros,
            p99_micros: calls.p99_micros,
        }
    }
}

/// A button that a plugin puts below the player.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PluginAction {
    title: String,
    /// Where it leads; else it has `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    url: Option<String>,
    /// What it shows, sanitised.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    icon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    open_externally: Option<bool>,
}

impl From<&Action> for PluginAction {
    fn from(action: &Action) -> Self {
        Self {
            title: action.title.clone(),
            url: action.url.clone(),
            html: action.html.as_deref().map(cleaned),
            icon: action.icon.clone(),
            color: action.color.clone(),
            description: action.description.clone(),
            open_externally: action.open_externally,
        }
    }
}
