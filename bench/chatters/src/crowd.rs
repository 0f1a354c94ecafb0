//! Everybody, and the loop that serves them.

use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use crate::arguments::{Arguments, Task};
use crate::report::Report;
use crate::seat::{Came, Doing, Seat};
use crate::wire;

/// Read at once; many lines.
const SCRATCH_BYTES: usize = 64 * 1024;
const EVENTS_AT_ONCE: usize = 512;
/// People who may be on their way in at a time.
const RAMP: usize = 200;
/// Who is not in by then will not come.
const RAMP_DEADLINE: Duration = Duration::from_secs(120);
/// After everybody is in, so that the rush is over when measuring begins.
const SETTLE: Duration = Duration::from_secs(3);
/// For what is still on its way when the last line was said.
const DRAIN: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_millis(20);

struct Crowd<'a> {
    arguments: &'a Arguments,
    poll: Poll,
    seats: Vec<Seat>,
    /// Seats that the server has greeted, or that are lost.
    settled: usize,
    /// When each line was said.
    said: Vec<Instant>,
    measured_from: Option<Instant>,
    scratch: Vec<u8>,
    report: Report,
}

/// Runs the crowd and measures.
pub fn gather(arguments: &Arguments) -> Result<Report, String> {
    let mut crowd = Crowd {
        arguments,
        poll: Poll::new().map_err(|error| error.to_string())?,
        seats: Vec::with_capacity(arguments.sockets),
        settled: 0,
        said: Vec::new(),
        measured_from: None,
        scratch: vec![0; SCRATCH_BYTES],
        report: Report {
            sockets: arguments.sockets,
            ..Report::default()
        },
    };
    if arguments.task == Task::Join {
        crowd.announce();
        crowd.come_in(|since, arguments| {
            let share = since.as_secs_f64() / arguments.measured.as_secs_f64();
            (share * arguments.sockets as f64) as usize + 1
        })?;
        return Ok(crowd.report);
    }
    crowd.come_in(|_, arguments| arguments.sockets)?;
    crowd.let_pass(SETTLE)?;
    crowd.report.lags.clear();
    crowd.announce();
    match arguments.task {
        Task::Talk => crowd.talk()?,
        _ => crowd.let_pass(arguments.measured)?,
    }
    crowd.sum_up();
    Ok(crowd.report)
}

