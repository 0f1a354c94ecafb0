//! Bots that call the integrations API at a constant rate, whatever the server does, and those who listen meanwhile.
//!
//! A call that is due while the one before is not answered waits, and its time counts from the moment it was due: a
//! server that stands still is seen by all calls that should have been made, not only by those it kept.

mod caller;
mod calls;
mod listener;
mod report;

use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token, Waker};

pub use report::Report;

use crate::arguments::Arguments;
use crate::seat::{Came, Doing, Seat};
use crate::wire;
use caller::{Caller, Due};
use calls::{Call, Lines};
use listener::{Channel, Listener, id_in};
use report::Heard;

const SCRATCH_BYTES: usize = 64 * 1024;
const EVENTS_AT_ONCE: usize = 512;
/// Who does not listen by then will not.
const ENTRY_DEADLINE: Duration = Duration::from_secs(30);
/// So that the rush is over when measuring begins.
const SETTLE: Duration = Duration::from_secs(2);
/// For answers and lines that are on their way when the last call was made.
const DRAIN: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_millis(20);
const ALARM: Token = Token(usize::MAX);

struct Fleet<'a> {
    arguments: &'a Arguments,
    poll: Poll,
    callers: Vec<Caller>,
    /// Their tokens follow those of the callers.
    listeners: Vec<Listener>,
    greeted: usize,
    /// When each call was due; only those that were made.
    due: Vec<Instant>,
    /// Calls that said a line and were told that it was taken.
    accepted: Vec<(usize, Call)>,
    lines: Lines,
    scratch: Vec<u8>,
    report: Report,
}

/// Lets the bots call and measures.
pub fn call(arguments: &Arguments) -> Result<Report, String> {
    let mut fleet = Fleet {
        arguments,
        poll: Poll::new().map_err(|error| error.to_string())?,
        callers: Vec::with_capacity(arguments.bots),
        listeners: Vec::new(),
        greeted: 0,
        due: Vec::new(),
        accepted: Vec::new(),
        lines: Lines::default(),
        scratch: vec![0; SCRATCH_BYTES],
        report: Report::default(),
    };
    let total = arguments.rate * arguments.measured.as_secs() as usize;
    fleet
        .gather(total)
        .map_err(|error| format!("cannot connect: {error}"))?;
    fleet.wait_for_listeners()?;
    println!("{{\"measuring\": true}}");
    fleet.make_calls(total)?;
    fleet.drain()?;
    fleet.sum_up();
    Ok(fleet.report)
}

