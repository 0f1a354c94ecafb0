//! Scans the folder: new, changed and vanished files, and what may be loaded because of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};
use store::plugins::PluginRecord;

use super::folder::{self, ChangedFile};
use super::manager::{PluginManager, ScannedFile};
use super::{AccessMode, InstalledPlugin, PluginManagerError, approved, blocking};
use crate::manifest::Slug;
use crate::package::Package;
use crate::permission::Permissions;

/// Plugins that are loaded at the same time; the others wait, so that a start with many does not starve the rest.
const LOADS_AT_ONCE: usize = 4;

/// Characters that are told of why a file is not used; the rest is cut off.
const MAX_PROBLEM_CHARS: usize = 1000;

/// Where a package comes from.
enum PackageOrigin {
    /// Included with the server.
    Included,
    File(PathBuf),
}

impl PluginManager {
    /// Adds an entry for each enabled plugin before its file is looked for, so that a missing file is noticed.
    pub(super) async fn add_enabled_entries(&mut self) -> Result<(), PluginManagerError> {
        for record in self.parts.store.plugin_records().await? {
            if let Some(slug) = Slug::parse(&record.slug).filter(|_| record.is_enabled) {
                let mut entry = self.new_entry(&slug, Some(&record));
                entry.last_error = Some(PluginManagerError::Missing(slug.clone()).to_string());
                self.entries.insert(slug, entry);
            }
        }
        Ok(())
    }

    /// Takes over what the database says about plugins: another server may have changed it.
    pub(super) async fn read_decisions(&mut self) -> Result<(), PluginManagerError> {
        let records = self.parts.store.plugin_records().await?;
        let records: BTreeMap<Slug, PluginRecord> = records
            .into_iter()
            .filter_map(|record| Some((Slug::parse(&record.slug)?, record)))
            .collect();
        let mut slugs: BTreeSet<Slug> = self.entries.keys().cloned().collect();
        let enabled = records.iter().filter(|(_, record)| record.is_enabled);
        slugs.extend(enabled.map(|(slug, _)| slug.clone()));
        for slug in slugs {
            let decided = self.new_entry(&slug, records.get(&slug));
            let Some(entry) = self.entries.get_mut(&slug) else {
                let missing = PluginManagerError::Missing(slug.clone()).to_string();
                let entry = InstalledPlugin {
                    last_error: Some(missing),
                    ..decided
                };
                self.entries.insert(slug, entry);
                self.is_changed = true;
                continue;
            };
            if entry.package.is_none() && !decided.is_enabled {
                self.entries.remove(&slug);
                self.is_changed = true;
                continue;
            }
            let is_same = entry.is_enabled == decided.is_enabled
                && entry.approved == decided.approved
                && entry.access_mode == decided.access_mode
                && entry.config == decided.config;
            if is_same {
                continue;
            }
            entry.is_enabled = decided.is_enabled;
            entry.approved = decided.approved;
            entry.access_mode = decided.access_mode;
            entry.config = decided.config;
            entry.pending = match &entry.package {
                Some(package) if entry.is_enabled => {
                    entry.approved.grown_by(package.manifest().permissions)
                }
                _ => Permissions::NONE,
            };
            self.is_changed = true;
        }
        Ok(())
    }

    /// Nothing is loaded any more: the runtime was closed since.
    pub(super) fn forget_loaded(&mut self) {
        for entry in self.entries.values_mut() {
            self.is_changed |= entry.loaded.take().is_some();
        }
    }

    /// Scans the folder and loads what changed.
    pub(super) async fn scan(&mut self) -> Result<(), PluginManagerError> {
        let changed = self.scan_folder().await?;
        self.load_what_may_run(changed).await;
        Ok(())
    }

