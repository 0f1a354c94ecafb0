//! A server's life: bind, open, announce, serve, stop.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use access::indieauth::IndieAuth;
use anyhow::Context;
use archive::{Archive, Folder};
use chat::Room;
use http::HeaderValue;
use http_server::{ConnectionLimits, Shutdown, Tls, TrustedProxies};
use media::rtmp::TlsUpgrade;
use media::stream::{Stream, StreamPublishHandler};
use model::settings::table::SERVER_URL;
use model::settings::table::chat::HISTORY_HOURS;
use store::{Lease, LeaseName};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use web::{App, AppDeps, Facts, LogBook};

use crate::background::Background;
use crate::clock::SystemClock;
use crate::cluster::{AppPlugins, NodeAddresses, answer_about_plugins};
use crate::config::{Config, NodeRole};
use crate::data_dir::{DataDir, backup_note};
use crate::own_address::OwnAddress;
use crate::ready::ReadyInfo;
use crate::wiring::{Components, KeyGate, Previews};
use crate::{
    chapters, cluster, engagement, limits, metrics, plugins, posters, recorder, recording,
    recordings_upkeep, sampler, schedule,
};

/// Requests under way get this long after the signal; with the rest of the work the stop stays within ten seconds.
const CONNECTION_GRACE: Duration = Duration::from_secs(7);
/// Limit (operators): time to shut down after a signal; then the rest is cut off.
const STOP_DEADLINE: Duration = Duration::from_secs(8);
/// Moving the write-ahead log into the database takes milliseconds, unless the disk is stuck.
const CLOSE_DEADLINE: Duration = Duration::from_millis(1500);
/// Between rounds of housekeeping.
const HOUSEKEEPING: Duration = Duration::from_secs(30);
/// Rounds between looks for old lines of the chat: five minutes.
const CHAT_ROUNDS: u32 = 10;
/// People who registered this long ago and never came in are forgotten.
const UNUSED_USERS: Duration = Duration::from_secs(3600);
/// Limit (operators): time a chatter who never wrote anything is kept; then the account is deleted.
const SILENT_USERS: Duration = Duration::from_secs(30 * 24 * 3600);

#[derive(Debug)]
pub(crate) struct RunningServer {
    pub(crate) ready: ReadyInfo,
    pub(crate) components: Arc<Components>,
    /// For tests.
    #[cfg(feature = "testing")]
    pub(crate) federation: federation::Federation,
    tls: Option<Tls>,
    stop: CancellationToken,
    /// Cancelled when the operator asks the process to end.
    pub(crate) quit: CancellationToken,
    tasks: TaskTracker,
    /// Ends with the server.
    _background: Background,
}

impl RunningServer {
    /// Starts everything; when this returns the server can serve.
    pub(crate) async fn start(config: &Config, logs: Arc<dyn LogBook>) -> anyhow::Result<Self> {
        Self::start_with(config, logs, None).await
    }

