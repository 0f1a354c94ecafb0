use super::*;
use crate::rtmp::wire::chunk::ChunkEncoder;
use crate::rtmp::wire::limits::PUBLISHER;

/// A client that talks to a session in memory.
struct SessionClient {
    session: RtmpSession,
    encoder: ChunkEncoder,
    replies: ChunkDecoder,
    input: BytesMut,
}

fn client() -> SessionClient {
    let mut session = RtmpSession::default();
    let mut greeting = BytesMut::from(&[3; 1][..]);
    greeting.resize(1 + 2 * 1536, 0);
    assert!(session.receive(&mut greeting).unwrap().is_none());
    assert_eq!(session.output().len(), 1 + 2 * 1536);
    session.output().clear();
    SessionClient {
        session,
        encoder: ChunkEncoder::default(),
        replies: ChunkDecoder::new(PUBLISHER),
        input: BytesMut::new(),
    }
}

/// A client whose request to publish was accepted.
fn publisher() -> SessionClient {
    let mut client = client();
    client.connect("live", "rtmp://host/live");
    assert!(matches!(
        client.publish("key"),
        Some(SessionEvent::Publish(_))
    ));
    client.session.accept_publish();
    client.answers();
    client
}

impl SessionClient {
    fn send(&mut self, message: &RtmpMessage) -> Result<Option<SessionEvent>, ProtocolError> {
        self.encoder.encode(3, message, &mut self.input);
        self.session.receive(&mut self.input)
    }

    fn call(
        &mut self,
        stream: u32,
        name: &str,
        transaction: f64,
        arguments: Vec<Amf0Value>,
    ) -> Result<Option<SessionEvent>, ProtocolError> {
        let command = RtmpCommand {
            name: name.to_owned(),
            transaction,
            arguments,
        };
        self.send(&command.into_message(stream))
    }

    fn connect(&mut self, app: &str, url: &str) {
        let pairs = [
            ("app", app),
            ("tcUrl", url),
            ("flashVer", "FMLE/3.0 (compatible; FMSc/1.0)"),
        ];
        let object = pairs.map(|(name, text)| (name.to_owned(), Amf0Value::from(text)));
        let event = self.call(0, "connect", 1.0, vec![Amf0Value::Object(object.to_vec())]);
        assert!(event.unwrap().is_none());
    }

    fn publish(&mut self, name: &str) -> Option<SessionEvent> {
        let arguments = vec![
            Amf0Value::Null,
            Amf0Value::from(name),
            Amf0Value::from("live"),
        ];
        self.call(1, "publish", 5.0, arguments).unwrap()
    }

    /// The server's replies since the last call.
    fn answers(&mut self) -> Vec<RtmpMessage> {
        let mut answers = Vec::new();
        while let Some(message) = self.replies.decode(self.session.output()).unwrap() {
            answers.push(message);
        }
        assert!(self.session.output().is_empty());
        answers
    }

    fn commands(&mut self) -> Vec<RtmpCommand> {
        let answers = self.answers();
        let commands = answers
            .iter()
            .filter(|message| message.kind == MessageType::COMMAND);
        commands
            .map(|message| RtmpCommand::parse(message.amf0()).unwrap())
            .collect()
    }

    fn last_status(&mut self) -> (String, String, String) {
        let command = self.commands().pop().unwrap();
        assert_eq!(command.name, "onStatus");
        let text = |key: &str| {
            command.arguments[1]
                .get(key)
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        };
        (text("level"), text("code"), text("description"))
    }
}

fn media(kind: MessageType, timestamp: u32, payload: &'static [u8]) -> RtmpMessage {
    RtmpMessage {
        kind,
        timestamp,
        stream: 1,
        payload: bytes::Bytes::from_static(payload),
    }
}

