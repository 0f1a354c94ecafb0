//! Chunks: messages split into pieces and interleaved (RTMP 1.0, section 5.3).

mod encode;
mod header;

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};

pub use encode::ChunkEncoder;
use header::{BasicHeader, MessageHeader};

use super::ProtocolError;
use super::headers::HeaderBudget;
use super::limits::ChunkLimits;
use super::message::{MessageType, RtmpMessage};

/// Payload bytes in a chunk until the sender says otherwise, by the protocol itself.
pub const DEFAULT_CHUNK_BYTES: usize = 128;
/// Room made for a message when its first bytes arrive; it grows with what comes in, never by what was announced.
const FIRST_RESERVE_BYTES: usize = 4 * 1024;
/// From this size on a message that arrived in one piece is cut out of the read buffer instead of copied. Smaller ones
/// would keep a whole buffer alive for a few bytes.
const MIN_SLICE_BYTES: usize = 16 * 1024;

/// Reassembles messages.
#[derive(Debug)]
pub struct ChunkDecoder {
    limits: ChunkLimits,
    chunk_bytes: usize,
    streams: Vec<ChunkStream>,
    /// The chunk whose payload comes next in the input.
    open: Option<OpenChunk>,
    /// Capacity of all incomplete messages.
    unfinished: usize,
    headers: HeaderBudget,
}

/// The state of one chunk stream between headers.
#[derive(Debug, Default)]
struct ChunkStream {
    id: u32,
    timestamp: u32,
    /// Re-applied when a header without fields begins a message; 0 after an absolute time.
    delta: u32,
    /// The extended timestamp of the last header that had fields.
    extended: Option<u32>,
    length: usize,
    kind: u8,
    message_stream: u32,
    /// Empty exactly when no message is incomplete.
    partial: BytesMut,
}

#[derive(Clone, Copy, Debug)]
struct OpenChunk {
    index: usize,
    left: usize,
}

impl ChunkDecoder {
    /// A decoder for a new connection.
    pub fn new(limits: ChunkLimits) -> Self {
        Self {
            limits,
            chunk_bytes: DEFAULT_CHUNK_BYTES,
            streams: Vec::new(),
            open: None,
            unfinished: 0,
            headers: HeaderBudget::new(),
        }
    }

    /// Changes the limits from now on.
    pub fn set_limits(&mut self, limits: ChunkLimits) {
        self.limits = limits;
    }

    /// Reports elapsed time, which adds to the chunk header budget.
    pub fn pass_time(&mut self, elapsed: Duration) {
        self.headers.wait(elapsed);
    }

    /// Memory used by incomplete messages.
    pub fn unfinished_bytes(&self) -> usize {
        self.unfinished
    }

    /// Takes bytes off the front of `input` until a message is complete or more input is needed. Protocol control
    /// messages about chunks are handled here and not returned.
    pub fn decode(&mut self, input: &mut BytesMut) -> Result<Option<RtmpMessage>, ProtocolError> {
        loop {
            let open = match self.open {
                Some(open) => open,
                None => match self.begin_chunk(input)? {
                    Some(open) => open,
                    None => return Ok(None),
                },
            };
            self.open = None;
            let (message, left) = self.take_payload(open, input)?;
            if left > 0 {
                self.open = Some(OpenChunk { left, ..open });
                return Ok(None);
            }
            if let Some(message) = message
                && !self.obey(&message)?
            {
                return Ok(Some(message));
            }
        }
    }

    /// Parses a chunk header once it is complete.
    fn begin_chunk(&mut self, input: &mut BytesMut) -> Result<Option<OpenChunk>, ProtocolError> {
        let Some(basic) = BasicHeader::read(input) else {
            return Ok(None);
        };
        let known = self.streams.iter().position(|one| one.id == basic.id);
        let repeated = known.and_then(|index| self.streams[index].extended);
        let Some(fields) = MessageHeader::read(basic, repeated, input) else {
            return Ok(None);
        };
        self.headers.spend()?;
        let index = match known {
            Some(index) => index,
            None => self.add_stream(basic)?,
        };
        input.advance(fields.bytes);
        self.apply(index, &fields)?;
        let stream = &self.streams[index];
        let left = (stream.length - stream.partial.len()).min(self.chunk_bytes);
        Ok(Some(OpenChunk { index, left }))
    }