    /// The same with another loader of plugins.
    pub(crate) async fn start_with(
        config: &Config,
        logs: Arc<dyn LogBook>,
        loader: Option<plugins::MakeLoader>,
    ) -> anyhow::Result<Self> {
        metrics::install();
        let open_files = limits::raise_open_files();
        // The first random number costs tens of milliseconds of entropy gathering; meanwhile the database opens.
        drop(tokio::task::spawn_blocking(access::random_token));
        // Steps that can fail without touching the data come first, and the lock before all of them, so that a second
        // server on the same folder reports the real reason.
        let data_dir = DataDir::open(&config.data_dir)?;
        let tls = match &config.tls {
            Some((cert, key)) => Some(Tls::load(cert, key)?),
            None => None,
        };
        let http = bind("--listen", config.listen).await?;
        let cluster = config.cluster.as_ref();
        let takes_in = cluster.is_none_or(|cluster| cluster.roles.has(NodeRole::Ingest));
        let rtmp = match takes_in {
            true => Some(bind("--rtmp-listen", config.rtmp_listen).await?),
            false => None,
        };
        let rtmp_address = rtmp.as_ref().map(TcpListener::local_addr).transpose()?;
        let addresses = NodeAddresses {
            http: http.local_addr()?,
            rtmp: rtmp_address,
        };
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let clock = Arc::new(SystemClock::new());
        let components =
            Components::open(config, data_dir, addresses, clock, &tasks, &stop).await?;
        let components = Arc::new(components);
        let quit = CancellationToken::new();
        let facts = Facts {
            http: addresses.http,
            // Where it would listen, if it takes in no streams.
            rtmp: addresses.rtmp.unwrap_or(config.rtmp_listen),
            node_header: node_header(config)?,
            metrics: metrics::render,
            tls: tls.clone(),
            data_folder: components.data_dir.path().to_owned(),
            backup_note: config
                .database
                .sqlite_path()
                .map(|_| backup_note(&config.data_dir)),
            public_folder: components.data_dir.public(),
            own_address: Arc::new(OwnAddress {
                client: components.outbound.clone(),
            }),
            quit: quit.clone(),
        };
        let listening: Vec<SocketAddr> = [Some(addresses.http), addresses.rtmp]
            .into_iter()
            .flatten()
            .collect();
        components.data_dir.note_addresses(&listening)?;
        let ready = ReadyInfo {
            http: facts.http,
            is_tls: tls.is_some(),
            rtmp: addresses.rtmp,
            server_url: components.settings.now().get(&SERVER_URL).clone(),
            setup_token: components.admin.setup_token(),
            stream_key: components.stream_key(),
            data_dir: std::path::absolute(&config.data_dir)?.display().to_string(),
        };
        let background =
            Background::start().context("cannot start the threads for work in the background")?;
        let archive = Archive::new(
            Folder::new(components.data_dir.recordings()),
            components.store.clone(),
            Arc::clone(&components.clock),
        );
        let unfinished = recording::recover(&archive, components.leases.is_alone()).await;
        let live = components.open_stream(&tasks, &stop).await?;
        recording::go_on(&live, &unfinished);
        let limits = ConnectionLimits::from_fd_limit(open_files);
        let chat = components
            .open_chat(&live, limits.total, &tasks, &stop)
            .await?;
        let webhooks = components
            .open_webhooks(&live, &tasks, background.handle(), &stop)
            .await?;
        let thumbnails = components.open_thumbnails(&live, &tasks, background.handle(), &stop);
        let previews = Arc::new(Previews {
            thumbnails: thumbnails.clone(),
            plugins: OnceLock::new(),
        });
        let preview = Arc::clone(&previews);
        let federation = components
            .open_federation(&live, preview, &tasks, background.handle(), &stop)
            .await?;
        let services = components.services(live.clone(), chat.clone(), federation.clone());
        let plugins = plugins::open(plugins::PluginDeps {
            components: &components,
            config,
            services: Arc::new(services),
            chat: chat.clone(),
            loader,
            tasks: &tasks,
            background: background.handle(),
            stop: &stop,
        });
        let plugins = plugins.await.context("cannot open the plugins")?;
        let _ = previews.plugins.set(plugins.plugins.installed.clone());
        let trusted_proxies = TrustedProxies(config.trusted_proxies.clone());
        let app = App::new(AppDeps {
            settings: components.settings.clone(),
            store: components.store.clone(),
            clock: Arc::clone(&components.clock),
            archive: archive.clone(),
            schedule: components.schedule.clone(),
            admin: components.admin.clone(),
            stream: live.clone(),
            thumbnails,
            chat: chat.clone(),
            sign_in: IndieAuth::new(components.outbound.clone(), Arc::clone(&components.clock))
                .sharing(&components.store),
            webhooks,
            federation: federation.clone(),
            plugins: plugins.plugins,
            trusted_proxies: trusted_proxies.clone(),
            logs,
            facts,
            cluster: components
                .membership
                .as_ref()
                .map(|node| node.view(&components.store)),
            stop: stop.clone(),
        });
        if let (Some(node), Some(options)) = (&components.membership, &config.cluster) {
            tasks.spawn(answer_about_plugins(
                node.bus().clone(),
                Arc::new(AppPlugins::new(&app, plugins.judge)),
                Arc::clone(&components.clock),
                plugins.is_here,
                stop.clone(),
            ));
            let node = Arc::clone(node);
            tasks.spawn(cluster::media::carry(
                options.clone(),
                node.number(),
                live.clone(),
                Arc::clone(&components.clock),
                stop.clone(),
            ));
            node.number_connections(&chat);
            tasks.spawn(node.take_part(app.clone(), chat.clone(), stop.clone()));
        }
        if let Some(files) = &components.shared_files {
            tasks.spawn(Arc::clone(files).run(chat.clone(), stop.clone()));
        }
        tasks.spawn(app.tell_bots());
        if let Some(tls) = &tls {
            tasks.spawn(tls.clone().watch(stop.clone()));
        }
        if let Some(rtmp) = rtmp {
            let gate = Arc::new(KeyGate(components.settings.clone()));
            tasks.spawn(media::rtmp::serve(
                rtmp,
                tls.clone().map(rtmps),
                Arc::new(StreamPublishHandler::new(live.clone(), gate)),
                Arc::clone(&components.clock),
                stop.clone(),
            ));
        }
        if config.is_demo {
            tasks.spawn(play_demo(
                live.clone(),
                Arc::clone(&components.clock),
                stop.clone(),
            ));
        }
        tasks.spawn(schedule::keep(
            Arc::clone(&components),
            chat.clone(),
            stop.clone(),
        ));
        let place = engagement::place(&components).await;
        tasks.spawn(engagement::tell(
            Arc::clone(&components),
            chat.clone(),
            place,
            stop.clone(),
        ));
        tasks.spawn(recorder::run(app.clone(), chat.clone(), stop.clone()));
        tasks.spawn(housekeeping(Arc::clone(&components), chat, stop.clone()));
        tasks.spawn(recording::run(
            archive.clone(),
            components.settings.clone(),
            live.clone(),
            unfinished,
            stop.clone(),
        ));
        tasks.spawn(recordings_upkeep::run(
            archive.clone(),
            components.settings.clone(),
            stop.clone(),
        ));
        tasks.spawn(chapters::write(
            Arc::clone(&components),
            archive.clone(),
            stop.clone(),
        ));
        tasks.spawn_on(
            posters::draw(Arc::clone(&components), archive, stop.clone()),
            background.handle(),
        );
        let folder = components.data_dir.path().to_owned();
        tasks.spawn(web::renew_names(app.clone(), stop.clone()));
        tasks.spawn(sampler::run(app.clone(), folder, stop.clone()));
        tasks.spawn(http_server::serve(
            http,
            tls.clone(),
            web::request_handler(&app),
            trusted_proxies,
            limits,
            Shutdown {
                requested: stop.clone(),
                grace: CONNECTION_GRACE,
            },
        ));
        tasks.close();
        Ok(Self {
            ready,
            components,
            #[cfg(feature = "testing")]
            federation,
            tls,
            stop,
            quit,
            tasks,
            _background: background,
        })
    }

