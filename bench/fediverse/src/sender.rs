//! A sender: one connection to the server that is measured, from an address of its own.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::wire;

/// How requests were answered: by status, or "lost".
pub type Statuses = BTreeMap<String, u64>;

pub struct Sender {
    own: Ipv4Addr,
    server: SocketAddr,
    open: Option<(TcpStream, Vec<u8>)>,
}

impl Sender {
    /// The whole of 127.0.0.0/8 is this machine.
    pub fn new(own: Ipv4Addr, server: SocketAddr) -> Self {
        Self {
            own,
            server,
            open: None,
        }
    }

    /// Sends a request over the connection that is there, or over a new one; returns the status.
    pub async fn send(&mut self, request: &[u8]) -> Option<String> {
        let (mut stream, mut rest) = match self.open.take() {
            Some(open) => open,
            None => (self.connect().await.ok()?, Vec::new()),
        };
        stream.write_all(request).await.ok()?;
        let answer = wire::read(&mut stream, &mut rest).await?;
        self.open = Some((stream, rest));
        Some(answer.status().to_owned())
    }

    pub async fn send_and_count(&mut self, request: &[u8], statuses: &mut Statuses) {
        let status = self.send(request).await;
        *statuses.entry(status.unwrap_or("lost".into())).or_default() += 1;
    }

    async fn connect(&self) -> std::io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((self.own, 0)))?;
        let stream = socket.connect(self.server).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

pub fn add(all: &mut Statuses, more: Statuses) {
    for (status, count) in more {
        *all.entry(status).or_default() += count;
    }
}
