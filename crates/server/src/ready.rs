//! Announces that the server is ready: in a file for programs, in a short block for people.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;
use model::Secret;
use serde_json::json;

/// What the operator needs first.
#[derive(Debug)]
pub(crate) struct ReadyInfo {
    pub(crate) http: SocketAddr,
    pub(crate) is_tls: bool,
    /// `None` if another machine takes in the stream.
    pub(crate) rtmp: Option<SocketAddr>,
    pub(crate) server_url: String,
    pub(crate) setup_token: Option<Secret>,
    pub(crate) stream_key: Secret,
    pub(crate) data_dir: String,
}

impl ReadyInfo {
    /// An address that works in a browser on this machine.
    pub(crate) fn local_url(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", reachable(self.http))
    }

    fn setup_url(&self) -> Option<String> {
        let token = self.setup_token.as_ref()?;
        // In the fragment, which browsers never send: no log and no proxy sees it.
        Some(format!(
            "{}/admin/setup#{}",
            self.local_url(),
            token.expose()
        ))
    }

    fn rtmp_url(&self) -> Option<String> {
        let address = reachable(self.rtmp?);
        Some(match address.port() {
            1935 => format!("rtmp://{}/live", host(address.ip())),
            _ => format!("rtmp://{address}/live"),
        })
    }

    /// Writes the ready file, readable by its owner only and complete as soon as it exists.
    pub(crate) fn write_file(&self, path: &Path) -> anyhow::Result<()> {
        let document = json!({
            "http": self.local_url(),
            "rtmp": self.rtmp_url(),
            "setupUrl": self.setup_url(),
            "streamKey": self.stream_key.expose(),
        });
        let failed = || format!("cannot write the ready file {}", path.display());
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(format!(".{}.unfinished", std::process::id()));
        // A new file of our own: an existing one may belong to somebody who wants to read along.
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&unfinished)
            .with_context(failed)?;
        writeln!(file, "{document}").with_context(failed)?;
        std::fs::rename(&unfinished, path).with_context(failed)
    }

    /// Prints the block for people; it is no error if nobody reads it.
    pub(crate) fn print(&self) {
        if let Err(error) = std::io::stdout().write_all(self.block().as_bytes()) {
            tracing::debug!(%error, "nobody reads standard output");
        }
    }

    fn block(&self) -> String {
        let watch = if self.server_url.is_empty() {
            self.local_url()
        } else {
            self.server_url.clone()
        };
        let admin = match self.setup_url() {
            Some(url) => format!("  Set up       {url}"),
            None => format!("  Admin        {watch}/admin/"),
        };
        format!(
            "\n  Rillcast {} is ready.\n\n  Watch        {watch}/\n{admin}\n  Broadcast    {}\n  Stream key   {}\n  \
             Data         {}\n\n",
            model::product::VERSION,
            self.rtmp_url()
                .unwrap_or_else(|| "to a machine with the role ingest".into()),
            self.stream_key.expose(),
            self.data_dir,
        )
    }
}

/// "All interfaces" is not an address one can open, so it becomes this machine's own.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip().is_unspecified() {
        true => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port()),
        false => address,
    }
}

fn host(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(http: &str, rtmp: &str) -> ReadyInfo {
        ReadyInfo {
            http: http.parse().unwrap(),
            is_tls: false,
            rtmp: Some(rtmp.parse().unwrap()),
            server_url: String::new(),
            setup_token: Some(Secret::new("token")),
            stream_key: Secret::new("key"),
            data_dir: "data".into(),
        }
    }

    #[test]
    fn addresses_are_ones_a_person_can_type() {
        let all = ready("0.0.0.0:8080", "0.0.0.0:1935");
        assert_eq!(all.local_url(), "http://127.0.0.1:8080");
        assert_eq!(all.rtmp_url().unwrap(), "rtmp://127.0.0.1/live");
        assert_eq!(
            all.setup_url().unwrap(),
            "http://127.0.0.1:8080/admin/setup#token"
        );
        let one = ready("[::1]:80", "[::1]:1936");
        assert_eq!(one.local_url(), "http://[::1]:80");
        assert_eq!(one.rtmp_url().unwrap(), "rtmp://[::1]:1936/live");
        let other = ReadyInfo { rtmp: None, ..one };
        assert_eq!(other.rtmp_url(), None);
    }
}
