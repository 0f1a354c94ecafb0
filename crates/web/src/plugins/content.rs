//! What plugins add to the viewer page: styles, scripts, content, tabs and buttons.
//!
//! All plugins are called at once, and the page waits a second at most. If one is late or fails, its last good answer
//! is shown.

mod elsewhere;

use std::sync::Arc;
use std::time::Duration;

use ::plugins::engine::CallKind;
use ::plugins::host::wire::User;
use ::plugins::instances::AskError;
use ::plugins::manifest::Action;
use ::plugins::permission::Permission;
use ::plugins::runtime::LoadedPlugin;
use futures_util::future::{join, join_all};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::package_reader::read;
use crate::state::{AnswerKey, App};

/// How long a page waits for its plugins.
const PATIENCE: Duration = Duration::from_secs(1);

/// A tab of a plugin.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct PluginTab {
    /// Its name within the plugin.
    slug: String,
    title: String,
    /// Its content, to be shown in a frame of its own.
    html: String,
    /// Whose it is.
    plugin: String,
}

/// What a plugin puts before the operator's own text.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct PluginContent {
    /// Whose it is.
    plugin: String,
    /// What the plugin is called.
    title: String,
    /// To be shown in a frame of its own, where the plugin's styles are the only ones besides the baseline.
    pub(crate) html: String,
    /// The plugin's own styles.
    styles: String,
}

/// What all plugins add to a page.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct PageAdditions {
    pub(crate) styles: String,
    pub(crate) content: Vec<PluginContent>,
    pub(crate) tabs: Vec<PluginTab>,
    pub(crate) actions: Vec<Action>,
}

/// What the page of this viewer gets.
pub(crate) async fn added(app: &App, viewer: Option<&User>) -> PageAdditions {
    if let Some(holder) = app.plugins.elsewhere() {
        return elsewhere::additions(app, holder, viewer).await;
    }
    let plugins = contributing(app);
    let asked = plugins.iter().map(|plugin| async move {
        let ((styles, content), (tabs, added)) = join(
            join(styles_of(app, plugin), content_of(app, plugin, viewer)),
            join(tabs_of(app, plugin, viewer), plugin.runtime_actions()),
        )
        .await;
        let actions = plugin.manifest().actions.iter().cloned();
        let actions: Vec<Action> = actions.chain(added).collect();
        let content = (!content.trim().is_empty()).then(|| PluginContent {
            plugin: plugin.slug().to_owned(),
            title: plugin.manifest().name.clone(),
            html: content,
            styles: styles.clone(),
        });
        (styles, content, tabs, actions)
    });
    let mut all = PageAdditions::default();
    for (styles, content, tabs, actions) in join_all(asked).await {
        all.styles.push_str(&styles);
        all.content.extend(content);
        all.tabs.extend(tabs);
        all.actions.extend(actions);
    }
    all
}

/// What the plugins of this machine add to the page of a viewer, which is JSON, as the answer is.
pub async fn page_additions(app: &App, viewer: &str) -> Option<String> {
    let viewer: Option<User> = serde_json::from_str(viewer).ok()?;
    let all = added(app, viewer.as_ref()).await;
    serde_json::to_string(&all).ok()
}

/// The buttons of all plugins.
pub(crate) async fn buttons(app: &App) -> Vec<Action> {
    if let Some(holder) = app.plugins.elsewhere() {
        return elsewhere::additions(app, holder, None).await.actions;
    }
    let mut all = Vec::new();
    for plugin in contributing(app) {
        all.extend(plugin.manifest().actions.iter().cloned());
        all.extend(plugin.runtime_actions().await);
    }
    all
}

/// The styles of all plugins.
pub(crate) async fn styles(app: &App) -> String {
    let plugins = contributing(app);
    let asked = plugins.iter().map(|plugin| styles_of(app, plugin));
    join_all(asked).await.concat()
}

/// The scripts of all plugins, or of one; each fails for itself alone.
pub(crate) async fn scripts(app: &App, only: Option<&str>) -> String {
    let mut plugins = contributing(app);
    plugins.retain(|plugin| only.is_none_or(|slug| slug == plugin.slug()));
    let asked = plugins.iter().map(|plugin| async move {
        let files = &plugin.manifest().scripts;
        let label = |file: &str| format!("// plugin {}: {file}\n", plugin.slug());
        let (files, made) = join(
            texts(plugin, files, &label),
            ask(app, plugin, CallKind::Scripts, "", None),
        )
        .await;
        let script = files + &with_line_break(made);
        match script.is_empty() {
            true => script,
            false => format!(
                "try {{\n{script}}} catch (error) {{\n  console.error(\"plugin {}:\", error);\n}}\n",
                plugin.slug()
            ),
        }
    });
    join_all(asked).await.concat()
}

/// Plugins that may change the viewers' page.
pub(crate) fn contributing(app: &App) -> Vec<LoadedPlugin> {
    // Plugins come and go without a call to this module.
    app.plugins
        .contributions
        .forget_unloaded(&app.plugins.installed.list());
    let mut plugins = app.plugins.running.running_plugins();
    plugins.retain(|plugin| plugin.permissions().has(Permission::UiModify));
    plugins
}

