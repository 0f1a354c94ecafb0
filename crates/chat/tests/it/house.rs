//! A room of one's own: a real store in a scratch folder, and a clock that moves when told.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chat::emoji::EmojiShelf;
use chat::{Ear, Furniture, Guest, Heard, Room, Said, Speaker, Transport, What};
use model::schedule::Agenda;
use model::settings::Outside;
use model::{Clock, StreamState, StreamStatus, TokenId, UserId};
use store::settings::Settings;
use store::{DatabaseUrl, NewUser, Store, User, UserKind};
use testkit::ManualClock;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A word for every kind of thing, enough to tell them apart.
fn encode(heard: &Heard) -> Bytes {
    let text = match &heard.what {
        What::Identity(user) => format!("you are {}", user.display_name),
        What::Joined(user) => format!("joined {}", user.display_name),
        What::Parted(user) => format!("parted {}", user.display_name),
        What::Renamed { old_name, .. } => format!("renamed {old_name}"),
        What::Line { body, .. } => format!("line {body}"),
        What::System { body, .. } => format!("system {body}"),
        What::Action { body, .. } => format!("action {body}"),
        What::Engagement { body, .. } => format!("engagement {body}"),
        What::Visibility { ids, visible } => format!("visibility {} {visible}", ids.len()),
        What::Banned => "banned".into(),
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
        let settings = Settings::load(store.clone(), &Outside::default())
            .await
            .unwrap();
        let clock = ManualClock::default();
        let (stream, status) = watch::channel(StreamStatus::default());
        let agenda = watch::Sender::default();
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let furniture = Furniture {
            store: store.clone(),
            settings: settings.clone(),
            clock: Arc::clone(&shared),
            stream: status,
            agenda: agenda.subscribe(),
            emoji: EmojiShelf::open(folder.path().join("emoji"), shared).unwrap(),
            encode,
            wrap: |frame, out| {
                out.extend_from_slice(frame);
                out.extend_from_slice(b"\n");
            },
            max_connections: 50,
        };
        let stop = CancellationToken::new();
        let (room, hall) = Room::open(furniture, stop.clone()).await.unwrap();
        tokio::spawn(hall);
        Self {
            room,
            store,
            settings,
            clock,
            stream,
            agenda,
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

    pub(crate) fn guest(&self, user: User, address: [u8; 4]) -> Guest {
        Guest {
            user,
            token_id: TokenId::parse("t1").unwrap(),
            address: IpAddr::from(address),
            user_agent: "test".into(),
            transport: Transport::WebSocket,
            last_heard: None,
        }
    }

    pub(crate) async fn enter(&self, name: &str) -> (Speaker, Ear) {
        let user = match self
            .store
            .user(&UserId::parse(name).unwrap())
            .await
            .unwrap()
        {
            Some(user) => user,
            None => self.person(name).await,
        };
        let (speaker, mut ear) = self
            .room
            .enter(self.guest(user, [127, 0, 0, 1]))
            .await
            .unwrap();
        assert!(next(&mut ear).await.starts_with("you are"));
        (speaker, ear)
    }

    /// Lets time pass in small steps, so that everything that is due happens in between.
    pub(crate) async fn wait(&self, seconds: u64) {
        for _ in 0..seconds {
            self.clock.advance(Duration::from_secs(1));
            // The hall answers only after it has looked at the clock.
            self.room.connections().await;
            self.room.connections().await;
        }
    }
}

pub(crate) async fn next(ear: &mut Ear) -> String {
    let frame = tokio::time::timeout(Duration::from_secs(20), ear.next()).await;
    let frame = frame.expect("something to hear").expect("no farewell");
    String::from_utf8(frame.to_vec()).unwrap()
}

/// What is there to hear right now.
pub(crate) async fn heard(house: &House, ear: &mut Ear) -> Vec<String> {
    house.room.connections().await;
    std::iter::from_fn(|| ear.ready())
        .map(|frame| String::from_utf8(frame.to_vec()).unwrap())
        .collect()
}

pub(crate) fn line(text: &str) -> Said {
    Said::Line {
        body: text.into(),
        reply_to: None,
    }
}
