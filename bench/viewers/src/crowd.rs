//! All viewers and the loop that serves them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use crate::arguments::Arguments;
use crate::connection::{Connection, Progress};
use crate::playlist::{self, Part, Place, Playlist};
use crate::report::Report;

/// Read at once; several parts of a middling stream.
const SCRATCH_BYTES: usize = 256 * 1024;
const EVENTS_AT_ONCE: usize = 1024;
/// Viewers that have not all come in by then will not.
const RAMP_DEADLINE: Duration = Duration::from_secs(60);
/// After all watch, so that the rush of coming in is over when measuring begins.
const SETTLE: Duration = Duration::from_secs(2);
/// Playlists seen lately, per track; all viewers get the same few texts.
const REMEMBERED_TEXTS: usize = 4;
/// Failed connections of the whole crowd before it gives up.
const MAX_ERRORS: u64 = 20_000;

/// One playlist that all viewers follow.
struct Track {
    path: String,
    texts: Vec<(Vec<u8>, std::rc::Rc<Playlist>)>,
    learned: HashMap<Place, Instant>,
}

/// One viewer on one track.
struct Seat {
    track: usize,
    connection: Connection,
    doing: Doing,
    /// Parts up to this one are here; `None` before the first playlist.
    has: Option<Place>,
    waiting: Vec<Part>,
    playlist_next: Place,
}

enum Doing {
    Reloading,
    Fetching(Place),
}

struct Crowd<'a> {
    arguments: &'a Arguments,
    poll: Poll,
    tracks: Vec<Track>,
    seats: Vec<Seat>,
    /// Seats that have got their first playlist.
    seated: usize,
    measured_from: Option<Instant>,
    scratch: Vec<u8>,
    report: Report,
}

/// Runs the viewers and measures.
pub fn follow(arguments: &Arguments) -> Result<Report, String> {
    let tracks = arguments.playlists.iter().map(|path| Track {
        path: path.clone(),
        texts: Vec::new(),
        learned: HashMap::new(),
    });
    let mut crowd = Crowd {
        arguments,
        poll: Poll::new().map_err(|error| error.to_string())?,
        tracks: tracks.collect(),
        seats: Vec::new(),
        seated: 0,
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
            while self.seats.len() < all
                && self.seats.len() - self.seated < self.arguments.ramp * self.tracks.len()
            {
                self.sit_down()?;
            }
            let patience = Some(Duration::from_millis(20));
            match self.poll.poll(&mut events, patience) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other.map_err(|error| error.to_string())?,
            }
            for event in &events {
                let seat = event.token().0;
                if let Err(problem) = self.serve(seat, event.is_writable()) {
                    self.start_again(seat, problem)?;
                }
            }
            let now = Instant::now();
            if self.seated >= all && all_in_at.is_none() {
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
            self.seated
        )
    }

    fn begin(&mut self, now: Instant) {
        self.report = Report {
            viewers: self.arguments.viewers,
            ..Report::default()
        };
        self.measured_from = Some(now);
        // Whoever watches the server's processor time begins to count now.
        println!("{{\"measuring\": true}}");
    }

    fn sit_down(&mut self) -> Result<(), String> {
        let track = self.seats.len() % self.tracks.len();
        let connection = self.connect(self.seats.len(), track)?;
        self.seats.push(Seat {
            track,
            connection,
            doing: Doing::Reloading,
            has: None,
            waiting: Vec::new(),
            playlist_next: (0, 0),
        });
        Ok(())
    }

    fn connect(&self, seat: usize, track: usize) -> Result<Connection, String> {
        let open = || -> std::io::Result<Connection> {
            let mut connection = Connection::open(self.arguments.server)?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll
                .registry()
                .register(connection.stream(), Token(seat), interest)?;
            connection.ask(&self.tracks[track].path, true)?;
            Ok(connection)
        };
        open().map_err(|error| format!("cannot connect: {error}"))
    }

    /// A viewer whose connection failed comes back and goes on from the newest part.
    fn start_again(&mut self, seat: usize, problem: String) -> Result<(), String> {
        self.report.complain(problem.clone());
        if self.report.errors > MAX_ERRORS {
            return Err(format!("too many errors, the last one: {problem}"));
        }
        let connection = self.connect(seat, self.seats[seat].track)?;
        let place = &mut self.seats[seat];
        place.connection = connection;
        place.doing = Doing::Reloading;
        place.waiting.clear();
        Ok(())
    }

    fn serve(&mut self, seat: usize, is_writable: bool) -> Result<(), String> {
        if is_writable {
            self.seats[seat]
                .connection
                .flush()
                .map_err(|error| error.to_string())?;
        }
        loop {
            match self.seats[seat].connection.read(&mut self.scratch)? {
                Progress::Waiting => return Ok(()),
                Progress::Answer { status: 200, bytes } => self.take_answer(seat, bytes)?,
                Progress::Answer { status, .. } => {
                    let what = match self.seats[seat].doing {
                        Doing::Reloading => "playlist",
                        Doing::Fetching(_) => "part",
                    };
                    return Err(format!("{what} answered with {status}"));
                }
            }
        }
    }

    fn take_answer(&mut self, seat: usize, bytes: usize) -> Result<(), String> {
        self.report.requests += 1;
        self.report.bytes += bytes as u64;
        match self.seats[seat].doing {
            Doing::Reloading => self.take_playlist(seat)?,
            Doing::Fetching(place) => self.take_part(seat, place),
        }
        self.ask_next(seat)
    }

    fn take_playlist(&mut self, seat: usize) -> Result<(), String> {
        let place = &mut self.seats[seat];
        let track = &mut self.tracks[place.track];
        let playlist = track.read(&place.connection.body)?;
        if playlist.has_ended {
            return Err("the stream has ended".into());
        }
        for part in &playlist.parts {
            track.learned.entry(part.place).or_insert_with(|| {
                self.report.parts_listed += 1;
                Instant::now()
            });
        }
        place.playlist_next = playlist.next;
        match place.has {
            None => {
                self.seated += 1;
                // It joins at the edge: what is listed already is for others to fetch.
                place.has = playlist
                    .parts
                    .last()
                    .map(|part| part.place)
                    .or(Some((0, 0)));
            }
            Some(has) => {
                let missing = playlist.parts.iter().filter(|part| part.place > has);
                place.waiting = missing.rev().cloned().collect();
            }
        }
        Ok(())
    }

    fn take_part(&mut self, seat: usize, part: Place) {
        let place = &mut self.seats[seat];
        place.has = Some(part);
        let learned = self.tracks[place.track].learned.get(&part).copied();
        let is_counted = self
            .measured_from
            .is_some_and(|from| learned.is_some_and(|at| at >= from));
        if let (true, Some(learned)) = (is_counted, learned) {
            self.report.parts_fetched += 1;
            let lag = learned.elapsed().as_micros();
            self.report
                .lags
                .push(u32::try_from(lag).unwrap_or(u32::MAX));
        }
    }

    fn ask_next(&mut self, seat: usize) -> Result<(), String> {
        let place = &mut self.seats[seat];
        let asked = if let Some(part) = place.waiting.pop() {
            place.doing = Doing::Fetching(part.place);
            place.connection.ask(&part.path, false)
        } else {
            place.doing = Doing::Reloading;
            let (msn, part) = place.playlist_next;
            let path = &self.tracks[place.track].path;
            place
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
