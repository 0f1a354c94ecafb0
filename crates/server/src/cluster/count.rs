//! How many watch and chat at all machines together.
//!
//! Every machine tells the marks of its viewers, so that a player whose requests go to two of them counts once. Of a
//! machine with very many viewers, or one that is not heard over NATS, only their number is known; then numbers are
//! added.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bus::{BusError, Subject};
use jiff::Timestamp;
use media::stream::ViewerMark;
use model::Clock;
use store::{NODE_IS_SILENT_AFTER, NodeRecord};
use tokio_util::sync::CancellationToken;
use web::{App, NodeLoad};

use super::listening::each_message;
use super::{Membership, ticks};

/// Between two messages.
const TELL: Duration = Duration::from_secs(2);
/// Messages between two looks at the rows of the machines, which are written every ten seconds.
const ROUNDS_BETWEEN_LOOKS: u32 = 5;
/// A machine that said nothing for this long counts with what its row says.
const FORGET_AFTER: Duration = Duration::from_secs(10);
/// Viewers of one machine that are recognised at others; of a machine with more only the number is told.
const MOST_MARKS: usize = 4096;
/// More machines than this are not remembered.
const MOST_NODES: usize = 256;
/// What the messages are sealed as.
const KIND: &str = "viewers";
const HEAD_BYTES: usize = 16;
const MARK_BYTES: usize = 12;

/// Counts the viewers and the connections to the chat of all machines, and tells those of this one, until `stop`.
pub(super) async fn share(node: &Membership, app: &App, stop: &CancellationToken) {
    app.live.stream.mark_viewers_with(&app.store.viewer_key());
    let counts = Counts::new(Arc::clone(&app.clock));
    let hear = |body: &[u8]| {
        // Of another cluster, or of nobody.
        if let Ok(clear) = app.store.open_message(KIND, body) {
            counts.hear(&clear);
        }
    };
    tokio::join!(
        tell(node, app, &counts, stop),
        each_message(&node.bus, Subject::Viewers, stop, hear),
    );
}

async fn tell(node: &Membership, app: &App, counts: &Counts, stop: &CancellationToken) {
    let mut ticks = ticks(TELL);
    let mut round: u32 = 0;
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = ticks.tick() => {}
        }
        if round.is_multiple_of(ROUNDS_BETWEEN_LOOKS) {
            match app.store.nodes().await {
                Ok(nodes) => counts.note_rows(&nodes, app.clock.now()),
                Err(error) => tracing::debug!(%error, "cannot read the list of machines"),
            }
        }
        round = round.wrapping_add(1);
        let number = *node.number.borrow();
        let own = own_count(node, app);
        let elsewhere = counts.elsewhere(number, &own);
        app.live.stream.set_viewers_elsewhere(elsewhere.viewers);
        node.heard
            .set_chat_clients_elsewhere(elsewhere.chat_clients);
        publish(node, app, number, &own).await;
    }
    // Nobody is here any more, which the others need not find out by silence.
    let number = *node.number.borrow();
    publish(node, app, number, &NodeCount::default()).await;
}

fn own_count(node: &Membership, app: &App) -> NodeCount {
    // Counting forgets those who have left, so it comes before their marks.
    let load = node.load(app);
    let marks = match load.viewers {
        0 => None,
        _ => app.live.stream.viewer_marks(MOST_MARKS),
    };
    NodeCount {
        load,
        marks: marks.unwrap_or_default(),
    }
}

async fn publish(node: &Membership, app: &App, number: i64, count: &NodeCount) {
    let sealed = match app.store.seal_message(KIND, &count.to_bytes(number)) {
        Ok(sealed) => sealed,
        Err(error) => {
            tracing::debug!(%error, "cannot seal the number of viewers");
            return;
        }
    };
    match node.bus.publish(Subject::Viewers, &sealed).await {
        Ok(()) | Err(BusError::Away) => {}
        Err(error) => tracing::debug!(%error, "cannot tell the number of viewers"),
    }
}

/// What one machine tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NodeCount {
    load: NodeLoad,
    /// Empty if there are no viewers, or too many.
    marks: Vec<ViewerMark>,
}

