//! Tries to break the rules: servers with clocks of their own that are paused and cut off, messages that are late or lost,
//! all in virtual time and from one seed.

use std::collections::BTreeMap;
use std::time::Duration;

use super::rules::{LeaseRules, LeaseStep};
use crate::lease::{LeaseName, LeaseRow};

const NAME: LeaseName = LeaseName::Deliveries;
const SEEDS: u64 = 1_000;
const SERVERS: usize = 3;
/// Milliseconds: nothing bad begins after this.
const CHAOS_ENDS: u64 = 60_000;
/// Longest pause and longest cut.
const WORST: u64 = 12_000;
/// Everything has been well for long by then.
const END: u64 = 95_000;
/// When a server gives up waiting for an answer.
const ANSWER_TIMEOUT: u64 = 2_000;

/// Deterministic randomness (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }

    fn happens(&mut self, per_mille: u64) -> bool {
        self.below(1_000) < per_mille
    }
}

#[derive(Clone, Debug)]
enum Question {
    Look,
    Take(Option<LeaseRow>),
    Renew(i64),
    Release(i64),
}

#[derive(Clone, Debug)]
enum DatabaseReply {
    Row(Option<LeaseRow>),
    Taken(Option<i64>),
    Renewed(bool),
    Released,
}

#[derive(Clone, Debug)]
enum Incident {
    /// A server looks what there is to do.
    Wake,
    /// A question reaches the database.
    Asked(u64, Question),
    Answered(u64, DatabaseReply),
    TimedOut(u64),
    /// A worker that found its lease valid sends what it has to write.
    Sends(i64),
    /// That reaches the database.
    Writes(i64),
}

impl Incident {
    /// Whether it is the server's own doing, which waits while the server is paused.
    fn is_local(&self) -> bool {
        !matches!(self, Incident::Asked(..) | Incident::Writes(_))
    }
}

struct SimulatedServer {
    rules: LeaseRules,
    /// What its clock shows when the others' shows something else, and how fast it runs.
    offset: u64,
    per_mille: u64,
    paused_until: u64,
    cut_until: u64,
    /// The question under way, and when it was sent by its own clock.
    asking: Option<(u64, Duration, Question)>,
    is_wanting: bool,
}

impl SimulatedServer {
    fn clock(&self, now: u64) -> Duration {
        Duration::from_millis(self.offset + now * self.per_mille / 1_000)
    }

    fn fence(&self, now: u64) -> Option<i64> {
        self.rules.fence_at(NAME, self.clock(now))
    }

    fn want(&mut self) {
        if !self.is_wanting {
            self.is_wanting = true;
            self.rules.want(NAME);
        }
    }
}

struct SimulatedWorld {
    dice: Dice,
    now: u64,
    number: u64,
    /// By time and, at the same time, by age.
    incidents: BTreeMap<(u64, u64), (usize, Incident)>,
    row: Option<LeaseRow>,
    servers: Vec<SimulatedServer>,
    is_chaotic: bool,
    /// Whether the database compares fences, as it should.
    checks_fences: bool,
    /// Who wrote under each fence, in the order of the commits.
    written: Vec<(usize, i64)>,
    handed_over: u32,
}

impl SimulatedWorld {
    /// Clocks run at most `skew` per mille faster or slower than they should.
    fn new(seed: u64, skew: u64) -> Self {
        let mut dice = Dice(seed);
        let servers = (0..SERVERS).map(|number| SimulatedServer {
            rules: LeaseRules::new(format!("server {number}")),
            offset: dice.below(1 << 40),
            per_mille: 1_000 - skew + dice.below(2 * skew + 1),
            paused_until: 0,
            cut_until: 0,
            asking: None,
            is_wanting: false,
        });
        let mut world = Self {
            servers: servers.collect(),
            dice,
            now: 0,
            number: 0,
            incidents: BTreeMap::new(),
            row: None,
            is_chaotic: true,
            checks_fences: true,
            written: Vec::new(),
            handed_over: 0,
        };
        for server in 0..SERVERS {
            world.servers[server].want();
            world.later(0, server, Incident::Wake);
        }
        world
    }

    fn later(&mut self, delay: u64, server: usize, incident: Incident) {
        self.number += 1;
        let at = (self.now + delay, self.number);
        self.incidents.insert(at, (server, incident));
    }

    fn delay(&mut self) -> u64 {
        match self.is_chaotic && self.dice.happens(30) {
            true => self.dice.below(5_000),
            false => 1 + self.dice.below(20),
        }
    }