    /// Scans the folder; returns the plugins whose package changed.
    pub(super) async fn scan_folder(&mut self) -> Result<Vec<Slug>, PluginManagerError> {
        let path = self.parts.folder.clone();
        let stamps = self.files.iter();
        let stamps: BTreeMap<_, _> = stamps
            .filter_map(|(path, known)| Some((path.clone(), known.stamp?)))
            .collect();
        let scan = blocking(move || folder::scan(&path, &stamps)).await?;
        if scan.left_out > 0 && !scan.changed.is_empty() {
            tracing::warn!(
                files = scan.left_out,
                "too many plugins: some files are ignored"
            );
        }
        let (count, owners) = (self.files.len(), self.owners());
        self.files.retain(|path, _| scan.present.contains(path));
        self.is_changed |= self.files.len() < count;
        let mut changed = Vec::new();
        for found in scan.changed {
            self.is_changed = true;
            if let Some(slug) = self.register_file(found).await? {
                changed.push(slug);
            }
        }
        let owners_now = self.owners();
        let lost: Vec<Slug> = owners.difference(&owners_now).cloned().collect();
        self.recheck_duplicates(&lost);
        self.unload_vanished().await;
        changed.extend(self.restore_included().await?);
        Ok(changed)
    }

    /// Adds included packages where there is no file; returns the plugins that now have one. The approval of a file
    /// does not extend to them: an enabled plugin whose file is missing stays without a package.
    async fn restore_included(&mut self) -> Result<Vec<Slug>, PluginManagerError> {
        let mut changed = Vec::new();
        for package in self.parts.included.clone() {
            let slug = package.manifest().slug.clone();
            let there = self.entries.get(&slug);
            if there.is_some_and(|entry| entry.package.is_some()) {
                continue;
            }
            if there.is_some_and(|entry| entry.is_enabled) {
                let (copies, slug) = (self.parts.approved.clone(), slug.clone());
                let is_approved =
                    blocking(move || Ok::<_, io::Error>(approved::is_of_included(&copies, &slug)));
                if !is_approved.await? {
                    continue;
                }
            }
            self.is_changed = true;
            self.make_entry(&slug).await?;
            self.put(&slug, PackageOrigin::Included, package)?;
            changed.push(slug);
        }
        Ok(changed)
    }

    /// Like [`Self::restore_included`], when the folder cannot be read: only for plugins that are not enabled.
    pub(super) async fn show_included(&mut self) -> Result<(), PluginManagerError> {
        for package in self.parts.included.clone() {
            let slug = package.manifest().slug.clone();
            if !self.entries.contains_key(&slug) {
                self.make_entry(&slug).await?;
                self.put(&slug, PackageOrigin::Included, package)?;
            }
        }
        Ok(())
    }

    /// Creates an entry for a plugin without one, from the stored decisions.
    async fn make_entry(&mut self, slug: &Slug) -> Result<(), PluginManagerError> {
        if !self.entries.contains_key(slug) {
            let record = self.parts.store.plugin_record(slug.as_str()).await?;
            let entry = self.new_entry(slug, record.as_ref());
            self.entries.insert(slug.clone(), entry);
        }
        Ok(())
    }

    /// Plugins with a file.
    fn owners(&self) -> BTreeSet<Slug> {
        let files = self.files.values();
        files.filter_map(|known| known.owner.clone()).collect()
    }

    /// Files ignored as duplicates of these plugins may now be the only ones: the next scan reads them.
    pub(super) fn recheck_duplicates(&mut self, slugs: &[Slug]) {
        self.files.retain(|_, known| {
            let duplicate_of = known.duplicate_of.as_ref();
            !duplicate_of.is_some_and(|slug| slugs.contains(slug))
        });
    }

