//! The one room: everybody hears the same lines in the same order.
//!
//! The room task owns the connected clients and the recent events. A line goes to the store first; the store passes it to
//! the task in the order of its commits, and the task sends the same bytes to everybody. So nobody sees what a crash
//! could take back, and nobody sees another order than anybody else.

mod receiver;
mod recent_events;
mod task;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use model::address::network;
use model::chat::{ChatUser, name_key};
use model::schedule::Agenda;
use model::settings::Layers;
use model::settings::table::NAME;
use model::settings::table::chat::{FORBIDDEN_NAMES, SUGGESTED_NAMES, TRUSTED_HTML};
use model::{Clock, MessageId, StreamStatus, TokenId, UserId};
use store::settings::Settings;
use store::{MessageKind, NewMessage, PostResult, Store, StoreError, User};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use receiver::SessionShared;
pub use receiver::{ClientReceiver, DirectWriter, RecvError};
use recent_events::KEPT_LINES;
pub use recent_events::{HISTORY, PastLine};
use task::RoomTask;

use crate::emoji::EmojiStore;
use crate::event::{ChatEvent, ChatEventKind, Encode, Wrap};
use crate::filter::{MessageFilter, NoFilter};
use crate::ids::{new_message_id, pick};
use crate::member::Member;
use crate::names;
use crate::rules::Rules;
use crate::sender::ClientSender;

/// Commands waiting for the room task; senders beyond that wait for capacity.
const INBOX: usize = 1024;
/// Frames waiting for one listener; who is further behind is sent away with a word about it. More than a burst of
/// comings and lines, because on a busy machine a whole burst may arrive before a listener is given a turn.
pub const LISTENER_QUEUE: usize = 256;
/// Connections from one address, this machine excepted.
pub const MAX_PER_ADDRESS: usize = 20;

/// How a connection is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A WebSocket.
    WebSocket,
    /// Events over HTTP, where something between us breaks sockets.
    Events,
}

/// What a client asks for that wants to join the room.
#[derive(Clone, Debug)]
pub struct JoinRequest {
    pub user: User,
    /// What they proved it with.
    pub token_id: TokenId,
    pub address: IpAddr,
    /// With what.
    pub user_agent: String,
    /// How.
    pub transport: Transport,
    /// The last event they received before they were cut off.
    pub last_event_id: Option<MessageId>,
}

/// Why somebody cannot join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinRejection {
    /// No capacity is left.
    Full,
    /// Their address has its share.
    TooManyFromThere,
    /// They are not wanted.
    Banned,
    Stopping,
}

/// A connection, for the operator.
#[derive(Clone, Debug)]
pub struct ConnectionInfo {
    pub client_id: u64,
    pub user: Arc<ChatUser>,
    /// Since when.
    pub since: Timestamp,
    pub address: IpAddr,
    /// With what.
    pub user_agent: Arc<str>,
    /// How.
    pub transport: Transport,
    /// Lines that came from it.
    pub lines: u32,
}

/// What the room task is asked to do.
#[derive(Debug)]
pub(crate) enum RoomCommand {
    Enter(
        Box<JoinRequest>,
        oneshot::Sender<Result<SessionParts, JoinRejection>>,
    ),
    Leave(u64),
    /// A connection is written to without a queue from now on.
    WriteDirectly(u64, Arc<dyn DirectWriter>),
    /// Everybody hears it, and those who come back too.
    Say(Box<ChatEvent>),
    /// One connection hears it.
    SendTo(u64, Box<ChatEvent>),
    /// A person is different now: their connections hear who they are.
    Changed(Box<User>),
    /// A person has another name.
    Renamed {
        user: Box<User>,
        old_name: String,
        client_id: u64,
    },
    /// Lines are hidden or shown.
    Visibility(Vec<MessageId>, bool),
    /// A person has to go.
    Remove(UserId, Removal),
    /// An address is kept out.
    RemoveAddress(IpAddr),
    /// Whoever has this secret is somebody else now, of this name.
    Reidentified(TokenId, String),
    /// A secret is no longer valid.
    RemoveToken(TokenId),
    /// One connection has to go; the answer is whether it was there.
    RemoveClient(u64, oneshot::Sender<bool>),
    Connections(oneshot::Sender<Vec<ConnectionInfo>>),
    /// Forget what is older.
    Forget(Timestamp),
}

/// Why a person has to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    Banned,
    Deleted,
}

/// What somebody gets who has joined.
#[derive(Debug)]
pub(crate) struct SessionParts {
    pub(crate) member: Arc<Member>,
    pub(crate) session_shared: Arc<SessionShared>,
    /// Given up when nobody takes it: a caller that has gone leaves the room with it.
    pub(crate) receiver: ClientReceiver,
}

