//! One person in the crowd: a connection that asks for the history or for a socket, and then listens.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use mio::net::TcpStream;

use crate::wire::{self, Head};

/// Linux's number for a connection that is on its way.
const EINPROGRESS: i32 = 115;
/// A reader that is to be stuck has little room for what it does not read.
const STUCK_BUFFER_BYTES: usize = 4096;
/// And takes it in small pieces: the system lends the sender room by their size, and on the loopback interface that would
/// be megabytes.
const STUCK_SEGMENT_BYTES: u32 = 536;

/// What a person is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    AskingForHistory,
    AskingForSocket,
    /// A bot that waits for the answer to a call, or has none to wait for.
    Calling,
    /// The socket is there, the first word of the server is not.
    Waiting,
    Listening,
    Gone,
}

/// What came in.
#[derive(Debug)]
pub enum Came<'a> {
    History,
    Greeting,
    /// A whole answer to a call, with its status.
    Answer(u16),
    Text(&'a [u8]),
    Closed(u16),
}

#[derive(Debug)]
pub struct Seat {
    stream: TcpStream,
    unsent: Vec<u8>,
    /// The beginning of something whose end has not come yet.
    rest: Vec<u8>,
    pub doing: Doing,
    pub began: Instant,
    /// Of every line that was heard, in the order in which they came.
    pub hash: u64,
    pub heard: usize,
}

impl Seat {
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
            doing: Doing::Gone,
            began,
            hash: 0,
            heard: 0,
        })
    }

    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    pub fn ask_for_history(&mut self, token: Option<&str>) -> std::io::Result<()> {
        self.doing = Doing::AskingForHistory;
        self.send(wire::history_request(token).as_bytes())
    }

    pub fn ask_for_socket(&mut self, token: Option<&str>) -> std::io::Result<()> {
        self.doing = Doing::AskingForSocket;
        self.send(wire::socket_request("/ws", token).as_bytes())
    }

    pub fn ask_for_events(&mut self, secret: &str) -> std::io::Result<()> {
        self.doing = Doing::AskingForSocket;
        let path = "/api/integrations/events";
        self.send(wire::socket_request(path, Some(secret)).as_bytes())
    }

    /// What does not fit now goes out with [`Seat::flush`].
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

    /// Reads all that is there and tells of it.
    pub fn read(
        &mut self,
        scratch: &mut [u8],
        mut tell: impl FnMut(&mut Self, Came<'_>),
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
                let used = self.take(&scratch[..count], &mut tell)?;
                self.rest.extend_from_slice(&scratch[used..count]);
            } else {
                let mut all = std::mem::take(&mut self.rest);
                all.extend_from_slice(&scratch[..count]);
                let used = self.take(&all, &mut tell)?;
                all.drain(..used);
                self.rest = all;
            }
            // Less than there was room for: the next call would only say that there is no more.
            if count < scratch.len() {
                return Ok(());
            }
        }
    }

    /// How many of the bytes are done with.
    fn take(
        &mut self,
        bytes: &[u8],
        tell: &mut impl FnMut(&mut Self, Came<'_>),
    ) -> Result<usize, String> {
        let mut used = 0;
        match self.doing {
            Doing::AskingForHistory => {
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
                tell(self, Came::History);
                return Ok(bytes.len());
            }
            Doing::Calling => {
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
                tell(self, Came::Answer(status));
                return Ok(end);
            }
            Doing::AskingForSocket => {
                let Some(Head {
                    status: 101, end, ..
                }) = wire::head(bytes)?
                else {
                    return not_yet(bytes, "socket");
                };
                used = end;
                self.doing = Doing::Waiting;
            }
            Doing::Waiting | Doing::Listening | Doing::Gone => {}
        }
        while let Some(frame) = wire::frame(&bytes[used..]) {
            used += frame.size;
            match frame.kind {
                wire::TEXT if self.doing == Doing::Waiting => {
                    self.doing = Doing::Listening;
                    tell(self, Came::Greeting);
                }
                wire::TEXT => tell(self, Came::Text(frame.payload)),
                wire::PING => self
                    .send(&wire::pong(frame.payload))
                    .map_err(|error| error.to_string())?,
                wire::CLOSE => {
                    let code = frame.payload.get(..2);
                    let code = code.map_or(0, |two| u16::from_be_bytes([two[0], two[1]]));
                    tell(self, Came::Closed(code));
                }
                _ => {}
            }
        }
        Ok(used)
    }

    /// Mixes a line into what was heard: whoever has the same number heard the same lines in the same order.
    pub fn remember(&mut self, payload: &[u8]) {
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
