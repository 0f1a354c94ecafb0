//! Plugins: the shelf, the registry, whoever runs them, and what they hear of the rest of the server.

use std::sync::Arc;

use ::chat::{Draft, MessageFilter, Room, Verdict};
use ::plugins::dispatch::{self, Announcing, Chain, Judgement, Listeners, Scene};
use ::plugins::guests::Runner;
use ::plugins::host::wire::{ChatMessage, time};
use ::plugins::host::{HostServices, Kept, Outside, SqlPlace};
use ::plugins::house::House;
use ::plugins::included;
use ::plugins::registry::Registry;
use ::plugins::runtime::{Furnishings, Runtime};
use ::plugins::shelf::{Parts, Shelf};
use futures_util::future::BoxFuture;
use model::Clock;
use model::settings::table::{STREAM_TITLE, SUMMARY};
use store::settings::Settings;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use web::Plugins;

use crate::config::Config;
use crate::plugin_engine;
use crate::wiring::Rooms;

/// What plugins need of the server.
pub(crate) struct Needs<'a> {
    pub(crate) rooms: &'a Rooms,
    pub(crate) config: &'a Config,
    pub(crate) services: Arc<dyn HostServices>,
    pub(crate) chat: Room,
    /// Somebody else to run plugins, for tests.
    pub(crate) runner: Option<Arc<dyn Runner>>,
    pub(crate) tasks: &'a TaskTracker,
    pub(crate) background: &'a Handle,
    pub(crate) stop: &'a CancellationToken,
}

/// Opens the shelf and loads what is to run, in the background; from now on plugins hear what happens.
pub(crate) async fn open(needs: Needs<'_>) -> anyhow::Result<Plugins> {
    let Needs { rooms, config, .. } = needs;
    let runtime = runtime(&needs);
    let runner = needs.runner.unwrap_or_else(|| Arc::new(runtime.clone()));
    let parts = Parts {
        folder: rooms.data_dir.plugins(),
        approved: rooms.data_dir.plugin_approved(),
        included: included::packages(),
        store: rooms.store.clone(),
        clock: Arc::clone(&rooms.clock),
        loader: Arc::<dyn Runner>::clone(&runner),
    };
    let (shelf, keeper) = Shelf::open(parts).await?;
    let spawn = |task: BoxFuture<'static, ()>| {
        needs.tasks.spawn_on(task, needs.background);
    };
    let (stop, listeners) = (needs.stop, Arc::new(runtime.clone()));
    spawn(Box::pin(dispatch::follow(
        rooms.store.clone(),
        Arc::<Runtime>::clone(&listeners),
        Arc::new(OnAir(rooms.settings.clone())),
        Arc::new(Voice(needs.chat.clone())),
        stop.clone(),
    )));
    let clock = Arc::clone(&rooms.clock);
    spawn(Box::pin(dispatch::tick(listeners, clock, stop.clone())));
    spawn(Box::pin(live(keeper.run(stop.clone()), runtime.clone())));
    needs.chat.set_filter(Box::new(Filters {
        runtime: runtime.clone(),
        clock: Arc::clone(&rooms.clock),
    }));
    let registry = Registry::new(rooms.outbound.clone(), config.plugin_registry.clone());
    Ok(Plugins {
        shelf,
        registry,
        guests: runner,
    })
}

fn runtime(needs: &Needs<'_>) -> Runtime {
    let (rooms, clock) = (needs.rooms, Arc::clone(&needs.rooms.clock));
    let reaches_private_networks = needs.config.plugin_allow_private_network;
    if reaches_private_networks {
        tracing::warn!(
            "plugins may reach addresses of the private network: this is for development"
        );
    }
    Runtime::new(Furnishings {
        house: House::new(
            plugin_engine::open(needs.config),
            needs.background.clone(),
            Arc::clone(&clock),
        ),
        services: Arc::clone(&needs.services),
        keeping: Arc::new(Kept::new(rooms.store.clone(), Arc::clone(&clock))),
        network: Arc::new(Outside::new(
            rooms.outbound.clone(),
            reaches_private_networks,
        )),
        clock,
        storage: rooms.data_dir.plugin_storage(),
        code: Some(rooms.data_dir.plugin_code()),
        sql: SqlPlace::Disk,
    })
}

/// Looks after the shelf until the server stops, and ends the plugins then.
async fn live(keeper: impl Future<Output = ()>, runtime: Runtime) {
    keeper.await;
    runtime.close().await;
}

/// What is on, for plugins.
#[derive(Debug)]
struct OnAir(Settings);

impl Scene for OnAir {
    fn title(&self) -> String {
        self.0.now().get(&STREAM_TITLE).clone()
    }

    fn summary(&self) -> String {
        self.0.now().get(&SUMMARY).clone()
    }
}

/// The server's own voice in the chat.
#[derive(Debug)]
struct Voice(Room);

impl Announcing for Voice {
    fn announce(&self, html: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Err(error) = self.0.say_system(html).await {
                tracing::warn!(%error, "the list of commands could not be said");
            }
        })
    }
}

/// Plugins that have a say in what is said.
#[derive(Debug)]
struct Filters {
    runtime: Runtime,
    clock: Arc<dyn Clock>,
}

impl MessageFilter for Filters {
    fn judge(&self, draft: Draft) -> BoxFuture<'_, Verdict> {
        Box::pin(async move {
            let listeners = self.runtime.loaded();
            let chain = Chain::new(&self.runtime, &listeners, &*self.clock);
            if chain.is_empty() {
                return Verdict::Pass;
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
                Some(body) if body != message.body => Verdict::Replace(body),
                _ => match judged {
                    Judgement::Passed { .. } => Verdict::Pass,
                    Judgement::Dropped { reason, .. } => {
                        Verdict::Drop(Some(reason).filter(|reason| !reason.is_empty()))
                    }
                },
            }
        })
    }
}