/// The room, for everybody outside; cheap to clone.
#[derive(Clone, Debug)]
pub struct Room {
    pub(crate) shared: Arc<RoomShared>,
}

#[derive(Debug)]
pub(crate) struct RoomShared {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stream: watch::Receiver<StreamStatus>,
    pub(crate) agenda: watch::Receiver<Arc<Agenda>>,
    pub(crate) emoji: EmojiStore,
    pub(crate) rules: Rules,
    pub(crate) inbox: mpsc::Sender<RoomCommand>,
    filter: ArcSwap<Box<dyn MessageFilter>>,
    history: ArcSwap<Vec<PastLine>>,
    banned: ArcSwap<HashSet<IpAddr>>,
    loading_bans: tokio::sync::Mutex<()>,
}

/// What the room needs of others.
#[derive(Debug)]
pub struct RoomDeps {
    /// Where lines are kept.
    pub store: Store,
    /// What the operator wants.
    pub settings: Settings,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Whether a stream is on.
    pub stream: watch::Receiver<StreamStatus>,
    /// Whether one was announced.
    pub agenda: watch::Receiver<Arc<Agenda>>,
    /// Pictures for codes.
    pub emoji: EmojiStore,
    /// Writes an event as one frame.
    pub encode: Encode,
    /// Wraps a frame for sockets.
    pub wrap: Wrap,
    /// Connections at most.
    pub max_connections: usize,
}

impl Room {
    /// Opens the room with what was said lately; the future is its task.
    pub async fn open(
        deps: RoomDeps,
        stop: CancellationToken,
    ) -> Result<(Self, impl Future<Output = ()> + Send + use<>), StoreError> {
        let (inbox, commands) = mpsc::channel(INBOX);
        let shared = Arc::new(RoomShared {
            store: deps.store,
            settings: deps.settings,
            clock: deps.clock,
            stream: deps.stream,
            agenda: deps.agenda,
            emoji: deps.emoji,
            rules: Rules::default(),
            inbox,
            filter: ArcSwap::from_pointee(Box::new(NoFilter)),
            history: ArcSwap::default(),
            banned: ArcSwap::default(),
            loading_bans: tokio::sync::Mutex::default(),
        });
        let room = Self {
            shared: Arc::clone(&shared),
        };
        room.load_bans().await?;
        let mut task = RoomTask::new(shared, (deps.encode, deps.wrap), deps.max_connections);
        task.restore_history(room.past().await?);
        Ok((room, task.run(commands, stop)))
    }

    /// What the store remembers that everybody could hear.
    async fn past(&self) -> Result<Vec<ChatEvent>, StoreError> {
        let server_name = self.server_name();
        let messages = self.shared.store.recent_messages(KEPT_LINES as u32).await?;
        let events = messages.into_iter().filter_map(|message| {
            let server_name = server_name.clone();
            let body = message.body;
            let kind = match (message.kind, message.user, message.card) {
                (MessageKind::Chat, Some(user), _) => ChatEventKind::Line {
                    user: Arc::new(user.public()),
                    body,
                    reply: message.reply,
                },
                (MessageKind::System, ..) => ChatEventKind::System { body, server_name },
                (MessageKind::Action, user, _) => ChatEventKind::Action {
                    user: user.map(|user| Arc::new(user.public())),
                    body,
                    notice: None,
                },
                (kind, _, Some(card)) => ChatEventKind::Engagement {
                    kind,
                    body,
                    card,
                    server_name,
                },
                _ => return None,
            };
            Some(ChatEvent {
                id: message.id,
                at: message.at,
                kind,
            })
        });
        Ok(events.collect())
    }

    pub(crate) async fn load_bans(&self) -> Result<(), StoreError> {
        // One at a time, or what was read first could be put in force last.
        let _turn = self.shared.loading_bans.lock().await;
        let bans = self.shared.store.address_bans().await?;
        let addresses = bans.iter().filter_map(|ban| ban.address.parse().ok());
        self.shared
            .banned
            .store(Arc::new(addresses.map(network).collect()));
        Ok(())
    }

    /// Whether an address is kept out; of IPv6 whole networks are, because everybody has one.
    pub fn is_banned(&self, address: IpAddr) -> bool {
        self.shared.banned.load().contains(&network(address))
    }

    /// The newest lines everybody can read, oldest first.
    pub fn history(&self) -> Arc<Vec<PastLine>> {
        self.shared.history.load_full()
    }

    /// The pictures for codes.
    pub fn emoji(&self) -> &EmojiStore {
        &self.shared.emoji
    }

