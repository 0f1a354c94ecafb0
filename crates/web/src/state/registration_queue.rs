//! Limits how many new users may register per second, and queues the rest.
//!
//! Each address has its own limit, but an attacker with thousands of addresses has thousands of limits. Beyond the
//! immediate capacity, people wait in a short queue that serves one network after the other, so that a flood waits
//! behind itself.

mod fair_queue;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Clock;
use model::address::{neighbourhood, network};
use model::rate_limit::{Rate, RateLimiter};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use self::fair_queue::{FairQueue, Priority};

/// New people let in at once, and then each second.
const LET_IN: Rate = Rate::new(100, Duration::from_secs(1));
/// New people beyond that wait this long for their turn and are then answered with 429.
const PATIENCE: Duration = Duration::from_secs(2);
/// New people waiting for their turn; beyond it the last one of the network with most of them is answered with 429.
const MAX_WAITING: usize = 1_024;
/// Networks remembered for having been in the chat; while there are so many no more are added.
const MAX_REMEMBERED: usize = 10_000;
/// A network that was in the chat is remembered this long after it came in.
const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 3600);
/// Whoever was in the chat counts as known after this long: a flood does not open its own shared.
const KNOWN_AFTER: Duration = Duration::from_secs(60);

/// Lets this many users register per second.
#[derive(Clone, Debug)]
pub(crate) struct RegistrationQueue(Arc<RegistrationState>);

#[derive(Debug)]
struct RegistrationState {
    clock: Arc<dyn Clock>,
    line: Mutex<WaitingLine>,
    known_networks: Mutex<KnownNetworks>,
}

impl RegistrationQueue {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(RegistrationState {
            clock,
            line: Mutex::new(WaitingLine::default()),
            known_networks: Mutex::default(),
        }))
    }

    /// Records that a user from this address is in the chat.
    pub(crate) fn remember(&self, address: IpAddr) {
        lock(&self.0.known_networks).remember(network(address), self.0.clock.uptime());
    }

    /// Waits for a turn; the error says when to try again.
    pub(crate) async fn admit(&self, address: IpAddr, is_viewer: bool) -> Result<(), Duration> {
        let now = self.0.clock.uptime();
        let is_known = is_viewer || lock(&self.0.known_networks).know(network(address), now);
        let priority = if is_known {
            Priority::Known
        } else {
            Priority::Stranger
        };
        let turn = {
            let mut line = lock(&self.0.line);
            let Some(turn) = line.arrive(neighbourhood(address), priority, now) else {
                return Ok(());
            };
            if !line.is_moving {
                line.is_moving = true;
                tokio::spawn(keep_moving(Arc::clone(&self.0)));
            }
            turn
        };
        // Those evicted from the queue are treated like those whose wait timed out.
        match timeout(PATIENCE, turn).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(PATIENCE),
        }
    }
}

