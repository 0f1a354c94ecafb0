//! The same where plugins run on another machine.

use std::sync::Arc;

use ::plugins::host::wire::User;
use ::plugins::permission::Permission;

use super::{PATIENCE, PageAdditions};
use crate::state::{App, PluginHolder};

/// What they add there, or added when they last answered.
pub(super) async fn additions(
    app: &App,
    holder: &Arc<dyn PluginHolder>,
    viewer: Option<&User>,
) -> PageAdditions {
    if contributors(app).is_empty() {
        return PageAdditions::default();
    }
    let name = viewer.map_or_else(String::new, |viewer| viewer.id.clone());
    // Only texts and numbers: serialization cannot fail.
    let question = serde_json::to_string(&viewer).unwrap_or_default();
    let mut answer = None;
    if let Some(permit) = app.plugins.contributions.ask() {
        let asking = holder.additions(question);
        let (later, noted) = (app.clone(), name.clone());
        // A separate task: an answer that is too late for this page is ready for the next.
        let asking = tokio::spawn(async move {
            let answer = asking.await;
            drop(permit);
            if let Some(text) = &answer {
                let list = later.plugins.installed.list();
                later.plugins.additions.remember(&list, noted, text);
            }
            answer
        });
        if let Ok(Ok(text)) = tokio::time::timeout(PATIENCE, asking).await {
            answer = text;
        }
    }
    let list = app.plugins.installed.list();
    let answer = answer.or_else(|| app.plugins.additions.recall(&list, &name));
    let answer = answer.and_then(|text| serde_json::from_str(&text).ok());
    answer.unwrap_or_default()
}

/// The plugins that may change the viewers' page, as far as this machine knows: they run elsewhere.
pub(super) fn contributors(app: &App) -> Vec<String> {
    let list = app.plugins.installed.list();
    let wanted = list.entries().filter(|entry| entry.is_enabled);
    wanted
        .filter(|entry| entry.approved.has(Permission::UiModify))
        .map(|entry| entry.slug.to_string())
        .collect()
}
