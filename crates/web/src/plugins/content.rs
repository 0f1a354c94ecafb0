//! What plugins add to the viewers' page: styles, scripts, content, tabs and buttons.
//!
//! All plugins are asked at once, and the page waits a second at most. One that is late or fails is shown as it was when
//! it last answered.

mod memory;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::plugins::engine::CallKind;
use ::plugins::guests::Guest;
use ::plugins::host::wire::User;
use ::plugins::house::AskError;
use ::plugins::manifest::Action;
use ::plugins::permission::Permission;
use ::plugins::shelf::Board;
use futures_util::future::{join, join_all};
use serde::Serialize;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use self::memory::{Key, Memory};
use super::public::read;
use crate::app::App;

/// How long a page waits for its plugins.
const PATIENCE: Duration = Duration::from_secs(1);

/// Questions about content that are under way. One more is not asked: the last good answer is shown.
const MAX_ASKING: usize = 64;

/// The last good answers.
#[derive(Debug)]
pub(crate) struct Contributions {
    last: Mutex<Memory>,
    asking: Arc<Semaphore>,
}

impl Default for Contributions {
    fn default() -> Self {
        Self {
            last: Mutex::default(),
            asking: Arc::new(Semaphore::new(MAX_ASKING)),
        }
    }
}

impl Contributions {
    /// Forgets what plugins said that are not loaded any more.
    pub(super) fn forget_unloaded(&self, board: &Arc<Board>) {
        self.last().forget_unloaded(board);
    }