    /// Returns the plugin whose package changed, if the file is usable.
    async fn register_file(
        &mut self,
        found: ChangedFile,
    ) -> Result<Option<Slug>, PluginManagerError> {
        let ChangedFile {
            path,
            stamp,
            package,
        } = found;
        let former = self.files.remove(&path).and_then(|known| known.owner);
        let mut known = ScannedFile {
            stamp: Some(stamp),
            owner: former,
            duplicate_of: None,
            problem: None,
        };
        let package = match package {
            Ok(package) => package,
            Err(error) => {
                tracing::warn!(file = %path.display(), %error, "a plugin's package cannot be used");
                let owner = known.owner.as_ref();
                if let Some(entry) = owner.and_then(|slug| self.entries.get_mut(slug)) {
                    entry.last_error = Some(error.to_string());
                }
                known.problem = Some(bounded(&error.to_string()));
                self.files.insert(path, known);
                return Ok(None);
            }
        };
        let slug = package.manifest().slug.clone();
        let first = self.entries.get(&slug).map(|entry| &entry.path);
        let is_taken = |first: &PathBuf| {
            let owner = self.files.get(first).and_then(|known| known.owner.as_ref());
            *first != path && owner == Some(&slug)
        };
        if let Some(first) = first.filter(|first| is_taken(first)) {
            tracing::warn!(
                file = %path.display(), first = %first.display(), plugin = %slug,
                "two packages have the same slug: the second one is ignored"
            );
            let first = first.display();
            let problem = format!("the plugin \"{slug}\" is already in {first}");
            self.files.insert(
                path,
                ScannedFile {
                    owner: None,
                    duplicate_of: Some(slug),
                    problem: Some(bounded(&problem)),
                    ..known
                },
            );
            return Ok(None);
        }
        self.make_entry(&slug).await?;
        for remark in package.remarks() {
            tracing::info!(plugin = %slug, remark, "a plugin's package has warnings");
        }
        known.owner = Some(slug.clone());
        self.files.insert(path.clone(), known);
        self.put(&slug, PackageOrigin::File(path), package)?;
        Ok(Some(slug))
    }

    /// Sets an entry's newest package.
    fn put(
        &mut self,
        slug: &Slug,
        origin: PackageOrigin,
        package: Arc<Package>,
    ) -> Result<(), PluginManagerError> {
        let wanted = package.manifest().permissions;
        let mut included = self.parts.included.iter();
        let has_included = included.any(|package| package.manifest().slug == *slug);
        let entry = self.entry(slug.as_str())?;
        entry.package = Some(package);
        entry.is_included = matches!(origin, PackageOrigin::Included);
        entry.replaces_included = has_included && !entry.is_included;
        entry.path = match origin {
            PackageOrigin::Included => PathBuf::new(),
            PackageOrigin::File(path) => path,
        };
        entry.last_error = None;
        if entry.is_enabled {
            entry.pending = entry.approved.grown_by(wanted);
        }
        Ok(())
    }

    /// Stops plugins whose file is missing. An enabled one stays in the list with that error.
    async fn unload_vanished(&mut self) {
        let files = &self.files;
        let is_gone = |entry: &InstalledPlugin| {
            let owner = files
                .get(&entry.path)
                .and_then(|known| known.owner.as_ref());
            entry.has_file() && owner != Some(&entry.slug)
        };
        let gone: Vec<Slug> = self
            .entries
            .values()
            .filter(|entry| is_gone(entry))
            .map(|entry| entry.slug.clone())
            .collect();
        if gone.is_empty() {
            return;
        }
        for slug in gone {
            self.is_changed = true;
            self.parts.loader.unload(&slug).await;
            let Some(entry) = self.entries.get_mut(&slug) else {
                continue;
            };
            entry.package = None;
            entry.loaded = None;
            entry.pending = Permissions::NONE;
            entry.last_error = Some(PluginManagerError::Missing(slug.clone()).to_string());
            if !entry.is_enabled {
                self.entries.remove(&slug);
            }
        }
        self.forget_absent().await;
    }

    /// Deletes the caches of plugins whose package is gone, but not their stored data.
    pub(super) async fn forget_absent(&self) {
        let there = self.entries.values();
        let there = there.filter(|entry| entry.package.is_some());
        let there: Vec<Slug> = there.map(|entry| entry.slug.clone()).collect();
        self.parts.loader.retain(&there).await;
    }

