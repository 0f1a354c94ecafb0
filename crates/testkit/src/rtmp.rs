//! A scripted RTMP publisher with its own chunk and AMF0 code, so that it cannot share a bug with the server.

use std::collections::HashMap;
use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, ToSocketAddrs};

const BLOCK_BYTES: usize = 1536;

/// The server's status reply to a publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishStatus {
    /// `status` or `error`.
    pub level: String,
    /// Such as `NetStream.Publish.Start`.
    pub code: String,
    /// A sentence for people.
    pub description: String,
}

/// A message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerMessage {
    pub kind: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

/// A connection to the server under test.
#[derive(Debug)]
pub struct RtmpClient {
    tcp: TcpStream,
    /// Payload bytes per chunk we send; ffmpeg's 128 unless changed by [`RtmpClient::set_chunk_size`].
    chunk_bytes: usize,
    their_chunk_bytes: usize,
    partial: HashMap<u8, ServerMessage>,
    headers: HashMap<u8, (usize, u8, u32)>,
}

impl RtmpClient {
    /// Connects and does the handshake.
    pub async fn dial(address: impl ToSocketAddrs) -> io::Result<Self> {
        let mut client = Self::over(TcpStream::connect(address).await?);
        client.shake_hands().await?;
        Ok(client)
    }

    /// A client on a connection that has not sent anything yet.
    pub fn over(tcp: TcpStream) -> Self {
        Self {
            tcp,
            chunk_bytes: 128,
            their_chunk_bytes: 128,
            partial: HashMap::new(),
            headers: HashMap::new(),
        }
    }

    /// Connects and sends what OBS does up to `publish`; returns the server's reply.
    pub async fn publish(
        address: impl ToSocketAddrs,
        app: &str,
        key: &str,
    ) -> io::Result<(Self, PublishStatus)> {
        let mut client = Self::dial(address).await?;
        client.connect(app).await?;
        client
            .command(0, &[s("releaseStream"), n(2.0), null(), s(key)])
            .await?;
        client
            .command(0, &[s("FCPublish"), n(3.0), null(), s(key)])
            .await?;
        client
            .command(0, &[s("createStream"), n(4.0), null()])
            .await?;
        client
            .command(1, &[s("publish"), n(5.0), null(), s(key), s("live")])
            .await?;
        let status = client.status().await?;
        Ok((client, status))
    }

    /// The plain handshake.
    pub async fn shake_hands(&mut self) -> io::Result<()> {
        let mut greeting = vec![3];
        greeting.resize(1 + BLOCK_BYTES, 0);
        self.tcp.write_all(&greeting).await?;
        let mut answer = vec![0; 1 + 2 * BLOCK_BYTES];
        self.tcp.read_exact(&mut answer).await?;
        self.tcp.write_all(&answer[1..=BLOCK_BYTES]).await
    }

    /// Sends `connect` for an application.
    pub async fn connect(&mut self, app: &str) -> io::Result<()> {
        let url = format!("rtmp://localhost/{app}");
        let object = object(&[
            ("app", s(app)),
            ("type", s("nonprivate")),
            ("flashVer", s("FMLE/3.0 (compatible; testkit)")),
            ("tcUrl", s(&url)),
        ]);
        self.command(0, &[s("connect"), n(1.0), object]).await
    }

    /// Ends the publication properly, as OBS does.
    pub async fn unpublish(&mut self) -> io::Result<()> {
        self.command(0, &[s("FCUnpublish"), n(6.0), null(), s("")])
            .await?;
        self.command(0, &[s("deleteStream"), n(7.0), null(), n(1.0)])
            .await
    }

    /// Sends a video message with an FLV tag body.
    pub async fn video(&mut self, timestamp_ms: u32, body: &[u8]) -> io::Result<()> {
        self.message(6, 9, timestamp_ms, 1, body).await
    }

    /// Sends an audio message with an FLV tag body.
    pub async fn audio(&mut self, timestamp_ms: u32, body: &[u8]) -> io::Result<()> {
        self.message(4, 8, timestamp_ms, 1, body).await
    }

    /// Sends `onMetaData` with these entries.
    pub async fn metadata(&mut self, entries: &[(&str, Vec<u8>)]) -> io::Result<()> {
        let body = [s("@setDataFrame"), s("onMetaData"), object(entries)].concat();
        self.message(5, 18, 0, 1, &body).await
    }

    /// Sends a command made of AMF0 values.
    pub async fn command(&mut self, stream: u32, values: &[Vec<u8>]) -> io::Result<()> {
        self.message(3, 20, 0, stream, &values.concat()).await
    }

    /// Announces and uses chunks of this size.
    pub async fn set_chunk_size(&mut self, bytes: u32) -> io::Result<()> {
        self.message(2, 1, 0, 0, &bytes.to_be_bytes()).await?;
        self.chunk_bytes = bytes as usize;
        Ok(())
    }

    /// Sends one message, with a full header.
    pub async fn message(
        &mut self,
        chunk_stream: u8,
        kind: u8,
        timestamp_ms: u32,
        stream: u32,
        payload: &[u8],
    ) -> io::Result<()> {
        let bytes = chunks(
            self.chunk_bytes,
            chunk_stream,
            kind,
            timestamp_ms,
            stream,
            payload,
        );
        self.tcp.write_all(&bytes).await
    }