impl Fleet<'_> {
    fn gather(&mut self, calls: usize) -> std::io::Result<()> {
        let Arguments {
            server,
            bots,
            sockets,
            events,
            ref secrets,
            ref tokens,
            ..
        } = *self.arguments;
        for (number, secret) in secrets.iter().take(bots).enumerate() {
            let registry = self.poll.registry();
            let caller = Caller::open(server, secret.clone(), Token(number), registry)?;
            self.callers.push(caller);
        }
        for number in 0..sockets + events {
            let mut seat = Seat::open(server, false, Instant::now())?;
            let token = Token(bots + number);
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll
                .registry()
                .register(seat.stream(), token, interest)?;
            let channel = if number < sockets {
                seat.ask_for_socket(tokens.get(number).map(String::as_str))?;
                Channel::Chat
            } else {
                seat.ask_for_events(&secrets[bots + number - sockets])?;
                Channel::Events
            };
            self.listeners.push(Listener::new(seat, channel, calls));
        }
        Ok(())
    }

    fn wait_for_listeners(&mut self) -> Result<(), String> {
        let begin = Instant::now();
        let all = self.listeners.len();
        while self.greeted < all {
            self.serve(PATIENCE)?;
            if begin.elapsed() > ENTRY_DEADLINE || self.report.complaints.count > 0 {
                let why = self.report.complaints.json();
                return Err(format!("only {} of {all} listen: {why}", self.greeted));
            }
        }
        let greeted_at = Instant::now();
        while greeted_at.elapsed() < SETTLE {
            self.serve(PATIENCE)?;
        }
        Ok(())
    }

    fn make_calls(&mut self, total: usize) -> Result<(), String> {
        let pause = Duration::from_secs(1) / self.arguments.rate as u32;
        let begin = Instant::now();
        self.set_alarm(begin, pause, total)?;
        while self.due.len() < total {
            let number = self.due.len();
            let at = begin + pause * number as u32;
            if Instant::now() < at {
                self.serve(PATIENCE)?;
                continue;
            }
            self.due.push(at);
            let bot = number % self.callers.len();
            let call = Call::of(number, self.callers.len());
            let is_free = self.callers[bot].current.is_none();
            self.callers[bot]
                .waiting
                .push_back(Due { number, call, at });
            self.go_on(bot);
            if is_free {
                self.report.own.add(at.elapsed());
            }
        }
        self.report.measured = begin.elapsed();
        self.report.calls = total;
        Ok(())
    }

    /// Wakes the loop when calls are due: by itself it wakes at whole milliseconds only, which would be in every number.
    fn set_alarm(&self, begin: Instant, pause: Duration, total: usize) -> Result<(), String> {
        let waker = Waker::new(self.poll.registry(), ALARM).map_err(|error| error.to_string())?;
        let waker = Arc::new(waker);
        std::thread::spawn(move || {
            for number in 0..total as u32 {
                let at = begin + pause * number;
                let left = at.saturating_duration_since(Instant::now());
                if !left.is_zero() {
                    std::thread::sleep(left);
                    // Without it calls are made a little later.
                    waker.wake().ok();
                }
            }
        });
        Ok(())
    }

    fn go_on(&mut self, bot: usize) {
        let gone_on = self.callers[bot].go_on(self.poll.registry(), &mut self.lines);
        if let Err(problem) = gone_on {
            self.give_up_caller(bot, &problem);
        }
    }

    fn serve(&mut self, patience: Duration) -> Result<(), String> {
        let mut events = Events::with_capacity(EVENTS_AT_ONCE);
        match self.poll.poll(&mut events, Some(patience)) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            other => other.map_err(|error| error.to_string())?,
        }
        let bots = self.callers.len();
        // Answers first: the time it takes to look at what others heard is not the server's.
        for event in events.iter().filter(|event| event.token().0 < bots) {
            let bot = event.token().0;
            if self.callers[bot].seat.doing == Doing::Gone {
                continue;
            }
            if let Err(problem) = self.attend_caller(bot, event.is_writable()) {
                self.give_up_caller(bot, &problem);
            }
        }
        for event in events.iter().filter(|event| event.token().0 >= bots) {
            let number = event.token().0 - bots;
            if event.token() == ALARM || self.listeners[number].seat.doing == Doing::Gone {
                continue;
            }
            if let Err(problem) = self.attend_listener(number, event.is_writable()) {
                self.report.complaints.add(&problem);
                self.listeners[number].seat.doing = Doing::Gone;
            }
        }
        Ok(())
    }

    fn attend_caller(&mut self, bot: usize, is_writable: bool) -> Result<(), String> {
        let caller = &mut self.callers[bot];
        if is_writable {
            caller.seat.flush().map_err(|error| error.to_string())?;
        }
        let mut answered = None;
        let read = caller.seat.read(&mut self.scratch, |_, came| {
            if let Came::Answer(status) = came {
                answered = Some(status);
            }
        });
        // An answer counts, also when the connection ends behind it.
        if let (Some(status), Some(due)) = (answered, caller.current) {
            caller.current = None;
            self.report.lag(due.call, due.at.elapsed());
            *self.report.statuses.entry(status).or_default() += 1;
            if status != 200 {
                let text = format!("{}: answered with {status}", due.call.name());
                self.report.complaints.add(&text);
            } else if matches!(due.call, Call::Send | Call::System) {
                self.accepted.push((due.number, due.call));
            }
        }
        read?;
        self.go_on(bot);
        Ok(())
    }

    /// The call that was under way is lost; the next one is made on a new connection.
    fn give_up_caller(&mut self, bot: usize, problem: &str) {
        self.report.complaints.add(problem);
        let caller = &mut self.callers[bot];
        caller.seat.doing = Doing::Gone;
        if let Some(due) = caller.current.take() {
            self.report.lag(due.call, due.at.elapsed());
        }
        if !self.callers[bot].waiting.is_empty() {
            self.go_on(bot);
        }
    }

    fn attend_listener(&mut self, number: usize, is_writable: bool) -> Result<(), String> {
        let Self {
            listeners,
            scratch,
            report,
            due,
            lines,
            ..
        } = self;
        let listener = &mut listeners[number];
        let heard: &mut Heard = match listener.channel {
            Channel::Chat => &mut report.chat,
            Channel::Events => &mut report.events,
        };
        if is_writable {
            let flushed = listener.seat.flush();
            flushed.map_err(|error| error.to_string())?;
        }
        let (mut is_greeted, mut closed, mut numbers) = (false, None, Vec::new());
        let read = listener.seat.read(scratch, |_, came| match came {
            Came::Greeting => is_greeted = true,
            Came::Closed(code) => closed = Some(code),
            Came::Text(payload) => {
                let said = wire::number_in(payload);
                let Some((said, at)) = said.and_then(|said| Some((said, due.get(said)?))) else {
                    return;
                };
                numbers.push(said);
                heard.heard += 1;
                heard.lags.add(at.elapsed());
                if let Some(id) = id_in(payload) {
                    lines.heard = Some(id.to_owned());
                }
            }
            Came::History | Came::Answer(_) => {}
        });
        for said in numbers {
            listener.hear(said);
        }
        self.greeted += usize::from(is_greeted);
        read?;
        closed.map_or(Ok(()), |code| Err(format!("closed with {code}")))
    }

    fn drain(&mut self) -> Result<(), String> {
        let last = Instant::now();
        while last.elapsed() < DRAIN {
            let is_answered = self.callers.iter().all(|caller| caller.current.is_none());
            if is_answered && self.losses().iter().all(|(_, lost, _)| *lost == 0) {
                return Ok(());
            }
            self.serve(PATIENCE)?;
        }
        Ok(())
    }

    /// For each listener its channel, the lines it lost and those it heard more than once.
    fn losses(&self) -> Vec<(Channel, u64, u64)> {
        let lines = [Channel::Chat, Channel::Events].map(|channel| self.lines_for(channel));
        let of = |listener: &Listener| {
            let (lost, doubled) = listener.lost_and_doubled(&lines[listener.channel as usize]);
            (listener.channel, lost, doubled)
        };
        self.listeners.iter().map(of).collect()
    }

    fn lines_for(&self, channel: Channel) -> Vec<usize> {
        let is_for = |call: Call| channel == Channel::Chat || call == Call::Send;
        let lines = self.accepted.iter().filter(|(_, call)| is_for(*call));
        lines.map(|(number, _)| *number).collect()
    }

    fn sum_up(&mut self) {
        for (channel, lost, doubled) in self.losses() {
            let lines = self.lines_for(channel).len();
            let heard = match channel {
                Channel::Chat => &mut self.report.chat,
                Channel::Events => &mut self.report.events,
            };
            heard.sockets += 1;
            heard.lines = lines;
            heard.lost += lost;
            heard.doubled += doubled;
        }
        let unanswered = self
            .callers
            .iter()
            .flat_map(|caller| caller.current.iter().chain(&caller.waiting));
        for due in unanswered {
            self.report.complaints.add("no answer");
            self.report.lag(due.call, due.at.elapsed());
        }
    }
}
