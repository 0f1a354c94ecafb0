//! Plugins: the installed ones, the registry, the runtime, and the events they get from the rest of the server.

use std::pin::pin;
use std::sync::Arc;

use ::chat::{Draft, FilterVerdict, MessageFilter, Room};
use ::plugins::dispatch::{self, FilterChain, Judgement, RunningPlugins};
use ::plugins::host::wire::{ChatMessage, time};
use ::plugins::host::{DatabasePluginData, HostServices, OutboundNetwork, SqlStorage};
use ::plugins::included;
use ::plugins::installed::{InstalledPlugins, Loader, ManagerParts};
use ::plugins::instances::PluginInstances;
use ::plugins::registry::Registry;
use ::plugins::runtime::{Runtime, RuntimeParts};
use futures_util::future::BoxFuture;
use model::Clock;
use store::{LeaseName, Leases};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use web::Plugins;

use crate::cluster::SharedFiles;
use crate::config::Config;
use crate::plugin_engine;
use crate::wiring::Components;

/// Makes what loads plugins into a runtime.
pub(crate) type MakeLoader = Box<dyn FnOnce(&Runtime) -> Arc<dyn Loader> + Send>;

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

/// Opens the installed plugins and loads the enabled ones in the background; from now on plugins receive events.
pub(crate) async fn open(deps: PluginDeps<'_>) -> anyhow::Result<Plugins> {
    let PluginDeps {
        components, config, ..
    } = deps;
    let runtime = runtime(&deps);
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
    let (installed, keeper) = InstalledPlugins::open(parts).await?;
    let spawn = |task: BoxFuture<'static, ()>| {
        deps.tasks.spawn_on(task, deps.background);
    };
    let (until, running) = (deps.stop.child_token(), Arc::new(runtime.clone()));
    let tasks: [BoxFuture<'static, ()>; 3] = [
        Box::pin(dispatch::follow(
            components.store.clone(),
            components.settings.clone(),
            Arc::<Runtime>::clone(&running),
            Arc::clone(&deps.services),
            until.clone(),
        )),
        Box::pin(dispatch::tick(
            running,
            Arc::clone(&components.clock),
            until.clone(),
        )),
        Box::pin(live(keeper.run(until.clone()), runtime.clone())),
    ];
    let (leases, files) = (components.leases.clone(), components.shared_files.clone());
    spawn(Box::pin(work(leases, files, tasks, until)));
    deps.chat.set_filter(Box::new(Filters {
        runtime: runtime.clone(),
        clock: Arc::clone(&components.clock),
    }));
    let registry = Registry::new(components.outbound.clone(), config.plugin_registry.clone());
    Ok(Plugins {
        installed,
        registry,
        running: runtime,
    })
}

fn runtime(deps: &PluginDeps<'_>) -> Runtime {
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
        plugin_data: Arc::new(DatabasePluginData::new(
            components.store.clone(),
            Arc::clone(&clock),
        )),
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

/// Runs these once this server is the one that runs plugins, until `until`. A server that loses them does not run them
/// again before it is restarted.
async fn work(
    leases: Leases,
    files: Option<Arc<SharedFiles>>,
    tasks: [BoxFuture<'static, ()>; 3],
    until: CancellationToken,
) {
    let lease = tokio::select! {
        biased;
        lease = leases.take(LeaseName::Plugins) => lease,
        () = until.cancelled() => return,
    };
    if let Some(files) = &files {
        files.take_over_storage().await;
    }
    // Each by itself: one that panics leaves the others alone.
    let mut running = JoinSet::new();
    if let Some(files) = &files {
        running.spawn(Arc::clone(files).keep_storage(until.clone()));
    }
    for task in tasks {
        running.spawn(task);
    }
    let ending = async { while running.join_next().await.is_some() {} };
    let mut ending = pin!(ending);
    tokio::select! {
        () = &mut ending => {
            if let Some(files) = &files {
                files.hand_over_storage().await;
            }
        }
        () = lease.lost() => {
            tracing::error!("plugins run on another server now; restart this one if it should be able to take over again");
            until.cancel();
            ending.await;
        }
    }
    leases.give_back(lease).await;
}

/// Runs the plugin manager until the server stops, then stops the plugins.
async fn live(keeper: impl Future<Output = ()>, runtime: Runtime) {
    keeper.await;
    runtime.close().await;
}

/// Plugins that filter the chat.
#[derive(Debug)]
struct Filters {
    runtime: Runtime,
    clock: Arc<dyn Clock>,
}

impl MessageFilter for Filters {
    fn judge(&self, draft: Draft) -> BoxFuture<'_, FilterVerdict> {
        Box::pin(async move {
            let listeners = self.runtime.loaded();
            let chain = FilterChain::new(&self.runtime, &listeners, &*self.clock);
            if chain.is_empty() {
                return FilterVerdict::Pass;
            }
            let message = ChatMessage {
                id: draft.id.into(),
                user: Some((&draft.user).into()),
                client_id: Some(draft.client_id),
                body: draft.body,
                timestamp: time(self.clock.now()),
            };
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
        })
    }
}
