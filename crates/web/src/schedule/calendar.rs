//! Announced streams as an iCalendar file (RFC 5545). Every date is listed separately and in UTC, so that readers need
//! neither rules nor time zones.

use jiff::Timestamp;
use jiff::tz::Offset;
use model::product;
use model::schedule::ScheduledEvent;

/// Octets of a line without its end (RFC 5545 3.1); longer ones are folded.
const LINE_OCTETS: usize = 75;

/// Behind the ids of events, as servers of this kind have it: whoever moves here keeps their calendar's entries.
const UID_DOMAIN: &str = "owncast";

/// The part that is the same for all streams.
#[derive(Debug)]
pub(super) struct Calendar<'a> {
    pub(super) name: &'a str,
    /// Where to watch; empty if not configured.
    pub(super) url: &'a str,
    /// The time of the request.
    pub(super) now: Timestamp,
}

impl Calendar<'_> {
    /// The whole file.
    pub(super) fn write(&self, events: &[ScheduledEvent]) -> String {
        let mut file = String::new();
        put(&mut file, "BEGIN", "VCALENDAR");
        put(&mut file, "VERSION", "2.0");
        let (title, version) = (product::TITLE, product::VERSION);
        put(&mut file, "PRODID", &format!("-//{title}//{version}//EN"));
        put(&mut file, "CALSCALE", "GREGORIAN");
        put(&mut file, "METHOD", "PUBLISH");
        put(&mut file, "X-WR-CALNAME", &escaped(self.name));
        for event in events {
            self.put_event(&mut file, event);
        }
        put(&mut file, "END", "VCALENDAR");
        file
    }

    fn put_event(&self, file: &mut String, event: &ScheduledEvent) {
        put(file, "BEGIN", "VEVENT");
        put(file, "UID", &format!("{}@{UID_DOMAIN}", event.id));
        put(file, "DTSTAMP", &utc(self.now));
        put(file, "DTSTART", &utc(event.starts_at));
        put(file, "DTEND", &utc(event.ends_at()));
        put(file, "SUMMARY", &escaped(&event.name));
        if !event.description.is_empty() {
            put(file, "DESCRIPTION", &escaped(&event.description));
        }
        if !self.url.is_empty() {
            put(file, "URL", self.url);
        }
        let status = match event.is_cancelled {
            true => "CANCELLED",
            false => "CONFIRMED",
        };
        put(file, "STATUS", status);
        put(file, "END", "VEVENT");
    }
}

/// `20300131T200000Z`
fn utc(at: Timestamp) -> String {
    let at = Offset::UTC.to_datetime(at);
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Writes a line, folded if it is too long, never inside a character.
fn put(file: &mut String, name: &str, value: &str) {
    let mut room = LINE_OCTETS;
    for c in format!("{name}:{value}").chars() {
        if c.len_utf8() > room {
            file.push_str("\r\n ");
            room = LINE_OCTETS - 1;
        }
        file.push(c);
        room -= c.len_utf8();
    }
    file.push_str("\r\n");
}

/// Escapes text as a value (RFC 5545 3.3.11).
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\\' | ';' | ',' => safe.extend(['\\', c]),
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push(c),
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use model::ScheduleId;

    use super::*;

    fn event(name: &str, description: &str) -> ScheduledEvent {
        ScheduledEvent {
            id: ScheduleId::parse("e1").unwrap(),
            series_id: None,
            name: name.into(),
            description: description.into(),
            starts_at: "2030-01-31T20:00:00Z".parse().unwrap(),
            duration_minutes: 90,
            timezone: "Asia/Tokyo".into(),
            is_cancelled: false,
        }
    }

    fn file(events: &[ScheduledEvent]) -> String {
        let calendar = Calendar {
            name: "My; server",
            url: "https://live.example",
            now: "2030-01-01T00:00:00Z".parse().unwrap(),
        };
        calendar.write(events)
    }

    #[test]
    fn a_file_has_an_event_for_every_stream() {
        let cancelled = ScheduledEvent {
            is_cancelled: true,
            ..event("Never", "")
        };
        let expected = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Rillcast//0.3.0//EN\r\nCALSCALE:GREGORIAN\r\n\
            METHOD:PUBLISH\r\nX-WR-CALNAME:My\\; server\r\n\
            BEGIN:VEVENT\r\nUID:e1@owncast\r\nDTSTAMP:20300101T000000Z\r\nDTSTART:20300131T200000Z\r\n\
            DTEND:20300131T213000Z\r\nSUMMARY:Soup\\, and more\r\nDESCRIPTION:one\\ntwo \\\\ three\r\n\
            URL:https://live.example\r\nSTATUS:CONFIRMED\r\nEND:VEVENT\r\n\
            BEGIN:VEVENT\r\nUID:e1@owncast\r\nDTSTAMP:20300101T000000Z\r\nDTSTART:20300131T200000Z\r\n\
            DTEND:20300131T213000Z\r\nSUMMARY:Never\r\nURL:https://live.example\r\nSTATUS:CANCELLED\r\nEND:VEVENT\r\n\
            END:VCALENDAR\r\n";
        let events = [event("Soup, and more", "one\r\ntwo \\ three"), cancelled];
        assert_eq!(file(&events), expected);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_written_lines_are_short_and_nothing_but_the_text_comes_out(
            name in "\\PC{0,200}",
            description in "(\\PC|[\r\n;,:\\\\]){0,300}",
        ) {
            let file = file(&[event(&name, &description)]);
            for line in file.split("\r\n") {
                proptest::prop_assert!(line.len() <= LINE_OCTETS, "{}", line);
                proptest::prop_assert!(!line.contains(['\r', '\n']));
            }
            let unfolded = file.replace("\r\n ", "");
            let summary = unfolded.split("\r\n").find_map(|line| line.strip_prefix("SUMMARY:"));
            let expected = escaped(&name);
            proptest::prop_assert_eq!(summary, Some(expected.as_str()));
            proptest::prop_assert_eq!(unfolded.matches("\r\nBEGIN:").count(), 1);
        }
    }
}
