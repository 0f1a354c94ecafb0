//! A room for one test: a real store in a scratch folder, and a manual clock.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chat::emoji::EmojiStore;
use chat::{
    ChatEvent, ChatEventKind, ClientMessage, ClientReceiver, ClientSender, JoinRequest, Room,
    RoomDeps, Transport,
};
use model::schedule::Agenda;
use model::settings::ExternalSettings;
use model::{Clock, StreamState, StreamStatus, TokenId, UserId};
use store::settings::Settings;
use store::{DatabaseUrl, NewUser, Store, User, UserKind};
use testkit::ManualClock;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A short text for each kind of event, enough to tell them apart.
fn encode(event: &ChatEvent) -> Bytes {
    let text = match &event.kind {
        ChatEventKind::Identity(state) => format!("you are {}", state.user.display_name),
        ChatEventKind::Joined(user) => format!("joined {}", user.display_name),
        ChatEventKind::Parted(user) => format!("parted {}", user.display_name),
        ChatEventKind::Renamed { old_name, .. } => format!("renamed {old_name}"),
        ChatEventKind::Line { body, .. } => format!("line {body}"),
        ChatEventKind::System { body, .. } => format!("system {body}"),
        ChatEventKind::Action { body, .. } => format!("action {body}"),
        ChatEventKind::Engagement { body, .. } => format!("engagement {body}"),
        ChatEventKind::Pinned(Some(pinned)) => format!("pinned {}", pinned.line.body),
        ChatEventKind::Pinned(None) => "unpinned".into(),
        ChatEventKind::Visibility { ids, visible, .. } => {
            format!("visibility {} {visible}", ids.len())
        }
        ChatEventKind::Banned { .. } => "banned".into(),
    };
    Bytes::from(text)
}

pub(crate) struct House {
    pub(crate) room: Room,
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) clock: ManualClock,
    pub(crate) stream: watch::Sender<StreamStatus>,
    pub(crate) agenda: watch::Sender<Arc<Agenda>>,
    pub(crate) is_set_up: watch::Sender<bool>,
    pub(crate) stop: CancellationToken,
    _folder: tempfile::TempDir,
}

impl House {
    pub(crate) async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("chat.db"));
        let store = Store::open(&url, &folder.path().join("secret.key"))
            .await
            .unwrap();
        Self::with(store, folder).await
    }

    /// The same with a store that is open, maybe one of several on its database.
    pub(crate) async fn with(store: Store, folder: tempfile::TempDir) -> Self {
        let settings = Settings::load(store.clone(), &ExternalSettings::default())
            .await
            .unwrap();
        let clock = ManualClock::default();
        let (stream, status) = watch::channel(StreamStatus::default());
        let agenda = watch::Sender::default();
        let is_set_up = watch::Sender::new(true);
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let deps = RoomDeps {
            store: store.clone(),
            settings: settings.clone(),
            clock: Arc::clone(&shared),
            stream: status,
            agenda: agenda.subscribe(),
            is_set_up: is_set_up.subscribe(),
            emoji: EmojiStore::open(folder.path().join("emoji"), shared).unwrap(),
            encode,
            wrap: |frame, out| {
                out.extend_from_slice(frame);
                out.extend_from_slice(b"\n");
            },
            max_connections: 50,
        };
        let stop = CancellationToken::new();
        let (room, task) = Room::open(deps, stop.clone()).await.unwrap();
        tokio::spawn(task);
        Self {
            room,
            store,
            settings,
            clock,
            stream,
            agenda,
            is_set_up,
            stop,
            _folder: folder,
        }
    }

    pub(crate) async fn set(&self, key: &str, value: serde_json::Value) {
        let setting = model::settings::by_key(key).unwrap();
        self.settings
            .set(setting, value, self.clock.now())
            .await
            .unwrap();
    }

    pub(crate) fn go(&self, state: StreamState) {
        self.stream.send_modify(|status| {
            status.state = state;
            if state == StreamState::Offline {
                status.last_disconnect = Some(self.clock.now());
            }
        });
    }

    pub(crate) async fn person(&self, name: &str) -> User {
        let user = NewUser {
            id: UserId::parse(name).unwrap(),
            kind: UserKind::Standard,
            display_name: name.into(),
            display_color: 0,
        };
        self.store.add_user(user, self.clock.now()).await.unwrap();
        self.stored(name).await
    }

    pub(crate) async fn stored(&self, name: &str) -> User {
        self.store
            .user(&UserId::parse(name).unwrap())
            .await
            .unwrap()
            .unwrap()
    }

    pub(crate) fn join_request(&self, user: User, address: [u8; 4]) -> JoinRequest {
        JoinRequest {
            user,
            token_id: TokenId::parse("t1").unwrap(),
            address: IpAddr::from(address),
            user_agent: "test".into(),
            transport: Transport::WebSocket,
            last_event_id: None,
        }
    }

    pub(crate) async fn enter(&self, name: &str) -> (ClientSender, ClientReceiver) {
        let user = match self
            .store
            .user(&UserId::parse(name).unwrap())
            .await
            .unwrap()
        {
            Some(user) => user,
            None => self.person(name).await,
        };
        let (sender, mut receiver) = self
            .room
            .enter(self.join_request(user, [127, 0, 0, 1]))
            .await
            .unwrap();
        assert!(next(&mut receiver).await.starts_with("you are"));
        (sender, receiver)
    }

    /// Advances the clock in small steps, so that everything due happens in between.
    pub(crate) async fn wait(&self, seconds: u64) {
        for _ in 0..seconds {
            self.clock.advance(Duration::from_secs(1));
            // The room task answers only after it has checked the clock.
            self.room.connections().await;
            self.room.connections().await;
        }
    }
}

pub(crate) async fn next(receiver: &mut ClientReceiver) -> String {
    let frame = tokio::time::timeout(Duration::from_secs(20), receiver.next()).await;
    let frame = frame.expect("something to hear").expect("no close reason");
    String::from_utf8(frame.to_vec()).unwrap()
}

/// The events received so far.
pub(crate) async fn heard(house: &House, receiver: &mut ClientReceiver) -> Vec<String> {
    house.room.connections().await;
    std::iter::from_fn(|| receiver.ready())
        .map(|frame| String::from_utf8(frame.to_vec()).unwrap())
        .collect()
}

pub(crate) fn line(text: &str) -> ClientMessage {
    ClientMessage::Line {
        body: text.into(),
        reply_to: None,
    }
}
