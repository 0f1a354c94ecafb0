//! All clients, and the loop that serves them.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use crate::arguments::{Arguments, Task};
use crate::client::{ChatClient, ClientState, Incoming};
use crate::report::Report;
use crate::wire;

/// Read at once; many lines.
const SCRATCH_BYTES: usize = 64 * 1024;
const EVENTS_AT_ONCE: usize = 512;
/// Clients that may be connecting at a time.
const RAMP: usize = 200;
/// Clients that have not connected by then will not.
const RAMP_DEADLINE: Duration = Duration::from_secs(120);
/// After all have connected, so that the rush is over when measuring begins.
const SETTLE: Duration = Duration::from_secs(3);
/// For lines that are still under way when the last one was sent.
const DRAIN: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_millis(20);

struct Crowd<'a> {
    arguments: &'a Arguments,
    poll: Poll,
    clients: Vec<ChatClient>,
    /// Clients that the server has greeted, or that are lost.
    settled: usize,
    /// When each line was sent.
    sent_at: Vec<Instant>,
    measured_from: Option<Instant>,
    scratch: Vec<u8>,
    report: Report,
}

/// Runs the crowd and measures.
pub fn gather(arguments: &Arguments) -> Result<Report, String> {
    let mut crowd = Crowd {
        arguments,
        poll: Poll::new().map_err(|error| error.to_string())?,
        clients: Vec::with_capacity(arguments.sockets),
        settled: 0,
        sent_at: Vec::new(),
        measured_from: None,
        scratch: vec![0; SCRATCH_BYTES],
        report: Report {
            sockets: arguments.sockets,
            ..Report::default()
        },
    };
    if arguments.task == Task::Join {
        crowd.announce();
        crowd.connect_all(|since, arguments| {
            let share = since.as_secs_f64() / arguments.measured.as_secs_f64();
            (share * arguments.sockets as f64) as usize + 1
        })?;
        return Ok(crowd.report);
    }
    crowd.connect_all(|_, arguments| arguments.sockets)?;
    crowd.run_for(SETTLE)?;
    crowd.report.lags.clear();
    crowd.announce();
    match arguments.task {
        Task::Talk => crowd.talk()?,
        _ => crowd.run_for(arguments.measured)?,
    }
    crowd.count_losses();
    Ok(crowd.report)
}

