//! All viewers and the loop that serves them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use crate::arguments::Arguments;
use crate::connection::{Connection, Progress};
use crate::playlist::{self, Part, PartPosition, Playlist};
use crate::report::Report;

/// Read at once; several parts of a middling stream.
const SCRATCH_BYTES: usize = 256 * 1024;
const EVENTS_AT_ONCE: usize = 1024;
/// Viewers that have not joined by then will not.
const RAMP_DEADLINE: Duration = Duration::from_secs(60);
/// After all have joined, so that the rush is over when measuring begins.
const SETTLE: Duration = Duration::from_secs(2);
/// Playlists seen lately, per track; all viewers get the same few texts.
const REMEMBERED_TEXTS: usize = 4;
/// Failed connections of the whole crowd before it gives up.
const MAX_ERRORS: u64 = 20_000;

/// One playlist that all viewers follow.
struct Track {
    path: String,
    texts: Vec<(Vec<u8>, std::rc::Rc<Playlist>)>,
    first_seen: HashMap<PartPosition, Instant>,
}

/// One viewer on one track.
struct PlaylistClient {
    track: usize,
    connection: Connection,
    state: ClientState,
    /// The newest part that was fetched; `None` before the first playlist.
    newest: Option<PartPosition>,
    pending: Vec<Part>,
    playlist_next: PartPosition,
}

enum ClientState {
    Reloading,
    Fetching(PartPosition),
}

struct Crowd<'a> {
    arguments: &'a Arguments,
    poll: Poll,
    tracks: Vec<Track>,
    clients: Vec<PlaylistClient>,
    /// Clients that have their first playlist.
    joined: usize,
    measured_from: Option<Instant>,
    scratch: Vec<u8>,
    report: Report,
}

/// Runs the viewers and measures.
pub fn follow(arguments: &Arguments) -> Result<Report, String> {
    let tracks = arguments.playlists.iter().map(|path| Track {
        path: path.clone(),
        texts: Vec::new(),
        first_seen: HashMap::new(),
    });
    let mut crowd = Crowd {
        arguments,
        poll: Poll::new().map_err(|error| error.to_string())?,
        tracks: tracks.collect(),
        clients: Vec::new(),
        joined: 0,
        measured_from: None,
        scratch: vec![0; SCRATCH_BYTES],
        report: Report::default(),
    };
    crowd.run()?;
    Ok(crowd.report)
}