    fn last(&self) -> MutexGuard<'_, Memory> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tab of a plugin.
#[derive(Clone, Debug, Serialize, ToSchema)]
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
#[derive(Clone, Debug, Serialize, ToSchema)]
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
#[derive(Debug, Default)]
pub(crate) struct Added {
    pub(crate) styles: String,
    pub(crate) content: Vec<PluginContent>,
    pub(crate) tabs: Vec<PluginTab>,
    pub(crate) actions: Vec<Action>,
}

/// What the page of this viewer gets.
pub(crate) async fn added(app: &App, viewer: Option<&User>) -> Added {
    let guests = contributing(app);
    let asked = guests.iter().map(|guest| async move {
        let ((styles, content), (tabs, added)) = join(
            join(styles_of(app, guest), content_of(app, guest, viewer)),
            join(tabs_of(app, guest, viewer), guest.added_actions()),
        )
        .await;
        let actions = guest.manifest().actions.iter().cloned();
        let actions: Vec<Action> = actions.chain(added).collect();
        let content = (!content.trim().is_empty()).then(|| PluginContent {
            plugin: guest.slug().to_owned(),
            title: guest.manifest().name.clone(),
            html: content,
            styles: styles.clone(),
        });
        (styles, content, tabs, actions)
    });
    let mut all = Added::default();
    for (styles, content, tabs, actions) in join_all(asked).await {
        all.styles.push_str(&styles);
        all.content.extend(content);
        all.tabs.extend(tabs);
        all.actions.extend(actions);
    }
    all
}

/// The styles of all plugins.
pub(crate) async fn styles(app: &App) -> String {
    let guests = contributing(app);
    let asked = guests.iter().map(|guest| styles_of(app, guest));
    join_all(asked).await.concat()
}

/// The scripts of all plugins, or of one; each fails for itself alone.
pub(crate) async fn scripts(app: &App, only: Option<&str>) -> String {
    let mut guests = contributing(app);
    guests.retain(|guest| only.is_none_or(|slug| slug == guest.slug()));
    let asked = guests.iter().map(|guest| async move {
        let files = &guest.manifest().scripts;
        let label = |file: &str| format!("// plugin {}: {file}\n", guest.slug());
        let (files, made) = join(
            texts(guest, files, &label),
            ask(app, guest, CallKind::Scripts, "", None),
        )
        .await;
        let script = files + &with_line_break(made);
        match script.is_empty() {
            true => script,
            false => format!(
                "try {{\n{script}}} catch (error) {{\n  console.error(\"plugin {}:\", error);\n}}\n",
                guest.slug()
            ),
        }
    });
    join_all(asked).await.concat()
}

/// Plugins that may change the viewers' page.
pub(crate) fn contributing(app: &App) -> Vec<Arc<dyn Guest>> {
    // Files come and go without anybody asking for it here.
    app.contributions
        .forget_unloaded(&app.plugins.shelf.board());
    let mut guests = app.plugins.guests.guests();
    guests.retain(|guest| guest.permissions().has(Permission::UiModify));
    guests
}

async fn styles_of(app: &App, guest: &Arc<dyn Guest>) -> String {
    let label = |file: &str| format!("/* plugin {}: {file} */\n", guest.slug());
    let files = &guest.manifest().styles;
    let (files, made) = join(
        texts(guest, files, &label),
        ask(app, guest, CallKind::Styles, "", None),
    )
    .await;
    files + &with_line_break(made)
}

async fn content_of(app: &App, guest: &Arc<dyn Guest>, viewer: Option<&User>) -> String {
    let Some(content) = &guest.manifest().page_content else {
        return String::new();
    };
    html(
        app,
        guest,
        CallKind::Page,
        (content.slug.as_str(), content.file.as_deref()),
        viewer,
    )
    .await
}

async fn tabs_of(app: &App, guest: &Arc<dyn Guest>, viewer: Option<&User>) -> Vec<PluginTab> {
    let asked = guest.manifest().tabs.iter().map(|tab| async move {
        let place = (tab.slug.as_str(), tab.file.as_deref());
        PluginTab {
            slug: tab.slug.clone(),
            title: tab.title.clone(),
            html: html(app, guest, CallKind::Tab, place, viewer).await,
            plugin: guest.slug().to_owned(),
        }
    });
    join_all(asked).await
}

/// HTML from a file, or else from the code.
async fn html(
    app: &App,
    guest: &Arc<dyn Guest>,
    kind: CallKind,
    (name, file): (&str, Option<&str>),
    viewer: Option<&User>,
) -> String {
    match file {
        Some(file) => {
            let label = |file: &str| format!("<!-- plugin {}: {file} -->\n", guest.slug());
            texts(guest, &[file.to_owned()], &label).await
        }
        None => ask(app, guest, kind, name, viewer).await,
    }
}

/// Files of the package as text, each below a line that says whose it is; one that cannot be read is left out.
async fn texts(
    guest: &Arc<dyn Guest>,
    files: &[String],
    label: &(dyn Fn(&str) -> String + Sync),
) -> String {
    let mut all = String::new();
    for file in files {
        let (package, name) = (Arc::clone(guest.package()), file.clone());
        match read(move || package.file(&name)).await {
            Ok(Some(bytes)) => {
                all.push_str(&label(file));
                all.push_str(&with_line_break(
                    String::from_utf8_lossy(&bytes).into_owned(),
                ));
            }
            _ => {
                let plugin = guest.slug();
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
    guest: &Arc<dyn Guest>,
    kind: CallKind,
    name: &str,
    viewer: Option<&User>,
) -> String {
    let key = Key {
        slug: guest.slug().to_owned(),
        kind: kind.name(),
        name: name.to_owned(),
        viewer: viewer.map_or_else(String::new, |viewer| viewer.id.clone()),
    };
    let last = || app.contributions.last().recall(&key, guest.package());
    let Ok(permit) = Arc::clone(&app.contributions.asking).try_acquire_owned() else {
        return last().unwrap_or_default();
    };
    let input = match kind {
        CallKind::Styles | CallKind::Scripts => String::new(),
        // Texts and numbers: there is nothing that could fail.
        _ => serde_json::to_string(&Question {
            slug: name,
            user: viewer,
        })
        .unwrap_or_default(),
    };
    // A task of its own: an answer that comes too late for this page is there for the next.
    let (later, asked, noted) = (app.clone(), Arc::clone(guest), key.clone());
    let asking = tokio::spawn(async move {
        let answer = asked.ask(kind, input).await;
        drop(permit);
        match answer {
            Ok(text) => {
                let mut last = later.contributions.last();
                let board = later.plugins.shelf.board();
                last.remember(&board, asked.package(), noted, &text);
                Some(text)
            }
            // What its code did is in the log already, with the traceback.
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
