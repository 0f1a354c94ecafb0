//! Why a command of the operator was not carried out.

use std::io;
use std::path::PathBuf;

use store::StoreError;
use thiserror::Error;

use crate::manifest::Slug;
use crate::package::PackageError;

/// Each text is one line for the operator, but for a traceback.
#[derive(Debug, Error)]
pub enum PluginManagerError {
    /// No such plugin.
    #[error("there is no plugin {0:?}")]
    Unknown(String),
    /// A package that cannot be used.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// Its slug is taken.
    #[error(
        "the plugin \"{0}\" is installed already: uninstall it first, or replace its file in the plugins folder"
    )]
    Installed(Slug),
    /// It is part of the server.
    #[error(
        "the plugin \"{0}\" comes with the server and cannot be uninstalled: disable it instead"
    )]
    Included(Slug),
    /// Its place is taken.
    #[error("the file {0} holds another plugin: rename it first")]
    Occupied(PathBuf),
    /// Two sign-ins would contradict each other.
    #[error("only one plugin can be the sign-in of this server: disable \"{0}\" first")]
    SecondGate(Slug),
    /// Only what is enabled can be loaded again.
    #[error("the plugin \"{0}\" is not enabled")]
    NotEnabled(Slug),
    /// It asks for more than was agreed to.
    #[error("the plugin \"{slug}\" asks for more than was approved ({wanted}): approve that first")]
    Unapproved {
        slug: Slug,
        /// What it asks for beyond.
        wanted: String,
    },
    /// Nothing waits for an approval.
    #[error("the plugin \"{0}\" asks for nothing new")]
    NothingPending(Slug),
    /// Its file is gone.
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
    /// A value that does not fit.
    #[error("{0}")]
    Config(String),
    /// It is no sign-in.
    #[error("the plugin \"{0}\" is not a sign-in")]
    NoGate(Slug),
    /// The folder cannot be used.
    #[error("the plugins folder cannot be used: {0}")]
    Folder(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The server is going down.
    #[error("the server is stopping")]
    Stopping,
}
