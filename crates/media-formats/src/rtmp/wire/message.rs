//! Messages: reassembled chunks, and the commands inside some of them.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::amf0::{self, Amf0Error, Amf0Value};

/// The type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageType(pub u8);

impl MessageType {
    /// How long chunks are from now on.
    pub const SET_CHUNK_SIZE: Self = Self(1);
    /// An unfinished message will not be finished.
    pub const ABORT: Self = Self(2);
    /// Bytes received so far.
    pub const ACKNOWLEDGEMENT: Self = Self(3);
    /// Stream events and pings.
    pub const USER_CONTROL: Self = Self(4);
    /// How often to acknowledge.
    pub const WINDOW_SIZE: Self = Self(5);
    /// How much may be unacknowledged.
    pub const PEER_BANDWIDTH: Self = Self(6);
    /// A body for [`crate::flv::audio`].
    pub const AUDIO: Self = Self(8);
    /// A body for [`crate::flv::video`].
    pub const VIDEO: Self = Self(9);
    /// Data behind one more byte.
    pub const DATA_AMF3: Self = Self(15);
    /// A command behind one more byte.
    pub const COMMAND_AMF3: Self = Self(17);
    /// A body for [`crate::flv::metadata`].
    pub const DATA: Self = Self(18);
    /// A body for [`RtmpCommand::parse`].
    pub const COMMAND: Self = Self(20);
}

/// One whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtmpMessage {
    pub kind: MessageType,
    /// Milliseconds on the publisher's clock; wraps after 49.7 days.
    pub timestamp: u32,
    /// The message stream, 0 for the connection itself.
    pub stream: u32,
    pub payload: Bytes,
}

impl RtmpMessage {
    /// A message on the connection itself with one number.
    pub fn control(kind: MessageType, number: u32) -> Self {
        Self {
            kind,
            timestamp: 0,
            stream: 0,
            payload: Bytes::copy_from_slice(&number.to_be_bytes()),
        }
    }

    /// A stream event with one number.
    pub fn user_control(event: u16, number: u32) -> Self {
        let mut payload = BytesMut::with_capacity(6);
        payload.put_u16(event);
        payload.put_u32(number);
        Self {
            kind: MessageType::USER_CONTROL,
            timestamp: 0,
            stream: 0,
            payload: payload.freeze(),
        }
    }

    /// The number at the start of the payload; `None` if it is too short.
    pub fn number(&self) -> Option<u32> {
        self.payload.clone().try_get_u32().ok()
    }

    /// The AMF0 part of a command or data message. The AMF3 types prefix it with one byte that announces AMF0.
    pub fn amf0(&self) -> &[u8] {
        let has_wrapper = matches!(
            self.kind,
            MessageType::COMMAND_AMF3 | MessageType::DATA_AMF3
        );
        match self.payload.split_first() {
            Some((0, rest)) if has_wrapper => rest,
            _ => &self.payload,
        }
    }
}

/// A remote procedure call.
#[derive(Clone, Debug, PartialEq)]
pub struct RtmpCommand {
    pub name: String,
    /// Identifies the reply; 0 if none is wanted.
    pub transaction: f64,
    /// The command object, often null, then the others.
    pub arguments: Vec<Amf0Value>,
}

impl RtmpCommand {
    /// Parses the AMF0 part of a command message.
    pub fn parse(body: &[u8]) -> Result<Self, Amf0Error> {
        let mut values = amf0::decode_all(body)?.into_iter();
        let Some(Amf0Value::String(name)) = values.next() else {
            return Err(Amf0Error::NoCommand);
        };
        let transaction = values.next().and_then(|value| value.as_number());
        Ok(Self {
            name,
            transaction: transaction.unwrap_or(0.0),
            arguments: values.collect(),
        })
    }

    /// The argument at `index` as text; the command object is at 0.
    pub fn text(&self, index: usize) -> Option<&str> {
        self.arguments.get(index).and_then(Amf0Value::as_str)
    }

    /// Converts it to a message on `stream`.
    pub fn into_message(self, stream: u32) -> RtmpMessage {
        let mut values = vec![
            Amf0Value::String(self.name),
            Amf0Value::Number(self.transaction),
        ];
        values.extend(self.arguments);
        RtmpMessage {
            kind: MessageType::COMMAND,
            timestamp: 0,
            stream,
            payload: amf0::encode(&values).freeze(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: MessageType, payload: &'static [u8]) -> RtmpMessage {
        RtmpMessage {
            kind,
            timestamp: 0,
            stream: 0,
            payload: Bytes::from_static(payload),
        }
    }

    #[test]
    fn a_command_survives_the_round_trip() {
        let command = RtmpCommand {
            name: "publish".to_owned(),
            transaction: 5.0,
            arguments: vec![
                Amf0Value::Null,
                Amf0Value::from("key"),
                Amf0Value::from("live"),
            ],
        };
        let sent = command.clone().into_message(1);
        assert_eq!(RtmpCommand::parse(sent.amf0()).unwrap(), command);
        assert_eq!(command.text(1), Some("key"));
        assert_eq!(command.text(0), None);
    }

    #[test]
    fn a_command_in_the_amf3_wrapper_is_read() {
        let wrapped = message(
            MessageType::COMMAND_AMF3,
            b"\0\x02\0\x01x\0\x40\0\0\0\0\0\0\0",
        );
        let command = RtmpCommand::parse(wrapped.amf0()).unwrap();
        assert_eq!((command.name.as_str(), command.transaction), ("x", 2.0));
    }

    #[test]
    fn amf3_inside_the_wrapper_is_refused() {
        for payload in [
            &b"\x11\x06\x0fconnect"[..],
            b"\0\x11\x06\x0fconnect",
            b"\0\x02\0\x01x\x11\x0a\x0b",
        ] {
            let wrapped = RtmpMessage {
                payload: Bytes::copy_from_slice(payload),
                ..message(MessageType::COMMAND_AMF3, b"")
            };
            let error = RtmpCommand::parse(wrapped.amf0()).unwrap_err();
            assert_eq!(error, Amf0Error::Amf3, "{payload:x?}");
        }
    }

    #[test]
    fn what_has_no_name_is_no_command() {
        for body in [&b""[..], b"\0\0\0\0\0\0\0\0\0", b"\x05"] {
            assert_eq!(RtmpCommand::parse(body), Err(Amf0Error::NoCommand));
        }
    }

    #[test]
    fn a_short_control_message_holds_no_number() {
        assert_eq!(
            message(MessageType::WINDOW_SIZE, b"\0\0\x10").number(),
            None
        );
        assert_eq!(
            RtmpMessage::control(MessageType::WINDOW_SIZE, 7).number(),
            Some(7)
        );
    }
}
