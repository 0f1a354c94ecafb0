//! The task that owns the room.

mod presence;
mod way;
mod words;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use model::address::network;
use model::settings::Layers;
use model::settings::table::STREAM_TITLE;
use model::settings::table::chat::{DISABLED, REQUIRE_AUTHENTICATION, WHEN_OFFLINE};
use model::{MessageId, StreamState, TokenId, UserId};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::ring::Ring;
use super::{
    Command, Connection, Ear, Entered, Guest, LISTENER_QUEUE, MAX_PER_ADDRESS, Refusal, Removal,
    Shared, Thread, Transport,
};
use crate::heard::{Encode, Farewell, Heard, What, Wrap};
use crate::ids::new_message_id;
use crate::member::Member;
use presence::Presence;
use way::Way;

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
struct Session {
    member: Arc<Member>,
    way: Way,
    thread: Arc<Thread>,
    token_id: TokenId,
    address: IpAddr,
    user_agent: Arc<str>,
    transport: Transport,
    since: Timestamp,
}

#[derive(Debug)]
pub(super) struct Hall {
    shared: Arc<Shared>,
    encode: Encode,
    wrap: Wrap,
    max_connections: usize,
    sessions: HashMap<u64, Session>,
    by_address: HashMap<IpAddr, usize>,
    /// The last number that was given to a connection; the first one is 1.
    last_client: u64,
    ring: Ring,
    /// What everybody is still to be told: lines that come together are written together.
    unsaid: Vec<Bytes>,
    presence: Presence,
    title: String,
    switches: Switches,
    was_on: bool,
}

/// What pages show of who may write, as it was last told.
#[derive(Debug, PartialEq, Eq)]
struct Switches {
    is_disabled: bool,
    needs_sign_in: bool,
    when_offline: String,
}

impl Switches {
    fn of(settings: &Layers) -> Self {
        Self {
            is_disabled: *settings.get(&DISABLED),
            needs_sign_in: *settings.get(&REQUIRE_AUTHENTICATION),
            when_offline: settings.get(&WHEN_OFFLINE).clone(),
        }
    }
}

