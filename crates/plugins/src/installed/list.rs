//! The list of installed plugins, which everybody may look at without asking the manager.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

pub use crate::gate::AccessMode;
use crate::manifest::Slug;
use crate::package::Package;
use crate::permission::{Permission, Permissions};

/// One plugin.
#[derive(Clone, Debug)]
pub struct InstalledPlugin {
    pub slug: Slug,
    /// Its newest package; `None` when the operator wants it to run and its file is gone.
    pub package: Option<Arc<Package>>,
    /// The package that was loaded; an older one while the newest waits for approval or does not load.
    pub loaded: Option<Arc<Package>>,
    /// The file of the newest package; empty for one that comes with the server.
    pub path: PathBuf,
    /// The newest package is the one that comes with the server.
    pub is_included: bool,
    /// A file stands in front of a package that comes with the server.
    pub replaces_included: bool,
    /// The operator wants it to run.
    pub is_enabled: bool,
    /// What the operator agreed to.
    pub approved: Permissions,
    /// What the newest package asks for beyond that while it is enabled.
    pub pending: Permissions,
    /// Why it could not be loaded last.
    pub last_error: Option<String>,
    /// When the file was first seen by this process.
    pub discovered_at: Timestamp,
    /// How much its sign-in guards.
    pub access_mode: AccessMode,
    /// The operator's values for its settings.
    pub config: serde_json::Map<String, serde_json::Value>,
}

impl InstalledPlugin {
    /// The package to tell of: the newest, or what is loaded still.
    pub fn shown(&self) -> Option<&Arc<Package>> {
        self.package.as_ref().or(self.loaded.as_ref())
    }

    /// Is its newest package a file of the folder?
    pub fn has_file(&self) -> bool {
        self.package.is_some() && !self.is_included
    }

    /// Could it guard the server?
    pub fn can_be_gate(&self) -> bool {
        let wanted = self.shown().map(|package| package.manifest().permissions);
        // One that guards now can be set while a newer package that does not want to waits.
        self.is_gate() || wanted.unwrap_or(self.approved).has(Permission::AuthGate)
    }

    /// Does the operator want it to guard the server?
    pub fn is_gate(&self) -> bool {
        self.is_enabled && self.approved.has(Permission::AuthGate)
    }
}

/// A file of the plugins folder that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableFile {
    pub path: PathBuf,
    /// Why, in one line for the operator.
    pub reason: String,
}

/// Every plugin, by slug.
#[derive(Clone, Debug, Default)]
pub struct PluginList {
    pub(super) entries: BTreeMap<Slug, Arc<InstalledPlugin>>,
    pub(super) unusable: Vec<UnusableFile>,
}

impl PluginList {
    /// One plugin.
    pub fn get(&self, slug: &str) -> Option<&Arc<InstalledPlugin>> {
        self.entries.get(slug)
    }

    /// All of them, sorted by slug.
    pub fn entries(&self) -> impl Iterator<Item = &Arc<InstalledPlugin>> {
        self.entries.values()
    }

    /// Files of the folder that are not used, sorted by name; there are [`super::MAX_PLUGINS`] at most.
    pub fn unusable_files(&self) -> &[UnusableFile] {
        &self.unusable
    }

    /// The plugin that guards the server. It counts as long as the operator wants it, whether it runs or not: a sign-in
    /// that is broken lets nobody in.
    pub fn gate(&self) -> Option<&Arc<InstalledPlugin>> {
        self.entries().find(|entry| entry.is_gate())
    }

    /// How much it guards, if anything does.
    pub fn guard(&self) -> Option<AccessMode> {
        self.gate().map(|gate| gate.access_mode)
    }
}
