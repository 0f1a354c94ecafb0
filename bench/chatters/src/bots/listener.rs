//! Listeners: clients of the chat, and programs that subscribe to events.

use crate::client::ChatClient;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Receives lines of bots and of the server.
    Chat,
    /// Receives events about lines of bots.
    Events,
}

#[derive(Debug)]
pub struct Listener {
    pub client: ChatClient,
    pub channel: Channel,
    /// By the number of the call that sent the line, how often it was received.
    heard: Vec<u8>,
}

impl Listener {
    pub fn new(client: ChatClient, channel: Channel, calls: usize) -> Self {
        Self {
            client,
            channel,
            heard: vec![0; calls],
        }
    }

    pub fn record(&mut self, number: usize) {
        if let Some(times) = self.heard.get_mut(number) {
            *times = times.saturating_add(1);
        }
    }

    /// How many of these lines were not received, and how many more than once.
    pub fn lost_and_doubled(&self, lines: &[usize]) -> (u64, u64) {
        let count = |is_so: fn(u8) -> bool| {
            let so = lines.iter().filter(|number| is_so(self.heard[**number]));
            so.count() as u64
        };
        (count(|times| times == 0), count(|times| times > 1))
    }
}

/// The id of the line an event tells of.
pub fn id_in(payload: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(payload).ok()?;
    let (_, rest) = text.split_once("\"eventData\":{\"id\":\"")?;
    let (id, _) = rest.split_once('"')?;
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_that_were_not_heard_or_more_than_once() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let client = ChatClient::open(address, false, std::time::Instant::now()).unwrap();
        let mut listener = Listener::new(client, Channel::Chat, 10);
        for number in [1, 2, 2, 3, 99] {
            listener.record(number);
        }
        assert_eq!(listener.lost_and_doubled(&[1, 2, 5, 6]), (2, 1));
    }

    #[test]
    fn finds_the_id_of_the_line_and_not_of_the_user() {
        let event = br#"{"eventId":"7","type":"CHAT","eventData":{"id":"abc","user":{"id":"x"}}}"#;
        assert_eq!(id_in(event), Some("abc"));
        assert_eq!(id_in(br#"{"type":"CHAT","id":"abc"}"#), None);
    }
}