impl NodeCount {
    fn to_bytes(&self, number: i64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + MARK_BYTES * self.marks.len());
        bytes.extend(number.to_le_bytes());
        bytes.extend(self.load.viewers.to_le_bytes());
        bytes.extend(self.load.chat_clients.to_le_bytes());
        for mark in &self.marks {
            bytes.extend(mark.client.to_le_bytes());
            bytes.extend(mark.session.to_le_bytes());
        }
        bytes
    }

    /// The number of the machine and its count. What a later version adds behind the head has to be marks as well.
    fn parse(bytes: &[u8]) -> Option<(i64, Self)> {
        let (number, rest) = bytes.split_first_chunk()?;
        let (viewers, rest) = rest.split_first_chunk()?;
        let (chat_clients, mut rest) = rest.split_first_chunk()?;
        let mut marks = Vec::with_capacity(rest.len() / MARK_BYTES);
        while !rest.is_empty() {
            let (client, after) = rest.split_first_chunk()?;
            let (session, after) = after.split_first_chunk()?;
            marks.push(ViewerMark {
                client: u64::from_le_bytes(*client),
                session: u32::from_le_bytes(*session),
            });
            rest = after;
        }
        let load = NodeLoad {
            viewers: u32::from_le_bytes(*viewers),
            chat_clients: u32::from_le_bytes(*chat_clients),
        };
        Some((i64::from_le_bytes(*number), Self { load, marks }))
    }
}

/// What is known of the other machines.
#[derive(Debug)]
struct Counts {
    clock: Arc<dyn Clock>,
    others: Mutex<OtherNodes>,
}

#[derive(Debug, Default)]
struct OtherNodes {
    /// By NATS, with the [`Clock::uptime`] when it was.
    heard: BTreeMap<i64, (Duration, NodeCount)>,
    /// By their rows.
    rows: BTreeMap<i64, NodeLoad>,
}

impl Counts {
    fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            others: Mutex::default(),
        }
    }

    fn hear(&self, message: &[u8]) {
        let Some((number, count)) = NodeCount::parse(message) else {
            return;
        };
        let at = self.clock.uptime();
        let mut others = self.others();
        others.forget_silent(at);
        if others.heard.len() < MOST_NODES || others.heard.contains_key(&number) {
            others.heard.insert(number, (at, count));
        }
    }

    fn note_rows(&self, nodes: &[NodeRecord], now: Timestamp) {
        let living = nodes
            .iter()
            .filter(|node| node.last_seen + NODE_IS_SILENT_AFTER > now);
        let rows = living.map(|node| (node.number, NodeLoad::parse(&node.load)));
        self.others().rows = rows.collect();
    }

    /// What all machines but this one have, without the viewers that are at this one, too.
    fn elsewhere(&self, own_number: i64, own: &NodeCount) -> NodeLoad {
        let mut others = self.others();
        others.forget_silent(self.clock.uptime());
        let mut sum = NodeLoad::default();
        let mut marks = own.marks.clone();
        let heard = others.heard.iter().filter(|(one, _)| **one != own_number);
        for (_, (_, count)) in heard {
            if count.marks.is_empty() {
                sum.viewers = sum.viewers.saturating_add(count.load.viewers);
            }
            marks.extend_from_slice(&count.marks);
            sum.chat_clients = sum.chat_clients.saturating_add(count.load.chat_clients);
        }
        for (number, load) in &others.rows {
            if *number != own_number && !others.heard.contains_key(number) {
                sum.viewers = sum.viewers.saturating_add(load.viewers);
                sum.chat_clients = sum.chat_clients.saturating_add(load.chat_clients);
            }
        }
        drop(others);
        let recognised = count_marks(marks).saturating_sub(count_marks(own.marks.clone()));
        sum.viewers = sum.viewers.saturating_add(recognised);
        sum
    }

    fn others(&self) -> MutexGuard<'_, OtherNodes> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OtherNodes {
    fn forget_silent(&mut self, now: Duration) {
        self.heard
            .retain(|_, (at, _)| now.saturating_sub(*at) < FORGET_AFTER);
    }
}