#[test]
fn connect_is_answered_with_window_bandwidth_and_success() {
    let mut client = client();
    client.connect("live", "rtmp://host/live");
    let answers = client.answers();
    let kinds: Vec<MessageType> = answers.iter().map(|message| message.kind).collect();
    assert_eq!(
        kinds,
        [
            MessageType::WINDOW_SIZE,
            MessageType::PEER_BANDWIDTH,
            MessageType::COMMAND
        ]
    );
    let result = RtmpCommand::parse(answers[2].amf0()).unwrap();
    assert_eq!((result.name.as_str(), result.transaction), ("_result", 1.0));
    let code = result.arguments[1].get("code").unwrap();
    assert_eq!(code.as_str(), Some("NetConnection.Connect.Success"));
}

/// A client whose `connect` goes beyond RTMP 1.0, and the properties of the reply.
fn enhanced(claims: &[(&str, Amf0Value)]) -> (SessionClient, Amf0Value) {
    let mut client = client();
    let app = [("app", Amf0Value::from("live"))];
    let object = app
        .iter()
        .chain(claims)
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    let object = Amf0Value::Object(object.collect());
    let event = client.call(0, "connect", 1.0, vec![object]);
    assert!(event.unwrap().is_none());
    let result = client.commands().remove(0);
    assert_eq!(result.name, "_result");
    let properties = result.arguments[0].clone();
    (client, properties)
}

#[test]
fn a_client_that_knows_enhanced_rtmp_hears_what_is_taken() {
    let video_map = Amf0Value::Object(vec![("hvc1".to_owned(), Amf0Value::Number(2.0))]);
    let list = Amf0Value::StrictArray(vec![Amf0Value::from("av01"), Amf0Value::from("Opus")]);
    for claim in [
        ("videoFourCcInfoMap", video_map),
        ("fourCcList", list),
        ("capsEx", Amf0Value::Number(2.0)),
    ] {
        let (_, properties) = enhanced(&[claim]);
        // Reconnect, multitrack and modifiers.
        assert_eq!(properties.get("capsEx"), Some(&Amf0Value::Number(7.0)));
        let can_forward = Amf0Value::Number(4.0);
        let video = properties.get("videoFourCcInfoMap").unwrap();
        for fourcc in ["avc1", "hvc1", "av01", "vp09"] {
            assert_eq!(video.get(fourcc), Some(&can_forward), "{fourcc}");
        }
        let audio = properties.get("audioFourCcInfoMap").unwrap();
        for fourcc in ["mp4a", ".mp3", "Opus", "fLaC"] {
            assert_eq!(audio.get(fourcc), Some(&can_forward), "{fourcc}");
        }
        let Some(Amf0Value::StrictArray(list)) = properties.get("fourCcList") else {
            panic!("{properties:?}");
        };
        assert_eq!(list.len(), 8);
    }
}

#[test]
fn a_client_that_does_not_know_enhanced_rtmp_hears_nothing_of_it() {
    let (_, properties) = enhanced(&[]);
    assert_eq!(properties.get("mode"), Some(&Amf0Value::Number(1.0)));
    for name in ["capsEx", "fourCcList", "videoFourCcInfoMap"] {
        assert_eq!(properties.get(name), None, "{name}");
    }
}

#[test]
fn only_who_can_reconnect_is_asked_to() {
    let (mut client, _) = enhanced(&[("capsEx", Amf0Value::Number(1.0))]);
    client
        .session
        .ask_to_reconnect("The server is about to restart.");
    let (level, code, description) = client.last_status();
    assert_eq!(level, "status");
    assert_eq!(code, "NetConnection.Connect.ReconnectRequest");
    assert_eq!(description, "The server is about to restart.");
    for claim in [2.0, 0.0, -1.0, f64::NAN] {
        let (mut client, _) = enhanced(&[("capsEx", Amf0Value::Number(claim))]);
        client
            .session
            .ask_to_reconnect("The server is about to restart.");
        assert!(client.answers().is_empty(), "{claim}");
    }
}