    /// Runs until `end`, or until two servers hold the lease at once or write one after the other has.
    fn run(&mut self, end: u64) -> Result<(), String> {
        while self.now < end {
            let Some(((at, _), (server, incident))) = self.incidents.pop_first() else {
                return Err("nothing happens any more".into());
            };
            self.now = at;
            self.is_chaotic &= at < CHAOS_ENDS;
            let wakes_at = self.servers[server].paused_until;
            if incident.is_local() && wakes_at > at {
                self.later(wakes_at - at, server, incident);
            } else {
                self.happen(server, incident)?;
            }
            let holders = self.servers.iter().filter(|one| one.fence(at).is_some());
            if holders.count() > 1 {
                return Err(format!("two holders at {at} ms"));
            }
        }
        Ok(())
    }

    fn happen(&mut self, server: usize, incident: Incident) -> Result<(), String> {
        match incident {
            Incident::Wake => self.wake(server),
            Incident::Asked(id, query) => {
                let reply = self.database(server, query);
                if self.servers[server].cut_until <= self.now {
                    let delay = self.delay();
                    self.later(delay, server, Incident::Answered(id, reply));
                }
            }
            Incident::Answered(id, reply) => {
                let asking = &mut self.servers[server].asking;
                if let Some((_, sent_at, query)) = asking.take_if(|(asked, ..)| *asked == id) {
                    self.answered(server, sent_at, &query, reply);
                    self.go_on(server);
                }
            }
            Incident::TimedOut(id) => {
                let now = self.servers[server].clock(self.now);
                let one = &mut self.servers[server];
                let asked = one.asking.take_if(|(asked, ..)| *asked == id);
                if matches!(asked, Some((_, _, Question::Renew(_)))) {
                    one.rules.not_renewed(now);
                }
            }
            Incident::Sends(fence) => {
                if self.servers[server].cut_until <= self.now {
                    let delay = self.delay();
                    self.later(delay, server, Incident::Writes(fence));
                }
            }
            Incident::Writes(fence) => return self.write(server, fence),
        }
        Ok(())
    }

    fn wake(&mut self, server: usize) {
        let (now, chaos) = (self.now, self.is_chaotic);
        if chaos && self.dice.happens(10) {
            self.servers[server].paused_until = now + self.dice.below(WORST);
        }
        if chaos && self.dice.happens(10) {
            self.servers[server].cut_until = now + self.dice.below(WORST);
        }
        let clock = self.servers[server].clock(now);
        if !self.servers[server].rules.expire(clock).is_empty() {
            self.servers[server].want();
        }
        let held = self.servers[server].fence(now);
        if let Some(fence) = held
            && self.dice.happens(300)
        {
            // Between the look at the lease and the write anything can happen, a long pause as well.
            let delay = self.delay();
            self.later(delay, server, Incident::Sends(fence));
        }
        self.go_on(server);
        let pause = 100 + self.dice.below(150);
        self.later(pause, server, Incident::Wake);
    }

    /// Asks the database what there is to ask, one question at a time.
    fn go_on(&mut self, server: usize) {
        if self.servers[server].asking.is_some() {
            return;
        }
        let clock = self.servers[server].clock(self.now);
        let gives_back = self.is_chaotic && self.dice.happens(5);
        let query = match self.servers[server].fence(self.now) {
            Some(fence) if gives_back => {
                self.servers[server].rules.give_back(NAME, fence);
                self.servers[server].want();
                Some(Question::Release(fence))
            }
            _ => self.next_query(server, clock),
        };
        if let Some(query) = query {
            self.ask(server, query);
        }
    }

    fn next_query(&mut self, server: usize, clock: Duration) -> Option<Question> {
        match self.servers[server].rules.next(clock) {
            LeaseStep::Renew(held) => held.first().map(|(_, fence)| Question::Renew(*fence)),
            LeaseStep::Look => Some(Question::Look),
            LeaseStep::Take(_, seen) => Some(Question::Take(seen)),
            LeaseStep::Wait(_) => None,
        }
    }

    fn ask(&mut self, server: usize, query: Question) {
        let (id, now) = (self.number, self.now);
        let one = &mut self.servers[server];
        one.asking = Some((id, one.clock(now), query.clone()));
        let is_cut = one.cut_until > now;
        if !is_cut {
            let delay = self.delay();
            self.later(delay, server, Incident::Asked(id, query));
        }
        self.later(ANSWER_TIMEOUT, server, Incident::TimedOut(id));
    }

