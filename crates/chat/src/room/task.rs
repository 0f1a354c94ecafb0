//! The task that owns the room.

mod announcements;
mod outlet;
mod presence;
mod removals;
mod switches;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use model::address::network;
use model::settings::table::STREAM_TITLE;
use model::{MessageId, StreamState, TokenId};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::recent_events::RecentEvents;
use super::{
    ClientReceiver, ConnectionInfo, JoinRejection, JoinRequest, LISTENER_QUEUE, MAX_PER_ADDRESS,
    RoomCommand, RoomShared, SessionParts, SessionShared, Transport,
};
use crate::event::{ChatEvent, ChatEventKind, CloseReason, Encode, Wrap};
use crate::ids::new_message_id;
use crate::member::Member;
use crate::pins::PinnedLine;
use outlet::Outlet;
pub(super) use presence::PART_DELAY;
use presence::Presence;
use switches::Switches;

/// Between looks at the clock.
const TICK: Duration = Duration::from_secs(1);
/// Commands handled between two looks at the clock.
const BATCH: usize = 64;
/// Listeners that are told something before others get a turn on the same thread: a fraction of a millisecond.
const TURN: usize = 64;
/// What a socket adds to a frame, at most.
const WRAPPING: usize = 10;

/// One connection.
#[derive(Debug)]
struct ClientSession {
    member: Arc<Member>,
    outlet: Outlet,
    session_shared: Arc<SessionShared>,
    token_id: TokenId,
    address: IpAddr,
    user_agent: Arc<str>,
    transport: Transport,
    since: Timestamp,
}

#[derive(Debug)]
pub(super) struct RoomTask {
    shared: Arc<RoomShared>,
    encode: Encode,
    wrap: Wrap,
    max_connections: usize,
    sessions: HashMap<u64, ClientSession>,
    by_address: HashMap<IpAddr, usize>,
    /// The last connection number without the server's base; the first is 1.
    last_client: u64,
    recent_events: RecentEvents,
    /// Frames not sent yet: lines that arrive together are written together.
    pending: Vec<Bytes>,
    presence: Presence,
    title: String,
    switches: Switches,
    was_on: bool,
}

impl RoomTask {
    pub(super) fn new(
        shared: Arc<RoomShared>,
        (encode, wrap): (Encode, Wrap),
        max_connections: usize,
    ) -> Self {
        let settings = shared.settings.now();
        let title = settings.get(&STREAM_TITLE).clone();
        let switches = Switches::of(&settings);
        let was_on = shared.stream.borrow().state != StreamState::Offline;
        Self {
            shared,
            encode,
            wrap,
            max_connections,
            sessions: HashMap::new(),
            by_address: HashMap::new(),
            last_client: 0,
            recent_events: RecentEvents::default(),
            pending: Vec::new(),
            presence: Presence::default(),
            title,
            switches,
            was_on,
        }
    }

    /// Loads the history from before the server started.
    pub(super) fn restore_history(&mut self, past: Vec<ChatEvent>) {
        for chat_event in past {
            let frame = (self.encode)(&chat_event);
            self.recent_events.push(&chat_event, frame);
        }
        self.shared.publish(self.recent_events.history());
    }

