//! What bots ask for.

/// For a call that changes a line when none was received yet; unknown ones are no error.
const NO_LINE: &str = "AAAAAAAAAAAA";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Send,
    System,
    Status,
    Clients,
    History,
    Visibility,
}

/// Lines are hidden and shown again in turn, so that every change is one.
#[derive(Debug, Default)]
pub struct Lines {
    /// One that a listener received lately.
    pub heard: Option<String>,
    hidden: Option<String>,
}

impl Lines {
    /// The body of the next call.
    fn change(&mut self) -> String {
        let (id, is_shown) = match self.hidden.take() {
            Some(id) => (id, true),
            None => {
                self.hidden.clone_from(&self.heard);
                (self.heard.clone().unwrap_or(NO_LINE.into()), false)
            }
        };
        format!("{{\"idArray\": [\"{id}\"], \"visible\": {is_shown}}}")
    }
}

/// Each is made equally often.
pub const CALLS: [Call; 6] = [
    Call::Send,
    Call::Status,
    Call::System,
    Call::Clients,
    Call::Visibility,
    Call::History,
];

impl Call {
    /// Of the call with this number, when `bots` call in turn: every bot makes all calls, and different ones at a time.
    pub fn of(number: usize, bots: usize) -> Self {
        let (round, bot) = (number / bots, number % bots);
        CALLS[(round + bot) % CALLS.len()]
    }

    pub fn name(self) -> &'static str {
        match self {
            Call::Send => "send",
            Call::System => "system",
            Call::Status => "status",
            Call::Clients => "clients",
            Call::History => "history",
            Call::Visibility => "visibility",
        }
    }

    /// The whole request.
    pub fn request(self, number: usize, secret: &str, lines: &mut Lines) -> String {
        let said = || format!("{{\"body\": \"load line {number} of a busy evening\"}}");
        let (path, body) = match self {
            Call::Send => ("chat/send", Some(said())),
            Call::System => ("chat/system", Some(said())),
            Call::Status => ("status", None),
            Call::Clients => ("clients", None),
            Call::History => ("chat", None),
            Call::Visibility => ("chat/messagevisibility", Some(lines.change())),
        };
        let method = if body.is_some() { "POST" } else { "GET" };
        let head = format!(
            "{method} /api/integrations/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
        );
        match body {
            None => format!("{head}\r\n"),
            Some(body) => format!(
                "{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bot_makes_every_call_equally_often() {
        for bots in [1, 5, 6, 200] {
            for bot in 0..bots {
                let made: Vec<_> = (0..12)
                    .map(|round| Call::of(round * bots + bot, bots))
                    .collect();
                for call in CALLS {
                    let count = made.iter().filter(|one| **one == call).count();
                    assert_eq!(count, 2, "{call:?} of {bot} in {bots}");
                }
            }
        }
    }

    #[test]
    fn says_how_long_a_body_is() {
        let request = Call::Send.request(7, "secret", &mut Lines::default());
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /api/integrations/chat/send HTTP/1.1\r\n"));
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())));
        assert_eq!(crate::wire::number_in(body.as_bytes()), Some(7));
    }

    #[test]
    fn shows_the_line_it_hid_before_it_hides_another() {
        let mut lines = Lines::default();
        let mut changed = Vec::new();
        for heard in [None, Some("a"), Some("b"), Some("c")] {
            lines.heard = heard.map(str::to_owned);
            changed.push(lines.change());
        }
        let wanted = [(NO_LINE, false), ("a", false), ("a", true), ("c", false)];
        let wanted = wanted
            .map(|(id, is_shown)| format!("{{\"idArray\": [\"{id}\"], \"visible\": {is_shown}}}"));
        assert_eq!(changed, wanted);
    }
}
