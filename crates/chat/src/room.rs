//! The one room: everybody receives the same lines in the same order.
//!
//! The room task owns the connected clients and the recent events. A line goes to the store first; the store passes it
//! to the task in commit order, and the task sends the same bytes to everybody. So nobody sees a line that a crash
//! could undo, or a different order.

mod log_reader;
mod others;
mod receiver;
mod recent_events;
mod task;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use arc_swap::{ArcSwap, ArcSwapOption};
use jiff::Timestamp;
use model::address::network;
use model::chat::{ChatUser, name_key};
use model::rate_limit::RateLimiter;
use model::schedule::Agenda;
use model::settings::Layers;
use model::settings::table::NAME;
use model::settings::table::chat::{FORBIDDEN_NAMES, SUGGESTED_NAMES, TRUSTED_HTML};
use model::{Clock, MessageId, StreamStatus, TokenId, UserId};
use store::settings::Settings;
use store::{LineGap, NewMessage, PostResult, Store, StoreError, User};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use log_reader::LogReader;
use others::OtherServers;
pub use others::ToldElsewhere;
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
use crate::pins::PinnedLine;
use crate::rules::Rules;
use crate::sender::ClientSender;

/// Commands waiting for the room task; senders beyond that wait for capacity.
const INBOX: usize = 1024;
/// Frames waiting for one listener; who is further behind is sent away with a word about it. More than a burst of
/// comings and lines, because on a busy machine a whole burst may arrive before a listener is given a turn.
pub const LISTENER_QUEUE: usize = 256;
/// Limit (viewers): chat connections from one address; further ones are refused.
pub const MAX_PER_ADDRESS: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    WebSocket,
    /// Server-sent events over HTTP, for networks that break WebSockets.
    Events,
}

/// A client's request to join the room.
#[derive(Clone, Debug)]
pub struct JoinRequest {
    pub user: User,
    /// The token they signed in with.
    pub token_id: TokenId,
    pub address: IpAddr,
    pub user_agent: String,
    pub transport: Transport,
    /// The last event they received before they were disconnected.
    pub last_event_id: Option<MessageId>,
}

/// Why somebody cannot join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinRejection {
    /// The room is full.
    Full,
    /// Their address has too many connections.
    TooManyFromThere,
    Banned,
    Stopping,
}

/// A connection, as shown to the operator.
#[derive(Clone, Debug)]
pub struct ConnectionInfo {
    pub client_id: u64,
    pub user: Arc<ChatUser>,
    pub since: Timestamp,
    pub address: IpAddr,
    pub user_agent: Arc<str>,
    pub transport: Transport,
    /// Number of lines sent from it.
    pub lines: u32,
}

/// Commands for the room task.
#[derive(Debug)]
pub(crate) enum RoomCommand {
    Enter(
        Box<JoinRequest>,
        oneshot::Sender<Result<SessionParts, JoinRejection>>,
    ),
    Leave(u64),
    /// Switches a connection to direct writes, without a queue.
    WriteDirectly(u64, Arc<dyn DirectWriter>),
    /// Sends an event to everybody, and to those who reconnect later.
    Say(Box<ChatEvent>),
    /// Shows who joined or left, if the settings say so.
    Show(Box<ChatEventKind>),
    /// Somebody was too fast at another server.
    Punish(UserId),
    /// Sends an event to one connection.
    SendTo(u64, Box<ChatEvent>),
    /// A user has changed: notifies their connections.
    Changed(Box<User>),
    /// A user has a new name.
    Renamed {
        user: Box<User>,
        old_name: String,
        client_id: u64,
    },
    /// This line stands above the chat from now on, or none.
    Pinned(Option<Arc<PinnedLine>>),
    /// Hides or restores lines.
    Visibility(Vec<MessageId>, bool),
    /// The same for the history alone; the second is whether they are hidden now.
    SetHidden(Vec<MessageId>, bool),
    /// A line is gone, by the will of its author.
    Deleted(MessageId),
    /// Disconnects a user.
    Remove(UserId, Removal),
    /// Disconnects a banned address.
    RemoveAddress(IpAddr),
    /// The holder of this token is another user now, with this name.
    Reidentified(TokenId, String),
    /// Disconnects the holders of a revoked token.
    RemoveToken(TokenId),
    /// Disconnects a user wherever they signed in with a token other than these.
    KeepTokens(UserId, Vec<TokenId>),
    /// Closes one connection; the answer is whether it existed.
    RemoveClient(u64, oneshot::Sender<bool>),
    Connections(oneshot::Sender<Vec<ConnectionInfo>>),
    /// Forgets events older than this.
    Forget(Timestamp),
}

/// Why a user is disconnected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    Banned {
        /// What the moderator wrote about it.
        reason: Option<String>,
        /// When it is over.
        until: Option<Timestamp>,
    },
    Deleted,
}

