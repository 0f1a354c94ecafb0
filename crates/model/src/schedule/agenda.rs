//! Upcoming streams.

use std::time::Duration;

use jiff::Timestamp;

use super::ScheduledEvent;

/// Announced streams that are not over or cancelled, earliest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agenda(Vec<ScheduledEvent>);

impl Agenda {
    /// Takes the events in any order.
    pub fn new(mut events: Vec<ScheduledEvent>) -> Self {
        events.retain(|event| !event.is_cancelled);
        events.sort_by(|a, b| (a.starts_at, &a.id).cmp(&(b.starts_at, &b.id)));
        Self(events)
    }

    /// All of them.
    pub fn events(&self) -> &[ScheduledEvent] {
        &self.0
    }

    /// The next one to begin.
    pub fn upcoming(&self, now: Timestamp) -> Option<&ScheduledEvent> {
        self.0.iter().find(|event| now < event.starts_at)
    }

    /// The one that should be on now.
    pub fn due(&self, now: Timestamp) -> Option<&ScheduledEvent> {
        let is_due = |event: &&ScheduledEvent| event.starts_at <= now && now < event.ends_at();
        self.0.iter().find(is_due)
    }

    /// Whether the chat is open because an event is near or should be on.
    pub fn opens_chat(&self, minutes_before: u32, now: Timestamp) -> bool {
        let mut events = self.0.iter();
        events.any(|event| event.opens_chat(minutes_before, now))
    }
}

impl ScheduledEvent {
    /// Whether the chat is open because of this event: from `minutes_before` its start (0: not early) until its end,
    /// so that nobody is sent away while the publisher is late.
    pub fn opens_chat(&self, minutes_before: u32, now: Timestamp) -> bool {
        let before = Duration::from_secs(u64::from(minutes_before) * 60);
        let opens_at = self.starts_at - before;
        minutes_before > 0 && !self.is_cancelled && opens_at <= now && now < self.ends_at()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ScheduleId;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + minute * 60).unwrap()
    }

    fn event(id: &str, minute: i64, is_cancelled: bool) -> ScheduledEvent {
        ScheduledEvent {
            id: ScheduleId::parse(id).unwrap(),
            series_id: None,
            name: id.into(),
            description: String::new(),
            starts_at: at(minute),
            duration_minutes: 60,
            timezone: "UTC".into(),
            is_cancelled,
        }
    }

    fn name(event: Option<&ScheduledEvent>) -> &str {
        event.map_or("", |event| &event.name)
    }

    #[test]
    fn the_earliest_that_is_not_cancelled_is_next() {
        let agenda = Agenda::new(vec![
            event("late", 500, false),
            event("never", 10, true),
            event("soon", 100, false),
        ]);
        assert_eq!(name(agenda.upcoming(at(0))), "soon");
        assert_eq!(name(agenda.due(at(99))), "");
        assert_eq!(name(agenda.upcoming(at(100))), "late");
        assert_eq!(name(agenda.due(at(100))), "soon");
        assert_eq!(name(agenda.due(at(159))), "soon");
        assert_eq!(name(agenda.due(at(160))), "");
        assert_eq!(name(agenda.upcoming(at(500))), "");
    }

    #[test]
    fn the_chat_opens_some_minutes_before_and_closes_with_the_end() {
        let agenda = Agenda::new(vec![event("soon", 100, false), event("never", 30, true)]);
        for (minute, is_open) in [
            (29, false),
            (30, false),
            (89, false),
            (90, true),
            (100, true),
            (159, true),
            (160, false),
        ] {
            assert_eq!(agenda.opens_chat(10, at(minute)), is_open, "{minute}");
            assert!(!agenda.opens_chat(0, at(minute)), "{minute}");
        }
    }
}
