//! `rillcast plugin serve`: a plugin at work, with a server in memory around it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use plugins::engine::EngineState;
use plugins::host::{Level, Outside};
use plugins::workshop::{Journal, Look, PackError, Packed, Tools, Workshop, open};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::NO_PROJECT;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::wiring::outbound_client;
use crate::{logging, plugin_engine};

/// Between two looks at the plugin's files.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(500);
/// What a plugin's files are kept in, beside it.
const STORAGE: &str = ".service-dev-data/plugin-storage";

/// Runs the plugin at `path`, a folder or a package, until a signal.
pub async fn serve_plugin(config: &Config, path: PathBuf, port: u16) -> anyhow::Result<ExitCode> {
    let (_book, _last_lines) = logging::start(config)?;
    match Stand::open(config, path, port).await {
        Ok(stand) => stand.run().await,
        Err(error) => {
            eprintln!("rillcast: {error:#}");
            Ok(ExitCode::from(NO_PROJECT))
        }
    }
}

/// A workshop for the plugins of this author.
pub(super) fn workshop(config: &Config, storage: PathBuf) -> anyhow::Result<Workshop> {
    let engine = plugin_engine::for_author(config)?;
    let (_, engine) = watch::channel(EngineState::Ready(engine));
    let network = Outside::new(
        outbound_client(&config.outbound, String::new)?,
        config.plugin_allow_private_network,
    );
    Ok(Workshop::new(Tools {
        engine,
        network: Arc::new(network),
        clock: Arc::new(SystemClock::new()),
        storage,
        journal: Arc::new(StandardError),
    }))
}

#[derive(Debug)]
struct StandardError;

impl Journal for StandardError {
    fn write(&self, line: &str) {
        eprintln!("{line}");
    }
}

/// A plugin on show.
struct Stand {
    path: PathBuf,
    look: Look,
    listener: TcpListener,
    workshop: Arc<Workshop>,
}

impl Stand {
    async fn open(config: &Config, path: PathBuf, port: u16) -> anyhow::Result<Self> {
        let (look, packed) = read(&path).await;
        let packed = packed?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.map_err(|error| {
            anyhow::anyhow!(
                "cannot listen on {address}: {error}; choose another port with --port or PORT"
            )
        })?;
        let beside = match path.is_dir() {
            true => path.as_path(),
            false => path.parent().unwrap_or(Path::new("")),
        };
        let workshop = Arc::new(workshop(config, beside.join(STORAGE))?);
        remark(&workshop, &packed);
        let loaded = workshop.load(&packed.package).await;
        loaded.map_err(|why| anyhow::anyhow!("the plugin does not load: {why}"))?;
        let slug = &packed.package.manifest().slug;
        let at = listener.local_addr()?;
        println!("serving {slug} at http://{at}/plugins/{slug}/");
        println!(
            "open http://{at}/ to try it; its pages for the operator ask for no password here"
        );
        Ok(Self {
            path,
            look,
            listener,
            workshop,
        })
    }

    async fn run(self) -> anyhow::Result<ExitCode> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let Self {
            path,
            look,
            listener,
            workshop,
        } = self;
        let stop = CancellationToken::new();
        let passing = {
            let (workshop, stop) = (Arc::clone(&workshop), stop.clone());
            tokio::spawn(async move { workshop.run(stop).await })
        };
        tokio::select! {
            served = web::serve_workshop(listener, Arc::clone(&workshop)) => served?,
            () = keep_fresh(&workshop, &path, look) => {}
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.cancel();
        passing.await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Loads the plugin again whenever its files have changed and rest.
async fn keep_fresh(workshop: &Workshop, path: &Path, mut loaded: Look) {
    let clock = Arc::clone(workshop.clock());
    let mut last = loaded.clone();
    loop {
        clock.sleep_until(clock.now() + LOOK_EVERY).await;
        let now = look(path).await;
        let is_resting = now == last;
        last = now;
        if !is_resting || last == loaded {
            continue;
        }
        let (seen, packed) = read(path).await;
        loaded = seen;
        let opened = packed.map_err(|error| error.to_string()).map(|packed| {
            remark(workshop, &packed);
            packed.package
        });
        workshop.reload(opened).await;
    }
}

async fn look(path: &Path) -> Look {
    let path = path.to_owned();
    let looked = tokio::task::spawn_blocking(move || Look::at(&path)).await;
    looked.unwrap_or_default()
}

/// How it looks, and what it is; in this order, so that a change in between is noticed later.
async fn read(path: &Path) -> (Look, Result<Packed, PackError>) {
    let looked = look(path).await;
    let path = path.to_owned();
    let opened = tokio::task::spawn_blocking(move || open(&path)).await;
    let opened = opened.unwrap_or_else(|error| Err(PackError::Archive(error.to_string())));
    (looked, opened)
}

fn remark(workshop: &Workshop, packed: &Packed) {
    for remark in &packed.remarks {
        let line = format!("warning: {remark}");
        workshop.bench().write(Level::Warning, "package", &line);
    }
}
