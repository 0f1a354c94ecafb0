//! `rillcast plugin serve`: runs a plugin with an in-memory server around it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use plugin_tools::dev_server::{
    BuiltPackage, DevServer, DevServerParts, FileSnapshot, PackError, open,
};
use plugins::engine::EngineState;
use plugins::host::{Level, OutboundNetwork};
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
    let (_buffer, _last_lines) = logging::start(config)?;
    match PluginServer::open(config, path, port).await {
        Ok(server) => server.run().await,
        Err(error) => {
            eprintln!("rillcast: {error:#}");
            Ok(ExitCode::from(NO_PROJECT))
        }
    }
}

/// A dev server for this author's plugins.
pub(super) fn dev_server(config: &Config, storage: PathBuf) -> anyhow::Result<DevServer> {
    let engine = plugin_engine::for_author(config)?;
    let (_, engine) = watch::channel(EngineState::Ready(engine));
    let network = OutboundNetwork::new(
        outbound_client(&config.outbound, String::new)?,
        config.plugin_allow_private_network,
    );
    Ok(DevServer::new(DevServerParts {
        engine,
        network: Arc::new(network),
        clock: Arc::new(SystemClock::new()),
        storage,
        journal: |line| eprintln!("{line}"),
    }))
}

/// The plugin being served.
struct PluginServer {
    path: PathBuf,
    look: FileSnapshot,
    listener: TcpListener,
    dev_server: Arc<DevServer>,
}

impl PluginServer {
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
        let dev_server = Arc::new(dev_server(config, beside.join(STORAGE))?);
        remark(&dev_server, &packed);
        let loaded = dev_server.load(&packed.package).await;
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
            dev_server,
        })
    }

    async fn run(self) -> anyhow::Result<ExitCode> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let Self {
            path,
            look,
            listener,
            dev_server,
        } = self;
        let stop = CancellationToken::new();
        let passing = {
            let (dev_server, stop) = (Arc::clone(&dev_server), stop.clone());
            tokio::spawn(async move { dev_server.run(stop).await })
        };
        tokio::select! {
            served = web::serve_dev_server(listener, Arc::clone(&dev_server)) => served?,
            () = keep_fresh(&dev_server, &path, look) => {}
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.cancel();
        passing.await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reloads the plugin whenever its files have changed and settled.
async fn keep_fresh(dev_server: &DevServer, path: &Path, mut loaded: FileSnapshot) {
    let clock = Arc::clone(dev_server.clock());
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
            remark(dev_server, &packed);
            packed.package
        });
        dev_server.reload(opened).await;
    }
}

async fn look(path: &Path) -> FileSnapshot {
    let path = path.to_owned();
    let looked = tokio::task::spawn_blocking(move || FileSnapshot::at(&path)).await;
    looked.unwrap_or_default()
}

/// Reads the file state first and the package second, so that a change in between is noticed on the next look.
async fn read(path: &Path) -> (FileSnapshot, Result<BuiltPackage, PackError>) {
    let looked = look(path).await;
    let path = path.to_owned();
    let opened = tokio::task::spawn_blocking(move || open(&path)).await;
    let opened = opened.unwrap_or_else(|error| Err(PackError::Archive(error.to_string())));
    (looked, opened)
}

fn remark(dev_server: &DevServer, packed: &BuiltPackage) {
    for remark in &packed.remarks {
        let line = format!("warning: {remark}");
        dev_server
            .sample_server()
            .write(Level::Warning, "package", &line);
    }
}
