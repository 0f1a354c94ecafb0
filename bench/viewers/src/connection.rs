//! One keep-alive HTTP/1.1 connection: a request out, an answer in, as little work as possible.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;

use mio::net::TcpStream;

/// A header block longer than this is not one of a stream server.
const MAX_HEAD_BYTES: usize = 8 * 1024;

/// What has come in since the last call.
#[derive(Debug)]
pub enum Progress {
    /// Nothing whole yet.
    Waiting,
    /// The answer is complete; the body is kept only if it was asked for.
    Answer { status: u16, bytes: usize },
}

#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    unsent: Vec<u8>,
    head: Vec<u8>,
    pub body: Vec<u8>,
    keeps_body: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Head,
    Body {
        status: u16,
        total: usize,
        got: usize,
    },
}

impl Connection {
    pub fn open(server: SocketAddr) -> std::io::Result<Self> {
        let socket = socket2::Socket::new(
            socket2::Domain::for_address(server),
            socket2::Type::STREAM,
            None,
        )?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        match socket.connect(&server.into()) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(EINPROGRESS) => {}
            Err(error) => return Err(error),
        }
        Ok(Self {
            stream: TcpStream::from_std(socket.into()),
            unsent: Vec::new(),
            head: Vec::new(),
            body: Vec::new(),
            keeps_body: false,
            state: State::Head,
        })
    }

    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Sends a request; what does not fit into the socket now goes out with [`Connection::flush`].
    pub fn ask(&mut self, path: &str, keeps_body: bool) -> std::io::Result<()> {
        self.keeps_body = keeps_body;
        self.head.clear();
        self.body.clear();
        self.state = State::Head;
        self.unsent.extend_from_slice(b"GET ");
        self.unsent.extend_from_slice(path.as_bytes());
        self.unsent
            .extend_from_slice(b" HTTP/1.1\r\nHost: localhost\r\n\r\n");
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

    /// Reads what is there, at most to the end of one answer.
    pub fn read(&mut self, scratch: &mut [u8]) -> Result<Progress, String> {
        loop {
            let count = match self.stream.read(scratch) {
                Ok(0) => return Err("the server closed the connection".into()),
                Ok(count) => count,
                Err(error) if is_later(&error) => return Ok(Progress::Waiting),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.to_string()),
            };
            if let Some((status, bytes)) = self.take(&scratch[..count])? {
                return Ok(Progress::Answer { status, bytes });
            }
        }
    }

    fn take(&mut self, mut data: &[u8]) -> Result<Option<(u16, usize)>, String> {
        if matches!(self.state, State::Head) {
            let before = self.head.len();
            self.head.extend_from_slice(data);
            let Some(end) = end_of_head(&self.head) else {
                if self.head.len() > MAX_HEAD_BYTES {
                    return Err("a header block without end".into());
                }
                return Ok(None);
            };
            let (status, total) = parse_head(&self.head[..end])?;
            self.state = State::Body {
                status,
                total,
                got: 0,
            };
            data = &data[end - before..];
        }
        let State::Body { status, total, got } = &mut self.state else {
            return Ok(None);
        };
        *got += data.len();
        if *got > *total {
            return Err("more bytes than the answer announced".into());
        }
        if self.keeps_body {
            self.body.extend_from_slice(data);
        }
        Ok((*got == *total).then_some((*status, *total)))
    }
}

/// Linux's number for a connection that is on its way.
const EINPROGRESS: i32 = 115;

fn is_later(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::NotConnected
    )
}

fn end_of_head(head: &[u8]) -> Option<usize> {
    head.windows(4)
        .position(|four| four == b"\r\n\r\n")
        .map(|at| at + 4)
}

fn parse_head(head: &[u8]) -> Result<(u16, usize), String> {
    let text = std::str::from_utf8(head).map_err(|_| "headers that are no text")?;
    let status = text
        .get(9..12)
        .and_then(|digits| digits.parse().ok())
        .ok_or("no status line")?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    Ok((status, length.ok_or("an answer without Content-Length")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_status_and_length_in_any_case_of_letters() {
        let head = b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 42\r\n\r\n";
        assert_eq!(end_of_head(head), Some(head.len()));
        assert_eq!(parse_head(head), Ok((200, 42)));
    }

    #[test]
    fn refuses_an_answer_of_unknown_length() {
        assert!(parse_head(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").is_err());
    }
}
