//! Detects the HTTP version of a connection from its first bytes.

use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::stall_guard::PrefixedStream;

/// What a client that speaks HTTP/2 in clear text with prior knowledge sends first (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpVersion {
    Http1,
    Http2,
}

/// Reads just enough to decide, and hands the stream back with those bytes in front.
pub(super) async fn detect<S: AsyncRead + Unpin>(
    mut stream: S,
) -> io::Result<(HttpVersion, PrefixedStream<S>)> {
    let mut start = BytesMut::with_capacity(PREFACE.len());
    loop {
        if !PREFACE.starts_with(&start) {
            return Ok((
                HttpVersion::Http1,
                PrefixedStream::new(start.freeze(), stream),
            ));
        }
        if start.len() == PREFACE.len() {
            return Ok((
                HttpVersion::Http2,
                PrefixedStream::new(start.freeze(), stream),
            ));
        }
        let missing = PREFACE.len() - start.len();
        if (&mut stream)
            .take(missing as u64)
            .read_buf(&mut start)
            .await?
            == 0
        {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn detected(bytes: &[u8]) -> Option<(HttpVersion, Vec<u8>)> {
        let (version, mut stream) = detect(bytes).await.ok()?;
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.unwrap();
        Some((version, all))
    }

    #[tokio::test]
    async fn the_first_bytes_decide_and_none_is_lost() {
        let http1 = b"GET / HTTP/1.1\r\n\r\n";
        assert_eq!(
            detected(http1).await,
            Some((HttpVersion::Http1, http1.to_vec()))
        );
        let almost = b"PRI * HTTP/1.1\r\n\r\n";
        assert_eq!(
            detected(almost).await,
            Some((HttpVersion::Http1, almost.to_vec()))
        );
        let http2 = [PREFACE, b"frames"].concat();
        assert_eq!(detected(&http2).await, Some((HttpVersion::Http2, http2)));
        assert_eq!(detected(b"PRI *").await, None);
        assert_eq!(detected(b"").await, None);
    }
}