    /// The name a newcomer gets: the one they want, if it is fit for it.
    pub fn name_for(&self, wanted: &str) -> String {
        let settings = self.shared.settings.now();
        let name = names::clean(wanted);
        let is_unfit = name_key(&name).is_empty()
            || names::is_forbidden(&name, settings.get(&FORBIDDEN_NAMES).as_slice())
            || self.shared.rules.is_foul(&settings, &name);
        if is_unfit {
            names::generate(&mut pick, settings.get(&SUGGESTED_NAMES).as_slice())
        } else {
            name
        }
    }

    /// From now on lines pass this filter.
    pub fn set_filter(&self, filter: Box<dyn MessageFilter>) {
        self.shared.filter.store(Arc::new(filter));
    }

    pub(crate) fn filter(&self) -> Arc<Box<dyn MessageFilter>> {
        self.shared.filter.load_full()
    }

    /// Joins the room; returns both ends of the connection.
    pub async fn enter(
        &self,
        join_request: JoinRequest,
    ) -> Result<(ClientSender, ClientReceiver), JoinRejection> {
        let (answer, entered) = oneshot::channel();
        let command = RoomCommand::Enter(Box::new(join_request), answer);
        let inbox = &self.shared.inbox;
        inbox
            .send(command)
            .await
            .map_err(|_| JoinRejection::Stopping)?;
        let SessionParts {
            member,
            session_shared,
            receiver,
        } = entered.await.map_err(|_| JoinRejection::Stopping)??;
        self.catch_up(&member).await?;
        let sender = ClientSender::new(self.clone(), receiver.client_id(), member, session_shared);
        Ok((sender, receiver))
    }

    /// What happened to somebody between the look at who they are and their coming in was told to nobody.
    async fn catch_up(&self, member: &Member) -> Result<(), JoinRejection> {
        let known = member.now();
        let fresh = match self.shared.store.user(&known.user.id).await {
            Ok(Some(user)) if user.disabled_at.is_none() => user,
            Ok(_) => return Err(JoinRejection::Banned),
            Err(error) => {
                tracing::warn!(%error, "cannot look again at who came in");
                return Err(JoinRejection::Stopping);
            }
        };
        let state = |user: &User| (user.muted_until, user.is_moderator, user.public());
        if state(&fresh) != state(&known.user) {
            self.send(RoomCommand::Changed(Box::new(fresh))).await;
        }
        Ok(())
    }

    /// Every connection, oldest first.
    pub async fn connections(&self) -> Vec<ConnectionInfo> {
        let (answer, list) = oneshot::channel();
        self.send(RoomCommand::Connections(answer)).await;
        // Without the room task there are no connections.
        list.await.unwrap_or_default()
    }

    /// Stores a line; everybody hears it once it is safe.
    pub(crate) async fn post(
        &self,
        message: NewMessage,
        event: Option<model::Event>,
        chat_event: ChatEvent,
    ) -> Result<PostResult, StoreError> {
        let permit = self.reserve().await?;
        let is_held = message.is_held;
        let announce = move |posting| {
            if matches!(posting, PostResult::Posted(_)) && !is_held {
                permit.send(RoomCommand::Say(Box::new(chat_event)));
            }
        };
        self.shared
            .store
            .post_message(message, event, announce)
            .await
    }

    /// A permit for the room task's queue, before something is stored: after the commit nothing may wait, and nothing may be lost.
    pub(crate) async fn reserve(&self) -> Result<mpsc::OwnedPermit<RoomCommand>, StoreError> {
        let permit = self.shared.inbox.clone().reserve_owned().await;
        permit.map_err(|_| StoreError::Unavailable("the server is stopping".into()))
    }

    pub(crate) fn new_event(&self, kind: ChatEventKind) -> ChatEvent {
        ChatEvent {
            id: new_message_id(),
            at: self.shared.clock.now(),
            kind,
        }
    }

    pub(crate) async fn send(&self, command: RoomCommand) {
        // Without the room task the server stops, and nobody listens.
        drop(self.shared.inbox.send(command).await);
    }

    pub(crate) fn server_name(&self) -> String {
        server_name(&self.shared.settings.now())
    }
}

/// Whether operator and integrations may send any HTML.
pub(crate) fn keeps_html(settings: &Layers) -> bool {
    *settings.get(&TRUSTED_HTML)
}

fn server_name(settings: &Layers) -> String {
    settings.get(&NAME).clone()
}

impl RoomShared {
    fn publish(&self, history: Vec<PastLine>) {
        self.history.store(Arc::new(history));
    }
}
