//! One of several machines: joins their list, says each second that it is there, and hears the others.
//!
//! A server that is alone has none of this.

mod arrivals;
mod clock_skew;
mod connections;
mod count;
mod files;
mod forwarding;
mod heard_nodes;
pub(crate) mod ingest;
mod listening;
mod log;
pub(crate) mod media;
mod people;
mod plugins;
mod seal;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use bus::{Bus, BusError, BusOptions, NodeSubject, Subject};
use chat::Room;
use model::{Clock, product};
use serde_json::json;
use store::{LeaseName, Leases, NewNode, Store};
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use web::{App, ClusterView, NodeLoad};

use crate::config::ClusterConfig;

pub(crate) use clock_skew::{ClockVerdict, judge as judge_clock, measure as measure_clock};
pub(crate) use files::{SharedFiles, try_bucket};
use forwarding::OtherMachines;
use heard_nodes::{Beat, HeardNodes};
use listening::{LISTEN_PAUSE, each_message, stops_within};
pub(crate) use plugins::{AppPlugins, JudgeLine, PluginsThere, answer_about_plugins};

/// Between two beats.
const BEAT: Duration = Duration::from_secs(1);
/// Between two writes of the row, and two counts of the connections to the chat, which go through a list of all of them.
const NOTE: Duration = Duration::from_secs(10);
/// Characters of the random part of an id: 64 bits.
const ID_CHARS: usize = 16;

/// Where a machine listens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeAddresses {
    pub(crate) http: SocketAddr,
    /// `None` if it takes in no streams.
    pub(crate) rtmp: Option<SocketAddr>,
}

/// This process as one of the machines.
#[derive(Debug)]
pub(crate) struct Membership {
    node: NewNode,
    /// Another one if it had to join again.
    number: watch::Sender<i64>,
    work: Vec<LeaseName>,
    bus: Bus,
    heard: Arc<HeardNodes>,
    /// Connections to the chat when they were last counted.
    chat_clients: AtomicU32,
}

/// How to connect to the NATS of a cluster.
pub(crate) fn bus_options(config: &ClusterConfig, is_patient: bool) -> BusOptions {
    BusOptions {
        cluster: config.name.clone(),
        servers: config.nats.clone(),
        credentials: config.nats_credentials.clone(),
        name: format!("{} {}", product::NAME, config.node_name),
        is_patient,
    }
}

impl Membership {
    /// Joins the machines on this database, if the clock of this one is right. NATS may be away; what is said there is
    /// never all there is.
    pub(crate) async fn join(
        config: &ClusterConfig,
        addresses: NodeAddresses,
        store: &Store,
        clock: &Arc<dyn Clock>,
    ) -> anyhow::Result<Self> {
        let apart = measure_clock(store, clock.as_ref())
            .await
            .context("cannot ask PostgreSQL for the time")?;
        match judge_clock(apart) {
            ClockVerdict::Right(_) => {}
            ClockVerdict::Off(text) => tracing::warn!("{text}"),
            ClockVerdict::Wrong(text) => bail!("{text}"),
        }
        let seal = seal::ClusterSeal::new(store, clock);
        let bus = Bus::connect(bus_options(config, true)).await?;
        let bus = bus.sealing_with(Arc::new(seal));
        let random = access::random_token();
        let node = NewNode {
            id: random.expose().chars().take(ID_CHARS).collect(),
            name: config.node_name.clone(),
            version: product::VERSION.into(),
            roles: config.roles.to_string(),
            addresses: json!({ "http": addresses.http, "rtmp": addresses.rtmp }).to_string(),
            since: clock.now(),
        };
        let number = store.join_nodes(node.clone()).await?;
        tracing::info!(
            cluster = %config.name,
            node = %node.name,
            id = %node.id,
            roles = %node.roles,
            "joined the cluster"
        );
        Ok(Self {
            node,
            number: watch::Sender::new(number),
            work: config.roles.work(),
            bus,
            heard: Arc::new(HeardNodes::new(Arc::clone(clock))),
            chat_clients: AtomicU32::new(0),
        })
    }

