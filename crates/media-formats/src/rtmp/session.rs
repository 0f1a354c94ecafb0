//! The server's side of an RTMP session, without IO: bytes go in, events and bytes come out.
//!
//! It knows what OBS, ffmpeg, Larix and FMLE send and in which order, but not who may publish.

mod capabilities;
mod destination;
mod replies;

use std::time::Duration;

use bytes::BytesMut;
use model::Secret;

use self::capabilities::Capabilities;
use self::destination::destination;
use self::replies::Replies;
use super::wire::ProtocolError;
use super::wire::amf0::Amf0Value;
use super::wire::chunk::ChunkDecoder;
use super::wire::handshake::Handshake;
use super::wire::limits::{self, MAX_CONNECT_BYTES, STRANGER_TOTAL_BYTES};
use super::wire::message::{MessageType, RtmpCommand, RtmpMessage};
use crate::flv::{self, Metadata, clean_name};

/// Smallest window after which we acknowledge; a smaller one is raised to it, so that a peer cannot make us answer
/// every byte.
const MIN_WINDOW_BYTES: u64 = 16 * 1024;
/// The window until the peer names one.
const DEFAULT_WINDOW_BYTES: u64 = 2_500_000;
/// Message streams one connection may create; further ones get the last number again.
const MAX_MESSAGE_STREAMS: u32 = 8;

/// Why a publisher is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCode {
    BadKey,
    /// Another publisher is active.
    Busy,
    /// The server is stopping.
    Stopping,
}

impl RefusalCode {
    /// The label for metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::BadKey => "bad_key",
            Self::Busy => "busy",
            Self::Stopping => "stopping",
        }
    }
}

/// An event that the driver has to handle.
#[derive(Debug)]
pub enum SessionEvent {
    /// The peer asks to publish; answer with [`RtmpSession::accept_publish`] or [`RtmpSession::refuse_publish`] before the
    /// next [`RtmpSession::receive`].
    Publish(PublishCommand),
    /// A body for [`flv::video`].
    Video {
        /// Milliseconds on the publisher's clock.
        timestamp: u32,
        body: bytes::Bytes,
    },
    /// A body for [`flv::audio`].
    Audio {
        /// Milliseconds on the publisher's clock.
        timestamp: u32,
        body: bytes::Bytes,
    },
    /// What the publisher declares about its stream.
    Metadata(Metadata),
    /// The peer ended its publication properly.
    Unpublish,
}

