//! Plugins: the installed ones, the registry, the runtime, and the events they get from the rest of the server.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use ::chat::{Draft, FilterVerdict, MessageFilter, Room};
use ::plugins::dispatch::{self, FilterChain, Judgement, RunningPlugins};
use ::plugins::host::wire::{ChatMessage, time};
use ::plugins::host::{DatabasePluginData, HostServices, OutboundNetwork, SqlStorage};
use ::plugins::included;
use ::plugins::installed::{InstalledPlugins, Loader, ManagerParts, PluginManager};
use ::plugins::instances::PluginInstances;
use ::plugins::permission::Permission;
use ::plugins::registry::Registry;
use ::plugins::runtime::{Runtime, RuntimeParts};
use futures_util::future::BoxFuture;
use model::Clock;
use store::settings::Settings;
use store::{Lease, LeaseName, Leases, Store};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use web::{PluginHolder, Plugins};

use crate::cluster::{JudgeLine, PluginsThere, SharedFiles};
use crate::config::Config;
use crate::plugin_engine;
use crate::wiring::Components;

/// Makes what loads plugins into a runtime.
pub(crate) type MakeLoader = Box<dyn FnOnce(&Runtime) -> Arc<dyn Loader> + Send>;

/// A machine that lost the plugins does not ask for them again before this has passed.
const TURN_PAUSE: Duration = Duration::from_secs(1);

/// What plugins need from the server.
pub(crate) struct PluginDeps<'a> {
    pub(crate) components: &'a Components,
    pub(crate) config: &'a Config,
    pub(crate) services: Arc<dyn HostServices>,
    pub(crate) chat: Room,
    /// Another loader than the runtime itself, for tests.
    pub(crate) loader: Option<MakeLoader>,
    pub(crate) tasks: &'a TaskTracker,
    pub(crate) background: &'a Handle,
    pub(crate) stop: &'a CancellationToken,
}

/// The plugins of this server, and what other machines need of them.
pub(crate) struct OpenPlugins {
    pub(crate) plugins: Plugins,
    pub(crate) judge: JudgeLine,
    /// Whether this is the machine that runs them.
    pub(crate) is_here: watch::Receiver<bool>,
}

/// Opens the installed plugins and loads the enabled ones in the background, on one of several machines once it is the
/// one that runs them; from now on plugins receive events.
pub(crate) async fn open(deps: PluginDeps<'_>) -> anyhow::Result<OpenPlugins> {
    let PluginDeps {
        components, config, ..
    } = deps;
    let data = DatabasePluginData::new(components.store.clone(), Arc::clone(&components.clock));
    let runtime = runtime(&deps, data.clone());
    let loader: Arc<dyn Loader> = match deps.loader {
        Some(make) => make(&runtime),
        None => Arc::new(runtime.clone()),
    };
    let parts = ManagerParts {
        folder: components.data_dir.plugins(),
        approved: components.data_dir.plugin_approved(),
        included: included::packages(),
        store: components.store.clone(),
        clock: Arc::clone(&components.clock),
        loader,
    };
    let (installed, manager) = InstalledPlugins::open(parts).await?;
    let (held, is_here) = watch::channel(false);
    let work = PluginWork {
        store: components.store.clone(),
        settings: components.settings.clone(),
        services: Arc::clone(&deps.services),
        clock: Arc::clone(&components.clock),
        runtime: runtime.clone(),
        data,
        files: components.shared_files.clone(),
        held,
    };
    let work = work.keep_doing(components.leases.clone(), manager, deps.stop.child_token());
    deps.tasks.spawn_on(work, deps.background);
    let filters = LocalFilters {
        runtime: runtime.clone(),
        clock: Arc::clone(&components.clock),
    };
    let there = components.membership.as_ref().map(|membership| {
        let (bus, clock) = (membership.bus().clone(), Arc::clone(&components.clock));
        Arc::new(PluginsThere::new(Arc::new(bus), clock, is_here.clone()))
    });
    deps.chat.set_filter(Box::new(Filters {
        here: filters.clone(),
        there: there.clone(),
        installed: installed.clone(),
    }));
    let registry = Registry::new(components.outbound.clone(), config.plugin_registry.clone());
    Ok(OpenPlugins {
        plugins: Plugins {
            installed,
            registry,
            running: runtime,
            holder: there.map(|there| there as Arc<dyn PluginHolder>),
        },
        judge: filters.judging(),
        is_here,
    })
}