    /// Sends bytes as they are.
    pub async fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tcp.write_all(bytes).await
    }

    /// Closes our direction of the connection.
    pub async fn shut_down(&mut self) -> io::Result<()> {
        self.tcp.shutdown().await
    }

    /// The next `onStatus`; an error once the server has closed.
    pub async fn status(&mut self) -> io::Result<PublishStatus> {
        loop {
            let message = self.receive().await?;
            let texts = strings(&message.payload);
            if message.kind != 20 || texts.first().map(String::as_str) != Some("onStatus") {
                continue;
            }
            let value = |key: &str| {
                let at = texts.iter().position(|text| text == key);
                at.and_then(|at| texts.get(at + 1))
                    .cloned()
                    .unwrap_or_default()
            };
            return Ok(PublishStatus {
                level: value("level"),
                code: value("code"),
                description: value("description"),
            });
        }
    }

    /// Reads until the server closes; an error if it does not do so properly.
    pub async fn closed(&mut self) -> io::Result<()> {
        let mut waste = [0; 4096];
        while self.tcp.read(&mut waste).await? > 0 {}
        Ok(())
    }

    /// The next message of the server.
    pub async fn receive(&mut self) -> io::Result<ServerMessage> {
        loop {
            let first = self.tcp.read_u8().await?;
            let (format, id) = (first >> 6, first & 0x3f);
            let mut header = self.headers.get(&id).copied().unwrap_or_default();
            if format < 3 {
                let mut fields = vec![0; [11, 7, 3][usize::from(format)]];
                self.tcp.read_exact(&mut fields).await?;
                if let [_, _, _, a, b, c, kind, ..] = fields[..] {
                    header.0 = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
                    header.1 = kind;
                }
                if let Some(stream) = fields.get(7..11) {
                    header.2 = u32::from_le_bytes([stream[0], stream[1], stream[2], stream[3]]);
                }
            }
            self.headers.insert(id, header);
            let (length, kind, stream) = header;
            let mut message = self.partial.remove(&id).unwrap_or(ServerMessage {
                kind,
                stream,
                payload: Vec::new(),
            });
            let have = message.payload.len();
            message
                .payload
                .resize(length.min(have + self.their_chunk_bytes), 0);
            self.tcp.read_exact(&mut message.payload[have..]).await?;
            if message.payload.len() < length {
                self.partial.insert(id, message);
                continue;
            }
            if let (1, [a, b, c, d]) = (kind, &message.payload[..]) {
                self.their_chunk_bytes = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            }
            return Ok(message);
        }
    }
}

/// The chunks of one message, with a full header first.
pub fn chunks(
    chunk_bytes: usize,
    chunk_stream: u8,
    kind: u8,
    timestamp_ms: u32,
    stream: u32,
    payload: &[u8],
) -> Vec<u8> {
    let is_long = timestamp_ms >= 0x00ff_ffff;
    let short = timestamp_ms.min(0x00ff_ffff);
    let mut bytes = vec![chunk_stream];
    bytes.extend(&short.to_be_bytes()[1..]);
    bytes.extend(&(payload.len() as u32).to_be_bytes()[1..]);
    bytes.push(kind);
    bytes.extend(stream.to_le_bytes());
    let extended = if is_long {
        timestamp_ms.to_be_bytes().to_vec()
    } else {
        Vec::new()
    };
    bytes.extend(&extended);
    for (index, piece) in payload.chunks(chunk_bytes).enumerate() {
        if index > 0 {
            bytes.push(0xc0 | chunk_stream);
            bytes.extend(&extended);
        }
        bytes.extend(piece);
    }
    bytes
}

/// An AMF0 string.
pub fn s(text: &str) -> Vec<u8> {
    [
        &[2][..],
        &(text.len() as u16).to_be_bytes(),
        text.as_bytes(),
    ]
    .concat()
}

/// An AMF0 number.
pub fn n(number: f64) -> Vec<u8> {
    [&[0][..], &number.to_be_bytes()].concat()
}

/// The AMF0 null.
pub fn null() -> Vec<u8> {
    vec![5]
}

/// An AMF0 object of encoded values.
pub fn object(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![3];
    for (name, value) in entries {
        bytes.extend((name.len() as u16).to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(value);
    }
    bytes.extend([0, 0, 9]);
    bytes
}

/// All strings and names of an AMF0 payload, in order; enough to understand a server's replies.
pub fn strings(payload: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = payload;
    let mut is_name = false;
    let mut depth = 0;
    while let Some((&marker, behind)) = rest.split_first() {
        if is_name || marker == 2 {
            let at = if is_name { rest } else { behind };
            let Some((length, text)) = at.split_first_chunk::<2>() else {
                break;
            };
            let length = usize::from(u16::from_be_bytes(*length));
            let Some((text, behind)) = text.split_at_checked(length) else {
                break;
            };
            rest = behind;
            if is_name && text.is_empty() && rest.first() == Some(&9) {
                rest = &rest[1..];
                depth -= 1;
                is_name = depth > 0;
                continue;
            }
            found.push(String::from_utf8_lossy(text).into_owned());
            is_name = !is_name && depth > 0;
            continue;
        }
        let skipped = match marker {
            0 => 8,
            1 => 1,
            8 => 4,
            _ => 0,
        };
        depth += i32::from(matches!(marker, 3 | 8));
        is_name = depth > 0;
        rest = behind.get(skipped..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_strings_of_an_answer() {
        let status = object(&[("level", s("error")), ("n", n(1.0)), ("code", s("X"))]);
        let payload = [s("onStatus"), n(0.0), null(), status, s("after")].concat();
        let expected = ["onStatus", "level", "error", "n", "code", "X", "after"];
        assert_eq!(strings(&payload), expected);
    }

    #[test]
    fn cuts_a_message_into_chunks() {
        let bytes = chunks(2, 3, 20, 0x0100_0000, 1, b"abc");
        let expected = b"\x03\xff\xff\xff\0\0\x03\x14\x01\0\0\0\x01\0\0\0ab\xc3\x01\0\0\0c";
        assert_eq!(bytes, expected);
    }
}
