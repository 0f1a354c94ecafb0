//! A certificate authority that exists for one run.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Signs certificates that only those accept who were given its own.
pub struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// How long a certificate is valid.
#[derive(Clone, Copy)]
enum Validity {
    Now,
    LongAgo,
}

impl Authority {
    /// A new one, with a name of its own: authorities of the same name would be confused with each other.
    pub fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let key = KeyPair::generate().expect("a key can always be made");
        let mut params = CertificateParams::new(Vec::new()).expect("no name is a name");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("authority {number} of one test run");
        params.distinguished_name.push(DnType::CommonName, name);
        let own = params.self_signed(&key).expect("the key is its own");
        Self {
            pem: own.pem(),
            issuer: Issuer::new(params, key),
        }
    }

    /// Its own certificate, for those who shall trust it.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A certificate for `host` and its key, both as PEM.
    pub fn certificate(&self, host: &str) -> (String, String) {
        let (certificate, key) = self.sign(host, Validity::Now);
        (certificate.pem(), key.serialize_pem())
    }

    /// Accepts the connections of a server for `host`.
    pub fn certify(&self, host: &str) -> TlsAcceptor {
        self.acceptor(host, Validity::Now, b"http/1.1")
    }

    /// The same with a certificate that has expired.
    pub fn certify_expired(&self, host: &str) -> TlsAcceptor {
        self.acceptor(host, Validity::LongAgo, b"http/1.1")
    }

    /// The same for a server that speaks HTTP/2 only.
    pub fn certify_http2(&self, host: &str) -> TlsAcceptor {
        self.acceptor(host, Validity::Now, b"h2")
    }

    fn sign(&self, host: &str, validity: Validity) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().expect("a key can always be made");
        let mut params = CertificateParams::new(vec![host.to_owned()]).expect("tests name hosts");
        if let Validity::LongAgo = validity {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2021, 1, 1);
        }
        let certificate = params.signed_by(&key, &self.issuer);
        (certificate.expect("the authority has its key"), key)
    }

    fn acceptor(&self, host: &str, validity: Validity, protocol: &[u8]) -> TlsAcceptor {
        let (certificate, key) = self.sign(host, validity);
        let chain = vec![CertificateDer::from(certificate)];
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("it was just made");
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the library knows its own versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("the certificate is of this key");
        config.alpn_protocols = vec![protocol.to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authority(…)")
    }
}