/// The parts of a new session.
#[derive(Debug)]
pub(crate) struct SessionParts {
    pub(crate) member: Arc<Member>,
    pub(crate) session_shared: Arc<SessionShared>,
    /// Dropped if nobody takes it: a caller that has gone away leaves the room.
    pub(crate) receiver: ClientReceiver,
}

/// A handle to the room; cheap to clone.
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
    pub(crate) is_set_up: watch::Receiver<bool>,
    pub(crate) emoji: EmojiStore,
    pub(crate) rules: Rules,
    /// Other servers write to the same database, and what everybody is told comes from the event log.
    is_following: bool,
    pub(crate) opened_at: Timestamp,
    pub(crate) inbox: mpsc::Sender<RoomCommand>,
    filter: ArcSwap<Box<dyn MessageFilter>>,
    history: ArcSwap<Vec<PastLine>>,
    /// How many people are connected, however many connections each has.
    pub(crate) people: AtomicUsize,
    /// The other servers on the same database.
    others: OtherServers,
    /// Who deletes lines of their own, and how often.
    pub(crate) own_deletions: RateLimiter<UserId>,
    /// Banned networks, and until when; without an end for ever.
    banned: ArcSwap<HashMap<IpAddr, Option<Timestamp>>>,
    loading_bans: tokio::sync::Mutex<()>,
    /// Changed by the room task alone.
    pub(crate) pinned: ArcSwapOption<PinnedLine>,
    pub(crate) loading_pinned: tokio::sync::Mutex<()>,
}

/// What the room depends on.
#[derive(Debug)]
pub struct RoomDeps {
    pub store: Store,
    pub settings: Settings,
    pub clock: Arc<dyn Clock>,
    /// Whether a stream is live.
    pub stream: watch::Receiver<StreamStatus>,
    /// The announced streams.
    pub agenda: watch::Receiver<Arc<Agenda>>,
    /// Whether the server has an operator.
    pub is_set_up: watch::Receiver<bool>,
    /// Resolves emoji codes.
    pub emoji: EmojiStore,
    /// Encodes an event as one frame.
    pub encode: Encode,
    /// Wraps a frame for sockets.
    pub wrap: Wrap,
    /// Maximum number of connections.
    pub max_connections: usize,
}

impl Room {
    /// Opens the room with its recent history; the future is its task.
    pub async fn open(
        deps: RoomDeps,
        stop: CancellationToken,
    ) -> Result<(Self, impl Future<Output = ()> + Send + use<>), StoreError> {
        // Before anything is read: what happens from now on comes by the log.
        let log = deps.store.follow_log().await?;
        let (inbox, commands) = mpsc::channel(INBOX);
        let shared = Arc::new(RoomShared {
            is_following: log.is_some(),
            store: deps.store,
            settings: deps.settings,
            opened_at: deps.clock.now(),
            clock: deps.clock,
            stream: deps.stream,
            agenda: deps.agenda,
            is_set_up: deps.is_set_up,
            emoji: deps.emoji,
            rules: Rules::default(),
            inbox,
            filter: ArcSwap::from_pointee(Box::new(NoFilter)),
            history: ArcSwap::default(),
            people: AtomicUsize::new(0),
            others: OtherServers::default(),
            own_deletions: RateLimiter::default(),
            banned: ArcSwap::default(),
            loading_bans: tokio::sync::Mutex::default(),
            pinned: ArcSwapOption::empty(),
            loading_pinned: tokio::sync::Mutex::default(),
        });
        let room = Self {
            shared: Arc::clone(&shared),
        };
        room.load_bans().await?;
        shared.pinned.store(room.stored_pinned().await?);
        let mut task = RoomTask::new(shared, (deps.encode, deps.wrap), deps.max_connections);
        let past = room.past().await?;
        let reader = log.map(|log| LogReader::new(room.clone(), log, &past));
        task.restore_history(past);
        if let Some(reader) = reader {
            tokio::spawn(reader.run(stop.clone()));
        }
        Ok((room, task.run(commands, stop)))
    }

    /// The stored events that everybody could see.
    async fn past(&self) -> Result<Vec<ChatEvent>, StoreError> {
        let server_name = self.server_name();
        let messages = self.shared.store.recent_messages(KEPT_LINES as u32).await?;
        let events = messages
            .into_iter()
            .filter_map(|message| log_reader::from_stored(message, server_name.clone()));
        Ok(events.collect())
    }

    pub(crate) async fn load_bans(&self) -> Result<(), StoreError> {
        // One at a time, or an older list could replace a newer one.
        let _turn = self.shared.loading_bans.lock().await;
        let bans = self.shared.store.address_bans().await?;
        let mut banned = HashMap::new();
        for ban in bans {
            let Ok(address) = ban.address.parse::<IpAddr>() else {
                continue;
            };
            let until = banned.entry(network(address)).or_insert(ban.expires_at);
            // Of several bans in a network the longest counts.
            *until = until.and_then(|until| Some(until.max(ban.expires_at?)));
        }
        self.shared.banned.store(Arc::new(banned));
        Ok(())
    }