impl Hall {
    pub(super) fn new(
        shared: Arc<Shared>,
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
            ring: Ring::default(),
            unsaid: Vec::new(),
            presence: Presence::default(),
            title,
            switches,
            was_on,
        }
    }

    /// What was said before the server started.
    pub(super) fn recall(&mut self, past: Vec<Heard>) {
        for heard in past {
            let frame = (self.encode)(&heard);
            self.ring.push(&heard, frame);
        }
        self.shared.publish(self.ring.history());
    }

    pub(super) async fn run(
        mut self,
        mut commands: mpsc::Receiver<Command>,
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
            self.spread().await;
            // Those with a queue get a turn before they are told more.
            tokio::task::yield_now().await;
        }
        for (_, session) in self.sessions.drain() {
            session.thread.end(Farewell::Stopping);
        }
    }

    async fn handle(&mut self, command: Command) {
        if !matches!(command, Command::Say(_)) {
            // It comes after what was said before.
            self.spread().await;
        }
        match command {
            Command::Enter(guest, answer) => {
                let entered = self.enter(*guest);
                // Whoever went before they were in leaves with the answer.
                drop(answer.send(entered));
            }
            Command::Leave(client_id) => self.leave(client_id),
            Command::Straight(client_id, way) => {
                if let Some(session) = self.sessions.get_mut(&client_id) {
                    session.way = Way::Straight(way);
                }
            }
            Command::Say(heard) => self.say(&heard),
            Command::Tell(client_id, heard) => self.tell(client_id, &heard),
            Command::Changed(user) => self.changed(*user),
            Command::Renamed {
                user,
                old_name,
                client_id,
            } => {
                self.renamed(&user, old_name, client_id);
                self.spread().await;
                self.changed(*user);
            }
            Command::Visibility(ids, visible) => self.set_visibility(ids, visible),
            Command::Remove(user, removal) => self.remove(&user, removal),
            Command::RemoveAddress(address) => {
                let place = network(address);
                self.dismiss_where(Farewell::Removed, |one| network(one.address) == place);
            }
            Command::RemoveToken(token) => {
                self.dismiss_where(Farewell::Removed, |one| one.token_id == token);
            }
            Command::RemoveClient(client_id, answer) => {
                let is_there = self.sessions.contains_key(&client_id);
                if is_there {
                    self.dismiss(client_id, Farewell::Removed);
                }
                let _ = answer.send(is_there);
            }
            Command::Reidentified(token, known) => self.reidentified(&token, &known),
            Command::Connections(answer) => drop(answer.send(self.connections())),
            Command::Forget(before) => {
                if self.ring.forget(before) {
                    self.shared.publish(self.ring.history());
                }
            }
        }
    }

    fn enter(&mut self, guest: Guest) -> Result<Entered, Refusal> {
        if self.sessions.len() >= self.max_connections {
            return Err(Refusal::Full);
        }
        let address = guest.address.to_canonical();
        let from_there = self.by_address.entry(network(address)).or_default();
        if *from_there >= MAX_PER_ADDRESS && !address.is_loopback() {
            return Err(Refusal::TooManyFromThere);
        }
        *from_there += 1;
        self.last_client += 1;
        let client_id = self.last_client;
        let missed = guest.last_heard.as_ref().map(|last| self.ring.after(last));
        let member = self.arrive(guest.user, client_id);
        let identity = self.heard(What::Identity(Arc::clone(&member.now().public)));
        let mut first = vec![(self.encode)(&identity)];
        first.extend(missed.unwrap_or_default());
        let (queue, frames) = mpsc::channel(LISTENER_QUEUE);
        let thread = Arc::<Thread>::default();
        let session = Session {
            member: Arc::clone(&member),
            way: Way::Queue(queue),
            thread: Arc::clone(&thread),
            token_id: guest.token_id,
            address,
            user_agent: guest.user_agent.into(),
            transport: guest.transport,
            since: self.shared.clock.now(),
        };
        self.sessions.insert(client_id, session);
        self.count();
        let ear = Ear {
            client_id,
            first: first.into_iter(),
            queue: frames,
            thread: Arc::clone(&thread),
            inbox: self.shared.inbox.clone(),
            is_straight: false,
        };
        Ok(Entered {
            member,
            thread,
            ear,
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

    fn dismiss(&mut self, client_id: u64, farewell: Farewell) {
        if let Some(session) = self.sessions.get(&client_id) {
            session.thread.end(farewell);
            metrics::counter!("rillcast_chat_dismissed_total", "why" => farewell.to_string())
                .increment(1);
        }
        self.leave(client_id);
    }

    fn count(&self) {
        metrics::gauge!("rillcast_chat_connections").set(self.sessions.len() as f64);
    }

    fn heard(&self, what: What) -> Heard {
        Heard {
            id: new_message_id(),
            at: self.shared.clock.now(),
            what,
        }
    }

    /// Everybody hears it, now or when they come back.
    fn say(&mut self, heard: &Heard) {
        let frame = (self.encode)(heard);
        self.ring.push(heard, frame.clone());
        if matches!(heard.what, What::Line { .. }) {
            metrics::counter!("rillcast_chat_lines_total").increment(1);
            self.shared.publish(self.ring.history());
        }
        self.broadcast(&frame);
    }

    /// Everybody who is here hears it; nobody else ever will.
    fn mention(&mut self, what: What) {
        let frame = (self.encode)(&self.heard(what));
        self.broadcast(&frame);
    }

    fn broadcast(&mut self, frame: &Bytes) {
        self.unsaid.push(frame.clone());
    }

    /// Tells everybody what there is, all of it in one go.
    async fn spread(&mut self) {
        if self.unsaid.is_empty() {
            return;
        }
        let frames = std::mem::take(&mut self.unsaid);
        let wrapped = self.wrapped(&frames);
        let mut lost = Vec::new();
        for (number, (client_id, session)) in self.sessions.iter().enumerate() {
            if let Err(farewell) = session.way.give(&frames, &wrapped) {
                lost.push((*client_id, farewell));
            }
            if number % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
        }
        for (client_id, farewell) in lost {
            self.dismiss(client_id, farewell);
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

    fn tell(&mut self, client_id: u64, heard: &Heard) {
        let Some(session) = self.sessions.get(&client_id) else {
            return;
        };
        let frames = [(self.encode)(heard)];
        if let Err(farewell) = session.way.give(&frames, &self.wrapped(&frames)) {
            self.dismiss(client_id, farewell);
        }
    }

    /// A person is different now, and their connections hear it.
    fn changed(&mut self, user: store::User) {
        let public = Arc::new(user.public());
        let theirs = self.presence.connections_of(&user.id);
        self.presence.update(user);
        self.ring.refresh(&public);
        self.shared.publish(self.ring.history());
        for client_id in theirs {
            let identity = self.heard(What::Identity(Arc::clone(&public)));
            self.tell(client_id, &identity);
        }
    }

    /// Pages look at the settings anew when they are told who they are.
    fn notice_switches(&mut self) {
        let switches = Switches::of(&self.shared.settings.now());
        if switches == self.switches {
            return;
        }
        self.switches = switches;
        let everybody = self.sessions.iter();
        let everybody: Vec<_> = everybody
            .map(|(client_id, one)| (*client_id, Arc::clone(&one.member.now().public)))
            .collect();
        for (client_id, user) in everybody {
            let identity = self.heard(What::Identity(user));
            self.tell(client_id, &identity);
        }
    }

    fn renamed(&mut self, user: &store::User, old_name: String, client_id: u64) {
        let renamed = self.heard(What::Renamed {
            user: Arc::new(user.public()),
            old_name,
        });
        self.say(&renamed);
        tracing::debug!(client_id, user = %user.id, "took another name");
    }

    fn set_visibility(&mut self, ids: Vec<MessageId>, visible: bool) {
        self.ring.set_hidden(&ids, !visible, self.encode);
        self.shared.publish(self.ring.history());
        let heard = self.heard(What::Visibility { ids, visible });
        self.say(&heard);
    }

    fn remove(&mut self, user: &UserId, removal: Removal) {
        let theirs = self.presence.connections_of(user);
        let name = self.presence.name_of(user);
        for client_id in theirs {
            if removal == Removal::Banned {
                let banned = self.heard(What::Banned);
                self.tell(client_id, &banned);
            }
            self.dismiss(client_id, Farewell::Removed);
        }
        self.presence.forget(user);
        if let (Some(name), Removal::Banned) = (name, removal) {
            self.mention(words::removed(&name));
        }
    }

    /// Whoever came in with a token has proven to be somebody who was here before: they come in again as that person.
    fn reidentified(&mut self, token: &TokenId, known: &str) {
        let with_it = self.sessions.values().find(|one| one.token_id == *token);
        let name = with_it.map(|one| one.member.now().public.display_name.clone());
        self.dismiss_where(Farewell::Changed, |one| one.token_id == *token);
        if let Some(name) = name.filter(|name| name != known) {
            self.mention(words::signed_in(&name, known));
        }
    }

    fn dismiss_where(&mut self, farewell: Farewell, is_meant: impl Fn(&Session) -> bool) {
        let meant = self
            .sessions
            .iter()
            .filter(|(_, session)| is_meant(session));
        let meant: Vec<u64> = meant.map(|(client_id, _)| *client_id).collect();
        for client_id in meant {
            self.dismiss(client_id, farewell);
        }
    }

    fn connections(&self) -> Vec<Connection> {
        let mut list: Vec<Connection> = self
            .sessions
            .iter()
            .map(|(client_id, session)| Connection {
                client_id: *client_id,
                user: Arc::clone(&session.member.now().public),
                since: session.since,
                address: session.address,
                user_agent: Arc::clone(&session.user_agent),
                transport: session.transport,
                lines: session.thread.lines.load(Ordering::Relaxed),
            })
            .collect();
        list.sort_by_key(|connection| (connection.since, connection.client_id));
        list
    }
}