#[test]
fn the_dialogue_of_obs_ends_in_a_publish_request() {
    let mut client = client();
    client.connect("live", "rtmp://host/live");
    client.answers();
    for (name, transaction) in [("releaseStream", 2.0), ("FCPublish", 3.0)] {
        let event = client.call(
            0,
            name,
            transaction,
            vec![Amf0Value::Null, Amf0Value::from("key")],
        );
        assert!(event.unwrap().is_none());
        assert_eq!(client.commands()[0].transaction, transaction);
    }
    assert!(
        client
            .call(0, "createStream", 4.0, vec![Amf0Value::Null])
            .unwrap()
            .is_none()
    );
    let created = client.commands();
    assert_eq!(
        created[0].arguments,
        [Amf0Value::Null, Amf0Value::Number(1.0)]
    );
    let Some(SessionEvent::Publish(request)) = client.publish("key?x=1") else {
        panic!("no request");
    };
    assert_eq!(request.key.expose(), "key");
    assert_eq!(request.app, "live");
    assert_eq!(request.encoder, "FMLE/3.0 (compatible; FMSc/1.0)");
    client.session.accept_publish();
    let (level, code, _) = client.last_status();
    assert_eq!(
        (level.as_str(), code.as_str()),
        ("status", "NetStream.Publish.Start")
    );
}

#[test]
fn commands_nobody_needs_are_answered_or_ignored() {
    let mut client = client();
    client.connect("live", "rtmp://host/live");
    client.answers();
    for (name, answers) in [
        ("_checkbw", 1),
        ("getStreamLength", 1),
        ("FCSubscribe", 0),
        ("", 0),
    ] {
        assert!(
            client
                .call(0, name, 9.0, vec![Amf0Value::Null])
                .unwrap()
                .is_none()
        );
        assert_eq!(client.commands().len(), answers, "{name}");
    }
    assert!(client.call(0, "_checkbw", 0.0, vec![]).unwrap().is_none());
    assert!(client.commands().is_empty());
}

#[test]
fn media_and_metadata_become_events_only_while_publishing() {
    let mut early = client();
    early.connect("live", "");
    assert!(
        early
            .send(&media(MessageType::VIDEO, 0, b"v"))
            .unwrap()
            .is_none()
    );
    let mut client = publisher();
    let video = client.send(&media(MessageType::VIDEO, 40, b"v")).unwrap();
    assert!(matches!(video, Some(SessionEvent::Video { timestamp: 40, body }) if body == "v"));
    let audio = client.send(&media(MessageType::AUDIO, 23, b"a")).unwrap();
    assert!(matches!(audio, Some(SessionEvent::Audio { timestamp: 23, body }) if body == "a"));
    let claims = b"\x02\0\x0aonMetaData\x08\0\0\0\0\0\x05width\0\x40\x84\0\0\0\0\0\0\0\0\x09";
    let metadata = client.send(&media(MessageType::DATA, 0, claims)).unwrap();
    assert!(matches!(metadata, Some(SessionEvent::Metadata(m)) if m.width == Some(640)));
    assert!(
        client
            .send(&media(MessageType::DATA, 0, b"\x02\0\x01x"))
            .unwrap()
            .is_none()
    );
    assert!(
        client
            .send(&media(MessageType(22), 0, b"aggregate"))
            .unwrap()
            .is_none()
    );
}

#[test]
fn nothing_is_read_between_the_request_and_its_answer() {
    let mut client = client();
    client.connect("live", "");
    client.publish("key");
    assert!(
        client
            .send(&media(MessageType::VIDEO, 1, b"early"))
            .unwrap()
            .is_none()
    );
    client.session.accept_publish();
    let event = client.session.receive(&mut client.input).unwrap();
    assert!(matches!(
        event,
        Some(SessionEvent::Video { timestamp: 1, .. })
    ));
}

#[test]
fn a_refusal_carries_its_reason() {
    let mut client = client();
    client.connect("live", "");
    client.publish("wrong");
    client
        .session
        .refuse_publish(RefusalCode::BadKey, "No such key.");
    let (level, code, description) = client.last_status();
    assert_eq!(level, "error");
    assert_eq!(code, "NetStream.Publish.BadName");
    assert_eq!(description, "No such key.");
}

#[test]
fn every_way_to_stop_is_one_unpublish() {
    for name in ["FCUnpublish", "deleteStream", "closeStream"] {
        let mut client = publisher();
        let stopped = client.call(0, name, 6.0, vec![Amf0Value::Null]).unwrap();
        assert!(matches!(stopped, Some(SessionEvent::Unpublish)), "{name}");
        assert!(
            client
                .call(0, "deleteStream", 7.0, vec![Amf0Value::Null])
                .unwrap()
                .is_none()
        );
    }
}

