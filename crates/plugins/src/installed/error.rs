//! Why an operator's command failed.

use std::io;
use std::path::PathBuf;

use store::StoreError;
use thiserror::Error;

use crate::manifest::Slug;
use crate::package::PackageError;

/// Each text is one line for the operator, except for tracebacks.
#[derive(Debug, Error)]
pub enum PluginManagerError {
    /// No such plugin.
    #[error("there is no plugin {0:?}")]
    Unknown(String),
    /// The package is unusable.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The slug is taken.
    #[error(
        "the plugin \"{0}\" is already installed: uninstall it first, or replace its file in the plugins folder"
    )]
    Installed(Slug),
    /// The plugin is included with the server.
    #[error(
        "the plugin \"{0}\" comes with the server and cannot be uninstalled: disable it instead"
    )]
    Included(Slug),
    /// The file name is taken.
    #[error("the file {0} holds another plugin: rename it first")]
    Occupied(PathBuf),
    /// Two gates would conflict.
    #[error("only one plugin can be the sign-in of this server: disable \"{0}\" first")]
    SecondGate(Slug),
    /// Only enabled plugins can be reloaded.
    #[error("the plugin \"{0}\" is not enabled")]
    NotEnabled(Slug),
    /// It asks for more than was approved.
    #[error("the plugin \"{slug}\" asks for more than was approved ({wanted}): approve that first")]
    Unapproved {
        slug: Slug,
        /// The additional permissions.
        wanted: String,
    },
    #[error("the plugin \"{0}\" asks for nothing new")]
    NothingPending(Slug),
    /// Its file is missing.
    #[error(
        "the package of \"{0}\" is missing from the plugins folder: put it back, or uninstall the plugin"
    )]
    Missing(Slug),
    /// It does not start.
    #[error("the plugin could not be loaded: {0}")]
    Load(String),
    /// It has no settings.
    #[error("the plugin \"{0}\" has no settings")]
    NoConfig(Slug),
    #[error("{0}")]
    Config(String),
    /// It is not a gate.
    #[error("the plugin \"{0}\" is not a sign-in")]
    NoGate(Slug),
    /// The folder cannot be used.
    #[error("the plugins folder cannot be used: {0}")]
    Folder(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another server of the cluster runs the plugins.
    #[error("plugins run on another machine, which does not answer right now")]
    Elsewhere,
    /// The server is shutting down.
    #[error("the server is stopping")]
    Stopping,
}
