//! Bots that call the integrations API at a constant rate, whatever the server does, and clients that listen meanwhile.
//!
//! A call that is due while the one before is not answered waits, and its latency counts from the moment it was due (no
//! coordinated omission): a stalled server shows in all calls that should have been made.

mod caller;
mod calls;
mod listener;
mod report;

use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token, Waker};

pub use report::Report;

use crate::arguments::Arguments;
use crate::client::{ChatClient, ClientState, Incoming};
use crate::wire;
use caller::{Caller, DueCall};
use calls::{Call, Lines};
use listener::{Channel, Listener, id_in};
use report::ChannelReport;

const SCRATCH_BYTES: usize = 64 * 1024;
const EVENTS_AT_ONCE: usize = 512;
/// Listeners that have not connected by then will not.
const ENTRY_DEADLINE: Duration = Duration::from_secs(30);
/// So that the rush is over when measuring begins.
const SETTLE: Duration = Duration::from_secs(2);
/// For answers and lines that are on their way when the last call was made.
const DRAIN: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_millis(20);
const ALARM: Token = Token(usize::MAX);

struct BotRun<'a> {
    arguments: &'a Arguments,
    poll: Poll,
    callers: Vec<Caller>,
    /// Their tokens follow those of the callers.
    listeners: Vec<Listener>,
    greeted: usize,
    /// When each call was due; only those that were made.
    due: Vec<Instant>,
    /// Calls that sent a line and were answered with 200.
    accepted: Vec<(usize, Call)>,
    lines: Lines,
    scratch: Vec<u8>,
    report: Report,
}

/// Lets the bots call and measures.
pub fn call(arguments: &Arguments) -> Result<Report, String> {
    let mut run = BotRun {
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
    run.gather(total)
        .map_err(|error| format!("cannot connect: {error}"))?;
    run.wait_for_listeners()?;
    println!("{{\"measuring\": true}}");
    run.make_calls(total)?;
    run.drain()?;
    run.count_losses();
    Ok(run.report)
}

impl BotRun<'_> {
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
            let mut client = ChatClient::open(server, false, Instant::now())?;
            let token = Token(bots + number);
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll
                .registry()
                .register(client.stream(), token, interest)?;
            let channel = if number < sockets {
                client.ask_for_socket(tokens.get(number).map(String::as_str))?;
                Channel::Chat
            } else {
                client.ask_for_events(&secrets[bots + number - sockets])?;
                Channel::Events
            };
            self.listeners.push(Listener::new(client, channel, calls));
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
                .push_back(DueCall { number, call, at });
            self.make_next_call(bot);
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

    fn make_next_call(&mut self, bot: usize) {
        let made = self.callers[bot].make_next_call(self.poll.registry(), &mut self.lines);
        if let Err(problem) = made {
            self.disconnect_caller(bot, &problem);
        }
    }

    fn serve(&mut self, patience: Duration) -> Result<(), String> {
        let mut events = Events::with_capacity(EVENTS_AT_ONCE);
        match self.poll.poll(&mut events, Some(patience)) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            other => other.map_err(|error| error.to_string())?,
        }
        let bots = self.callers.len();
        // Answers first: the time it takes to parse what listeners received is not the server's.
        for event in events.iter().filter(|event| event.token().0 < bots) {
            let bot = event.token().0;
            if self.callers[bot].client.state == ClientState::Gone {
                continue;
            }
            if let Err(problem) = self.handle_caller(bot, event.is_writable()) {
                self.disconnect_caller(bot, &problem);
            }
        }
        for event in events.iter().filter(|event| event.token().0 >= bots) {
            let number = event.token().0 - bots;
            if event.token() == ALARM || self.listeners[number].client.state == ClientState::Gone {
                continue;
            }
            if let Err(problem) = self.handle_listener(number, event.is_writable()) {
                self.report.complaints.add(&problem);
                self.listeners[number].client.state = ClientState::Gone;
            }
        }
        Ok(())
    }

    fn handle_caller(&mut self, bot: usize, is_writable: bool) -> Result<(), String> {
        let caller = &mut self.callers[bot];
        if is_writable {
            caller.client.flush().map_err(|error| error.to_string())?;
        }
        let mut answered = None;
        let read = caller.client.read(&mut self.scratch, |_, incoming| {
            if let Incoming::Answer(status) = incoming {
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
        self.make_next_call(bot);
        Ok(())
    }

    /// The call that was under way is lost; the next one is made on a new connection.
    fn disconnect_caller(&mut self, bot: usize, problem: &str) {
        self.report.complaints.add(problem);
        let caller = &mut self.callers[bot];
        caller.client.state = ClientState::Gone;
        if let Some(due) = caller.current.take() {
            self.report.lag(due.call, due.at.elapsed());
        }
        if !self.callers[bot].waiting.is_empty() {
            self.make_next_call(bot);
        }
    }

    fn handle_listener(&mut self, number: usize, is_writable: bool) -> Result<(), String> {
        let Self {
            listeners,
            scratch,
            report,
            due,
            lines,
            ..
        } = self;
        let listener = &mut listeners[number];
        let heard: &mut ChannelReport = match listener.channel {
            Channel::Chat => &mut report.chat,
            Channel::Events => &mut report.events,
        };
        if is_writable {
            let flushed = listener.client.flush();
            flushed.map_err(|error| error.to_string())?;
        }
        let (mut is_greeted, mut closed, mut numbers) = (false, None, Vec::new());
        let read = listener.client.read(scratch, |_, incoming| match incoming {
            Incoming::Greeting => is_greeted = true,
            Incoming::Closed(code) => closed = Some(code),
            Incoming::Text(payload) => {
                let line = wire::number_in(payload);
                let Some((line, at)) = line.and_then(|line| Some((line, due.get(line)?))) else {
                    return;
                };
                numbers.push(line);
                heard.heard += 1;
                heard.lags.add(at.elapsed());
                if let Some(id) = id_in(payload) {
                    lines.heard = Some(id.to_owned());
                }
            }
            Incoming::History | Incoming::Answer(_) => {}
        });
        for line in numbers {
            listener.record(line);
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

    /// For each listener its channel, the lines it lost and those it received more than once.
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

    fn count_losses(&mut self) {
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
