//! The handshake: a version and two blocks of 1,536 bytes in each direction (RTMP 1.0, section 5.2), plain or with
//! digests. It reads exactly 3,073 bytes.

use bytes::{Buf, BytesMut};

use super::ProtocolError;
use super::digest::{self, BLOCK_BYTES, Block};

const VERSION: u8 = 3;
/// What a server with digests calls itself; clients look only for a first number above zero.
const SERVER_VERSION: [u8; 4] = [4, 5, 0, 1];

/// The server's side.
#[derive(Debug, Default)]
pub struct Handshake {
    has_answered: bool,
}

impl Handshake {
    /// Consumes the available bytes of the client's blocks and appends the reply to `output`. True once the client's
    /// last byte was read; what follows it stays in `input`.
    pub fn receive(
        &mut self,
        input: &mut BytesMut,
        output: &mut BytesMut,
    ) -> Result<bool, ProtocolError> {
        if !self.has_answered {
            // A scanner is recognised by its first byte, without waiting for the other 1,536.
            match input.first() {
                None => return Ok(false),
                Some(&VERSION) => {}
                Some(&other) => return Err(ProtocolError::NotRtmp(other)),
            }
            let Some(client) = input.get(1..).and_then(<[u8]>::first_chunk) else {
                return Ok(false);
            };
            answer(client, output);
            input.advance(1 + BLOCK_BYTES);
            self.has_answered = true;
        }
        // The client's second block echoes ours; its content does not matter, and some clients send noise.
        if input.len() < BLOCK_BYTES {
            return Ok(false);
        }
        input.advance(BLOCK_BYTES);
        Ok(true)
    }
}

fn answer(client: &Block, output: &mut BytesMut) {
    let mut first = filler();
    let mut second = *client;
    let has_digests = client[4..8] != [0; 4];
    if has_digests && let Some((scheme, their_digest)) = digest::find(client) {
        first[4..8].copy_from_slice(&SERVER_VERSION);
        digest::sign(&mut first, scheme);
        second = filler();
        digest::answer(&mut second, &their_digest);
    }
    output.extend_from_slice(&[VERSION]);
    output.extend_from_slice(&first);
    output.extend_from_slice(&second);
}

/// A block with time and version 0. The protocol asks for random bytes only so that each side can recognise its echo,
/// so a pattern is good enough and keeps randomness out of this module.
fn filler() -> Block {
    let mut block: Block = std::array::from_fn(|index| (index * 31 % 255) as u8);
    block[..8].fill(0);
    block
}

#[cfg(test)]
mod tests {
    use super::digest::DigestScheme;
    use super::digest::tests::{client_block, is_signed};
    use super::*;

    fn greeting(block: &Block) -> BytesMut {
        let mut input = BytesMut::from(&[VERSION][..]);
        input.extend_from_slice(block);
        input
    }

    fn blocks(output: &[u8]) -> (Block, Block) {
        assert_eq!(output.len(), 1 + 2 * BLOCK_BYTES);
        assert_eq!(output[0], VERSION);
        let first = output[1..].first_chunk().unwrap();
        let second = output[1 + BLOCK_BYTES..].first_chunk().unwrap();
        (*first, *second)
    }

    #[test]
    fn a_plain_greeting_is_echoed() {
        let mut client = filler();
        client[100] = 0xaa;
        let (mut input, mut output) = (greeting(&client), BytesMut::new());
        let mut handshake = Handshake::default();
        assert!(!handshake.receive(&mut input, &mut output).unwrap());
        let (_, second) = blocks(&output);
        assert_eq!(second, client);
        input.extend_from_slice(&[0; BLOCK_BYTES]);
        input.extend_from_slice(b"next");
        assert!(handshake.receive(&mut input, &mut output).unwrap());
        assert_eq!(&input[..], b"next");
    }

    #[test]
    fn a_greeting_with_a_digest_is_answered_with_digests() {
        for scheme in [DigestScheme::First, DigestScheme::Second] {
            let client = client_block(scheme);
            let (mut input, mut output) = (greeting(&client), BytesMut::new());
            Handshake::default()
                .receive(&mut input, &mut output)
                .unwrap();
            let (first, second) = blocks(&output);
            assert_ne!(first[4], 0);
            assert!(is_signed(&first, scheme));
            let (_, their_digest) = digest::find(&client).unwrap();
            let mut expected = second;
            digest::answer(&mut expected, &their_digest);
            assert_eq!(second, expected);
            assert_ne!(second, client);
        }
    }

    #[test]
    fn a_version_without_a_digest_gets_the_plain_answer() {
        let mut client = filler();
        client[4] = 10;
        let (mut input, mut output) = (greeting(&client), BytesMut::new());
        Handshake::default()
            .receive(&mut input, &mut output)
            .unwrap();
        assert_eq!(blocks(&output).1, client);
    }

    #[test]
    fn what_is_not_rtmp_is_recognised_by_its_first_byte() {
        for first in [b"GET / HTTP/1.1\r\n"[0], 0x16, 0, 6] {
            let mut input = BytesMut::from(&[first][..]);
            let error = Handshake::default().receive(&mut input, &mut BytesMut::new());
            assert_eq!(error, Err(ProtocolError::NotRtmp(first)));
        }
    }

    #[test]
    fn single_bytes_make_the_same_handshake() {
        let mut handshake = Handshake::default();
        let (mut input, mut output) = (BytesMut::new(), BytesMut::new());
        let mut sent = greeting(&client_block(DigestScheme::Second));
        sent.extend_from_slice(&[7; BLOCK_BYTES]);
        let last = sent.len() - 1;
        for (index, byte) in sent.iter().enumerate() {
            input.extend_from_slice(&[*byte]);
            let is_done = handshake.receive(&mut input, &mut output).unwrap();
            assert_eq!(is_done, index == last);
        }
        assert_eq!(output.len(), 1 + 2 * BLOCK_BYTES);
    }
}
