//! A plugin's manifest: its name, its permissions and its contents.
//!
//! Every error names the position in the document; harmless oddities become remarks.

mod actions;
mod assets;
mod commands;
mod config;
mod error;
mod glob;
mod node;
mod pages;
mod slug;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use actions::{Action, read_actions};
pub use commands::ChatCommand;
pub use config::{ConfigField, ConfigSchema, is_secret};
pub use error::ManifestError;
pub use glob::Glob;
pub use pages::{AdminPage, PageContent, Tab};
pub use slug::{MAX_SLUG_BYTES, Slug};

use crate::permission::{Permission, Permissions};
use node::Node;

/// The version of the interface that manifests must name.
pub const API: &str = "1";

/// Bytes a manifest may have, as many as a plugin may report of itself at load; a larger one is refused.
pub const MAX_MANIFEST_BYTES: usize = 256 * 1024;

/// Labels that the shop windows of plugins know.
pub const CATEGORIES: [&str; 14] = [
    "chat-bots",
    "chat-filters",
    "moderation",
    "authentication",
    "themes",
    "overlays",
    "notifications",
    "integrations",
    "video",
    "analytics",
    "games",
    "admin-utilities",
    "examples",
    "other",
];

const FIELDS: [&str; 18] = [
    "api",
    "name",
    "slug",
    "version",
    "description",
    "category",
    "permissions",
    "config",
    "bot",
    "network",
    "actions",
    "admin",
    "styles",
    "scripts",
    "extraPageContent",
    "tabs",
    "commands",
    "filterInstance",
];

/// A valid manifest.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub name: String,
    pub slug: Slug,
    /// For display only; never compared.
    pub version: String,
    /// One sentence.
    pub description: Option<String>,
    /// A label for browsing.
    pub category: Option<String>,
    /// The requested permissions, as far as this server knows them.
    pub permissions: Permissions,
    /// Its settings.
    pub config: ConfigSchema,
    /// The name of its bot in the chat.
    pub bot_display_name: String,
    /// Patterns of hosts it may send requests to.
    pub allowed_hosts: Vec<String>,
    /// Buttons below the player.
    pub actions: Vec<Action>,
    /// Pages for the operator, sorted by path.
    pub admin_pages: Vec<AdminPage>,
    /// Package entries with styles for the viewer page.
    pub styles: Vec<String>,
    /// Package entries with scripts for the viewer page.
    pub scripts: Vec<String>,
    /// Content it adds before the page's own.
    pub page_content: Option<PageContent>,
    /// Tabs on the viewer page, sorted by slug.
    pub tabs: Vec<Tab>,
    /// Chat commands declared here; those declared by the code override them.
    pub commands: Vec<ChatCommand>,
    /// Its filter shares no state with its handlers and gets its own instance, so that it never waits for them.
    pub has_own_filter: bool,
    /// Remarks for its author.
    pub remarks: Vec<String>,
    text: String,
}

impl Manifest {
    /// Parses and validates a manifest.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        if text.len() > MAX_MANIFEST_BYTES {
            let most = MAX_MANIFEST_BYTES / 1024;
            return Err(ManifestError::at(
                "",
                format_args!("is larger than {most} KiB"),
            ));
        }
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(plain)
            .map_err(|error| ManifestError::at("", format_args!("is not JSON: {error}")))?;
        let root = Node::named("", &value);
        check_api(&root)?;
        let name = root.required_words("name")?.to_owned();
        let version = root.required_words("version")?.to_owned();
        let slug = slug_of(&root, &name)?;
        let mut remarks = strangers(&root)?;
        let mut note = |more: Vec<String>| remarks.extend(more);

        let (permissions, more) = permissions_of(&root)?;
        note(more);
        for field in ["actions", "styles", "scripts", "extraPageContent", "tabs"] {
            if let Some(node) = root.get(field)?
                && !permissions.has(Permission::UiModify)
            {
                let needed = Permission::UiModify;
                return Err(node.refuse(format_args!("needs the permission {needed}")));
            }
        }
        let category = root.optional_text("category")?;
        if let Some(unknown) = category.as_deref()
            && !CATEGORIES.contains(&unknown)
        {
            note(vec![format!(
                "category: {unknown:?} is not a known category"
            )]);
        }
        let (config, more) = optional(&root, "config", config::read)?;
        note(more);
        let (bot, more) = optional(&root, "bot", bot)?;
        note(more);
        let (allowed_hosts, more) = allowed_hosts(&root, permissions)?;
        note(more);
        let (actions, more) = optional(&root, "actions", |node| {
            actions::read_list(node, &slug, permissions)
        })?;
        note(more);
        let (admin_pages, more) = optional(&root, "admin", pages::admin_pages)?;
        note(more);
        let (page_content, more) = optional(&root, "extraPageContent", |node| {
            let (content, remarks) = pages::page_content(node, &slug)?;
            Ok((Some(content), remarks))
        })?;
        note(more);
        let (tabs, more) = optional(&root, "tabs", |node| pages::tabs(node, &slug))?;
        note(more);
        let (commands, more) = optional(&root, "commands", commands::read)?;
        note(more);
        let (has_own_filter, more) = optional(&root, "filterInstance", filter_instance)?;
        note(more);
        Ok(Self {
            description: root.optional_text("description")?,
            styles: assets::entries(root.get("styles")?.as_ref(), &slug, ".css")?,
            scripts: assets::entries(root.get("scripts")?.as_ref(), &slug, ".js")?,
            bot_display_name: bot.unwrap_or_else(|| name.clone()),
            name,
            slug,
            version,
            category,
            permissions,
            config,
            allowed_hosts,
            actions,
            admin_pages,
            page_content,
            tabs,
            commands,
            has_own_filter,
            remarks,
            text: plain.to_owned(),
        })
    }

    /// The original document.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Is this path below `/plugins/<slug>` for the operator only? The path is decoded, normalized and begins with `/`.
    pub fn is_admin_path(&self, path: &str) -> bool {
        self.admin_pages.iter().any(|page| page.paths.covers(path))
    }

    /// The package entries that it names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let content = self
            .page_content
            .iter()
            .filter_map(|page| page.file.as_ref());
        let tabs = self.tabs.iter().filter_map(|tab| tab.file.as_ref());
        let all = self.styles.iter().chain(&self.scripts);
        all.chain(content).chain(tabs).map(String::as_str)
    }
}