fn runtime(deps: &PluginDeps<'_>, data: DatabasePluginData) -> Runtime {
    let (components, clock) = (deps.components, Arc::clone(&deps.components.clock));
    let reaches_private_networks = deps.config.plugin_allow_private_network;
    if reaches_private_networks {
        tracing::warn!("plugins may reach private addresses: use this for development only");
    }
    Runtime::new(RuntimeParts {
        instances: PluginInstances::new(
            plugin_engine::open(deps.config),
            deps.background.clone(),
            Arc::clone(&clock),
        ),
        services: Arc::clone(&deps.services),
        plugin_data: Arc::new(data),
        network: Arc::new(OutboundNetwork::new(
            components.outbound.clone(),
            reaches_private_networks,
        )),
        clock,
        storage: components.data_dir.plugin_storage(),
        code: Some(components.data_dir.plugin_code()),
        sql: SqlStorage::Disk,
    })
}

/// What runs while this server is the one that runs plugins.
struct PluginWork {
    store: Store,
    settings: Settings,
    services: Arc<dyn HostServices>,
    clock: Arc<dyn Clock>,
    runtime: Runtime,
    data: DatabasePluginData,
    /// What machines share, with what plugins keep.
    files: Option<Arc<SharedFiles>>,
    /// Whether it is.
    held: watch::Sender<bool>,
}

impl PluginWork {
    /// Runs plugins whenever this server is the one to do so, until `until`; else it follows what is decided about them.
    async fn keep_doing(
        self,
        leases: Leases,
        mut manager: PluginManager,
        until: CancellationToken,
    ) {
        while !until.is_cancelled() {
            let lease = tokio::select! {
                biased;
                lease = leases.take(LeaseName::Plugins) => lease,
                () = manager.watch() => return,
                () = until.cancelled() => return,
            };
            self.data.write_under(&lease);
            if let Some(files) = &self.files {
                // Whoever stops, or may not run them any more, does not wait for the bucket.
                let is_taken_over = tokio::select! {
                    biased;
                    () = lease.lost() => false,
                    () = until.cancelled() => false,
                    () = files.take_over_storage() => true,
                    () = manager.watch() => false,
                };
                if !is_taken_over {
                    leases.give_back(lease).await;
                    continue;
                }
            }
            self.held.send_replace(true);
            let done = self.work(&lease, manager, until.child_token()).await;
            self.held.send_replace(false);
            leases.give_back(lease).await;
            if leases.is_alone() || until.is_cancelled() {
                return;
            }
            let Some(given_back) = done else {
                tracing::error!("plugins cannot be looked after: restart this server");
                return;
            };
            manager = given_back;
            // Others get a chance before it begins again here.
            tokio::select! {
                () = until.cancelled() => {}
                () = manager.watch() => {}
                () = tokio::time::sleep(TURN_PAUSE) => {}
            }
        }
    }

