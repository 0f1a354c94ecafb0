//! Parses option values; every error says what would be valid.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use model::Secret;
use store::DatabaseUrl;
use url::Url;

use super::LogFormat;

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    if text.trim().is_empty() {
        return Err("expected a path".into());
    }
    Ok(PathBuf::from(text))
}

/// `0.0.0.0:8080`, `[::]:8080`, and `:8080` or `8080` for all interfaces.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let port_only = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port_only.parse::<u16>() {
        return Ok(SocketAddr::from(([0, 0, 0, 0], port)));
    }
    text.parse()
        .map_err(|_| "expected an address and port such as 0.0.0.0:8080 or [::]:8080".into())
}

pub(super) fn secret(text: &str) -> Result<Secret, String> {
    if text.is_empty() {
        return Err("must not be empty".into());
    }
    Ok(Secret::new(text))
}

pub(super) fn url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| "expected an address such as https://plugins.example.com".into())
}

pub(super) fn database(text: &str) -> Result<DatabaseUrl, String> {
    DatabaseUrl::parse(text).map_err(|error| error.to_string())
}

pub(super) fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    list(text, |entry| {
        let network = entry
            .parse::<IpNet>()
            .or_else(|_| entry.parse::<IpAddr>().map(IpNet::from));
        network.map_err(|_| {
            format!("{entry:?} is not an address or network such as 127.0.0.1 or 10.0.0.0/8")
        })
    })
}

pub(super) fn resolutions(text: &str) -> Result<Vec<(String, SocketAddr)>, String> {
    list(text, |entry| {
        let pair = entry
            .split_once('=')
            .and_then(|(host, address)| Some((host.to_owned(), address.parse().ok()?)));
        pair.ok_or_else(|| format!("{entry:?} is not HOST=IP:PORT"))
    })
}

/// Splits a comma-separated list; empty entries are ignored.
fn list<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .map(read)
        .collect()
}

pub(super) fn filter(text: &str) -> Result<String, String> {
    tracing_subscriber::EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|error| format!("expected error, warn, info, debug, trace or a filter such as info,web=debug ({error})"))
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("expected text or json".into()),
    }
}