/// Reads an optional member; an absent one counts as empty.
fn optional<T: Default>(
    root: &Node<'_>,
    key: &str,
    read: impl FnOnce(&Node<'_>) -> Result<(T, Vec<String>), ManifestError>,
) -> Result<(T, Vec<String>), ManifestError> {
    match root.get(key)? {
        Some(node) => read(&node),
        None => Ok(Default::default()),
    }
}

fn check_api(root: &Node<'_>) -> Result<(), ManifestError> {
    let supported = format!("this server supports {API:?}");
    match root.get("api")? {
        Some(node) if node.value() == API => Ok(()),
        Some(node) => Err(node.refuse(format_args!("is another version: {supported}"))),
        None => Err(ManifestError::at(
            "api",
            format_args!("is missing: {supported}"),
        )),
    }
}

fn slug_of(root: &Node<'_>, name: &str) -> Result<Slug, ManifestError> {
    if let Some(node) = root.get("slug")? {
        let given = node.text()?;
        return Slug::parse(given)
            .ok_or_else(|| node.refuse(format_args!("must match {}", slug::PATTERN)));
    }
    Slug::derive(name).ok_or_else(|| {
        ManifestError::at(
            "slug",
            format_args!(
                "cannot be made from the name {name:?}: write one that matches {}",
                slug::PATTERN
            ),
        )
    })
}

fn strangers(root: &Node<'_>) -> Result<Vec<String>, ManifestError> {
    let mut remarks = Vec::new();
    for (key, node) in root.members()? {
        match key {
            "subscriptions" => {
                remarks.push(node.remark("is ignored: they follow from the handlers in the code"));
            }
            "type" => remarks.push(node.remark("is ignored: the name of the code file decides")),
            known if FIELDS.contains(&known) => {}
            _ => remarks.push(node.remark("is unknown and ignored")),
        }
    }
    Ok(remarks)
}

fn permissions_of(root: &Node<'_>) -> Result<(Permissions, Vec<String>), ManifestError> {
    let mut remarks = Vec::new();
    let mut known = Vec::new();
    let Some(list) = root.get("permissions")? else {
        return Ok((Permissions::NONE, remarks));
    };
    for item in list.items()? {
        match Permission::parse(item.text()?) {
            Some(permission) => known.push(permission),
            None => {
                remarks.push(item.remark("is not a permission of this server and grants nothing"))
            }
        }
    }
    Ok((known.into_iter().collect(), remarks))
}

fn bot(node: &Node<'_>) -> Result<(Option<String>, Vec<String>), ManifestError> {
    let name = node.optional_text("displayName")?;
    let name = name.filter(|name| !name.trim().is_empty());
    Ok((name, node.strangers(&["displayName"])?))
}

fn filter_instance(node: &Node<'_>) -> Result<(bool, Vec<String>), ManifestError> {
    match node.text()? {
        "own" => Ok((true, Vec::new())),
        "shared" => Ok((false, Vec::new())),
        _ => {
            let remark = node.remark("is neither \"own\" nor \"shared\", and counts as \"shared\"");
            Ok((false, vec![remark]))
        }
    }
}

fn allowed_hosts(
    root: &Node<'_>,
    permissions: Permissions,
) -> Result<(Vec<String>, Vec<String>), ManifestError> {
    let (hosts, remarks) = optional(root, "network", |node| {
        let mut hosts = Vec::new();
        if let Some(list) = node.get("allowedHosts")? {
            for item in list.items()? {
                hosts.push(item.words()?.trim().to_owned());
            }
        }
        Ok((hosts, node.strangers(&["allowedHosts"])?))
    })?;
    if permissions.has(Permission::NetworkFetch) && hosts.is_empty() {
        return Err(ManifestError::at(
            "network.allowedHosts",
            format_args!(
                "must name at least one host, because the plugin asks for {}",
                Permission::NetworkFetch
            ),
        ));
    }
    Ok((hosts, remarks))
}
