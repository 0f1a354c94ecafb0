//! One client of the chat: a connection that asks for the history or for a socket, and then listens.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use mio::net::TcpStream;

use crate::wire::{self, Head};

/// Linux's number for a connection that is on its way.
const EINPROGRESS: i32 = 115;
/// Receive buffer of a client that shall not read: small, so that the server notices soon.
const STUCK_BUFFER_BYTES: usize = 4096;
/// Segment size of such a client: the system sizes the sender's buffer by it, and on the loopback interface that would be
/// megabytes.
const STUCK_SEGMENT_BYTES: u32 = 536;

/// What a client is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientState {
    AskingForHistory,
    AskingForSocket,
    /// A bot that waits for the answer to a call, or has none to wait for.
    Calling,
    /// The socket is open, the first message of the server has not arrived.
    Waiting,
    Listening,
    Gone,
}

/// What arrived.
#[derive(Debug)]
pub enum Incoming<'a> {
    History,
    Greeting,
    /// A whole answer to a call, with its status.
    Answer(u16),
    Text(&'a [u8]),
    Closed(u16),
}

#[derive(Debug)]
pub struct ChatClient {
    stream: TcpStream,
    unsent: Vec<u8>,
    /// The beginning of a message whose end has not arrived.
    rest: Vec<u8>,
    pub state: ClientState,
    pub began: Instant,
    /// Of every line that was received, in the order of their arrival.
    pub hash: u64,
    pub heard: usize,
}

impl ChatClient {
    pub fn open(server: SocketAddr, is_stuck: bool, began: Instant) -> std::io::Result<Self> {
        let domain = socket2::Domain::for_address(server);
        let socket = socket2::Socket::new(domain, socket2::Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        if is_stuck {
            socket.set_recv_buffer_size(STUCK_BUFFER_BYTES)?;
            socket.set_tcp_mss(STUCK_SEGMENT_BYTES)?;
        }
        match socket.connect(&server.into()) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(EINPROGRESS) => {}
            Err(error) => return Err(error),
        }
        Ok(Self {
            stream: TcpStream::from_std(socket.into()),
            unsent: Vec::new(),
            rest: Vec::new(),
            state: ClientState::Gone,
            began,
            hash: 0,
            heard: 0,
        })
    }

    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    pub fn ask_for_history(&mut self, token: Option<&str>) -> std::io::Result<()> {
        self.state = ClientState::AskingForHistory;
        self.send(wire::history_request(token).as_bytes())
    }

    pub fn ask_for_socket(&mut self, token: Option<&str>) -> std::io::Result<()> {
        self.state = ClientState::AskingForSocket;
        self.send(wire::socket_request("/ws", token).as_bytes())
    }

    pub fn ask_for_events(&mut self, secret: &str) -> std::io::Result<()> {
        self.state = ClientState::AskingForSocket;
        let path = "/api/integrations/events";
        self.send(wire::socket_request(path, Some(secret)).as_bytes())
    }

    /// What does not fit now goes out with [`ChatClient::flush`].
    pub fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.unsent.extend_from_slice(bytes);
        self.flush()
    }

    pub fn flush(&mut self) -> std::io::Result<()> {
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if is_later(&error) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads all that has arrived and reports it.
    pub fn read(
        &mut self,
        scratch: &mut [u8],
        mut on_incoming: impl FnMut(&mut Self, Incoming<'_>),
    ) -> Result<(), String> {
        loop {
            let count = match self.stream.read(scratch) {
                Ok(0) => return Err("the server closed the connection without a word".into()),
                Ok(count) => count,
                Err(error) if is_later(&error) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.to_string()),
            };
            if self.rest.is_empty() {
                let used = self.take(&scratch[..count], &mut on_incoming)?;
                self.rest.extend_from_slice(&scratch[used..count]);
            } else {
                let mut all = std::mem::take(&mut self.rest);
                all.extend_from_slice(&scratch[..count]);
                let used = self.take(&all, &mut on_incoming)?;
                all.drain(..used);
                self.rest = all;
            }
            // The buffer was not filled: the next call would only report that there is no more.
            if count < scratch.len() {
                return Ok(());
            }
        }
    }

    /// How many of the bytes were consumed.
    fn take(
        &mut self,
        bytes: &[u8],
        on_incoming: &mut impl FnMut(&mut Self, Incoming<'_>),
    ) -> Result<usize, String> {
        let mut used = 0;
        match self.state {
            ClientState::AskingForHistory => {
                let Some(Head {
                    status: 200,
                    length: Some(length),
                    end,
                }) = wire::head(bytes)?
                else {
                    return not_yet(bytes, "history");
                };
                if bytes.len() < end + length {
                    return Ok(0);
                }
                on_incoming(self, Incoming::History);
                return Ok(bytes.len());
            }
            ClientState::Calling => {
                let Some(Head {
                    status,
                    length,
                    end,
                }) = wire::head(bytes)?
                else {
                    return Ok(0);
                };
                let end = end + length.ok_or("an answer without length")?;
                if bytes.len() < end {
                    return Ok(0);
                }
                on_incoming(self, Incoming::Answer(status));
                return Ok(end);
            }
            ClientState::AskingForSocket => {
                let Some(Head {
                    status: 101, end, ..
                }) = wire::head(bytes)?
                else {
                    return not_yet(bytes, "socket");
                };
                used = end;
                self.state = ClientState::Waiting;
            }
            ClientState::Waiting | ClientState::Listening | ClientState::Gone => {}
        }
        while let Some(frame) = wire::frame(&bytes[used..]) {
            used += frame.size;
            match frame.kind {
                wire::TEXT if self.state == ClientState::Waiting => {
                    self.state = ClientState::Listening;
                    on_incoming(self, Incoming::Greeting);
                }
                wire::TEXT => on_incoming(self, Incoming::Text(frame.payload)),
                wire::PING => self
                    .send(&wire::pong(frame.payload))
                    .map_err(|error| error.to_string())?,
                wire::CLOSE => {
                    let code = frame.payload.get(..2);
                    let code = code.map_or(0, |two| u16::from_be_bytes([two[0], two[1]]));
                    on_incoming(self, Incoming::Closed(code));
                }
                _ => {}
            }
        }
        Ok(used)
    }

    /// Adds a line to the hash: clients with the same hash received the same lines in the same order.
    pub fn add_to_hash(&mut self, payload: &[u8]) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut hash = self.hash;
        for part in payload.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(ODD);
        }
        self.hash = hash;
        self.heard += 1;
    }
}

/// A head that is not whole, or one that is not what was asked for.
fn not_yet(bytes: &[u8], wanted: &str) -> Result<usize, String> {
    match wire::head(bytes)? {
        None => Ok(0),
        Some(Head { status, .. }) => Err(format!("{wanted}: answered with {status}")),
    }
}

fn is_later(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::NotConnected
    )
}
