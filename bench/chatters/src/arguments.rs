//! The command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

pub const USAGE: &str = "usage: chatters register|idle|talk|join|bots --server IP:PORT [OPTION…]
  register    makes people and prints their tokens, one in each line
  idle        they come in and are silent
  talk        some of them talk, all of them listen
  join        they come in evenly over the given seconds, each with the history first
  bots        programs call the integrations API at a constant rate, people and programs listen
  --server    where the chat is; several addresses with commas are machines of one chat, among which clients are dealt
  --sockets   how many there are (default 100)
  --tokens    a file with a token for each; without it nobody says who they are
  --seconds   how long they are measured, or come in (default 10)
  --rate      lines per second of all talkers, or calls per second of all bots, together (default 10)
  --talkers   how many of them talk (default 100)
  --aside     how many of them are not measured (default 0)
  --stuck     those aside do not read what they are sent
  --bots      how many bots call (default 200)
  --events    how many programs listen to events (default 20)
  --secrets   a file with an access token for each bot, and then for each that listens to events
  --alone     nobody listens to what the bots do";

const DEFAULT_SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Register,
    Idle,
    Talk,
    Join,
    Bots,
}

#[derive(Debug)]
pub struct Arguments {
    pub task: Task,
    /// The first of them.
    pub server: SocketAddr,
    pub servers: Vec<SocketAddr>,
    pub sockets: usize,
    pub tokens: Vec<String>,
    pub measured: Duration,
    pub rate: usize,
    pub talkers: usize,
    pub aside: usize,
    pub is_aside_stuck: bool,
    pub bots: usize,
    pub events: usize,
    pub secrets: Vec<String>,
}

pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let task = match words.next().as_deref() {
        Some("register") => Task::Register,
        Some("idle") => Task::Idle,
        Some("talk") => Task::Talk,
        Some("join") => Task::Join,
        Some("bots") => Task::Bots,
        _ => return Err("what is to be done?".into()),
    };
    let mut arguments = Arguments {
        task,
        server: DEFAULT_SERVER,
        servers: vec![DEFAULT_SERVER],
        sockets: 100,
        tokens: Vec::new(),
        measured: Duration::from_secs(10),
        rate: 10,
        talkers: 100,
        aside: 0,
        is_aside_stuck: false,
        bots: 200,
        events: 20,
        secrets: Vec::new(),
    };
    let mut is_alone = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--server" => {
                let text = value()?;
                arguments.servers = addresses(&text)?;
                arguments.server = arguments.servers[0];
            }
            "--sockets" => arguments.sockets = number(&value()?)?,
            "--tokens" => arguments.tokens = read_tokens(&value()?)?,
            "--seconds" => arguments.measured = Duration::from_secs(number(&value()?)? as u64),
            "--rate" => arguments.rate = number(&value()?)?,
            "--talkers" => arguments.talkers = number(&value()?)?,
            "--aside" => arguments.aside = number(&value()?)?,
            "--stuck" => arguments.is_aside_stuck = true,
            "--bots" => arguments.bots = number(&value()?)?,
            "--events" => arguments.events = number(&value()?)?,
            "--secrets" => arguments.secrets = read_tokens(&value()?)?,
            "--alone" => is_alone = true,
            other => return Err(format!("{other:?} is not understood")),
        }
    }
    if arguments.task == Task::Bots {
        if is_alone {
            (arguments.sockets, arguments.events) = (0, 0);
        }
        let (given, wanted) = (arguments.secrets.len(), arguments.bots + arguments.events);
        if given < wanted {
            return Err(format!("{given} secrets are not enough for {wanted}"));
        }
    }
    let listeners = arguments.sockets.saturating_sub(arguments.aside);
    arguments.talkers = arguments.talkers.min(listeners);
    if arguments.talkers == 0 && arguments.task != Task::Bots {
        return Err("nobody is left to talk".into());
    }
    let tokens = arguments.tokens.len();
    if tokens != 0 && tokens < arguments.sockets {
        return Err(format!("{tokens} tokens are not enough"));
    }
    Ok(arguments)
}

/// At least one.
fn addresses(text: &str) -> Result<Vec<SocketAddr>, String> {
    let one = |address: &str| {
        address
            .parse::<SocketAddr>()
            .map_err(|_| format!("{address:?} is no address"))
    };
    text.split(',').map(one).collect()
}

fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{text:?} is not a number above zero")),
    }
}

fn read_tokens(path: &str) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(text.lines().map(str::to_owned).collect())
}
