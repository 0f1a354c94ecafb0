//! The list of installed plugins, which can be read without asking the manager.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

pub use crate::gate::AccessMode;
use crate::manifest::Slug;
use crate::package::Package;
use crate::permission::{Permission, Permissions};

#[derive(Clone, Debug)]
pub struct InstalledPlugin {
    pub slug: Slug,
    /// Its newest package; `None` if it is enabled and its file is missing.
    pub package: Option<Arc<Package>>,
    /// The loaded package; an older one while the newest waits for approval or fails to load.
    pub loaded: Option<Arc<Package>>,
    /// The file of the newest package; empty for an included one.
    pub path: PathBuf,
    /// The newest package is the included one.
    pub is_included: bool,
    /// A file replaces an included package.
    pub replaces_included: bool,
    pub is_enabled: bool,
    /// What the operator approved.
    pub approved: Permissions,
    /// The additional permissions the newest package asks for while it is enabled.
    pub pending: Permissions,
    /// Why it last failed to load.
    pub last_error: Option<String>,
    /// When this process first saw the file.
    pub discovered_at: Timestamp,
    /// How much its gate guards.
    pub access_mode: AccessMode,
    /// The operator's values for its settings.
    pub config: serde_json::Map<String, serde_json::Value>,
}

impl InstalledPlugin {
    /// The package to display: the newest, or else the one still loaded.
    pub fn shown(&self) -> Option<&Arc<Package>> {
        self.package.as_ref().or(self.loaded.as_ref())
    }

    /// Is its newest package a file in the folder?
    pub fn has_file(&self) -> bool {
        self.package.is_some() && !self.is_included
    }

    /// Could it be the gate?
    pub fn can_be_gate(&self) -> bool {
        let wanted = self.shown().map(|package| package.manifest().permissions);
        // The current gate can be configured while a newer package that is no gate waits.
        self.is_gate() || wanted.unwrap_or(self.approved).has(Permission::AuthGate)
    }

    /// Does the operator want it as the gate?
    pub fn is_gate(&self) -> bool {
        self.is_enabled && self.approved.has(Permission::AuthGate)
    }
}

/// An unused file in the plugins folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableFile {
    pub path: PathBuf,
    /// Why, in one line for the operator.
    pub reason: String,
}

/// All plugins, by slug.
#[derive(Clone, Debug, Default)]
pub struct PluginList {
    pub(super) entries: BTreeMap<Slug, Arc<InstalledPlugin>>,
    pub(super) unusable: Vec<UnusableFile>,
}

impl PluginList {
    pub fn get(&self, slug: &str) -> Option<&Arc<InstalledPlugin>> {
        self.entries.get(slug)
    }

    /// All of them, sorted by slug.
    pub fn entries(&self) -> impl Iterator<Item = &Arc<InstalledPlugin>> {
        self.entries.values()
    }

    /// Unused files in the folder, sorted by name; at most [`super::MAX_PLUGINS`].
    pub fn unusable_files(&self) -> &[UnusableFile] {
        &self.unusable
    }

    /// The plugin that is the gate. It counts while the operator wants it, whether it runs or not: a broken gate lets
    /// nobody in.
    pub fn gate(&self) -> Option<&Arc<InstalledPlugin>> {
        self.entries().find(|entry| entry.is_gate())
    }

    /// How much the gate guards, if there is one.
    pub fn guard(&self) -> Option<AccessMode> {
        self.gate().map(|gate| gate.access_mode)
    }
}