    pub(super) async fn run(
        mut self,
        mut commands: mpsc::Receiver<RoomCommand>,
        stop: CancellationToken,
    ) {
        let clock = Arc::clone(&self.shared.clock);
        let mut stream = self.shared.stream.clone();
        let mut has_stream = true;
        let mut batch = Vec::with_capacity(BATCH);
        let mut next_tick = clock.now() + TICK;
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                count = commands.recv_many(&mut batch, BATCH) => {
                    if count == 0 {
                        break;
                    }
                    for command in batch.drain(..) {
                        self.handle(command).await;
                    }
                }
                () = clock.sleep_until(next_tick) => {}
                changed = stream.changed(), if has_stream => {
                    has_stream = changed.is_ok();
                    self.notice_stream();
                }
            }
            if clock.now() >= next_tick {
                next_tick = clock.now() + TICK;
                self.tick();
            }
            self.flush().await;
            // Lets listeners with a queue run before they are sent more.
            tokio::task::yield_now().await;
        }
        for (_, session) in self.sessions.drain() {
            session.session_shared.end(CloseReason::Stopping);
        }
    }

    async fn handle(&mut self, command: RoomCommand) {
        if !matches!(command, RoomCommand::Say(_)) {
            // Lines said before come first.
            self.flush().await;
        }
        match command {
            RoomCommand::Enter(join_request, answer) => {
                let entered = self.enter(*join_request);
                // If the caller is gone, the dropped receiver leaves the room again.
                drop(answer.send(entered));
            }
            RoomCommand::Leave(client_id) => self.leave(client_id),
            RoomCommand::WriteDirectly(client_id, writer) => {
                if let Some(session) = self.sessions.get_mut(&client_id) {
                    session.outlet = Outlet::Direct(writer);
                }
            }
            RoomCommand::Say(chat_event) => self.say(&chat_event),
            RoomCommand::Show(kind) => self.show(*kind),
            RoomCommand::Punish(user) => self.presence.punish(&user, self.shared.clock.uptime()),
            RoomCommand::SendTo(client_id, chat_event) => self.send_to(client_id, &chat_event),
            RoomCommand::Changed(user) => self.changed(*user),
            RoomCommand::Renamed {
                user,
                old_name,
                client_id,
            } => {
                self.renamed(&user, old_name, client_id);
                self.flush().await;
                self.changed(*user);
            }
            RoomCommand::Pinned(pinned) => self.set_pinned(pinned),
            RoomCommand::SetHidden(ids, is_hidden) => {
                self.recent_events.set_hidden(&ids, is_hidden, self.encode);
                self.shared.publish(self.recent_events.history());
            }
            RoomCommand::Visibility(ids, visible) => self.set_visibility(ids, visible, false),
            RoomCommand::Deleted(id) => self.set_visibility(vec![id], false, true),
            RoomCommand::Remove(user, removal) => self.remove(&user, &removal),
            RoomCommand::RemoveAddress(address) => {
                let place = network(address);
                self.dismiss_where(CloseReason::Removed, |one| network(one.address) == place);
            }
            RoomCommand::RemoveToken(token) => self.remove_token(&token),
            RoomCommand::KeepTokens(user, tokens) => self.keep_tokens(&user, &tokens),
            RoomCommand::RemoveClient(client_id, answer) => {
                let is_there = self.sessions.contains_key(&client_id);
                if is_there {
                    self.dismiss(client_id, CloseReason::Removed);
                }
                let _ = answer.send(is_there);
            }
            RoomCommand::Reidentified(token, known) => self.reidentified(&token, &known),
            RoomCommand::Connections(answer) => drop(answer.send(self.connections())),
            RoomCommand::Forget(before) => {
                if self.recent_events.forget(before) {
                    self.shared.publish(self.recent_events.history());
                }
            }
        }
    }

    fn enter(&mut self, join_request: JoinRequest) -> Result<SessionParts, JoinRejection> {
        if self.sessions.len() >= self.max_connections {
            return Err(JoinRejection::Full);
        }
        let address = join_request.address.to_canonical();
        let from_there = self.by_address.entry(network(address)).or_default();
        if *from_there >= MAX_PER_ADDRESS && !address.is_loopback() {
            return Err(JoinRejection::TooManyFromThere);
        }
        *from_there += 1;
        self.last_client += 1;
        let client_id = self.shared.others.client_base.load(Ordering::Relaxed) + self.last_client;
        let missed = join_request
            .last_event_id
            .as_ref()
            .map(|last| self.recent_events.after(last));
        let member = self.arrive(join_request.user, client_id);
        let state = self.shared.state_of(&member);
        let identity = self.new_event(ChatEventKind::Identity(Box::new(state)));
        let mut first = vec![(self.encode)(&identity)];
        first.extend(missed.unwrap_or_default());
        let (queue, frames) = mpsc::channel(LISTENER_QUEUE);
        let session_shared = Arc::<SessionShared>::default();
        let session = ClientSession {
            member: Arc::clone(&member),
            outlet: Outlet::Queue(queue),
            session_shared: Arc::clone(&session_shared),
            token_id: join_request.token_id,
            address,
            user_agent: join_request.user_agent.into(),
            transport: join_request.transport,
            since: self.shared.clock.now(),
        };
        self.sessions.insert(client_id, session);
        self.count();
        let receiver = ClientReceiver {
            client_id,
            first: first.into_iter(),
            queue: frames,
            session_shared: Arc::clone(&session_shared),
            inbox: self.shared.inbox.clone(),
            is_direct: false,
        };
        Ok(SessionParts {
            member,
            session_shared,
            receiver,
        })
    }

    fn leave(&mut self, client_id: u64) {
        let Some(session) = self.sessions.remove(&client_id) else {
            return;
        };
        if let Some(count) = self.by_address.get_mut(&network(session.address)) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&network(session.address));
            }
        }
        self.depart(&session.member.now().user.id, client_id);
        self.count();
    }

    fn dismiss(&mut self, client_id: u64, reason: CloseReason) {
        if let Some(session) = self.sessions.get(&client_id) {
            session.session_shared.end(reason);
            metrics::counter!("rillcast_chat_dismissed_total", "why" => reason.to_string())
                .increment(1);
        }
        self.leave(client_id);
    }

    fn count(&self) {
        metrics::gauge!("rillcast_chat_connections").set(self.sessions.len() as f64);
    }

    fn new_event(&self, kind: ChatEventKind) -> ChatEvent {
        ChatEvent {
            id: new_message_id(),
            at: self.shared.clock.now(),
            kind,
        }
    }

    /// Sends an event to everybody, and records it for those who reconnect.
    fn say(&mut self, chat_event: &ChatEvent) {
        let frame = (self.encode)(chat_event);
        self.recent_events.push(chat_event, frame.clone());
        if let ChatEventKind::Line { user, .. } = &chat_event.kind {
            if self.shared.is_following {
                // They may be here and have said it at another server.
                self.presence.spoke(&user.id, chat_event.at);
            }
            metrics::counter!("rillcast_chat_lines_total").increment(1);
            self.shared.publish(self.recent_events.history());
        }
        self.broadcast(&frame);
    }

    /// Sends an event to everybody connected, without recording it.
    fn broadcast_unrecorded(&mut self, kind: ChatEventKind) {
        let frame = (self.encode)(&self.new_event(kind));
        self.broadcast(&frame);
    }

    fn broadcast(&mut self, frame: &Bytes) {
        self.pending.push(frame.clone());
    }

    /// Writes the pending frames to everybody at once.
    async fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let frames = std::mem::take(&mut self.pending);
        let wrapped = self.wrapped(&frames);
        let mut lost = Vec::new();
        for (number, (client_id, session)) in self.sessions.iter().enumerate() {
            if let Err(reason) = session.outlet.send(&frames, &wrapped) {
                lost.push((*client_id, reason));
            }
            if number % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
        }
        for (client_id, reason) in lost {
            self.dismiss(client_id, reason);
        }
    }

    fn wrapped(&self, frames: &[Bytes]) -> Bytes {
        let length = frames.iter().map(|frame| frame.len() + WRAPPING).sum();
        let mut wrapped = BytesMut::with_capacity(length);
        for frame in frames {
            (self.wrap)(frame, &mut wrapped);
        }
        wrapped.freeze()
    }

    fn send_to(&mut self, client_id: u64, chat_event: &ChatEvent) {
        let Some(session) = self.sessions.get(&client_id) else {
            return;
        };
        let frames = [(self.encode)(chat_event)];
        if let Err(reason) = session.outlet.send(&frames, &self.wrapped(&frames)) {
            self.dismiss(client_id, reason);
        }
    }

    /// A user has changed; notifies their connections.
    fn changed(&mut self, user: store::User) {
        let public = Arc::new(user.public());
        let theirs = self.presence.connections_of(&user.id);
        let timeout = self.new_timeout(&user);
        self.presence.update(user);
        self.recent_events.refresh(&public);
        self.shared.refresh_pinned(&public);
        self.shared.publish(self.recent_events.history());
        for client_id in theirs {
            self.identify(client_id);
            if let Some(told) = &timeout {
                self.send_to(client_id, told);
            }
        }
    }

    /// Tells a connection who its user is.
    fn identify(&mut self, client_id: u64) {
        let Some(session) = self.sessions.get(&client_id) else {
            return;
        };
        let state = self.shared.state_of(&session.member);
        let identity = self.new_event(ChatEventKind::Identity(Box::new(state)));
        self.send_to(client_id, &identity);
    }

    /// Pages read the settings again when they are told who they are.
    fn notice_switches(&mut self) {
        let switches = Switches::of(&self.shared.settings.now());
        if switches == self.switches {
            return;
        }
        for kind in switches.news(&self.switches) {
            self.broadcast_unrecorded(kind);
        }
        self.switches = switches;
        let everybody: Vec<u64> = self.sessions.keys().copied().collect();
        for client_id in everybody {
            self.identify(client_id);
        }
    }

    fn renamed(&mut self, user: &store::User, old_name: String, client_id: u64) {
        let renamed = self.new_event(ChatEventKind::Renamed {
            user: Arc::new(user.public()),
            old_name,
        });
        self.say(&renamed);
        tracing::debug!(client_id, user = %user.id, "took another name");
    }

    fn set_visibility(&mut self, ids: Vec<MessageId>, visible: bool, by_author: bool) {
        self.recent_events.set_hidden(&ids, !visible, self.encode);
        self.shared.publish(self.recent_events.history());
        let chat_event = self.new_event(ChatEventKind::Visibility {
            ids,
            visible,
            by_author,
        });
        self.say(&chat_event);
    }

    /// Tells everybody connected; those who reconnect are told with their greeting.
    fn set_pinned(&mut self, pinned: Option<Arc<PinnedLine>>) {
        let before = self.shared.pinned.swap(pinned.clone());
        let is_same = match (&before, &pinned) {
            (Some(before), Some(pinned)) => before.is_same(pinned),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            self.broadcast_unrecorded(ChatEventKind::Pinned(pinned));
        }
    }

    fn connections(&self) -> Vec<ConnectionInfo> {
        let mut list: Vec<ConnectionInfo> = self
            .sessions
            .iter()
            .map(|(client_id, session)| ConnectionInfo {
                client_id: *client_id,
                user: Arc::clone(&session.member.now().public),
                since: session.since,
                address: session.address,
                user_agent: Arc::clone(&session.user_agent),
                transport: session.transport,
                lines: session.session_shared.lines.load(Ordering::Relaxed),
            })
            .collect();
        list.sort_by_key(|connection| (connection.since, connection.client_id));
        list
    }
}
