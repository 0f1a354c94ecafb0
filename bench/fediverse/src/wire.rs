//! The least of HTTP/1.1: a head, and a body whose length is known.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// No message here is larger.
const MAX_BYTES: usize = 2 * 1024 * 1024;
const READ_AT_ONCE: usize = 4096;

/// A request or an answer.
#[derive(Debug)]
pub struct Message {
    pub first_line: String,
    pub host: String,
    pub body: Vec<u8>,
}

impl Message {
    /// Of a request.
    pub fn method(&self) -> &str {
        self.first_line.split(' ').next().unwrap_or_default()
    }

    /// Of a request.
    pub fn path(&self) -> &str {
        self.first_line.split(' ').nth(1).unwrap_or_default()
    }

    /// Of an answer.
    pub fn status(&self) -> &str {
        self.path()
    }
}

/// The next message; `None` when the other side has closed the connection or sent something unreadable. `rest` is what was
/// read beyond the last message.
pub async fn read(stream: &mut (impl AsyncRead + Unpin), rest: &mut Vec<u8>) -> Option<Message> {
    loop {
        if let Some((message, used)) = take(rest)? {
            rest.drain(..used);
            return Some(message);
        }
        if rest.len() > MAX_BYTES {
            return None;
        }
        rest.reserve(READ_AT_ONCE);
        if stream.read_buf(rest).await.ok()? == 0 {
            return None;
        }
    }
}

/// A whole message and its length, if it is all there; the outer `None` means that it is malformed.
#[allow(clippy::option_option)]
fn take(bytes: &[u8]) -> Option<Option<(Message, usize)>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Some(None);
    };
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let first_line = lines.next()?.to_owned();
    let (mut length, mut host) = (0, String::new());
    for line in lines {
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        } else if name.eq_ignore_ascii_case("host") {
            value.trim().clone_into(&mut host);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            return None;
        }
    }
    let all = (end + 4).checked_add(length)?;
    let Some(body) = bytes.get(end + 4..all) else {
        return (all <= MAX_BYTES).then_some(None);
    };
    let body = body.to_vec();
    let message = Message {
        first_line,
        host,
        body,
    };
    Some(Some((message, all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_one_message_after_the_other() {
        let text = b"POST /a HTTP/1.1\r\nHost: b.example\r\ncontent-length: 2\r\n\r\nhiHTTP/1.1 202 Accepted\r\n\r\n";
        let runtime = tokio::runtime::Builder::new_current_thread();
        let reading = async {
            let (mut stream, mut rest) = (&text[..], Vec::new());
            let first = read(&mut stream, &mut rest).await.unwrap();
            assert_eq!((first.method(), first.path()), ("POST", "/a"));
            assert_eq!(
                (first.host.as_str(), first.body),
                ("b.example", b"hi".to_vec())
            );
            let second = read(&mut stream, &mut rest).await.unwrap();
            assert_eq!(second.status(), "202");
            assert!(read(&mut stream, &mut rest).await.is_none());
        };
        { runtime }.build().unwrap().block_on(reading);
    }
}