impl Crowd<'_> {
    /// Tells the benchmark to begin with the server's memory and processor time.
    fn announce(&mut self) {
        self.measured_from = Some(Instant::now());
        println!("{{\"measuring\": true}}");
    }

    /// Connects clients, as many as are `due` after the time since the beginning, until all have.
    fn connect_all(&mut self, due: impl Fn(Duration, &Arguments) -> usize) -> Result<(), String> {
        let begin = Instant::now();
        let all = self.arguments.sockets;
        let is_paced = self.arguments.task == Task::Join;
        while self.settled < all {
            let due = due(begin.elapsed(), self.arguments).min(all);
            while self.clients.len() < due && (is_paced || self.clients.len() - self.settled < RAMP)
            {
                self.open_next()?;
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

    fn run_for(&mut self, time: Duration) -> Result<(), String> {
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
        while self.sent_at.len() < total {
            let due = begin + pause * self.sent_at.len() as u32;
            let now = Instant::now();
            if now < due {
                self.serve((due - now).min(PATIENCE))?;
                continue;
            }
            self.send_line();
            self.serve(Duration::ZERO)?;
        }
        self.report.measured = begin.elapsed();
        let last = Instant::now();
        let measured = self.arguments.sockets - self.arguments.aside;
        let has_all =
            |client: &ChatClient| client.heard >= total || client.state == ClientState::Gone;
        while last.elapsed() < DRAIN && !self.clients[..measured].iter().all(has_all) {
            self.serve(PATIENCE)?;
        }
        Ok(())
    }

    fn send_line(&mut self) {
        let number = self.sent_at.len();
        let talker = number % self.arguments.talkers;
        self.sent_at.push(Instant::now());
        if let Err(error) = self.clients[talker].send(&wire::line(number)) {
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
            if self.clients[number].state == ClientState::Gone {
                continue;
            }
            if let Err(problem) = self.handle_event(number, event.is_writable()) {
                self.disconnect(number, &problem);
            }
        }
        Ok(())
    }

    fn is_aside(&self, number: usize) -> bool {
        number >= self.arguments.sockets - self.arguments.aside
    }

    /// Clients are dealt among the machines in turn.
    fn server_of(&self, number: usize) -> SocketAddr {
        let servers = &self.arguments.servers;
        servers[number % servers.len()]
    }

    fn token(&self, number: usize) -> Option<&str> {
        self.arguments.tokens.get(number).map(String::as_str)
    }

    fn open_next(&mut self) -> Result<(), String> {
        let number = self.clients.len();
        let mut client = self.connect(number, Instant::now())?;
        let asked = match self.arguments.task {
            Task::Join => client.ask_for_history(self.token(number)),
            _ => client.ask_for_socket(self.token(number)),
        };
        asked.map_err(|error| error.to_string())?;
        self.clients.push(client);
        Ok(())
    }

    fn connect(&self, number: usize, began: Instant) -> Result<ChatClient, String> {
        let is_stuck = self.arguments.is_aside_stuck && self.is_aside(number);
        let interest = Interest::READABLE | Interest::WRITABLE;
        let open = || {
            let mut client = ChatClient::open(self.server_of(number), is_stuck, began)?;
            let registry = self.poll.registry();
            registry.register(client.stream(), Token(number), interest)?;
            Ok(client)
        };
        open().map_err(|error: std::io::Error| format!("cannot connect: {error}"))
    }

    /// A client whose connection has ended does not reconnect: the lines it misses are counted.
    fn disconnect(&mut self, number: usize, problem: &str) {
        let before = std::mem::replace(&mut self.clients[number].state, ClientState::Gone);
        if before != ClientState::Listening {
            self.settled += 1;
        }
        if !(self.arguments.is_aside_stuck && self.is_aside(number)) {
            self.report.complaints.add(problem);
        }
    }

    fn handle_event(&mut self, number: usize, is_writable: bool) -> Result<(), String> {
        let is_counted = self.measured_from.is_some() && !self.is_aside(number);
        let (servers, talkers) = (self.arguments.servers.len(), self.arguments.talkers);
        let Self {
            clients,
            scratch,
            report,
            sent_at,
            ..
        } = self;
        let client = &mut clients[number];
        if is_writable {
            client.flush().map_err(|error| error.to_string())?;
        }
        let (mut has_history, mut is_greeted, mut closed) = (false, false, None);
        client.read(scratch, |client, incoming| match incoming {
            Incoming::History => has_history = true,
            Incoming::Greeting => is_greeted = true,
            Incoming::Closed(code) => closed = Some(code),
            Incoming::Answer(_) => {}
            Incoming::Text(payload) => {
                let Some(line) = wire::number_in(payload) else {
                    return;
                };
                let Some(sent) = sent_at.get(line) else {
                    return;
                };
                client.add_to_hash(payload);
                if is_counted {
                    let lag = sent.elapsed();
                    report.heard += 1;
                    report.lags.add(lag);
                    if line % talkers % servers != number % servers {
                        report.far_lags.add(lag);
                    }
                }
            }
        })?;
        if let Some(code) = closed {
            return Err(format!("closed with {code}"));
        }
        if is_greeted {
            report.lags.add(client.began.elapsed());
            self.on_greeting(number)?;
        }
        if has_history {
            let mut next = self.connect(number, self.clients[number].began)?;
            next.ask_for_socket(self.token(number))
                .map_err(|error| error.to_string())?;
            self.clients[number] = next;
        }
        Ok(())
    }

    fn on_greeting(&mut self, number: usize) -> Result<(), String> {
        self.settled += 1;
        if self.arguments.is_aside_stuck && self.is_aside(number) {
            let stream = self.clients[number].stream();
            let forgotten = self.poll.registry().deregister(stream);
            forgotten.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn count_losses(&mut self) {
        let sent = self.sent_at.len();
        self.report.sent = sent;
        let measured = self.arguments.sockets - self.arguments.aside;
        for client in &self.clients[..measured] {
            self.report.lost += sent.saturating_sub(client.heard) as u64;
            self.report.doubled += client.heard.saturating_sub(sent) as u64;
            if sent > 0 && client.heard == sent {
                self.report.orders.insert(client.hash);
            }
        }
    }
}