    /// Where workers get their leases: only work of this machine's roles. The keeper is one of the tasks, and ends after
    /// `stop` when every lease was given back.
    pub(crate) fn leases(
        &self,
        store: &Store,
        clock: &Arc<dyn Clock>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Leases {
        let (store, clock) = (store.clone(), Arc::clone(clock));
        let (leases, keeping) = Leases::keep(store, clock, self.node.id.clone(), stop.clone());
        tasks.spawn(keeping);
        leases.only(&self.work)
    }

    /// No other process has it.
    pub(crate) fn number(&self) -> i64 {
        *self.number.borrow()
    }

    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    pub(crate) fn view(&self, store: &Store) -> Arc<dyn ClusterView> {
        Arc::new(OtherMachines {
            heard: Arc::clone(&self.heard),
            bus: self.bus.clone(),
            number: self.number.subscribe(),
            store: store.clone(),
        })
    }

    /// Before anybody connects: the number of a connection says which machine it is at.
    pub(crate) fn number_connections(&self, chat: &Room) {
        chat.begin_telling(&self.node.id, self.number());
    }

    /// Says that this machine is there and hears the others, until `stop`; then it is taken off the list.
    pub(crate) async fn take_part(self: Arc<Self>, app: App, chat: Room, stop: CancellationToken) {
        let hear = |body: &[u8]| self.heard.hear(body);
        let own = people::OwnName { id: &self.node.id };
        let people = people::take_part(&self.bus, &chat, app.clock.as_ref(), own, &stop);
        let brought = forwarding::hear(&self.bus, &app, &chat, self.number.subscribe(), &stop);
        tokio::join!(
            Box::pin(people),
            Box::pin(brought),
            self.beat(&app, &stop),
            self.note(&app, &chat, &stop),
            each_message(&self.bus, Subject::Beat, &stop, hear),
            self.answer(&app, &stop),
            log::share(&self.bus, &app.store, &stop),
            count::share(&self, &app, &stop),
            arrivals::share(&self, &app.store, &stop),
        );
        if let Err(error) = app.store.leave_nodes(self.node.id.clone()).await {
            tracing::debug!(%error, "cannot leave the list of machines; it will be seen to be silent");
        }
    }

    fn load(&self, app: &App) -> NodeLoad {
        NodeLoad {
            viewers: app.live.stream.viewers_here(),
            chat_clients: self.chat_clients.load(Ordering::Relaxed),
        }
    }

    fn beat_now(&self, app: &App) -> Vec<u8> {
        Beat {
            id: self.node.id.clone(),
            name: self.node.name.clone(),
            load: self.load(app),
        }
        .to_bytes()
    }

    async fn beat(&self, app: &App, stop: &CancellationToken) {
        let mut ticks = ticks(BEAT);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            match self.bus.publish(Subject::Beat, &self.beat_now(app)).await {
                // The connection says by itself that it is lost.
                Ok(()) | Err(BusError::Away) => {}
                Err(error) => tracing::debug!(%error, "cannot tell the other machines of this one"),
            }
        }
    }

    async fn note(&self, app: &App, chat: &Room, stop: &CancellationToken) {
        let mut ticks = ticks(NOTE);
        let mut is_replaced = false;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let clients = chat.connections().await.len();
            let clients = u32::try_from(clients).unwrap_or(u32::MAX);
            self.chat_clients.store(clients, Ordering::Relaxed);
            refresh_agenda(app).await;
            if is_replaced {
                continue;
            }
            match self.write_row(app).await {
                Ok(is_listed) => is_replaced = !is_listed,
                Err(error) => {
                    tracing::warn!(%error, "cannot say in the database that this machine is there")
                }
            }
        }
    }

    /// Writes this machine's row. False if another one has its name.
    async fn write_row(&self, app: &App) -> anyhow::Result<bool> {
        let load = serde_json::to_string(&self.load(app))?;
        let (id, now) = (self.node.id.clone(), app.clock.now());
        if app.store.note_node(id.clone(), load.clone(), now).await? {
            return Ok(true);
        }
        let others = app.store.nodes().await?;
        if others.iter().any(|other| other.name == self.node.name) {
            tracing::error!(
                node = %self.node.name,
                "another machine of the same name has joined, so this one is on the list no more: \
                 give each a name of its own with --node-name, and restart this one"
            );
            return Ok(false);
        }
        let number = app.store.join_nodes(self.node.clone()).await?;
        self.number.send_replace(number);
        Ok(app.store.note_node(id, load, now).await?)
    }

    /// Answers whoever asks whether this machine can be reached.
    async fn answer(&self, app: &App, stop: &CancellationToken) {
        let mut number = self.number.subscribe();
        loop {
            let own = *number.borrow_and_update();
            let asked = Subject::Node(own, NodeSubject::Stats);
            let mut questions = match self.bus.subscribe(asked).await {
                Ok(questions) => questions,
                Err(error) => {
                    tracing::warn!(%error, "other machines cannot ask this one");
                    if stops_within(stop, LISTEN_PAUSE).await {
                        return;
                    }
                    continue;
                }
            };
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    _ = number.changed() => break,
                    question = questions.next() => match question {
                        Some(question) => {
                            if let Err(error) = self.bus.answer(&question, &self.beat_now(app)).await {
                                tracing::debug!(%error, "cannot answer another machine");
                            }
                        }
                        None => break,
                    }
                }
            }
        }
    }
}

/// Reads what other machines have announced: it opens the chat.
async fn refresh_agenda(app: &App) {
    let _turn = app.schedule.turn().await;
    if let Err(error) = app.schedule.refresh(app.clock.now()).await {
        tracing::debug!(%error, "cannot read the announced streams");
    }
}

fn ticks(period: Duration) -> tokio::time::Interval {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
