//! Splits messages into chunks.

use bytes::{BufMut, BytesMut};

use super::DEFAULT_CHUNK_BYTES;
use super::header::EXTENDED;
use crate::rtmp::wire::message::{MessageType, RtmpMessage};

/// Encodes messages. What we send is rare and short, so every message gets a full header.
#[derive(Debug)]
pub struct ChunkEncoder {
    chunk_bytes: usize,
}

impl Default for ChunkEncoder {
    fn default() -> Self {
        Self {
            chunk_bytes: DEFAULT_CHUNK_BYTES,
        }
    }
}

impl ChunkEncoder {
    /// Appends `message` to `out`. `chunk_stream` is one of the short ids, 2 to 63. A message that sets the chunk size
    /// takes effect after itself.
    pub fn encode(&mut self, chunk_stream: u8, message: &RtmpMessage, out: &mut BytesMut) {
        let id = chunk_stream.clamp(2, 63);
        out.put_u8(id);
        let is_extended = message.timestamp >= EXTENDED;
        out.put_uint(u64::from(message.timestamp.min(EXTENDED)), 3);
        out.put_uint(message.payload.len() as u64, 3);
        out.put_u8(message.kind.0);
        out.put_u32_le(message.stream);
        if is_extended {
            out.put_u32(message.timestamp);
        }
        for (index, piece) in message.payload.chunks(self.chunk_bytes).enumerate() {
            if index > 0 {
                out.put_u8(0xc0 | id);
                if is_extended {
                    out.put_u32(message.timestamp);
                }
            }
            out.put_slice(piece);
        }
        if message.kind == MessageType::SET_CHUNK_SIZE
            && let Some(size) = message.number()
        {
            self.chunk_bytes = (size as usize).max(1);
        }
    }
}