/// Runs as long as anybody waits.
async fn keep_moving(shared: Arc<RegistrationState>) {
    loop {
        let next = lock(&shared.line).move_up(shared.clock.uptime());
        let Some(wait) = next else { return };
        sleep(wait).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The waiting registrations.
#[derive(Debug)]
struct WaitingLine {
    rate: RateLimiter<()>,
    queue: FairQueue<IpAddr, oneshot::Sender<()>>,
    /// Whether a task is running that admits them.
    is_moving: bool,
}

impl Default for WaitingLine {
    fn default() -> Self {
        Self {
            rate: RateLimiter::default(),
            queue: FairQueue::new(MAX_WAITING),
            is_moving: false,
        }
    }
}

impl WaitingLine {
    /// Returns a receiver that resolves when it is the caller's turn, or fails if it never will be; `None` if there is
    /// no need to wait.
    fn arrive(
        &mut self,
        neighbourhood: IpAddr,
        priority: Priority,
        now: Duration,
    ) -> Option<oneshot::Receiver<()>> {
        if self.queue.is_empty() && self.take(now).is_ok() {
            return None;
        }
        if self.queue.is_full() {
            self.queue.retain(|waiting| !waiting.is_closed());
        }
        let (call, turn) = oneshot::channel();
        self.queue.push(priority, neighbourhood, call);
        Some(turn)
    }

    /// Admits as many as allowed, and returns when the next one may enter; `None` when nobody is waiting.
    fn move_up(&mut self, now: Duration) -> Option<Duration> {
        // Those who have left do not use up a turn.
        self.queue.retain(|waiting| !waiting.is_closed());
        while !self.queue.is_empty() {
            if let Err(wait) = self.take(now) {
                return Some(wait);
            }
            while self.queue.pop().is_some_and(|call| call.send(()).is_err()) {}
        }
        self.is_moving = false;
        None
    }

    fn take(&self, now: Duration) -> Result<(), Duration> {
        self.rate.take(&(), 1, LET_IN, now)
    }
}

/// Networks from which somebody was in the chat.
#[derive(Debug, Default)]
struct KnownNetworks(HashMap<IpAddr, KnownNetwork>);

#[derive(Debug)]
struct KnownNetwork {
    first: Duration,
    last: Duration,
}

impl KnownNetworks {
    fn remember(&mut self, network: IpAddr, now: Duration) {
        if let Some(entry) = self.0.get_mut(&network) {
            entry.last = now;
            return;
        }
        if self.0.len() >= MAX_REMEMBERED {
            self.0
                .retain(|_, entry| now.saturating_sub(entry.last) < REMEMBERED_FOR);
        }
        if self.0.len() < MAX_REMEMBERED {
            let entry = KnownNetwork {
                first: now,
                last: now,
            };
            self.0.insert(network, entry);
        }
    }

    fn know(&self, network: IpAddr, now: Duration) -> bool {
        // The clock may have been read before another caller stored a later time.
        self.0.get(&network).is_some_and(|entry| {
            now.saturating_sub(entry.first) >= KNOWN_AFTER
                && now.saturating_sub(entry.last) < REMEMBERED_FOR
        })
    }
}

#[cfg(test)]
mod tests {
    use Priority::{Known, Stranger};
    use testkit::ManualClock;

    use super::*;

    /// Almost twice as many as may wait.
    const FLOOD: u32 = 2_000;

    fn address(first: u8, number: u32) -> IpAddr {
        let [_, a, b, c] = number.to_be_bytes();
        IpAddr::from([first, a, b, c])
    }

    /// A crowd that arrives at once; `None` means admitted immediately.
    fn flood(line: &mut WaitingLine) -> Vec<Option<oneshot::Receiver<()>>> {
        let networks = (0..FLOOD).map(|number| neighbourhood(address(11, number << 8)));
        networks
            .map(|network| line.arrive(network, Stranger, Duration::ZERO))
            .collect()
    }

    /// Lets every wait time out.
    fn wait_for_all(line: &mut WaitingLine) {
        let mut now = Duration::ZERO;
        while let Some(wait) = line.move_up(now) {
            assert!(wait > Duration::ZERO);
            now += wait;
            if now > PATIENCE {
                return;
            }
        }
    }

    fn is_called(turn: &mut Option<oneshot::Receiver<()>>) -> bool {
        turn.as_mut().is_none_or(|turn| turn.try_recv().is_ok())
    }

    #[test]
    fn above_a_hundred_a_second_new_people_wait_up_to_two_seconds_and_the_rest_is_refused() {
        let mut line = WaitingLine::default();
        let mut flood = flood(&mut line);
        assert_eq!(flood.iter().filter(|turn| turn.is_none()).count(), 100);
        assert_eq!(line.queue.len(), MAX_WAITING);
        wait_for_all(&mut line);
        let in_all = flood
            .iter_mut()
            .filter_map(|turn| is_called(turn).then_some(()));
        assert_eq!(in_all.count(), 300);
    }

    #[test]
    fn one_network_with_thousands_of_addresses_does_not_keep_another_out() {
        let mut line = WaitingLine::default();
        let crowd = (0..FLOOD).map(|number| neighbourhood(address(11, number % 256)));
        let crowd: Vec<_> = crowd
            .map(|network| line.arrive(network, Stranger, Duration::ZERO))
            .collect();
        let mut alone = line.arrive(neighbourhood(address(12, 1)), Stranger, Duration::ZERO);
        // One of the crowd, then the other network.
        line.move_up(Duration::from_millis(10));
        assert!(!is_called(&mut alone));
        line.move_up(Duration::from_millis(20));
        assert!(is_called(&mut alone));
        drop(crowd);
    }

    #[test]
    fn those_who_play_the_stream_or_were_here_before_go_first() {
        let mut line = WaitingLine::default();
        let flood = flood(&mut line);
        let mut known = line.arrive(address(12, 0), Known, Duration::ZERO);
        line.move_up(Duration::from_millis(10));
        assert!(is_called(&mut known));
        drop(flood);
    }

    #[test]
    fn whoever_hangs_up_takes_nobody_s_turn() {
        let mut line = WaitingLine::default();
        drop(flood(&mut line));
        let mut patient = line.arrive(address(12, 0), Stranger, Duration::ZERO);
        line.move_up(Duration::from_millis(10));
        assert!(is_called(&mut patient));
        assert!(line.queue.is_empty());
    }

    #[test]
    fn a_flood_that_comes_in_is_not_known_at_once_and_pushes_nobody_out_of_memory() {
        let mut records = KnownNetworks::default();
        let entry = address(12, 0);
        records.remember(entry, KNOWN_AFTER);
        assert!(
            !records.know(entry, Duration::ZERO),
            "read before it was written"
        );
        records.0.clear();
        records.remember(entry, Duration::ZERO);
        assert!(!records.know(entry, Duration::ZERO));
        for number in 0..u32::try_from(MAX_REMEMBERED).unwrap() + 500 {
            records.remember(address(11, number), KNOWN_AFTER);
        }
        assert!(records.know(entry, KNOWN_AFTER));
        assert_eq!(records.0.len(), MAX_REMEMBERED);
        let later = KNOWN_AFTER + REMEMBERED_FOR;
        assert!(!records.know(entry, later));
        records.remember(entry, later);
        records.remember(address(13, 0), later);
        assert_eq!(records.0.len(), 2);
    }

    #[tokio::test]
    async fn somebody_who_waits_is_called_up_when_it_is_their_turn() {
        let clock = ManualClock::default();
        let queue = RegistrationQueue::new(Arc::new(clock.clone()));
        for number in 0..100 {
            assert_eq!(queue.admit(address(11, number), false).await, Ok(()));
        }
        let mut waiting = Box::pin(queue.admit(address(12, 0), false));
        assert!(futures_util::poll!(&mut waiting).is_pending());
        clock.advance(Duration::from_millis(10));
        assert_eq!(waiting.await, Ok(()));
    }
}
