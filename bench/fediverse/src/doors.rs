//! Where the other servers can be reached, or cannot.
//!
//! All are on one address, and the port says what kind of server it is: those that answer, those that take nine seconds
//! for it, those whose machine refuses, and those whose packets are lost on the way.

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

use crate::town::{Kind, Town};
use crate::wire;

/// Callers that were not let in yet.
const BACKLOG: u32 = 4096;
/// What a server takes that is too busy to be called well.
const SLOWNESS: Duration = Duration::from_secs(9);

pub struct Doors {
    live: u16,
    slow: u16,
    refusing: Socket,
    hole: Socket,
}

pub fn open(town: &Arc<Town>, certificate: &str, key: &str) -> Result<Doors, String> {
    let acceptor = acceptor(certificate, key)?;
    let live = listen(town, &acceptor, Kind::Live)?;
    let slow = listen(town, &acceptor, Kind::Slow)?;
    let text = |error: std::io::Error| error.to_string();
    // A port that is ours and at which nobody listens.
    let refusing = bound().map_err(text)?;
    // One caller is let into a queue that nobody empties, and nobody hears of those who come after.
    let hole = bound().map_err(text)?;
    hole.listen(0).map_err(text)?;
    Ok(Doors {
        live,
        slow,
        refusing,
        hole,
    })
}

impl Doors {
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
            "hole": port(&self.hole),
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

fn listen(town: &Arc<Town>, acceptor: &TlsAcceptor, kind: Kind) -> Result<u16, String> {
    let open = || {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let listener = socket.listen(BACKLOG)?;
        let port = listener.local_addr()?.port();
        Ok((listener, port))
    };
    let (listener, port) = open().map_err(|error: std::io::Error| error.to_string())?;
    tokio::spawn(let_in(Arc::clone(town), acceptor.clone(), listener, kind));
    Ok(port)
}

async fn let_in(town: Arc<Town>, acceptor: TlsAcceptor, listener: TcpListener, kind: Kind) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(Arc::clone(&town), acceptor.clone(), stream, kind));
            }
            Err(error) => {
                eprintln!("fediverse: cannot let anybody in: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// As long as the caller keeps the connection.
async fn serve(town: Arc<Town>, acceptor: TlsAcceptor, stream: TcpStream, kind: Kind) {
    stream.set_nodelay(true).ok();
    let Ok(mut stream) = acceptor.accept(stream).await else {
        return;
    };
    let mut rest = Vec::new();
    while let Some(request) = wire::read(&mut stream, &mut rest).await {
        if kind == Kind::Slow {
            tokio::time::sleep(SLOWNESS).await;
        }
        let answer = town.answer(&request, kind);
        if stream.write_all(answer.as_bytes()).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}