impl Crowd<'_> {
    /// Whoever watches the server's memory and processor time begins to count now.
    fn announce(&mut self) {
        self.measured_from = Some(Instant::now());
        println!("{{\"measuring\": true}}");
    }

    /// Opens seats, as many as are `due` after the time since the beginning, until everybody is in.
    fn come_in(&mut self, due: impl Fn(Duration, &Arguments) -> usize) -> Result<(), String> {
        let begin = Instant::now();
        let all = self.arguments.sockets;
        let is_paced = self.arguments.task == Task::Join;
        while self.settled < all {
            let due = due(begin.elapsed(), self.arguments).min(all);
            while self.seats.len() < due && (is_paced || self.seats.len() - self.settled < RAMP) {
                self.sit_down()?;
            }
            self.serve(Duration::from_millis(1))?;
            if begin.elapsed() > RAMP_DEADLINE {
                let complaints = &self.report.complaints;
                let settled = self.settled;
                return Err(format!("only {settled} of {all} came in: {complaints:?}"));
            }
        }
        self.report.measured = begin.elapsed();
        Ok(())
    }

    fn let_pass(&mut self, time: Duration) -> Result<(), String> {
        let begin = Instant::now();
        while begin.elapsed() < time {
            self.serve(PATIENCE)?;
        }
        self.report.measured = begin.elapsed();
        Ok(())
    }

    fn talk(&mut self) -> Result<(), String> {
        let begin = Instant::now();
        let total = self.arguments.rate * self.arguments.measured.as_secs() as usize;
        let pause = Duration::from_secs(1) / self.arguments.rate as u32;
        while self.said.len() < total {
            let due = begin + pause * self.said.len() as u32;
            let now = Instant::now();
            if now < due {
                self.serve((due - now).min(PATIENCE))?;
                continue;
            }
            self.say();
            self.serve(Duration::ZERO)?;
        }
        self.report.measured = begin.elapsed();
        let last = Instant::now();
        let measured = self.arguments.sockets - self.arguments.aside;
        let has_all = |seat: &Seat| seat.heard >= total || seat.doing == Doing::Gone;
        while last.elapsed() < DRAIN && !self.seats[..measured].iter().all(has_all) {
            self.serve(PATIENCE)?;
        }
        Ok(())
    }

    fn say(&mut self) {
        let number = self.said.len();
        let talker = number % self.arguments.talkers;
        self.said.push(Instant::now());
        if let Err(error) = self.seats[talker].send(&wire::line(number)) {
            self.report.complaints.add(&error.to_string());
        }
    }

    fn serve(&mut self, patience: Duration) -> Result<(), String> {
        let mut events = Events::with_capacity(EVENTS_AT_ONCE);
        match self.poll.poll(&mut events, Some(patience)) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            other => other.map_err(|error| error.to_string())?,
        }
        for event in &events {
            let number = event.token().0;
            if self.seats[number].doing == Doing::Gone {
                continue;
            }
            if let Err(problem) = self.attend(number, event.is_writable()) {
                self.give_up(number, &problem);
            }
        }
        Ok(())
    }

    fn is_aside(&self, number: usize) -> bool {
        number >= self.arguments.sockets - self.arguments.aside
    }

    fn token(&self, number: usize) -> Option<&str> {
        self.arguments.tokens.get(number).map(String::as_str)
    }

    fn sit_down(&mut self) -> Result<(), String> {
        let number = self.seats.len();
        let mut seat = self.connect(number, Instant::now())?;
        let asked = match self.arguments.task {
            Task::Join => seat.ask_for_history(self.token(number)),
            _ => seat.ask_for_socket(self.token(number)),
        };
        asked.map_err(|error| error.to_string())?;
        self.seats.push(seat);
        Ok(())
    }

    fn connect(&self, number: usize, began: Instant) -> Result<Seat, String> {
        let is_stuck = self.arguments.is_aside_stuck && self.is_aside(number);
        let interest = Interest::READABLE | Interest::WRITABLE;
        let open = || {
            let mut seat = Seat::open(self.arguments.server, is_stuck, began)?;
            let registry = self.poll.registry();
            registry.register(seat.stream(), Token(number), interest)?;
            Ok(seat)
        };
        open().map_err(|error: std::io::Error| format!("cannot connect: {error}"))
    }

    /// A person whose connection is over does not come back: what they miss is counted.
    fn give_up(&mut self, number: usize, problem: &str) {
        let before = std::mem::replace(&mut self.seats[number].doing, Doing::Gone);
        if before != Doing::Listening {
            self.settled += 1;
        }
        if !(self.arguments.is_aside_stuck && self.is_aside(number)) {
            self.report.complaints.add(problem);
        }
    }

    fn attend(&mut self, number: usize, is_writable: bool) -> Result<(), String> {
        let is_counted = self.measured_from.is_some() && !self.is_aside(number);
        let Self {
            seats,
            scratch,
            report,
            said,
            ..
        } = self;
        let seat = &mut seats[number];
        if is_writable {
            seat.flush().map_err(|error| error.to_string())?;
        }
        let (mut has_history, mut is_greeted, mut closed) = (false, false, None);
        seat.read(scratch, |seat, came| match came {
            Came::History => has_history = true,
            Came::Greeting => is_greeted = true,
            Came::Closed(code) => closed = Some(code),
            Came::Answer(_) => {}
            Came::Text(payload) => {
                let Some(line) = wire::number_in(payload).and_then(|line| said.get(line)) else {
                    return;
                };
                seat.remember(payload);
                if is_counted {
                    report.heard += 1;
                    report.lags.add(line.elapsed());
                }
            }
        })?;
        if let Some(code) = closed {
            return Err(format!("closed with {code}"));
        }
        if is_greeted {
            report.lags.add(seat.began.elapsed());
            self.greeted(number)?;
        }
        if has_history {
            let mut next = self.connect(number, self.seats[number].began)?;
            next.ask_for_socket(self.token(number))
                .map_err(|error| error.to_string())?;
            self.seats[number] = next;
        }
        Ok(())
    }

    fn greeted(&mut self, number: usize) -> Result<(), String> {
        self.settled += 1;
        if self.arguments.is_aside_stuck && self.is_aside(number) {
            let stream = self.seats[number].stream();
            let forgotten = self.poll.registry().deregister(stream);
            forgotten.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn sum_up(&mut self) {
        let sent = self.said.len();
        self.report.sent = sent;
        let measured = self.arguments.sockets - self.arguments.aside;
        for seat in &self.seats[..measured] {
            self.report.lost += sent.saturating_sub(seat.heard) as u64;
            self.report.doubled += seat.heard.saturating_sub(sent) as u64;
            if sent > 0 && seat.heard == sent {
                self.report.orders.insert(seat.hash);
            }
        }
    }
}