/// Their names, also of those that run on another machine.
pub(crate) fn contributors(app: &App) -> Vec<String> {
    match app.plugins.elsewhere() {
        Some(_) => elsewhere::contributors(app),
        None => {
            let plugins = contributing(app);
            plugins
                .iter()
                .map(|plugin| plugin.slug().to_owned())
                .collect()
        }
    }
}

async fn styles_of(app: &App, plugin: &LoadedPlugin) -> String {
    let label = |file: &str| format!("/* plugin {}: {file} */\n", plugin.slug());
    let files = &plugin.manifest().styles;
    let (files, made) = join(
        texts(plugin, files, &label),
        ask(app, plugin, CallKind::Styles, "", None),
    )
    .await;
    files + &with_line_break(made)
}

async fn content_of(app: &App, plugin: &LoadedPlugin, viewer: Option<&User>) -> String {
    let Some(content) = &plugin.manifest().page_content else {
        return String::new();
    };
    html(
        app,
        plugin,
        CallKind::Page,
        (content.slug.as_str(), content.file.as_deref()),
        viewer,
    )
    .await
}

async fn tabs_of(app: &App, plugin: &LoadedPlugin, viewer: Option<&User>) -> Vec<PluginTab> {
    let asked = plugin.manifest().tabs.iter().map(|tab| async move {
        let place = (tab.slug.as_str(), tab.file.as_deref());
        PluginTab {
            slug: tab.slug.clone(),
            title: tab.title.clone(),
            html: html(app, plugin, CallKind::Tab, place, viewer).await,
            plugin: plugin.slug().to_owned(),
        }
    });
    join_all(asked).await
}

/// HTML from a file, or else from the code.
async fn html(
    app: &App,
    plugin: &LoadedPlugin,
    kind: CallKind,
    (name, file): (&str, Option<&str>),
    viewer: Option<&User>,
) -> String {
    match file {
        Some(file) => {
            let label = |file: &str| format!("<!-- plugin {}: {file} -->\n", plugin.slug());
            texts(plugin, &[file.to_owned()], &label).await
        }
        None => ask(app, plugin, kind, name, viewer).await,
    }
}

/// Files of the package as text, each below a line that says whose it is; one that cannot be read is left out.
async fn texts(
    plugin: &LoadedPlugin,
    files: &[String],
    label: &(dyn Fn(&str) -> String + Sync),
) -> String {
    let mut all = String::new();
    for file in files {
        let (package, name) = (Arc::clone(plugin.package()), file.clone());
        match read(move || package.file(&name)).await {
            Ok(Some(bytes)) => {
                all.push_str(&label(file));
                all.push_str(&with_line_break(
                    String::from_utf8_lossy(&bytes).into_owned(),
                ));
            }
            _ => {
                let plugin = plugin.slug();
                model::stranger_line!(
                    warn, "plugin_file", about plugin, plugin, file, "a plugin's file cannot be read"
                );
            }
        }
    }
    all
}

fn with_line_break(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The order of the fields is that of the wire.
#[derive(Serialize)]
struct Question<'a> {
    slug: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a User>,
}

/// What the code says, or said when it last answered.
async fn ask(
    app: &App,
    plugin: &LoadedPlugin,
    kind: CallKind,
    name: &str,
    viewer: Option<&User>,
) -> String {
    let key = AnswerKey {
        slug: plugin.slug().to_owned(),
        kind: kind.name(),
        name: name.to_owned(),
        viewer: viewer.map_or_else(String::new, |viewer| viewer.id.clone()),
    };
    let last = || {
        app.plugins
            .contributions
            .last()
            .recall(&key, plugin.package())
    };
    let Some(permit) = app.plugins.contributions.ask() else {
        return last().unwrap_or_default();
    };
    let input = match kind {
        CallKind::Styles | CallKind::Scripts => String::new(),
        // Only texts and numbers: serialization cannot fail.
        _ => serde_json::to_string(&Question {
            slug: name,
            user: viewer,
        })
        .unwrap_or_default(),
    };
    // A separate task: an answer that is too late for this page is ready for the next.
    let (later, asked, noted) = (app.clone(), plugin.clone(), key.clone());
    let asking = tokio::spawn(async move {
        let answer = asked.ask(kind, input).await;
        drop(permit);
        match answer {
            Ok(text) => {
                let mut last = later.plugins.contributions.last();
                let list = later.plugins.installed.list();
                last.remember(&list, asked.package(), noted, &text);
                Some(text)
            }
            // The plugin's failure is in the log already, with the traceback.
            Err(AskError::Failed(_)) => None,
            Err(error) => {
                let plugin = asked.slug();
                model::stranger_line!(
                    warn, "plugin_content", about plugin, plugin, kind = kind.name(), %error,
                    "a plugin added nothing to the page"
                );
                None
            }
        }
    });
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(Ok(Some(text))) => text,
        _ => last().unwrap_or_default(),
    }
}