/// A peer's request to publish.
#[derive(Clone, Debug)]
pub struct PublishCommand {
    /// The stream key, wherever the peer put it.
    pub key: Secret,
    /// The application, usually `live`.
    pub app: String,
    pub encoder: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionStage {
    Fresh,
    Connected,
    Asked,
    Publishing,
}

/// One connection's RTMP session.
#[derive(Debug)]
pub struct RtmpSession {
    handshake: Option<Handshake>,
    decoder: ChunkDecoder,
    replies: Replies,
    stage: SessionStage,
    app: String,
    url: String,
    encoder: String,
    capabilities: Capabilities,
    /// The message stream that is published, or was requested for it.
    stream: u32,
    created_streams: u32,
    received: u64,
    acknowledged: u64,
    window: u64,
    /// Bytes received while nothing was published.
    idle_talk: u64,
}

impl Default for RtmpSession {
    fn default() -> Self {
        Self {
            handshake: Some(Handshake::default()),
            decoder: ChunkDecoder::new(limits::STRANGER),
            replies: Replies::default(),
            stage: SessionStage::Fresh,
            app: String::new(),
            url: String::new(),
            encoder: String::new(),
            capabilities: Capabilities::default(),
            stream: 0,
            created_streams: 0,
            received: 0,
            acknowledged: 0,
            window: DEFAULT_WINDOW_BYTES,
            idle_talk: 0,
        }
    }
}

impl RtmpSession {
    /// Takes bytes off the front of `input` until there is an event or more input is needed. Call it until it returns
    /// `None`, then send [`RtmpSession::output`]; an error ends the connection, after the output is sent.
    pub fn receive(&mut self, input: &mut BytesMut) -> Result<Option<SessionEvent>, ProtocolError> {
        if let Some(handshake) = &mut self.handshake {
            if !handshake.receive(input, &mut self.replies.output)? {
                return Ok(None);
            }
            self.handshake = None;
        }
        while self.stage != SessionStage::Asked {
            let before = input.len();
            let decoded = self.decoder.decode(input);
            self.count(before - input.len())?;
            let Some(message) = decoded? else {
                return Ok(None);
            };
            if let Some(event) = self.handle(message)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Bytes to send; remove them as they are sent.
    pub fn output(&mut self) -> &mut BytesMut {
        &mut self.replies.output
    }

    /// Reports elapsed time, which adds to the chunk header budget.
    pub fn pass_time(&mut self, elapsed: Duration) {
        self.decoder.pass_time(elapsed);
    }

    /// Accepts the peer's request to publish.
    pub fn accept_publish(&mut self) {
        self.stage = SessionStage::Publishing;
        self.decoder.set_limits(limits::PUBLISHER);
        self.replies.publish_started(self.stream);
    }

    /// Tells the peer why its request was refused.
    pub fn refuse_publish(&mut self, code: RefusalCode, reason: &str) {
        self.stage = SessionStage::Connected;
        let code = match code {
            RefusalCode::BadKey | RefusalCode::Busy => "NetStream.Publish.BadName",
            RefusalCode::Stopping => "NetConnection.Connect.Rejected",
        };
        self.replies.status(self.stream, "error", code, reason);
    }

    /// Tells the publisher that its media was rejected.
    pub fn reject_media(&mut self, reason: &str) {
        self.stage = SessionStage::Connected;
        let code = "NetStream.Publish.Rejected";
        self.replies.status(self.stream, "error", code, reason);
    }

    /// Tells the publisher that the server ended the publication.
    pub fn end_publish(&mut self, reason: &str) {
        self.stage = SessionStage::Connected;
        let code = "NetStream.Unpublish.Success";
        self.replies.status(self.stream, "status", code, reason);
    }

    /// Asks the publisher to reconnect, if it supports that; then it does not take what follows for an end.
    pub fn ask_to_reconnect(&mut self, reason: &str) {
        if self.capabilities.can_reconnect {
            self.replies.reconnect(reason);
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), ProtocolError> {
        self.received += bytes as u64;
        if self.stage != SessionStage::Publishing {
            self.idle_talk += bytes as u64;
            if self.idle_talk > STRANGER_TOTAL_BYTES {
                return Err(ProtocolError::TooMuchBeforePublishing(STRANGER_TOTAL_BYTES));
            }
        }
        if self.received - self.acknowledged >= self.window {
            self.acknowledged = self.received;
            self.replies.acknowledge(self.received as u32);
        }
        Ok(())
    }

    fn handle(&mut self, message: RtmpMessage) -> Result<Option<SessionEvent>, ProtocolError> {
        let is_publishing = self.stage == SessionStage::Publishing;
        let timestamp = message.timestamp;
        match message.kind {
            MessageType::VIDEO if is_publishing => {
                let body = message.payload;
                Ok(Some(SessionEvent::Video { timestamp, body }))
            }
            MessageType::AUDIO if is_publishing => {
                let body = message.payload;
                Ok(Some(SessionEvent::Audio { timestamp, body }))
            }
            MessageType::DATA | MessageType::DATA_AMF3 if is_publishing => {
                Ok(flv::metadata(message.amf0()).map(SessionEvent::Metadata))
            }
            MessageType::COMMAND | MessageType::COMMAND_AMF3 => {
                match RtmpCommand::parse(message.amf0()) {
                    Ok(command) => self.obey(&command, &message),
                    // A publisher may send what we do not understand; a stranger that does is disconnected.
                    Err(_) if is_publishing => Ok(None),
                    Err(error) => Err(error.into()),
                }
            }
            MessageType::WINDOW_SIZE => {
                let requested = message.number().map_or(DEFAULT_WINDOW_BYTES, u64::from);
                self.window = requested.max(MIN_WINDOW_BYTES);
                Ok(None)
            }
            MessageType::USER_CONTROL => {
                self.replies.pong(&message.payload);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn obey(
        &mut self,
        command: &RtmpCommand,
        message: &RtmpMessage,
    ) -> Result<Option<SessionEvent>, ProtocolError> {
        let transaction = command.transaction;
        match command.name.as_str() {
            "connect" => self.connect(command, message.payload.len())?,
            "createStream" => {
                self.need_connect("createStream")?;
                self.created_streams = MAX_MESSAGE_STREAMS.min(self.created_streams + 1);
                let stream = Amf0Value::Number(f64::from(self.created_streams));
                self.replies.result(transaction, stream);
            }
            "publish" => {
                self.need_connect("publish")?;
                return Ok(self.publish(command, message.stream));
            }
            "releaseStream" | "getStreamLength" | "_checkbw" => {
                self.replies.result(transaction, Amf0Value::Undefined);
            }
            "FCPublish" => {
                self.replies.result(transaction, Amf0Value::Undefined);
                self.replies
                    .fc_status("onFCPublish", "NetStream.Publish.Start");
            }
            "FCUnpublish" => {
                self.replies.result(transaction, Amf0Value::Undefined);
                self.replies
                    .fc_status("onFCUnpublish", "NetStream.Unpublish.Success");
                return Ok(self.unpublish());
            }
            "deleteStream" | "closeStream" => return Ok(self.unpublish()),
            "play" | "play2" => {
                let reason = "This port only takes streams in; watch on the web page.";
                let code = "NetStream.Play.Failed";
                self.replies.status(message.stream, "error", code, reason);
                return Err(ProtocolError::Player);
            }
            _ => {}
        }
        Ok(None)
    }

    fn connect(&mut self, command: &RtmpCommand, length: usize) -> Result<(), ProtocolError> {
        if length > MAX_CONNECT_BYTES {
            return Err(ProtocolError::MessageTooLong {
                length,
                limit: MAX_CONNECT_BYTES,
            });
        }
        if self.stage != SessionStage::Fresh {
            return Ok(());
        }
        let text = |key: &str| {
            let object = command.arguments.first();
            let value = object.and_then(|object| object.get(key));
            value.and_then(Amf0Value::as_str).unwrap_or_default()
        };
        self.app = text("app").to_owned();
        self.url = text("tcUrl").to_owned();
        self.encoder = clean_name(text("flashVer"));
        let claims = command.arguments.first();
        self.capabilities = claims.map(Capabilities::read).unwrap_or_default();
        self.stage = SessionStage::Connected;
        let is_enhanced = self.capabilities.is_enhanced;
        self.replies.connected(command.transaction, is_enhanced);
        Ok(())
    }

    fn need_connect(&self, command: &'static str) -> Result<(), ProtocolError> {
        match self.stage {
            SessionStage::Fresh => Err(ProtocolError::NotConnected(command)),
            _ => Ok(()),
        }
    }

    fn publish(&mut self, command: &RtmpCommand, stream: u32) -> Option<SessionEvent> {
        if self.stage == SessionStage::Publishing {
            let reason = "This connection already publishes.";
            let code = "NetStream.Publish.BadName";
            self.replies.status(stream, "error", code, reason);
            return None;
        }
        self.stage = SessionStage::Asked;
        self.stream = stream;
        let name = command.text(1).unwrap_or_default();
        let (app, key) = destination(&self.app, &self.url, name);
        Some(SessionEvent::Publish(PublishCommand {
            key: Secret::new(key),
            app,
            encoder: self.encoder.clone(),
        }))
    }

    fn unpublish(&mut self) -> Option<SessionEvent> {
        if self.stage != SessionStage::Publishing {
            return None;
        }
        self.end_publish("The stream was ended by its sender.");
        Some(SessionEvent::Unpublish)
    }
}

#[cfg(test)]
mod tests;
