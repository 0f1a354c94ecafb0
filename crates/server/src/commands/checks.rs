//! `rillcast doctor`: checks for common problems and says how to fix them.

mod machines;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use http_server::Tls;
use model::settings::Layers;
use model::settings::table::SERVER_URL;
use model::settings::table::video::FFMPEG_PATH;
use outbound::{FetchBudget, Policy, Url, http::HeaderMap};
use store::Store;
use store::settings::Settings;
use tokio::net::TcpListener;

use crate::config::Config;
use crate::data_dir;
use crate::wiring::outbound_client;

/// Limit (operators): free disk space; with less `rillcast doctor` reports a problem.
const LITTLE_SPACE_BYTES: u64 = 1 << 30;
/// A program that does not even tell its version in this time is none.
const FFMPEG_TIMEOUT: Duration = Duration::from_secs(10);

/// The result of one check.
enum CheckResult {
    Good(String),
    /// Works, but the operator should know.
    Note(String),
    Bad(String),
}

use CheckResult::{Bad, Good, Note};

/// Runs every check; the exit code is 1 if one is bad.
pub async fn doctor(config: &Config) -> anyhow::Result<ExitCode> {
    let ours = data_dir::addresses_in_use(&config.data_dir);
    let settings = stored_settings(config).await;
    let given = Layers::compose(&BTreeMap::new(), &config.settings).0;
    let in_force = settings
        .as_ref()
        .ok()
        .and_then(Option::as_ref)
        .unwrap_or(&given);
    let public_url = in_force.text(&SERVER_URL);
    let checks = [
        ("Data folder", data_folder(&config.data_dir)),
        ("Disk space", disk(&config.data_dir)),
        ("Database", database(&settings)),
        ("HTTP port", port(config.listen, &ours).await),
        ("RTMP port", port(config.rtmp_listen, &ours).await),
        ("Certificate", certificate(config)),
        ("Server URL", server_url(config, public_url).await),
        ("ffmpeg", ffmpeg(in_force.text(&FFMPEG_PATH).trim()).await),
    ];
    let mut checks = Vec::from(checks);
    if let Some(cluster) = &config.cluster {
        checks.extend(machines::checks(config, cluster).await);
    }
    let mut is_well = true;
    for (name, verdict) in checks {
        let (sign, text) = match verdict {
            Good(text) => ("ok  ", text),
            Note(text) => ("note", text),
            Bad(text) => {
                is_well = false;
                ("BAD ", text)
            }
        };
        println!("{sign}  {name:<12} {text}");
    }
    Ok(if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn data_folder(path: &Path) -> CheckResult {
    let shown = path.display();
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Note(format!(
            "{shown} does not exist yet; the first start creates it"
        )),
        Err(error) => Bad(format!("{shown} cannot be read: {error}")),
        Ok(folder) if !folder.is_dir() => Bad(format!(
            "{shown} is not a folder; choose another with --data-dir"
        )),
        Ok(_) => match rustix::fs::access(
            path,
            rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
        ) {
            Ok(()) => Good(format!("{shown} can be written")),
            Err(error) => Bad(format!(
                "{shown} cannot be written ({error}): check its owner and permissions"
            )),
        },
    }
}

fn disk(data_dir: &Path) -> CheckResult {
    let place = if data_dir.is_dir() {
        data_dir
    } else {
        Path::new(".")
    };
    match rustix::fs::statvfs(place) {
        Ok(disk) => {
            let free = disk.f_bavail * disk.f_frsize;
            let text = format!("{} MiB free", free >> 20);
            if free < LITTLE_SPACE_BYTES {
                Bad(format!("{text}: free some space"))
            } else {
                Good(text)
            }
        }
        Err(error) => Note(format!("free space is unknown: {error}")),
    }
}

/// The settings in the database; `None` if there is no database yet.
async fn stored_settings(config: &Config) -> anyhow::Result<Option<Layers>> {
    if config
        .database
        .sqlite_path()
        .is_some_and(|path| !path.is_file())
    {
        return Ok(None);
    }
    let store = Store::open_as_is(&config.database, &config.secret_key).await?;
    let settings = Settings::load(store.clone(), &config.settings).await?;
    store.close().await;
    Ok(Some(settings.now().as_ref().clone()))
}

fn database(settings: &anyhow::Result<Option<Layers>>) -> CheckResult {
    match settings {
        Ok(Some(_)) => Good("opens, and its secrets can be read".into()),
        Ok(None) => Note("does not exist yet; the first start creates it".into()),
        Err(error) => Bad(format!("{error:#}")),
    }
}

async fn port(address: SocketAddr, ours: &[SocketAddr]) -> CheckResult {
    match TcpListener::bind(address).await {
        Ok(_) => Good(format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse && ours.contains(&address) => {
            Good(format!("{address} is served by rillcast"))
        }
        Err(error) => Bad(format!(
            "{address} cannot be used ({error}): stop the other program or choose another address"
        )),
    }
}

fn certificate(config: &Config) -> CheckResult {
    match &config.tls {
        None => Note("none configured: fine behind a proxy that has one".into()),
        Some((cert, key)) => match Tls::load(cert, key) {
            Ok(_) => Good(format!("{} and its key belong together", cert.display())),
            Err(error) => Bad(error.to_string()),
        },
    }
}

/// Calls this server through its public address, as a stranger would.
async fn server_url(config: &Config, public_url: &str) -> CheckResult {
    if public_url.is_empty() {
        return Note(
            "not set: give the public address with --server-url or in the admin pages".into(),
        );
    }
    let own = public_url.to_owned();
    let client = match outbound_client(&config.outbound, move || own.clone()) {
        Ok(client) => client,
        Err(error) => return Bad(format!("{error:#}")),
    };
    let url = match Url::parse(&format!("{public_url}/healthz")) {
        Ok(url) => url,
        Err(error) => return Bad(format!("{public_url}: {error}")),
    };
    match client
        .get(
            &url,
            &Policy::webhook(),
            HeaderMap::new(),
            &FetchBudget::new(2),
        )
        .await
    {
        Err(error) => Bad(format!("{public_url} does not answer from here: {error}")),
        Ok(answer) if !answer.body.starts_with(b"ok") => Bad(format!(
            "{public_url} answers {} but is not this server: check the proxy",
            answer.status
        )),
        Ok(answer) => {
            let seen = answer
                .headers
                .get("x-rillcast-client")
                .and_then(|seen| seen.to_str().ok())
                .unwrap_or_default();
            match seen.parse::<std::net::IpAddr>() {
                Ok(seen) if seen.is_loopback() => Note(format!(
                    "{public_url} answers, but visitors seem to come from {seen}: start with --trusted-proxies {seen} \
                     and let the proxy send X-Forwarded-For"
                )),
                _ => Good(format!("{public_url} answers")),
            }
        }
    }
}

async fn ffmpeg(path: &str) -> CheckResult {
    let mut command = media::ffmpeg::command(path);
    let output = command.arg("-version").stdin(Stdio::null()).output();
    let output = tokio::time::timeout(FFMPEG_TIMEOUT, output).await;
    match output {
        Ok(Ok(output)) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            let first = text.lines().next().unwrap_or("found");
            Good(first.chars().take(60).collect())
        }
        _ if path.is_empty() => Note(
            "not found: needed for further qualities, for AAC beside Opus, FLAC or MP3, and for pictures of the stream (apt install ffmpeg, or say where it is with ffmpeg_path)"
                .into(),
        ),
        _ => Note(format!(
            "{path} cannot be used: there will be no further qualities, no AAC beside Opus, FLAC or MP3, and no pictures of the stream; change ffmpeg_path"
        )),
    }
}