    /// Whether an address is banned; for IPv6 a ban covers the whole network, because everybody has one.
    pub fn is_banned(&self, address: IpAddr) -> bool {
        let banned = self.shared.banned.load();
        let until = banned.get(&network(address));
        until.is_some_and(|until| until.is_none_or(|until| until > self.shared.clock.now()))
    }

    /// The newest visible lines, oldest first.
    pub fn history(&self) -> Arc<Vec<PastLine>> {
        self.shared.history.load_full()
    }

    pub fn emoji(&self) -> &EmojiStore {
        &self.shared.emoji
    }

    /// The name a newcomer gets: the one they want, if it is allowed.
    pub fn name_for(&self, wanted: &str) -> String {
        let settings = self.shared.settings.now();
        let name = names::clean(wanted);
        let is_unfit = name_key(&name).is_empty()
            || names::is_forbidden(&name, settings.get(&FORBIDDEN_NAMES).as_slice())
            || names::is_servers(&name, settings.text(&NAME))
            || self.shared.rules.is_foul(&settings, &name);
        if is_unfit {
            names::generate(&mut pick, settings.get(&SUGGESTED_NAMES).as_slice())
        } else {
            name
        }
    }

    /// The name of the operator in the chat: the server's own.
    pub fn operator_name(&self) -> String {
        let settings = self.shared.settings.now();
        let name = names::clean(settings.text(&NAME));
        if name_key(&name).is_empty() {
            return names::generate(&mut pick, settings.get(&SUGGESTED_NAMES).as_slice());
        }
        name
    }

    /// Sets the filter for all further lines.
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

    /// Applies changes made to the user between the lookup and the join, of which the new connection was not told.
    async fn catch_up(&self, member: &Member) -> Result<(), JoinRejection> {
        let known = member.now();
        let fresh = match self.shared.store.user(&known.user.id).await {
            Ok(Some(user)) if !user.is_banned(self.shared.clock.now()) => user,
            Ok(_) => return Err(JoinRejection::Banned),
            Err(error) => {
                tracing::warn!(%error, "cannot read a chatter who just joined");
                return Err(JoinRejection::Stopping);
            }
        };
        let state = |user: &User| (user.muted_until, user.is_moderator, user.public());
        if state(&fresh) != state(&known.user) {
            // The log had told of the change before they were there.
            self.send_derived(RoomCommand::Changed(Box::new(fresh)))
                .await;
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

    /// Stores a line; everybody receives it once it is committed.
    pub(crate) async fn post(
        &self,
        message: NewMessage,
        event: Option<model::Event>,
        chat_event: ChatEvent,
    ) -> Result<PostResult, StoreError> {
        self.post_after(LineGap::default(), message, event, chat_event)
            .await
    }

    /// The same, unless its author said something a shorter time ago, at whatever server.
    pub(crate) async fn post_after(
        &self,
        gap: LineGap,
        message: NewMessage,
        event: Option<model::Event>,
        chat_event: ChatEvent,
    ) -> Result<PostResult, StoreError> {
        let permit = self.reserve().await?;
        let is_held = message.is_held;
        let is_said_here = !is_held && self.is_said_directly();
        let announce = move |posting| {
            if matches!(posting, PostResult::Posted(_)) && is_said_here {
                permit.send(RoomCommand::Say(Box::new(chat_event)));
            }
        };
        self.shared
            .store
            .post_message_after(gap, message, event, announce)
            .await
    }

    /// Reserves a slot in the room task's queue before something is stored: after the commit nothing may wait or be
    /// lost.
    pub(crate) async fn reserve(&self) -> Result<mpsc::OwnedPermit<RoomCommand>, StoreError> {
        let permit = self.shared.inbox.clone().reserve_owned().await;
        permit.map_err(|_| StoreError::Unavailable("the server is stopping".into()))
    }

    /// Whether a line goes from the commit straight to the room task. Otherwise it comes by the log.
    pub(crate) fn is_said_directly(&self) -> bool {
        !self.shared.is_following
    }

    pub(crate) fn new_event(&self, kind: ChatEventKind) -> ChatEvent {
        ChatEvent {
            id: new_message_id(),
            at: self.shared.clock.now(),
            kind,
        }
    }

    pub(crate) async fn send(&self, command: RoomCommand) {
        if !self.shared.is_following || !command.is_in_the_log() {
            self.send_derived(command).await;
        }
    }

    /// Sends what was derived from the log or the database.
    async fn send_derived(&self, command: RoomCommand) {
        // Without the room task the server is stopping, and nobody listens.
        drop(self.shared.inbox.send(command).await);
    }

    pub(crate) fn server_name(&self) -> String {
        server_name(&self.shared.settings.now())
    }
}

/// Whether the operator and integrations may send any HTML.
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