    /// Loads those of these plugins that are enabled and allowed to; later, if nothing can be loaded yet.
    pub(super) async fn load_what_may_run(&mut self, slugs: Vec<Slug>) {
        let mut ready = Vec::new();
        for slug in slugs {
            let Some(entry) = self.entries.get(&slug) else {
                continue;
            };
            let Some(package) = entry.package.clone().filter(|_| entry.is_enabled) else {
                continue;
            };
            let (is_waiting, is_included) = (!entry.pending.is_empty(), entry.is_included);
            let package = match is_waiting {
                false => package,
                true => match self.approved_package(&slug).await {
                    Some(approved) => approved,
                    None => continue,
                },
            };
            let wanted = package.manifest().permissions;
            // Files may change behind our back; of two gates the first by name counts, as in the list.
            if let Some(other) = self.other_gate(&slug, wanted).filter(|other| *other < slug) {
                self.record_load_result(
                    &slug,
                    Err(PluginManagerError::SecondGate(other).to_string()),
                    &package,
                );
                continue;
            }
            ready.push((slug, package, is_waiting, is_included));
        }
        let loader = Arc::clone(&self.parts.loader);
        let loads = ready
            .into_iter()
            .map(|(slug, package, is_copy, is_included)| {
                let (loader, copies) = (Arc::clone(&loader), self.parts.approved.clone());
                async move {
                    let granted = package.manifest().permissions;
                    let done = loader.load(&package, granted).await;
                    if done.is_ok() && !is_copy {
                        store_copy(copies, Arc::clone(&package), is_included).await;
                    }
                    (slug, done, package)
                }
            });
        let done: Vec<_> = stream::iter(loads)
            .buffer_unordered(LOADS_AT_ONCE)
            .collect()
            .await;
        for (slug, done, package) in done {
            self.record_load_result(&slug, done, &package);
        }
    }

    /// The approved copy, for a plugin whose newest package waits; `None` if something is already running or the copy
    /// is unusable.
    async fn approved_package(&mut self, slug: &Slug) -> Option<Arc<Package>> {
        let entry = self.entries.get(slug)?;
        let wanted = entry.pending.names().join(", ");
        tracing::warn!(plugin = %slug, wanted, "a plugin asks for more than was approved and waits for approval");
        if entry.loaded.is_some() {
            return None;
        }
        let (copies, owner) = (self.parts.approved.clone(), slug.clone());
        let approved = entry.approved;
        let opened =
            blocking(move || Ok::<_, io::Error>(approved::open(&copies, &owner, approved)));
        let error = match opened.await {
            Ok(Ok(package)) => return Some(Arc::new(package)),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(plugin = %slug, error, "the approved package of a plugin cannot run on");
        let error = format!("a newer package waits for approval ({wanted}), and {error}");
        self.is_changed = true;
        self.entries.get_mut(slug)?.last_error = Some(error);
        None
    }

    fn record_load_result(
        &mut self,
        slug: &Slug,
        done: Result<(), String>,
        package: &Arc<Package>,
    ) {
        self.is_changed = true;
        let Some(entry) = self.entries.get_mut(slug) else {
            return;
        };
        match done {
            Ok(()) => {
                tracing::info!(plugin = %slug, version = package.manifest().version, "a plugin is loaded");
                entry.loaded = Some(Arc::clone(package));
                entry.last_error = None;
            }
            Err(error) => {
                tracing::warn!(plugin = %slug, error, "a plugin could not be loaded");
                entry.last_error = Some(error);
            }
        }
    }

    fn new_entry(&self, slug: &Slug, record: Option<&PluginRecord>) -> InstalledPlugin {
        let approved = record.and_then(|record| record.approved.as_ref());
        let names = approved.into_iter().flatten().map(String::as_str);
        let mode = record.and_then(|record| record.access_mode.as_deref());
        let config = record.map(|record| record.config.as_str());
        InstalledPlugin {
            slug: slug.clone(),
            package: None,
            loaded: None,
            path: PathBuf::new(),
            is_included: false,
            replaces_included: false,
            is_enabled: record.is_some_and(|record| record.is_enabled),
            approved: Permissions::from_names(names),
            pending: Permissions::NONE,
            last_error: None,
            discovered_at: self.now(),
            access_mode: mode.and_then(AccessMode::parse).unwrap_or_default(),
            config: config.map(read_config).unwrap_or_default(),
        }
    }
}

/// Bounds a text for the operator, because names inside a package can have any length.
fn bounded(text: &str) -> String {
    text.chars().take(MAX_PROBLEM_CHARS).collect()
}

/// Stores a copy of a loaded package. It is missed only if the plugin should run on after a restart while a newer
/// package waits.
async fn store_copy(copies: PathBuf, package: Arc<Package>, is_included: bool) {
    let slug = package.manifest().slug.clone();
    if let Err(error) = blocking(move || approved::store(&copies, &package, is_included)).await {
        tracing::warn!(plugin = %slug, %error, "the approved package of a plugin could not be copied");
    }
}

/// Parses the stored settings; empty if invalid, which only somebody else can have caused.
fn read_config(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}
