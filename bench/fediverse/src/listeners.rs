//! The listeners of the other servers, and ports where nobody answers.
//!
//! All are on one address, and each kind of server has a port: those that answer, those that take nine seconds to, those
//! that refuse connections, and those whose packets are dropped.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::peers::{PeerKind, Peers};
use crate::wire;

/// Connections that were not accepted yet.
const BACKLOG: u32 = 4096;
/// The response time of a slow server.
const SLOWNESS: Duration = Duration::from_secs(9);

pub struct Listeners {
    live: u16,
    slow: u16,
    refusing: Socket,
    black_hole: Socket,
}

pub fn open(peers: &Arc<Peers>, certificate: &str, key: &str) -> Result<Listeners, String> {
    let acceptor = acceptor(certificate, key)?;
    let live = listen(peers, &acceptor, PeerKind::Live)?;
    let slow = listen(peers, &acceptor, PeerKind::Slow)?;
    let text = |error: std::io::Error| error.to_string();
    // Bound, but nobody listens.
    let refusing = bound().map_err(text)?;
    // One connection fills the queue, which is never emptied; the packets of all further ones are dropped.
    let black_hole = bound().map_err(text)?;
    black_hole.listen(0).map_err(text)?;
    Ok(Listeners {
        live,
        slow,
        refusing,
        black_hole,
    })
}

impl Listeners {
    pub fn ports(&self) -> Value {
        let port = |socket: &Socket| {
            let address = socket
                .local_addr()
                .ok()
                .and_then(|address| address.as_socket());
            address.map(|address| address.port())
        };
        json!({
            "live": self.live,
            "slow": self.slow,
            "refusing": port(&self.refusing),
            "hole": port(&self.black_hole),
        })
    }
}

fn bound() -> std::io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
    Ok(socket)
}

fn acceptor(certificate: &str, key: &str) -> Result<TlsAcceptor, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(certificate)
        .map_err(|error| error.to_string())?
        .collect();
    let chain = chain.map_err(|error| error.to_string())?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| error.to_string())?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| error.to_string())?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn listen(peers: &Arc<Peers>, acceptor: &TlsAcceptor, kind: PeerKind) -> Result<u16, String> {
    let open = || {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let listener = socket.listen(BACKLOG)?;
        let port = listener.local_addr()?.port();
        Ok((listener, port))
    };
    let (listener, port) = open().map_err(|error: std::io::Error| error.to_string())?;
    tokio::spawn(accept_loop(
        Arc::clone(peers),
        acceptor.clone(),
        listener,
        kind,
    ));
    Ok(port)
}

async fn accept_loop(
    peers: Arc<Peers>,
    acceptor: TlsAcceptor,
    listener: TcpListener,
    kind: PeerKind,
) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(Arc::clone(&peers), acceptor.clone(), stream, kind));
            }
            Err(error) => {
                eprintln!("fediverse: cannot accept: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Answers until the client closes the connection.
async fn serve(peers: Arc<Peers>, acceptor: TlsAcceptor, stream: TcpStream, kind: PeerKind) {
    stream.set_nodelay(true).ok();
    let Ok(mut stream) = acceptor.accept(stream).await else {
        return;
    };
    let mut rest = Vec::new();
    while let Some(request) = wire::read(&mut stream, &mut rest).await {
        if kind == PeerKind::Slow {
            tokio::time::sleep(SLOWNESS).await;
        }
        let answer = peers.answer(&request, kind);
        if stream.write_all(answer.as_bytes()).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}
