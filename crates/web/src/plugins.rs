//! Plugins: the operator's decisions about them, and what everybody may see of them.

mod admin;
mod content;
mod dev_server;
mod elsewhere;
mod events;
mod files;
mod gate;
mod host_context;
mod install;
mod operator;
mod package_reader;
mod passes;
mod public;
mod serve;
mod session;
mod settings;
mod shell;
mod styles;
mod users;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use ::plugins::installed::{InstalledPlugin, PluginManagerError};
use ::plugins::package::{MAX_ENTRIES, MAX_UNPACKED_BYTES, PackageError};
use ::plugins::registry::RegistryError;
use model::sentence::Sentence;

pub(crate) use admin::{
    BrokenPlugin, PluginActionResponse, approve, broken, disable, enable, instructions, list, logs,
    reload, uninstall, unknown_action, unknown_place,
};
pub use content::page_additions;
pub(crate) use content::{
    PageAdditions, PluginContent, PluginTab, added, buttons, contributing, contributors, scripts,
    styles,
};
pub use dev_server::serve_dev_server;
pub use elsewhere::answer_parcel;
pub(crate) use elsewhere::{destination, pass_on};
pub(crate) use gate::{is_gated, is_listed, is_media_guarded, pass as pass_gate, stop_media};
pub use gate::{is_plugin_ready, judge_viewer, renew_names};
pub(crate) use install::{RegistryInstallRequest, from_registry, registry_list, upload};
pub(crate) use passes::{PassRequest, PluginPass, give as give_pass};
pub(crate) use public::{actions, icon};
pub(crate) use serve::{HEADERS, METHODS, serve};
pub(crate) use session::session_token;
pub(crate) use settings::{
    AuthSettings, SaveSettingsResponse, auth_settings, config, set_auth_settings, set_config,
};
pub(crate) use styles::baseline;
pub(crate) use users::{PluginUsers, users};
pub(crate) use wire::{PluginAction, WirePlugin};

use crate::problem::Problem;
use crate::sentences;
use crate::state::App;

/// What a package may have, and room for the form around it.
pub(crate) const MAX_PACKAGE_FORM_BYTES: usize = 50 * 1024 * 1024 + 64 * 1024;
/// Bytes the values of a plugin's settings may have together.
pub(crate) const MAX_PLUGIN_CONFIG_BYTES: usize = 1024 * 1024;
/// An upload over a slow line may take this long; then it is given up.
pub(crate) const UPLOAD_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// An installed plugin, or 404.
fn found(app: &App, slug: &str) -> Result<Arc<InstalledPlugin>, Problem> {
    let list = app.plugins.installed.list();
    list.get(slug).cloned().ok_or(Problem::NotFound)
}

impl From<PluginManagerError> for Problem {
    fn from(error: PluginManagerError) -> Self {
        match error {
            PluginManagerError::Store(error) => error.into(),
            PluginManagerError::Package(PackageError::TooLarge) => Problem::TooLarge,
            PluginManagerError::Package(PackageError::Io(_)) | PluginManagerError::Folder(_) => {
                tracing::error!(%error, "the plugins folder cannot be used");
                Problem::Unavailable(error.to_string()).worded_if(refusal(error))
            }
            PluginManagerError::Elsewhere => {
                Problem::Unavailable(error.to_string()).worded(sentences::PLUGINS_ELSEWHERE.plain())
            }
            PluginManagerError::Stopping => {
                Problem::Unavailable(error.to_string()).worded(sentences::STOPPING.plain())
            }
            other => Problem::BadRequest(other.to_string()).worded_if(refusal(other)),
        }
    }
}

/// What the plugins page says about it.
fn refusal(error: PluginManagerError) -> Option<Sentence> {
    let (kind, slug) = match error {
        PluginManagerError::Unknown(slug) => {
            return Some(sentences::PLUGIN_UNKNOWN.with([slug.into()]));
        }
        PluginManagerError::Unapproved { slug, wanted } => {
            let sentence = &sentences::PLUGIN_UNAPPROVED;
            return Some(sentence.with([slug.to_string().into(), wanted.into()]));
        }
        PluginManagerError::Load(reason) => {
            return Some(sentences::PLUGIN_NOT_LOADED.with([reason.into()]));
        }
        PluginManagerError::Package(error) => return package_refusal(&error),
        PluginManagerError::Occupied(file) => {
            let file = file.display().to_string();
            return Some(sentences::PLUGIN_FILE_OCCUPIED.with([file.into()]));
        }
        PluginManagerError::Folder(error) => {
            return Some(sentences::PLUGINS_FOLDER.with([error.to_string().into()]));
        }
        PluginManagerError::NoGate(slug) => (&sentences::PLUGIN_NO_GATE, slug),
        PluginManagerError::Installed(slug) => (&sentences::PLUGIN_INSTALLED, slug),
        PluginManagerError::Included(slug) => (&sentences::PLUGIN_INCLUDED, slug),
        PluginManagerError::SecondGate(slug) => (&sentences::PLUGIN_SECOND_GATE, slug),
        PluginManagerError::NotEnabled(slug) => (&sentences::PLUGIN_NOT_ENABLED, slug),
        PluginManagerError::NothingPending(slug) => (&sentences::PLUGIN_NOTHING_NEW, slug),
        PluginManagerError::Missing(slug) => (&sentences::PLUGIN_FILE_MISSING, slug),
        PluginManagerError::NoConfig(slug) => (&sentences::PLUGIN_NO_SETTINGS, slug),
        _ => return None,
    };
    Some(kind.with([slug.to_string().into()]))
}

/// What is wrong with a package. Its size has the sentence of everything that is too large.
fn package_refusal(error: &PackageError) -> Option<Sentence> {
    Some(match error {
        PackageError::Empty => sentences::PACKAGE_EMPTY.plain(),
        PackageError::TooLarge => return None,
        PackageError::NotZip(reason) => sentences::PACKAGE_NOT_ZIP.with([(*reason).into()]),
        PackageError::TooManyEntries(files) => {
            let numbers = [(*files as u64).into(), (MAX_ENTRIES as u64).into()];
            sentences::PACKAGE_ENTRIES.with(numbers)
        }
        PackageError::TooMuch => {
            sentences::PACKAGE_UNPACKED.with([(MAX_UNPACKED_BYTES >> 20).into()])
        }
        PackageError::Entry { name, why } => {
            sentences::PACKAGE_ENTRY.with([name.as_str().into(), (*why).into()])
        }
        PackageError::NoManifest => sentences::PACKAGE_NO_MANIFEST.plain(),
        PackageError::Manifest(error) => sentences::PACKAGE_MANIFEST
            .with([error.path.as_str().into(), error.why.as_str().into()]),
        PackageError::NoCode => sentences::PACKAGE_NO_CODE.plain(),
        PackageError::ForeignCode(file) => sentences::PACKAGE_FOREIGN_CODE.with([(*file).into()]),
        PackageError::SeveralCodes(file) => sentences::PACKAGE_TWO_CODES.with([(*file).into()]),
        PackageError::Io(error) => sentences::PACKAGE_UNREADABLE.with([error.to_string().into()]),
    })
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