impl Crowd<'_> {
    fn run(&mut self) -> Result<(), String> {
        let all = self.arguments.viewers * self.tracks.len();
        let mut events = Events::with_capacity(EVENTS_AT_ONCE);
        let started = Instant::now();
        let mut all_in_at = None;
        loop {
            while self.clients.len() < all
                && self.clients.len() - self.joined < self.arguments.ramp * self.tracks.len()
            {
                self.open_next()?;
            }
            let patience = Some(Duration::from_millis(20));
            match self.poll.poll(&mut events, patience) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other.map_err(|error| error.to_string())?,
            }
            for event in &events {
                let index = event.token().0;
                if let Err(problem) = self.serve(index, event.is_writable()) {
                    self.reconnect(index, problem)?;
                }
            }
            let now = Instant::now();
            if self.joined >= all && all_in_at.is_none() {
                all_in_at = Some(now);
            }
            match (all_in_at, self.measured_from) {
                (None, _) if now - started > RAMP_DEADLINE => return Err(self.not_all_came(all)),
                (Some(at), None) if now - at > SETTLE => self.begin(now),
                (_, Some(from)) if now - from >= self.arguments.measured => {
                    self.report.measured = now - from;
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    fn not_all_came(&self, all: usize) -> String {
        let complaints = &self.report.complaints;
        format!(
            "only {} of {all} playlists are followed: {complaints:?}",
            self.joined
        )
    }

    fn begin(&mut self, now: Instant) {
        self.report = Report {
            viewers: self.arguments.viewers,
            ..Report::default()
        };
        self.measured_from = Some(now);
        // Tells the benchmark to begin with the server's processor time.
        println!("{{\"measuring\": true}}");
    }

    fn open_next(&mut self) -> Result<(), String> {
        let track = self.clients.len() % self.tracks.len();
        let connection = self.connect(self.clients.len(), track)?;
        self.clients.push(PlaylistClient {
            track,
            connection,
            state: ClientState::Reloading,
            newest: None,
            pending: Vec::new(),
            playlist_next: (0, 0),
        });
        Ok(())
    }

    fn connect(&self, index: usize, track: usize) -> Result<Connection, String> {
        let open = || -> std::io::Result<Connection> {
            let mut connection = Connection::open(self.arguments.server)?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll
                .registry()
                .register(connection.stream(), Token(index), interest)?;
            connection.ask(&self.tracks[track].path, true)?;
            Ok(connection)
        };
        open().map_err(|error| format!("cannot connect: {error}"))
    }

    /// A viewer whose connection failed reconnects and continues from the newest part.
    fn reconnect(&mut self, index: usize, problem: String) -> Result<(), String> {
        self.report.complain(problem.clone());
        if self.report.errors > MAX_ERRORS {
            return Err(format!("too many errors, the last one: {problem}"));
        }
        let connection = self.connect(index, self.clients[index].track)?;
        let client = &mut self.clients[index];
        client.connection = connection;
        client.state = ClientState::Reloading;
        client.pending.clear();
        Ok(())
    }

    fn serve(&mut self, index: usize, is_writable: bool) -> Result<(), String> {
        if is_writable {
            self.clients[index]
                .connection
                .flush()
                .map_err(|error| error.to_string())?;
        }
        loop {
            match self.clients[index].connection.read(&mut self.scratch)? {
                Progress::Waiting => return Ok(()),
                Progress::Answer { status: 200, bytes } => self.take_answer(index, bytes)?,
                Progress::Answer { status, .. } => {
                    let what = match self.clients[index].state {
                        ClientState::Reloading => "playlist",
                        ClientState::Fetching(_) => "part",
                    };
                    return Err(format!("{what} answered with {status}"));
                }
            }
        }
    }

    fn take_answer(&mut self, index: usize, bytes: usize) -> Result<(), String> {
        self.report.requests += 1;
        self.report.bytes += bytes as u64;
        match self.clients[index].state {
            ClientState::Reloading => self.take_playlist(index)?,
            ClientState::Fetching(position) => self.take_part(index, position),
        }
        self.ask_next(index)
    }

    fn take_playlist(&mut self, index: usize) -> Result<(), String> {
        let client = &mut self.clients[index];
        let track = &mut self.tracks[client.track];
        let playlist = track.read(&client.connection.body)?;
        if playlist.has_ended {
            return Err("the stream has ended".into());
        }
        for part in &playlist.parts {
            track.first_seen.entry(part.position).or_insert_with(|| {
                self.report.parts_listed += 1;
                Instant::now()
            });
        }
        client.playlist_next = playlist.next;
        match client.newest {
            None => {
                self.joined += 1;
                // It joins at the live edge: parts that are listed already are not fetched.
                client.newest = playlist
                    .parts
                    .last()
                    .map(|part| part.position)
                    .or(Some((0, 0)));
            }
            Some(has) => {
                let missing = playlist.parts.iter().filter(|part| part.position > has);
                client.pending = missing.rev().cloned().collect();
            }
        }
        Ok(())
    }

    fn take_part(&mut self, index: usize, part: PartPosition) {
        let client = &mut self.clients[index];
        client.newest = Some(part);
        let first_seen = self.tracks[client.track].first_seen.get(&part).copied();
        let is_counted = self
            .measured_from
            .is_some_and(|from| first_seen.is_some_and(|at| at >= from));
        if let (true, Some(first_seen)) = (is_counted, first_seen) {
            self.report.parts_fetched += 1;
            let lag = first_seen.elapsed().as_micros();
            self.report
                .lags
                .push(u32::try_from(lag).unwrap_or(u32::MAX));
        }
    }

    fn ask_next(&mut self, index: usize) -> Result<(), String> {
        let client = &mut self.clients[index];
        let asked = if let Some(part) = client.pending.pop() {
            client.state = ClientState::Fetching(part.position);
            client.connection.ask(&part.path, false)
        } else {
            client.state = ClientState::Reloading;
            let (msn, part) = client.playlist_next;
            let path = &self.tracks[client.track].path;
            client
                .connection
                .ask(&format!("{path}?_HLS_msn={msn}&_HLS_part={part}"), true)
        };
        asked.map_err(|error| error.to_string())
    }
}

impl Track {
    /// Parses a text once for all viewers.
    fn read(&mut self, body: &[u8]) -> Result<std::rc::Rc<Playlist>, String> {
        if let Some((_, playlist)) = self.texts.iter().find(|(text, _)| text == body) {
            return Ok(playlist.clone());
        }
        let text = std::str::from_utf8(body).map_err(|_| "a playlist that is no text")?;
        let playlist = std::rc::Rc::new(playlist::parse(text, &self.path)?);
        if self.texts.len() == REMEMBERED_TEXTS {
            self.texts.remove(0);
        }
        self.texts.push((body.to_vec(), playlist.clone()));
        Ok(playlist)
    }
}