    /// Runs plugins until the lease is lost, or `until`. `None` if the manager panicked.
    async fn work(
        &self,
        lease: &Lease,
        manager: PluginManager,
        until: CancellationToken,
    ) -> Option<PluginManager> {
        // Each by itself: one that panics leaves the others alone.
        let mut running = JoinSet::<Option<PluginManager>>::new();
        let running_plugins = Arc::new(self.runtime.clone());
        let following = dispatch::follow(
            self.store.clone(),
            self.settings.clone(),
            Arc::<Runtime>::clone(&running_plugins),
            Arc::clone(&self.services),
            until.clone(),
        );
        running.spawn(async move {
            following.await;
            None
        });
        let ticking = dispatch::tick(running_plugins, Arc::clone(&self.clock), until.clone());
        running.spawn(async move {
            ticking.await;
            None
        });
        if let Some(files) = &self.files {
            let keeping = Arc::clone(files).keep_storage(until.clone());
            running.spawn(async move {
                keeping.await;
                None
            });
        }
        let (lease_of_manager, runtime) = (lease.clone(), self.runtime.clone());
        let ended = until.clone();
        running.spawn(async move {
            let mut manager = manager;
            manager.run_under(&lease_of_manager, &ended).await;
            runtime.close().await;
            Some(manager)
        });
        let ending = async {
            let mut manager = None;
            while let Some(done) = running.join_next().await {
                manager = done.ok().flatten().or(manager);
            }
            manager
        };
        let mut ending = pin!(ending);
        tokio::select! {
            manager = &mut ending => {
                if let Some(files) = &self.files {
                    // Another machine that runs them by now has newer ones.
                    tokio::select! {
                        biased;
                        () = lease.lost() => {}
                        () = files.hand_over_storage() => {}
                    }
                }
                manager
            }
            () = lease.lost() => {
                tracing::warn!("plugins run on another machine now");
                // Before they have ended here, or two machines would answer.
                self.held.send_replace(false);
                until.cancel();
                ending.await
            }
        }
    }
}

/// The plugins of this server that filter the chat.
#[derive(Clone, Debug)]
struct LocalFilters {
    runtime: Runtime,
    clock: Arc<dyn Clock>,
}

impl LocalFilters {
    fn judging(self) -> JudgeLine {
        Arc::new(move |message: ChatMessage| {
            let filters = self.clone();
            Box::pin(async move { filters.judge(|| message).await })
        })
    }

    /// Judges a line, which is made only if somebody wants to see it.
    async fn judge(&self, message: impl FnOnce() -> ChatMessage) -> FilterVerdict {
        let listeners = self.runtime.loaded();
        let chain = FilterChain::new(&self.runtime, &listeners, &*self.clock);
        if chain.is_empty() {
            return FilterVerdict::Pass;
        }
        let message = message();
        let judged = chain.judge(&message).await;
        match judged.changed_body() {
            Some(body) if body != message.body => FilterVerdict::Replace(body),
            _ => match judged {
                Judgement::Passed { .. } => FilterVerdict::Pass,
                Judgement::Dropped { reason, .. } => {
                    FilterVerdict::Drop(Some(reason).filter(|reason| !reason.is_empty()))
                }
            },
        }
    }
}

/// Plugins that filter the chat, wherever they run.
#[derive(Debug)]
struct Filters {
    here: LocalFilters,
    there: Option<Arc<PluginsThere>>,
    installed: InstalledPlugins,
}

impl Filters {
    /// Whether some plugin of another machine wants to see lines, as far as this one knows.
    fn are_there(&self) -> bool {
        let list = self.installed.list();
        let mut wanted = list.entries().filter(|entry| entry.is_enabled);
        wanted.any(|entry| entry.approved.has(Permission::ChatFilter))
    }
}

impl MessageFilter for Filters {
    fn judge(&self, draft: Draft) -> BoxFuture<'_, FilterVerdict> {
        Box::pin(async move {
            let message = || ChatMessage {
                id: draft.id.into(),
                user: Some((&draft.user).into()),
                client_id: Some(draft.client_id),
                body: draft.body,
                timestamp: time(self.here.clock.now()),
            };
            match &self.there {
                Some(there) if !there.is_here() => match self.are_there() {
                    true => there.filter(&message()).await,
                    false => FilterVerdict::Pass,
                },
                _ => self.here.judge(message).await,
            }
        })
    }
}
