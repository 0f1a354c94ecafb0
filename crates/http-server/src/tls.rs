//! TLS from files, reloaded when they change.

mod expiry;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

/// How often the files are looked at; two `stat` calls.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// Why the certificate cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read or parsed.
    #[error("cannot read {what} from {path}: {why}")]
    File {
        /// Certificate or key.
        what: &'static str,
        path: PathBuf,
        why: String,
    },
    /// Both are readable but do not match.
    #[error("the certificate in {cert} and the key in {key} do not work together: {why}")]
    Pair {
        cert: PathBuf,
        key: PathBuf,
        why: String,
    },
}

/// The certificate in use and its files.
#[derive(Clone)]
pub struct Tls {
    cert: PathBuf,
    key: PathBuf,
    in_use: Arc<ArcSwap<CertificateInUse>>,
}

struct CertificateInUse {
    config: Arc<ServerConfig>,
    ends_at: Option<Timestamp>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("cert", &self.cert)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads both files (PEM).
    pub fn load(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        let certificate = read(cert, key)?;
        Ok(Self {
            cert: cert.into(),
            key: key.into(),
            in_use: Arc::new(ArcSwap::from_pointee(certificate)),
        })
    }

    fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.in_use.load().config)
    }

    /// When the certificate in use ends, if it says so.
    pub fn ends_at(&self) -> Option<Timestamp> {
        self.in_use.load().ends_at
    }

    /// Does a TLS handshake with the certificate in use.
    pub async fn accept(&self, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(self.current()).accept(stream).await
    }

    /// Reads the files again; on error the certificate in use stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.in_use.store(Arc::new(read(&self.cert, &self.key)?));
        tracing::info!(cert = %self.cert.display(), "certificate reloaded");
        Ok(())
    }

    /// Reloads whenever a file changes, until `stop`.
    pub async fn watch(self, stop: CancellationToken) {
        let mut seen = self.stamps();
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
            }
            let now = self.stamps();
            if now == seen {
                continue;
            }
            match self.reload() {
                Ok(()) => seen = now,
                // It may be half written; the next check tries again.
                Err(error) => {
                    tracing::error!(%error, "the changed certificate cannot be used, keeping the old one")
                }
            }
        }
    }

    fn stamps(&self) -> [Option<SystemTime>; 2] {
        [&self.cert, &self.key].map(|path| {
            std::fs::metadata(path)
                .and_then(|file| file.modified())
                .ok()
        })
    }
}

fn read(cert: &Path, key: &Path) -> Result<CertificateInUse, TlsError> {
    let unreadable = |what: &'static str, path: &Path| {
        let path = path.to_owned();
        move |error: rustls::pki_types::pem::Error| TlsError::File {
            what,
            path,
            why: error.to_string(),
        }
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(unreadable("a certificate", cert))?;
    let ends_at = chain.first().and_then(|first| expiry::not_after(first));
    let private = PrivateKeyDer::from_pem_file(key).map_err(unreadable("a private key", key))?;
    let not_a_pair = |error: rustls::Error| TlsError::Pair {
        cert: cert.into(),
        key: key.into(),
        why: error.to_string(),
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(not_a_pair)?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(not_a_pair)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(CertificateInUse {
        config: Arc::new(config),
        ends_at,
    })
}
