//! Plugins: what the operator decides about them, and what everybody may see of them.

mod admin;
mod content;
mod events;
mod files;
mod gate;
mod install;
mod operator;
mod passes;
mod place;
mod public;
mod serve;
mod session;
mod settings;
mod shell;
mod styles;
mod users;
mod wire;
mod workshop;

use std::sync::Arc;
use std::time::Duration;

use ::plugins::guests::Guests;
use ::plugins::package::PackageError;
use ::plugins::registry::{Registry, RegistryError};
use ::plugins::shelf::{Entry, Shelf, ShelfError};

pub(crate) use admin::{
    BrokenPlugin, Done, approve, broken, disable, enable, instructions, list, logs, reload,
    uninstall, unknown_action, unknown_place,
};
pub(crate) use content::{
    Added, Contributions, PluginContent, PluginTab, added, contributing, scripts, styles,
};
pub use gate::renew_names;
pub(crate) use gate::{is_gated, is_listed, is_media_guarded, pass as pass_gate, stop_media};
pub(crate) use install::{Wanted, from_registry, registry_list, upload};
pub(crate) use passes::{PassWish, Passes, PluginPass, give as give_pass};
pub(crate) use public::{actions, icon};
pub(crate) use serve::{HEADERS, METHODS, serve};
pub(crate) use session::{Sessions, session_token};
pub(crate) use settings::{
    AuthSettings, Saved, auth_settings, config, set_auth_settings, set_config,
};
pub(crate) use styles::baseline;
pub(crate) use users::{PluginUsers, users};
pub(crate) use wire::{PluginAction, WirePlugin};
pub use workshop::serve_workshop;

use crate::app::App;
use crate::problem::Problem;

/// What a package may have, and room for the form around it.
pub(crate) const MAX_PACKAGE_FORM_BYTES: usize = 50 * 1024 * 1024 + 64 * 1024;
/// Bytes the values of a plugin's settings may have together.
pub(crate) const MAX_PLUGIN_CONFIG_BYTES: usize = 1024 * 1024;
/// An upload over a slow line may take this long; then it is given up.
pub(crate) const UPLOAD_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The rooms behind these routes.
#[derive(Clone, Debug)]
pub struct Plugins {
    /// Which plugins there are.
    pub shelf: Shelf,
    /// Those that run.
    pub guests: Arc<dyn Guests>,
    /// Where more come from.
    pub registry: Registry,
}

/// A plugin on the shelf, or 404.
fn found(app: &App, slug: &str) -> Result<Arc<Entry>, Problem> {
    let board = app.plugins.shelf.board();
    board.get(slug).cloned().ok_or(Problem::NotFound)
}

impl From<ShelfError> for Problem {
    fn from(error: ShelfError) -> Self {
        match error {
            ShelfError::Store(error) => error.into(),
            ShelfError::Package(PackageError::TooLarge) => Problem::TooLarge,
            ShelfError::Package(PackageError::Io(_)) | ShelfError::Folder(_) => {
                tracing::error!(%error, "the plugins folder cannot be used");
                Problem::Unavailable(error.to_string())
            }
            ShelfError::Stopping => Problem::Unavailable(error.to_string()),
            other => Problem::BadRequest(other.to_string()),
        }
    }
}

impl From<RegistryError> for Problem {
    fn from(error: RegistryError) -> Self {
        let text = error.to_string();
        match error {
            RegistryError::NotInstallable(_) | RegistryError::BadSlug(_) => {
                Problem::BadRequest(text)
            }
            RegistryError::UnknownVersion { .. } => Problem::Missing(text),
            RegistryError::NotSet
            | RegistryError::Registry(_)
            | RegistryError::Download(_)
            | RegistryError::Checksum => Problem::BadGateway(text),
        }
    }
}
