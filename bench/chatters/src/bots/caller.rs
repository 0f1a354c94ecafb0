//! One bot: a connection that is kept, and the calls that are due on it.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Instant;

use mio::{Interest, Registry, Token};

use super::calls::{Call, Lines};
use crate::client::{ChatClient, ClientState};

/// A call and the moment it should have been made.
#[derive(Clone, Copy, Debug)]
pub struct DueCall {
    pub number: usize,
    pub call: Call,
    pub at: Instant,
}

#[derive(Debug)]
pub struct Caller {
    pub client: ChatClient,
    secret: String,
    token: Token,
    server: SocketAddr,
    /// Made and not answered.
    pub current: Option<DueCall>,
    /// Calls that became due while the one before was not answered: they wait, and their latency grows.
    pub waiting: VecDeque<DueCall>,
}

impl Caller {
    pub fn open(
        server: SocketAddr,
        secret: String,
        token: Token,
        registry: &Registry,
    ) -> std::io::Result<Self> {
        Ok(Self {
            client: connect(server, token, registry)?,
            secret,
            token,
            server,
            current: None,
            waiting: VecDeque::new(),
        })
    }

    /// Makes the next call when the bot is free, on a new connection when the old one is lost.
    pub fn make_next_call(&mut self, registry: &Registry, lines: &mut Lines) -> Result<(), String> {
        if self.current.is_some() {
            return Ok(());
        }
        let Some(due) = self.waiting.pop_front() else {
            return Ok(());
        };
        self.current = Some(due);
        let mut make = || {
            if self.client.state == ClientState::Gone {
                self.client = connect(self.server, self.token, registry)?;
            }
            let request = due.call.request(due.number, &self.secret, lines);
            self.client.send(request.as_bytes())
        };
        make().map_err(|error: std::io::Error| error.to_string())
    }
}

fn connect(server: SocketAddr, token: Token, registry: &Registry) -> std::io::Result<ChatClient> {
    let mut client = ChatClient::open(server, false, Instant::now())?;
    client.state = ClientState::Calling;
    registry.register(
        client.stream(),
        token,
        Interest::READABLE | Interest::WRITABLE,
    )?;
    Ok(client)
}
