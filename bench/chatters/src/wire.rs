//! The little that is needed of HTTP and of RFC 6455.

/// Longer heads are not ours.
const MAX_HEAD_BYTES: usize = 8 * 1024;

/// The head of an answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub length: Option<usize>,
    /// Where the body begins.
    pub end: usize,
}

/// `None` until it is whole.
pub fn head(bytes: &[u8]) -> Result<Option<Head>, String> {
    let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > MAX_HEAD_BYTES {
            Err("a head without end".into())
        } else {
            Ok(None)
        };
    };
    let text = std::str::from_utf8(&bytes[..at]).map_err(|_| "a head that is no text")?;
    let status = text.get(9..12).and_then(|digits| digits.parse().ok());
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    Ok(Some(Head {
        status: status.ok_or("no status line")?,
        length,
        end: at + 4,
    }))
}

pub fn history_request(token: Option<&str>) -> String {
    format!(
        "GET /api/chat{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        query(token)
    )
}

pub fn socket_request(path: &str, token: Option<&str>) -> String {
    format!(
        "GET {path}{} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        query(token)
    )
}

fn query(token: Option<&str>) -> String {
    let encoded = |token: &str| {
        token
            .replace('+', "%2B")
            .replace('/', "%2F")
            .replace('=', "%3D")
    };
    token.map_or(String::new(), |token| {
        format!("?accessToken={}", encoded(token))
    })
}

pub const TEXT: u8 = 1;
pub const CLOSE: u8 = 8;
pub const PING: u8 = 9;
const PONG: u8 = 10;

/// A frame from the server, and how many bytes it took.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub kind: u8,
    pub payload: &'a [u8],
    pub size: usize,
}

/// The first frame in the bytes; `None` until it is whole.
pub fn frame(bytes: &[u8]) -> Option<Frame<'_>> {
    let (&first, &second) = (bytes.first()?, bytes.get(1)?);
    let (start, length) = match second & 0x7f {
        126 => {
            let long = bytes.get(2..4)?;
            (4, usize::from(u16::from_be_bytes([long[0], long[1]])))
        }
        127 => {
            let long: [u8; 8] = bytes.get(2..10)?.try_into().ok()?;
            (10, usize::try_from(u64::from_be_bytes(long)).ok()?)
        }
        short => (2, usize::from(short)),
    };
    Some(Frame {
        kind: first & 0x0f,
        payload: bytes.get(start..start + length)?,
        size: start + length,
    })
}

/// A line as a client says it.
pub fn line(number: usize) -> Vec<u8> {
    let text = format!("{{\"type\":\"CHAT\",\"body\":\"load line {number} of a busy evening\"}}");
    masked(TEXT, text.as_bytes())
}

/// The number in a line that was received.
pub fn number_in(payload: &[u8]) -> Option<usize> {
    const BEFORE: &[u8] = b"load line ";
    let at = payload
        .windows(BEFORE.len())
        .position(|part| part == BEFORE)?;
    let digits = payload[at + BEFORE.len()..].iter();
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number, byte| number * 10 + usize::from(byte - b'0')))
}

pub fn pong(payload: &[u8]) -> Vec<u8> {
    masked(PONG, payload)
}

/// With a mask of zeros, which changes nothing; texts are shorter than 64 KiB.
fn masked(kind: u8, payload: &[u8]) -> Vec<u8> {
    const MASKED: u8 = 0x80;
    let mut bytes = vec![0x80 | kind];
    match u8::try_from(payload.len()) {
        Ok(short) if short < 126 => bytes.push(MASKED | short),
        _ => {
            bytes.push(MASKED | 126);
            bytes.extend_from_slice(&(payload.len() as u16).to_be_bytes());
        }
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_frames_of_each_length_and_waits_for_the_rest() {
        for length in [0, 5, 125, 126, 70_000] {
            let mut bytes = vec![0x81];
            match length {
                0..126 => bytes.push(length as u8),
                126..65_536 => {
                    bytes.push(126);
                    bytes.extend_from_slice(&(length as u16).to_be_bytes());
                }
                _ => {
                    bytes.push(127);
                    bytes.extend_from_slice(&(length as u64).to_be_bytes());
                }
            }
            bytes.extend(std::iter::repeat_n(b'x', length));
            assert_eq!(frame(&bytes[..bytes.len() - 1]), None);
            bytes.push(0x89);
            let found = frame(&bytes).unwrap();
            assert_eq!((found.kind, found.payload.len()), (TEXT, length));
            assert_eq!(found.size, bytes.len() - 1);
        }
    }

    #[test]
    fn finds_the_number_that_was_said() {
        let said = line(4711);
        assert_eq!(number_in(&said), Some(4711));
        assert_eq!(number_in(b"{\"type\":\"USER_JOINED\"}"), None);
    }

    #[test]
    fn reads_a_head_when_it_is_whole() {
        let text = b"HTTP/1.1 200 OK\r\nContent-LENGTH: 7\r\n\r\nrest";
        let found = head(text).unwrap().unwrap();
        assert_eq!((found.status, found.length), (200, Some(7)));
        assert_eq!(&text[found.end..], b"rest");
        assert_eq!(head(b"HTTP/1.1 200 OK\r\n"), Ok(None));
    }
}
