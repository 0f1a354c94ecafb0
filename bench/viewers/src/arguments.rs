//! The command line.

use std::net::SocketAddr;
use std::time::Duration;

pub const USAGE: &str = "usage: viewers --server IP:PORT [--viewers N] [--seconds N] [--ramp N] PLAYLIST_PATH…
  --server    where the stream is (default 127.0.0.1:8080)
  --viewers   how many there are (default 100)
  --seconds   how long they are measured, once all of them watch (default 10)
  --ramp      how many viewers may be on their way in at a time (default 100)
  PLAYLIST_PATH   a media playlist, such as /hls/0/video.m3u8; each viewer follows all that are given";

#[derive(Debug)]
pub struct Arguments {
    pub server: SocketAddr,
    pub viewers: usize,
    pub measured: Duration,
    pub ramp: usize,
    pub playlists: Vec<String>,
}

pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments {
        server: SocketAddr::from(([127, 0, 0, 1], 8080)),
        viewers: 100,
        measured: Duration::from_secs(10),
        ramp: 100,
        playlists: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--server" => {
                arguments.server = value()?
                    .parse()
                    .map_err(|_| "--server needs an address such as 127.0.0.1:8080")?
            }
            "--viewers" => arguments.viewers = number(&value()?)?,
            "--seconds" => arguments.measured = Duration::from_secs(number(&value()?)? as u64),
            "--ramp" => arguments.ramp = number(&value()?)?,
            path if path.starts_with('/') => arguments.playlists.push(word),
            other => return Err(format!("{other:?} is not understood")),
        }
    }
    if arguments.playlists.is_empty() {
        return Err("no playlist to follow".into());
    }
    Ok(arguments)
}

fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{text:?} is not a number above zero")),
    }
}