/// Viewers, each once. As at one machine, a client is one viewer or as many as it has sessions.
fn count_marks(mut marks: Vec<ViewerMark>) -> u32 {
    marks.sort_unstable();
    marks.dedup();
    let clients = marks.chunk_by(|one, two| one.client == two.client);
    let viewers = clients.map(|client| {
        let sessions = client.iter().filter(|mark| mark.session != 0).count();
        sessions.max(1)
    });
    u32::try_from(viewers.sum::<usize>()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use testkit::ManualClock;

    use super::*;

    fn marks(list: &[(u64, u32)]) -> Vec<ViewerMark> {
        let marks = list.iter().map(|(client, session)| ViewerMark {
            client: *client,
            session: *session,
        });
        marks.collect()
    }

    fn count(viewers: u32, chat_clients: u32, list: &[(u64, u32)]) -> NodeCount {
        NodeCount {
            load: NodeLoad {
                viewers,
                chat_clients,
            },
            marks: marks(list),
        }
    }

    fn counts() -> (Counts, ManualClock) {
        let clock = ManualClock::default();
        (Counts::new(Arc::new(clock.clone())), clock)
    }

    fn row(number: i64, load: &str, last_seen: Timestamp) -> NodeRecord {
        NodeRecord {
            id: number.to_string(),
            number,
            name: number.to_string(),
            version: String::new(),
            schema: 1,
            roles: String::new(),
            addresses: String::new(),
            load: load.into(),
            since: last_seen,
            last_seen,
        }
    }

    #[test]
    fn what_a_machine_tells_of_its_viewers_comes_back_as_it_was() {
        let told = count(3, 2, &[(u64::MAX, 7), (1, 0)]);
        assert_eq!(NodeCount::parse(&told.to_bytes(-5)), Some((-5, told)));
        let full = count(4096, 0, &[(1, 1); MOST_MARKS]).to_bytes(1);
        assert!(full.len() < 60_000, "it fits into a message");
        for cut in [0, 15, 17, full.len() - 1] {
            assert_eq!(NodeCount::parse(&full[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn a_viewer_at_two_machines_counts_once() {
        let (counts, _) = counts();
        let own = count(2, 1, &[(1, 0), (2, 5)]);
        // The first is here too, and the second has another session there.
        counts.hear(&count(3, 4, &[(1, 0), (2, 6), (3, 0)]).to_bytes(2));
        counts.hear(&own.to_bytes(1));
        let elsewhere = counts.elsewhere(1, &own);
        assert_eq!((elsewhere.viewers, elsewhere.chat_clients), (2, 4));
        // A player that tells its session at one machine, and asks for playlists at another.
        counts.hear(&count(1, 0, &[(2, 0)]).to_bytes(2));
        assert_eq!(counts.elsewhere(1, &own).viewers, 0);
    }

    #[test]
    fn of_a_machine_with_very_many_viewers_the_number_is_added() {
        let (counts, _) = counts();
        counts.hear(&count(90_000, 0, &[]).to_bytes(2));
        counts.hear(&count(1, 0, &[(1, 0)]).to_bytes(3));
        let own = count(1, 0, &[(1, 0)]);
        assert_eq!(counts.elsewhere(1, &own).viewers, 90_000);
        assert_eq!(counts.elsewhere(1, &count(5_000, 0, &[])).viewers, 90_001);
    }

    #[test]
    fn a_machine_that_is_not_heard_counts_with_its_row_until_that_is_old() {
        let (counts, clock) = counts();
        let own = NodeCount::default();
        let load = r#"{"viewers":30,"chatClients":20}"#;
        let rows = [row(1, load, clock.now()), row(2, load, clock.now())];
        counts.note_rows(&rows, clock.now());
        assert_eq!(counts.elsewhere(1, &own).viewers, 30);
        counts.hear(&count(1, 2, &[(1, 0)]).to_bytes(2));
        let heard = counts.elsewhere(1, &own);
        assert_eq!((heard.viewers, heard.chat_clients), (1, 2));
        clock.advance(FORGET_AFTER);
        assert_eq!(counts.elsewhere(1, &own).chat_clients, 20);
        clock.advance(NODE_IS_SILENT_AFTER);
        counts.note_rows(&rows, clock.now());
        assert_eq!(counts.elsewhere(1, &own), NodeLoad::default());
    }

    #[test]
    fn a_machine_that_stops_takes_its_viewers_with_it() {
        let (counts, _) = counts();
        counts.hear(&count(1, 1, &[(1, 0)]).to_bytes(2));
        counts.hear(&NodeCount::default().to_bytes(2));
        let own = NodeCount::default();
        assert_eq!(counts.elsewhere(1, &own), NodeLoad::default());
    }
}