    /// Stops accepting, lets requests end, and waits for every task.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        if tokio::time::timeout(STOP_DEADLINE, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!(tasks = self.tasks.len(), "some tasks did not end in time");
        }
        // Everything acknowledged is on disk already; this merges it into one file.
        if tokio::time::timeout(CLOSE_DEADLINE, self.components.store.close())
            .await
            .is_err()
        {
            tracing::warn!(
                "the database did not close in time; its log will be replayed at the next start"
            );
        }
    }
}

/// Serves until SIGINT, SIGTERM or a request of the operator; SIGHUP reloads the certificate.
pub async fn until_signal(config: Config, logs: Arc<dyn LogBook>) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    for remark in &config.remarks {
        tracing::warn!("{remark}");
    }
    let running = tokio::select! {
        running = RunningServer::start(&config, logs) => running?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    if let Some(path) = &config.ready_file
        && let Err(error) = running.ready.write_file(path)
    {
        running.stop().await;
        return Err(error);
    }
    tracing::info!(http = %running.ready.http, rtmp = running.ready.rtmp.map(tracing::field::display), version = model::product::VERSION, "ready");
    running.ready.print();
    loop {
        let name = tokio::select! {
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
            () = running.quit.cancelled() => "the operator",
            _ = hangup.recv() => {
                reload(&running);
                continue;
            }
        };
        tracing::info!(by = name, "stopping");
        break;
    }
    running.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// TLS on the RTMP port, with the same certificate as the pages.
fn rtmps(tls: Tls) -> TlsUpgrade {
    Arc::new(move |stream| {
        let tls = tls.clone();
        Box::pin(async move {
            let stream = tls.accept(stream).await?;
            Ok(Box::new(stream) as Box<dyn media::rtmp::Transport>)
        })
    })
}

async fn play_demo(live: Stream, clock: Arc<dyn model::Clock>, stop: CancellationToken) {
    if let Err(error) = media::demo::run(live, clock, stop).await {
        tracing::error!(%error, "the built-in test stream cannot be read");
    }
}

fn reload(running: &RunningServer) {
    if let Some(tls) = &running.tls
        && let Err(error) = tls.reload()
    {
        tracing::error!(%error, "the certificate cannot be used, keeping the old one");
    }
}

/// What answers say about the machine they come from, where that was asked for.
fn node_header(config: &Config) -> anyhow::Result<Option<HeaderValue>> {
    let named = config.cluster.as_ref();
    let named = named.filter(|cluster| cluster.is_named_in_answers);
    let value = named.map(|cluster| HeaderValue::from_str(&cluster.node_name));
    value
        .transpose()
        .context("the name of this machine cannot be sent")
}

async fn bind(flag: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| match address.port() {
        0..1024 => format!("cannot listen on {address} ({flag}): ports below 1024 may need more rights"),
        _ => format!("cannot listen on {address} ({flag}): is another program using it? choose another with {flag}"),
    })
}