    /// What the statements of the store do, one after another.
    fn database(&mut self, server: usize, query: Question) -> DatabaseReply {
        let holder = format!("server {server}");
        match query {
            Question::Look => DatabaseReply::Row(self.row.clone()),
            Question::Take(seen) => {
                if self.row != seen {
                    return DatabaseReply::Taken(None);
                }
                let fence = seen.as_ref().map_or(1, |row| row.fence + 1);
                let renewals = seen.as_ref().map_or(0, |row| row.renewals + 1);
                self.handed_over += u32::from(seen.is_some());
                self.row = Some(LeaseRow {
                    holder,
                    fence,
                    renewals,
                });
                DatabaseReply::Taken(Some(fence))
            }
            Question::Renew(fence) => {
                let is_held = self.is_held(&holder, fence);
                if let Some(row) = self.row.as_mut().filter(|_| is_held) {
                    row.renewals += 1;
                }
                DatabaseReply::Renewed(is_held)
            }
            Question::Release(fence) => {
                let is_held = self.is_held(&holder, fence);
                if let Some(row) = self.row.as_mut().filter(|_| is_held) {
                    row.holder.clear();
                    row.renewals += 1;
                }
                DatabaseReply::Released
            }
        }
    }

    fn is_held(&self, holder: &str, fence: i64) -> bool {
        let row = self.row.as_ref();
        row.is_some_and(|row| row.holder == holder && row.fence == fence)
    }

    fn answered(
        &mut self,
        server: usize,
        sent_at: Duration,
        query: &Question,
        reply: DatabaseReply,
    ) {
        let now = self.servers[server].clock(self.now);
        let one = &mut self.servers[server];
        // The keeper ends what is over before it does anything else.
        let mut is_lost = !one.rules.expire(now).is_empty();
        match (query, reply) {
            (Question::Renew(fence), DatabaseReply::Renewed(is_kept)) => {
                let kept: &[LeaseName] = if is_kept { &[NAME] } else { &[] };
                let lost = one.rules.renewed(sent_at, &[(NAME, *fence)], kept);
                is_lost |= !lost.is_empty();
            }
            (_, DatabaseReply::Row(row)) => {
                let rows: Vec<_> = row.into_iter().map(|row| (NAME, row)).collect();
                one.rules.looked(sent_at, now, &rows);
            }
            (_, DatabaseReply::Taken(fence)) => {
                let held = one.rules.taken(sent_at, now, NAME, fence);
                one.is_wanting &= held.is_none();
                // If it is over already it is wanted no more.
                if fence.is_some() && held.is_none() {
                    one.is_wanting = false;
                    is_lost = true;
                }
            }
            _ => {}
        }
        if is_lost {
            one.want();
        }
    }

    fn write(&mut self, server: usize, fence: i64) -> Result<(), String> {
        let holder = format!("server {server}");
        if self.checks_fences && !self.is_held(&holder, fence) {
            return Ok(());
        }
        let newest = self.written.last();
        if let Some((other, later)) = newest
            && (*later > fence || (*later == fence && *other != server))
        {
            return Err(format!(
                "server {server} wrote under {fence} after server {other} had under {later}"
            ));
        }
        self.written.push((server, fence));
        Ok(())
    }

    fn holder(&self) -> Option<usize> {
        (0..SERVERS).find(|server| self.servers[*server].fence(self.now).is_some())
    }
}

#[test]
fn writes_of_two_holders_are_never_both_accepted_whatever_happens() {
    let (mut handed_over, mut written) = (0, 0);
    for seed in 0..SEEDS {
        let mut world = SimulatedWorld::new(seed, 100);
        world
            .run(END)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        assert!(world.holder().is_some(), "seed {seed}: nobody works");
        handed_over += world.handed_over;
        written += world.written.len();
    }
    // Otherwise nothing was tried.
    assert!(handed_over > 1_000, "{handed_over} hand-overs");
    assert!(written > 10_000, "{written} writes");
}

#[test]
fn without_a_look_at_the_fence_writes_of_two_holders_are_accepted() {
    let is_caught = |seed| {
        let mut world = SimulatedWorld::new(seed, 100);
        world.checks_fences = false;
        world.run(END).is_err_and(|why| why.contains("wrote under"))
    };
    assert!((0..SEEDS).any(is_caught));
}

#[test]
fn the_work_of_a_server_that_dies_silently_goes_on_within_ten_seconds() {
    for seed in 0..100 {
        let mut world = SimulatedWorld::new(seed, 10);
        world.is_chaotic = false;
        world.run(10_000 + seed * 37).unwrap();
        let dead = world.holder().unwrap();
        world.servers[dead].paused_until = u64::MAX / 2;
        world.run(world.now + 10_000).unwrap();
        let holder = world.holder();
        assert!(
            holder.is_some_and(|one| one != dead),
            "seed {seed}: {holder:?}"
        );
    }
}
