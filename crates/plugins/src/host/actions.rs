//! External actions (buttons below the player) that a plugin adds and removes while it runs.

use serde::Deserialize;
use serde_json::Value;

use super::args;
use crate::host::plugin_host::Host;
use crate::manifest::read_actions;

/// External actions one plugin may put up while it runs. More are refused: they would push the page away.
pub const MAX_ACTIONS: usize = 50;

#[derive(Deserialize)]
struct AddActionsArgs {
    actions: Value,
}

pub(super) async fn add(host: &Host, args: &str) -> Result<String, String> {
    let AddActionsArgs { actions } = args::read(args)?;
    let slug = &host.plugin.manifest.slug;
    let new = read_actions(&actions, slug, host.plugin.permissions)
        .map_err(|refused| refused.to_string())?;
    let mut all = host.parts.plugin_data.actions(host.slug()).await?;
    all.extend(new);
    if all.len() > MAX_ACTIONS {
        return Err(format!(
            "a plugin can show at most {MAX_ACTIONS} buttons; call actions.clear() first"
        ));
    }
    host.parts
        .plugin_data
        .set_actions(host.slug(), &all)
        .await?;
    Ok(args::done())
}

pub(super) async fn clear(host: &Host, _args: &str) -> Result<String, String> {
    host.parts.plugin_data.set_actions(host.slug(), &[]).await?;
    Ok(args::done())
}