/// Regular small chores: those of this process, and those of the database, which one server does for all.
async fn housekeeping(components: Arc<Components>, chat: Room, stop: CancellationToken) {
    let own = keep_own_house(&components, &chat, &stop);
    let work = |lease, until| prune(Arc::clone(&components), lease, until);
    let leases = &components.leases;
    let shared = leases.while_held(LeaseName::Housekeeping, stop.clone(), work);
    tokio::join!(own, shared);
}

async fn keep_own_house(components: &Components, chat: &Room, stop: &CancellationToken) {
    let mut round: u32 = 0;
    forget_old_lines(components, chat).await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(HOUSEKEEPING) => {}
        }
        metrics::upkeep();
        round = round.wrapping_add(1);
        if let Err(error) = chat.lift_ended_bans().await {
            tracing::warn!(%error, "cannot lift bans that are over");
        }
        if let Err(error) = chat.close_what_the_operator_lost().await {
            tracing::warn!(%error, "cannot look up who chats as the operator");
        }
        if round.is_multiple_of(CHAT_ROUNDS) {
            forget_old_lines(components, chat).await;
        }
    }
}

async fn prune(components: Arc<Components>, lease: Lease, until: CancellationToken) {
    let store = components.store.under(&lease);
    let mut round: u32 = 0;
    loop {
        tokio::select! {
            () = until.cancelled() => return,
            () = tokio::time::sleep(HOUSEKEEPING) => {}
        }
        round = round.wrapping_add(1);
        // Once an hour is often enough for a log that is pruned by weeks.
        if round.is_multiple_of(120) {
            match store.prune_events(components.clock.now()).await {
                Ok(0) => {}
                Ok(pruned) => tracing::info!(pruned, "old events pruned"),
                Err(error) => tracing::warn!(%error, "cannot prune old events"),
            }
            match store.prune_audience(components.clock.now()).await {
                Ok(0) => {}
                Ok(pruned) => tracing::debug!(pruned, "old viewer counts of single minutes pruned"),
                Err(error) => tracing::warn!(%error, "cannot prune old viewer counts"),
            }
            let unused_since = components.clock.now() - UNUSED_USERS;
            match store.prune_unused_users(unused_since).await {
                Ok(0) => {}
                Ok(pruned) => tracing::info!(pruned, "deleted chat users who never connected"),
                Err(error) => {
                    tracing::warn!(%error, "cannot delete chat users who never connected")
                }
            }
            let silent_since = components.clock.now() - SILENT_USERS;
            match store.prune_silent_users(silent_since).await {
                Ok(0) => {}
                Ok(pruned) => tracing::info!(pruned, "deleted chat users who never wrote"),
                Err(error) => tracing::warn!(%error, "cannot delete chat users who never wrote"),
            }
        }
    }
}

async fn forget_old_lines(components: &Components, chat: &Room) {
    let hours = *components.settings.now().get(&HISTORY_HOURS);
    let before = components.clock.now() - Duration::from_secs(u64::from(hours) * 3600);
    match chat.forget_old(before).await {
        Ok(0) => {}
        Ok(pruned) => tracing::debug!(pruned, "deleted old chat messages"),
        Err(error) => tracing::warn!(%error, "cannot delete old chat messages"),
    }
}