#[test]
fn a_second_publish_on_the_same_connection_is_refused() {
    let mut client = publisher();
    assert!(client.publish("key").is_none());
    assert_eq!(client.last_status().1, "NetStream.Publish.BadName");
    assert!(
        client
            .send(&media(MessageType::VIDEO, 0, b"v"))
            .unwrap()
            .is_some()
    );
}

#[test]
fn a_player_is_told_to_use_the_web_page() {
    let mut client = client();
    client.connect("live", "");
    let error = client.call(
        1,
        "play",
        5.0,
        vec![Amf0Value::Null, Amf0Value::from("key")],
    );
    assert_eq!(error.unwrap_err(), ProtocolError::Player);
    assert!(client.last_status().2.contains("web page"));
}

#[test]
fn commands_out_of_order_are_refused() {
    let mut client = client();
    let error = client.call(0, "publish", 5.0, vec![]).unwrap_err();
    assert_eq!(error, ProtocolError::NotConnected("publish"));
}

/// A window of zero crashed another server with a division before authentication.
#[test]
fn a_window_of_zero_is_raised_and_acknowledged_in_steps() {
    let mut client = publisher();
    assert!(
        client
            .send(&RtmpMessage::control(MessageType::WINDOW_SIZE, 0))
            .unwrap()
            .is_none()
    );
    client.answers();
    for _ in 0..15 {
        client
            .send(&media(MessageType::VIDEO, 0, &[0; 1024]))
            .unwrap();
        assert!(client.answers().is_empty());
    }
    client
        .send(&media(MessageType::VIDEO, 0, &[0; 4096]))
        .unwrap();
    let answers = client.answers();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].kind, MessageType::ACKNOWLEDGEMENT);
}

#[test]
fn a_ping_is_answered_with_its_time() {
    let mut client = publisher();
    client.send(&RtmpMessage::user_control(6, 4711)).unwrap();
    assert_eq!(client.answers(), [RtmpMessage::user_control(7, 4711)]);
    client.send(&RtmpMessage::user_control(3, 1)).unwrap();
    client
        .send(&media(MessageType::USER_CONTROL, 0, b"\0\x06\0"))
        .unwrap();
    assert!(client.answers().is_empty());
}

#[test]
fn a_stranger_who_talks_too_long_is_cut_off() {
    let mut client = client();
    client.connect("live", "");
    let outcome =
        (0..100).find_map(|_| client.send(&media(MessageType::AUDIO, 0, &[0; 1000])).err());
    assert_eq!(
        outcome,
        Some(ProtocolError::TooMuchBeforePublishing(65_536))
    );
}

#[test]
fn a_connect_beyond_eight_kib_is_refused() {
    let mut client = client();
    let padding = |name: &str| (name.to_owned(), Amf0Value::String("x".repeat(4000)));
    let object = Amf0Value::Object(vec![padding("a"), padding("b"), padding("c")]);
    let error = client.call(0, "connect", 1.0, vec![object]).unwrap_err();
    assert!(matches!(
        error,
        ProtocolError::MessageTooLong { limit: 8192, .. }
    ));
}

#[test]
fn a_stream_name_of_any_length_is_only_text() {
    let mut client = client();
    client.connect("live", "");
    let name = format!("{}'; $(reboot) \0", "x".repeat(3000));
    let Some(SessionEvent::Publish(request)) = client.publish(&name) else {
        panic!("no request");
    };
    assert!(request.key.expose().starts_with("xxx"));
}

#[test]
fn an_unreadable_command_ends_a_stranger_and_not_a_publisher() {
    let garbage = media(MessageType::COMMAND, 0, b"\x11\xff\xff");
    let mut stranger = client();
    let error = stranger.send(&garbage).unwrap_err();
    assert!(matches!(error, ProtocolError::Command(_)));
    assert!(publisher().send(&garbage).unwrap().is_none());
}
