//! The server's replies.

use bytes::{Buf, BytesMut};

use super::capabilities;
use crate::rtmp::wire::amf0::Amf0Value;
use crate::rtmp::wire::chunk::ChunkEncoder;
use crate::rtmp::wire::message::{MessageType, RtmpCommand, RtmpMessage};

/// The window we ask peers to acknowledge by, and the bandwidth we name; both are what encoders expect to hear.
const WINDOW_BYTES: u32 = 2_500_000;
/// Length of the chunks we send: any answer of ours fits one.
const CHUNK_BYTES: u32 = 4_096;

/// Chunk streams by convention: 2 for the protocol itself, 3 for commands, 5 for what belongs to a message stream.
const CONTROL: u8 = 2;
const COMMANDS: u8 = 3;
const STATUS: u8 = 5;

/// Writes replies into the output.
#[derive(Debug, Default)]
pub(super) struct Replies {
    pub(super) output: BytesMut,
    encoder: ChunkEncoder,
}

impl Replies {
    pub(super) fn connected(&mut self, transaction: f64, is_enhanced: bool) {
        const DYNAMIC: u8 = 2;
        self.send(
            CONTROL,
            &RtmpMessage::control(MessageType::WINDOW_SIZE, WINDOW_BYTES),
        );
        let mut bandwidth = WINDOW_BYTES.to_be_bytes().to_vec();
        bandwidth.push(DYNAMIC);
        let mut message = RtmpMessage::control(MessageType::PEER_BANDWIDTH, 0);
        message.payload = bandwidth.into();
        self.send(CONTROL, &message);
        self.send(
            CONTROL,
            &RtmpMessage::control(MessageType::SET_CHUNK_SIZE, CHUNK_BYTES),
        );
        let mut server = vec![
            ("fmsVer".to_owned(), Amf0Value::from("FMS/3,5,7,7009")),
            ("capabilities".to_owned(), Amf0Value::Number(31.0)),
            ("mode".to_owned(), Amf0Value::Number(1.0)),
        ];
        if is_enhanced {
            server.extend(capabilities::ours());
        }
        let mut status = status_pairs(
            "status",
            "NetConnection.Connect.Success",
            "Connection succeeded.",
        );
        status.push(("objectEncoding".to_owned(), Amf0Value::Number(0.0)));
        let arguments = vec![Amf0Value::Object(server), Amf0Value::Object(status)];
        self.command(COMMANDS, 0, "_result", transaction, arguments);
    }

    /// Replies to a call; calls without a number want no reply.
    pub(super) fn result(&mut self, transaction: f64, value: Amf0Value) {
        if transaction > 0.0 {
            let arguments = vec![Amf0Value::Null, value];
            self.command(COMMANDS, 0, "_result", transaction, arguments);
        }
    }

    pub(super) fn publish_started(&mut self, stream: u32) {
        const STREAM_BEGIN: u16 = 0;
        self.send(CONTROL, &RtmpMessage::user_control(STREAM_BEGIN, stream));
        let code = "NetStream.Publish.Start";
        self.status(stream, "status", code, "The stream is being received.");
    }

    pub(super) fn status(&mut self, stream: u32, level: &str, code: &str, description: &str) {
        let status = Amf0Value::Object(status_pairs(level, code, description));
        let arguments = vec![Amf0Value::Null, status];
        self.command(STATUS, stream, "onStatus", 0.0, arguments);
    }

    /// Asks the peer to reconnect at the address it knows (Enhanced RTMP v2, "Reconnect Request").
    pub(super) fn reconnect(&mut self, description: &str) {
        let code = "NetConnection.Connect.ReconnectRequest";
        let status = Amf0Value::Object(status_pairs("status", code, description));
        self.command(COMMANDS, 0, "onStatus", 0.0, vec![Amf0Value::Null, status]);
    }

    /// The reply that FMLE waits for after its own variants of publish and unpublish.
    pub(super) fn fc_status(&mut self, name: &str, code: &str) {
        let status = object(&[
            ("code", Amf0Value::from(code)),
            ("description", Amf0Value::from("")),
        ]);
        self.command(COMMANDS, 0, name, 0.0, vec![Amf0Value::Null, status]);
    }

    pub(super) fn acknowledge(&mut self, received: u32) {
        self.send(
            CONTROL,
            &RtmpMessage::control(MessageType::ACKNOWLEDGEMENT, received),
        );
    }

    /// Replies to a ping; ignores every other stream event.
    pub(super) fn pong(&mut self, event: &[u8]) {
        const PING: u16 = 6;
        const PONG: u16 = 7;
        let mut event = event;
        if event.try_get_u16() == Ok(PING)
            && let Ok(time) = event.try_get_u32()
        {
            self.send(CONTROL, &RtmpMessage::user_control(PONG, time));
        }
    }

    fn command(
        &mut self,
        chunk_stream: u8,
        stream: u32,
        name: &str,
        transaction: f64,
        arguments: Vec<Amf0Value>,
    ) {
        let command = RtmpCommand {
            name: name.to_owned(),
            transaction,
            arguments,
        };
        self.send(chunk_stream, &command.into_message(stream));
    }

    fn send(&mut self, chunk_stream: u8, message: &RtmpMessage) {
        self.encoder.encode(chunk_stream, message, &mut self.output);
    }
}

fn status_pairs(level: &str, code: &str, description: &str) -> Vec<(String, Amf0Value)> {
    let pairs = [
        ("level", level),
        ("code", code),
        ("description", description),
    ];
    pairs
        .map(|(name, text)| (name.to_owned(), Amf0Value::from(text)))
        .to_vec()
}

fn object(pairs: &[(&str, Amf0Value)]) -> Amf0Value {
    let owned = pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    Amf0Value::Object(owned.collect())
}