    fn add_stream(&mut self, basic: BasicHeader) -> Result<usize, ProtocolError> {
        // Some librtmp senders begin the control stream with a header that has no message stream.
        if basic.format > 1 {
            return Err(ProtocolError::UnknownChunkStream(basic.id));
        }
        if self.streams.len() >= self.limits.chunk_streams {
            return Err(ProtocolError::TooManyChunkStreams(
                self.limits.chunk_streams,
            ));
        }
        self.streams.push(ChunkStream {
            id: basic.id,
            ..ChunkStream::default()
        });
        Ok(self.streams.len() - 1)
    }

    fn apply(&mut self, index: usize, fields: &MessageHeader) -> Result<(), ProtocolError> {
        let limit = self.limits.message_bytes;
        let stream = &mut self.streams[index];
        let continues = !stream.partial.is_empty();
        let Some(time) = fields.time else {
            if !continues {
                stream.timestamp = stream.timestamp.wrapping_add(stream.delta);
            }
            return Ok(());
        };
        if continues {
            // A header with fields begins a message, so its sender has abandoned the incomplete one.
            self.unfinished -= stream.partial.capacity();
            stream.partial = BytesMut::new();
        }
        stream.extended = fields.extended;
        if fields.is_absolute {
            // The specification would re-apply this time as a delta; no encoder means that.
            (stream.timestamp, stream.delta) = (time, 0);
        } else {
            (stream.timestamp, stream.delta) = (stream.timestamp.wrapping_add(time), time);
        }
        if let Some((length, kind)) = fields.message {
            if length > limit {
                return Err(ProtocolError::MessageTooLong { length, limit });
            }
            (stream.length, stream.kind) = (length, kind);
        }
        if let Some(message_stream) = fields.message_stream {
            stream.message_stream = message_stream;
        }
        Ok(())
    }

    /// Moves the available payload of the chunk; returns the message if it is complete, and what the chunk still lacks.
    fn take_payload(
        &mut self,
        open: OpenChunk,
        input: &mut BytesMut,
    ) -> Result<(Option<RtmpMessage>, usize), ProtocolError> {
        let taken = open.left.min(input.len());
        let left = open.left - taken;
        self.headers.earn(taken);
        let stream = &mut self.streams[open.index];
        if stream.partial.is_empty() && taken == stream.length {
            let payload = cut_out(input, taken);
            return Ok((Some(stream.message(payload)), left));
        }
        if taken == 0 {
            return Ok((None, left));
        }
        let before = stream.partial.capacity();
        if before - stream.partial.len() < taken {
            let more = taken.max(FIRST_RESERVE_BYTES.min(stream.length));
            stream.partial.reserve(more);
            self.unfinished += stream.partial.capacity() - before;
            if self.unfinished > self.limits.unfinished_bytes {
                let limit = self.limits.unfinished_bytes;
                return Err(ProtocolError::TooMuchUnfinished(limit));
            }
        }
        stream.partial.extend_from_slice(&input[..taken]);
        input.advance(taken);
        if stream.partial.len() < stream.length {
            return Ok((None, left));
        }
        self.unfinished -= stream.partial.capacity();
        let payload = std::mem::take(&mut stream.partial).freeze();
        Ok((Some(stream.message(payload)), left))
    }

    /// Whether the message was about chunks and has been handled.
    fn obey(&mut self, message: &RtmpMessage) -> Result<bool, ProtocolError> {
        match message.kind {
            MessageType::SET_CHUNK_SIZE => {
                // Any valid size is harmless: payload is read as it arrives, and messages have their own limit.
                let size = message.number().unwrap_or(0);
                if size == 0 || size > i32::MAX as u32 {
                    return Err(ProtocolError::BadChunkSize(size));
                }
                self.chunk_bytes = size as usize;
                Ok(true)
            }
            MessageType::ABORT => {
                let id = message.number();
                if let Some(stream) = self.streams.iter_mut().find(|one| Some(one.id) == id) {
                    self.unfinished -= stream.partial.capacity();
                    stream.partial = BytesMut::new();
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

impl ChunkStream {
    fn message(&self, payload: Bytes) -> RtmpMessage {
        RtmpMessage {
            kind: MessageType(self.kind),
            timestamp: self.timestamp,
            stream: self.message_stream,
            payload,
        }
    }
}

fn cut_out(input: &mut BytesMut, length: usize) -> Bytes {
    if length >= MIN_SLICE_BYTES {
        return input.split_to(length).freeze();
    }
    let payload = Bytes::copy_from_slice(&input[..length]);
    input.advance(length);
    payload
}

#[cfg(test)]
mod tests;
