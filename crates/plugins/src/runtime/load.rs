//! Loads and stops plugins for the plugin manager.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{LoadedPlugin, Runtime, RuntimeInner, watch};
use crate::engine::{InstanceLimits, InstanceSpec, LogSink, OutputKind};
use crate::host::mock::{InitialState, Mock};
use crate::host::{Assets, FilterHost, Host, HostCalls, HostParts, Level, Plugin};
use crate::installed::{CallFacts, Loader, RunFacts};
use crate::instances::PluginStatus;
use crate::manifest::{Manifest, Slug};
use crate::package::Package;
use crate::permission::Permissions;

/// Distinguishes trials that run at the same time.
static TRIALS: AtomicU64 = AtomicU64::new(0);

impl Loader for Runtime {
    fn try_load<'a>(&'a self, package: &'a Arc<Package>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(self.0.try_out(package, package.manifest().permissions))
    }

    fn load<'a>(
        &'a self,
        package: &'a Arc<Package>,
        granted: Permissions,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let is_there = self
                .running_plugin(package.manifest().slug.as_str())
                .is_some();
            if is_there {
                // The running plugin is not given up for one that does not start.
                self.0.try_out(package, granted).await?;
            }
            self.open(package, granted).await
        })
    }

    fn unload<'a>(&'a self, slug: &'a Slug) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.end(slug.as_str()).await;
            self.0.count_listeners();
        })
    }

    fn retain<'a>(&'a self, present: &'a [Slug]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Some(code) = &self.0.code {
                let slugs: BTreeSet<String> = present.iter().map(Slug::to_string).collect();
                code.retain(slugs).await;
            }
        })
    }

    fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        let plugin = self.0.plugins().get(slug.as_str()).cloned()?;
        let (status, usage) = (plugin.handle.status(), plugin.handle.usage());
        let registration = plugin.handle.registration();
        Some(RunFacts {
            is_running: matches!(status, PluginStatus::Running(_)),
            is_auto_disabled: matches!(status, PluginStatus::AutoDisabled { .. }),
            returns_at: match status {
                PluginStatus::AutoDisabled { until, .. } => Some(until),
                _ => None,
            },
            last_error: status.error().map(str::to_owned).or(usage.last_error),
            warnings: registration
                .as_ref()
                .map(|registration| registration.warnings())
                .unwrap_or_default(),
            commands: registration
                .map(|registration| plugin.commands(&registration.commands))
                .unwrap_or_default(),
            unfiltered_lines: usage.unfiltered,
            memory_bytes: usage.memory,
            strikes: usage.strikes,
            dropped_events: usage.dropped,
            calls: CallFacts {
                total: usage.calls,
                failed: usage.failures,
                fatal: usage.traps,
                cpu_micros: micros(usage.processor),
                median_micros: micros(usage.median),
                p99_micros: micros(usage.p99),
            },
        })
    }
}

impl Runtime {
    async fn open(&self, package: &Arc<Package>, granted: Permissions) -> Result<(), String> {
        let manifest = Arc::new(package.manifest().clone());
        let host = host(package, &manifest, granted, self.0.parts.clone());
        let slug = manifest.slug.to_arc();
        let log = Arc::new(PluginLog {
            host: Arc::clone(&host),
        });
        let spec = self.0.spec(package, &manifest, &host, log).await?;
        // The old one is closed first, because both use the same files and database.
        self.end(&slug).await;
        let handle = self.0.instances.open(spec);
        let plugin = LoadedPlugin {
            manifest,
            package: Arc::clone(package),
            permissions: granted,
            host,
            handle,
            plugin_data: Arc::clone(&self.0.parts.plugin_data),
        };
        self.add(plugin).await
    }

    /// Adds a plugin once it has started, or has not.
    pub(super) async fn add(&self, plugin: LoadedPlugin) -> Result<(), String> {
        let started = plugin.handle.started().await;
        // One that fails to start, or is not allowed to, stays so that its error is visible.
        let slug = Arc::clone(plugin.handle.slug());
        self.0.plugins().insert(slug, plugin.clone());
        tokio::spawn(watch(Arc::downgrade(&self.0), plugin));
        self.0.count_listeners();
        started.map(drop)
    }

    /// Ends the plugin with this slug, if there is one.
    pub(super) async fn end(&self, slug: &str) {
        let plugin = self.0.plugins().remove(slug);
        if let Some(plugin) = plugin {
            self.0.instances.close(slug).await;
            plugin.host.close();
        }
    }
}

impl RuntimeInner {
    /// Runs the module body on a mock server, without side effects.
    async fn try_out(&self, package: &Arc<Package>, granted: Permissions) -> Result<(), String> {
        let trial = TRIALS.fetch_add(1, Ordering::Relaxed);
        let storage = self.parts.storage.join(format!(".trial-{trial}"));
        let parts =
            Mock::new(InitialState::default()).parts(storage.clone(), self.parts.clock.now());
        let manifest = Arc::new(package.manifest().clone());
        let host = host(package, &manifest, granted, parts);
        let log = Arc::new(crate::engine::SilentLog);
        let spec = self.spec(package, &manifest, &host, log).await?;
        let tried = self.instances.try_out(spec).await;
        host.close();
        // Most plugins write nothing, and then the folder does not exist.
        tokio::fs::remove_dir_all(&storage).await.ok();
        tried.map(drop)
    }

    async fn spec(
        &self,
        package: &Arc<Package>,
        manifest: &Manifest,
        host: &Arc<Host>,
        log: Arc<dyn LogSink>,
    ) -> Result<InstanceSpec, String> {
        let packed = Arc::clone(package);
        let source = tokio::task::spawn_blocking(move || packed.code()).await;
        let source = source.map_err(|_| "the package could not be read".to_owned())?;
        let slug = manifest.slug.to_arc();
        Ok(InstanceSpec {
            code: self.code.as_ref().map(|folder| folder.of(&slug)),
            slug,
            manifest: manifest.text().to_owned(),
            source: source.map_err(|error| error.to_string())?,
            host: Arc::<Host>::clone(host),
            filter_host: manifest.has_own_filter.then(|| {
                let host: Arc<dyn HostCalls> = FilterHost::new(host);
                host
            }),
            log,
            limits: InstanceLimits::default(),
            clock: None,
        })
    }
}

pub(super) fn host(
    package: &Arc<Package>,
    manifest: &Arc<Manifest>,
    granted: Permissions,
    parts: HostParts,
) -> Arc<Host> {
    let plugin = Plugin {
        manifest: Arc::clone(manifest),
        permissions: granted,
        assets: Assets::Package(Arc::clone(package)),
    };
    Host::new(plugin, parts)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Sends a plugin's output to its log.
#[derive(Debug)]
struct PluginLog {
    host: Arc<Host>,
}

impl LogSink for PluginLog {
    fn line(&self, kind: OutputKind, text: &str) {
        let level = match kind {
            OutputKind::Output => Level::Info,
            OutputKind::Error => Level::Warning,
        };
        self.host.printed(level, text);
    }
}
