//! A plugin's mailbox.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::error::AskError;
use crate::engine::CallKind;
use crate::host::{Occasion, SessionChange};

/// Mails of one sort that may wait for one plugin. When it is full, those that nobody waits for any more make room, then
/// the tick; if there is neither, the new mail is refused and counted. Lines for its filter, requests to its pages and the
/// rest are sorts of their own: nobody can keep events, login checks or lines of chat from a plugin by requests.
pub const MAILBOX: usize = 1024;
/// Bytes of one sort that may wait for one plugin; beyond them it is full in the same way. One mail alone always finds
/// room.
pub const MAILBOX_BYTES: usize = 16 * 1024 * 1024;

/// One pending call.
#[derive(Debug)]
pub struct Mail {
    pub kind: CallKind,
    /// JSON text, shared by all plugins that receive the event.
    pub input: Arc<str>,
    /// The number of emitted events in a row that led to it.
    pub depth: u8,
    /// Ticks are dropped to make space for everything else: the next one comes soon.
    pub is_tick: bool,
    /// Where to send the answer, if anybody waits for it.
    pub reply: Option<oneshot::Sender<Result<CallOutput, AskError>>>,
}

/// The result of a call.
#[derive(Debug, Default)]
pub struct CallOutput {
    pub text: String,
    /// Changes to the viewer's session; the last one counts.
    pub session: Vec<SessionChange>,
}

impl Mail {
    /// Whether the caller is gone.
    pub(super) fn is_abandoned(&self) -> bool {
        self.reply.as_ref().is_some_and(oneshot::Sender::is_closed)
    }

    /// The occasion of the call.
    pub(super) fn occasion(&self) -> Occasion {
        match self.kind {
            CallKind::Event => Occasion::Event { depth: self.depth },
            CallKind::Http => Occasion::Http,
            _ => Occasion::Other,
        }
    }

    /// Sends the answer to the caller, if there is one.
    pub fn answer(self, answer: Result<CallOutput, AskError>) {
        if let Some(reply) = self.reply {
            // If the receiver is gone, nobody needs the answer.
            let _ = reply.send(answer);
        }
    }
}

/// A class of mail to take out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MailClass {
    All,
    /// Lines for the filter.
    Filters,
    /// Everything else.
    Others,
}

/// First in, first out, except that filter calls go first because chat waits for them.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    state: Mutex<MailboxState>,
    has_mail: Notify,
    has_lines: Notify,
}

#[derive(Debug, Default)]
struct MailboxState {
    is_open: bool,
    filters: MailQueue,
    others: MailQueue,
}

impl MailboxState {
    fn queue(&mut self, kind: CallKind) -> &mut MailQueue {
        match kind {
            CallKind::Filter => &mut self.filters,
            _ => &mut self.others,
        }
    }

    fn has_room(&mut self, mail: &Mail) -> bool {
        self.queue(mail.kind).load(mail.kind).has_room(mail)
    }

    /// Makes space for a mail and returns how many ticks were dropped for it; `None` if it does not fit.
    fn make_room(&mut self, mail: &Mail) -> Option<usize> {
        if self.has_room(mail) {
            return Some(0);
        }
        self.filters.forget_abandoned();
        self.others.forget_abandoned();
        if self.has_room(mail) {
            return Some(0);
        }
        let mut waiting = self.others.mails.iter();
        let place = waiting.position(|waiting| waiting.is_tick)?;
        let tick = self.others.remove(place)?;
        if self.has_room(mail) {
            return Some(1);
        }
        self.others.insert(place, tick);
        None
    }
}

/// Queued mails and their total size.
#[derive(Debug, Default)]
struct MailQueue {
    mails: VecDeque<Mail>,
    requests: QueueLoad,
    rest: QueueLoad,
}

/// The queued load of one class.
#[derive(Debug, Default)]
struct QueueLoad {
    mails: usize,
    bytes: usize,
}

impl QueueLoad {
    fn has_room(&self, mail: &Mail) -> bool {
        let fits = self.bytes + mail.input.len() <= MAILBOX_BYTES;
        self.mails == 0 || self.mails < MAILBOX && fits
    }

    fn add(&mut self, mail: &Mail) {
        self.mails += 1;
        self.bytes += mail.input.len();
    }

    fn subtract(&mut self, mail: &Mail) {
        self.mails -= 1;
        self.bytes -= mail.input.len();
    }
}

impl MailQueue {
    fn load(&mut self, kind: CallKind) -> &mut QueueLoad {
        match kind {
            CallKind::Http => &mut self.requests,
            _ => &mut self.rest,
        }
    }

    fn push(&mut self, mail: Mail) {
        self.insert(self.mails.len(), mail);
    }

    fn insert(&mut self, place: usize, mail: Mail) {
        self.load(mail.kind).add(&mail);
        self.mails.insert(place, mail);
    }

    fn remove(&mut self, place: usize) -> Option<Mail> {
        let mail = self.mails.remove(place)?;
        self.load(mail.kind).subtract(&mail);
        Some(mail)
    }

    fn forget_abandoned(&mut self) {
        let all = std::mem::take(self);
        let wanted = all.mails.into_iter().filter(|mail| !mail.is_abandoned());
        wanted.for_each(|mail| self.push(mail));
    }
}

/// The result of posting a mail, and how many mails were dropped for it.
#[derive(Debug)]
pub(super) enum PostOutcome {
    Taken {
        lost: usize,
    },
    /// The mailbox is full.
    Full,
    /// The plugin is not running.
    Closed,
}

impl Mailbox {
    pub(super) fn post(&self, mail: Mail) -> PostOutcome {
        let mut state = self.lock();
        if !state.is_open {
            return PostOutcome::Closed;
        }
        if mail.is_tick && state.others.mails.iter().any(|waiting| waiting.is_tick) {
            // It has not handled the last one yet.
            return PostOutcome::Taken { lost: 0 };
        }
        let Some(lost) = state.make_room(&mail) else {
            return PostOutcome::Full;
        };
        let is_line = mail.kind == CallKind::Filter;
        state.queue(mail.kind).push(mail);
        drop(state);
        self.has_mail.notify_one();
        if is_line {
            self.has_lines.notify_one();
        }
        PostOutcome::Taken { lost }
    }

    /// The next mail with a waiting caller, as soon as there is one. Only the plugin's own task calls this, and for
    /// each class one call at a time.
    pub(super) async fn next(&self, class: MailClass) -> Mail {
        let news = match class {
            MailClass::Filters => &self.has_lines,
            MailClass::All | MailClass::Others => &self.has_mail,
        };
        loop {
            while let Some(mail) = self.take(class) {
                if !mail.is_abandoned() {
                    return mail;
                }
            }
            news.notified().await;
        }
    }

    fn take(&self, class: MailClass) -> Option<Mail> {
        let mut state = self.lock();
        match class {
            MailClass::All => state.filters.remove(0).or_else(|| state.others.remove(0)),
            MailClass::Filters => state.filters.remove(0),
            MailClass::Others => state.others.remove(0),
        }
    }

    /// Accepts mail from now on.
    pub(super) fn open(&self) {
        self.lock().is_open = true;
    }

    /// Rejects mail from now on; returns what was queued.
    pub(super) fn close(&self) -> Vec<Mail> {
        let mut state = self.lock();
        let MailboxState {
            filters, others, ..
        } = std::mem::take(&mut *state);
        filters.mails.into_iter().chain(others.mails).collect()
    }

    fn lock(&self) -> MutexGuard<'_, MailboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1024 * 1024;

    fn mail(bytes: usize) -> Mail {
        Mail {
            kind: CallKind::Event,
            input: "x".repeat(bytes).into(),
            depth: 0,
            is_tick: false,
            reply: None,
        }
    }

    fn request(bytes: usize) -> Mail {
        Mail {
            kind: CallKind::Http,
            ..mail(bytes)
        }
    }

    fn opened() -> Mailbox {
        let mailbox = Mailbox::default();
        mailbox.open();
        mailbox
    }

    fn is_taken(mailbox: &Mailbox, mail: Mail) -> bool {
        matches!(mailbox.post(mail), PostOutcome::Taken { lost: 0 })
    }

    #[test]
    fn a_mailbox_is_full_when_its_bytes_are_used_up_and_has_room_again_when_some_were_taken_out() {
        let mailbox = opened();
        for _ in 0..MAILBOX_BYTES / MEGABYTE {
            assert!(is_taken(&mailbox, mail(MEGABYTE)));
        }
        assert!(matches!(mailbox.post(mail(1)), PostOutcome::Full));
        assert!(is_taken(&mailbox, mail(0)));
        assert_eq!(mailbox.take(MailClass::All).unwrap().input.len(), MEGABYTE);
        assert!(is_taken(&mailbox, mail(MEGABYTE)));
        assert!(matches!(mailbox.post(mail(1)), PostOutcome::Full));
        mailbox.close();
        mailbox.open();
        assert!(is_taken(&mailbox, mail(MAILBOX_BYTES)));
    }

    #[test]
    fn one_mail_alone_finds_room_however_large_it_is() {
        let mailbox = opened();
        assert!(is_taken(&mailbox, mail(MAILBOX_BYTES + 1)));
        assert!(matches!(mailbox.post(mail(0)), PostOutcome::Full));
        mailbox.take(MailClass::All);
        assert!(is_taken(&mailbox, mail(MAILBOX_BYTES + 1)));
    }

    #[test]
    fn mails_that_nobody_waits_for_any_more_make_room() {
        let mailbox = opened();
        for _ in 0..2 {
            let (reply, answer) = oneshot::channel();
            let asked = Mail {
                reply: Some(reply),
                ..request(MAILBOX_BYTES / 2)
            };
            assert!(is_taken(&mailbox, asked));
            drop(answer);
        }
        assert!(is_taken(&mailbox, request(MAILBOX_BYTES - 1)));
        assert!(is_taken(&mailbox, request(1)));
        assert!(matches!(mailbox.post(request(1)), PostOutcome::Full));
    }

    #[test]
    fn requests_leave_room_for_events_however_many_and_however_large_they_are() {
        for (requests, bytes) in [(1, MAILBOX_BYTES), (MAILBOX, 0)] {
            let mailbox = opened();
            for _ in 0..requests {
                assert!(is_taken(&mailbox, request(bytes)));
            }
            assert!(matches!(mailbox.post(request(1)), PostOutcome::Full));
            assert!(is_taken(&mailbox, mail(MAILBOX_BYTES)));
            assert!(matches!(mailbox.post(mail(1)), PostOutcome::Full));
            assert_eq!(mailbox.take(MailClass::All).unwrap().kind, CallKind::Http);
            assert!(is_taken(&mailbox, request(bytes)));
            assert!(matches!(mailbox.post(mail(1)), PostOutcome::Full));
        }
    }

    #[test]
    fn a_filter_is_asked_however_many_bytes_of_other_mail_wait() {
        let mailbox = opened();
        assert!(is_taken(&mailbox, mail(MAILBOX_BYTES)));
        let line = |bytes| Mail {
            kind: CallKind::Filter,
            ..mail(bytes)
        };
        assert!(is_taken(&mailbox, line(1)));
        assert!(matches!(
            mailbox.post(line(MAILBOX_BYTES)),
            PostOutcome::Full
        ));
        assert_eq!(mailbox.take(MailClass::All).unwrap().kind, CallKind::Filter);
    }

    #[test]
    fn a_tick_is_lost_only_when_that_makes_room() {
        let mailbox = opened();
        let tick = Mail {
            is_tick: true,
            ..mail(10)
        };
        assert!(is_taken(&mailbox, tick));
        assert!(is_taken(&mailbox, mail(MAILBOX_BYTES - 10)));
        assert!(matches!(mailbox.post(mail(11)), PostOutcome::Full));
        assert!(matches!(
            mailbox.post(mail(10)),
            PostOutcome::Taken { lost: 1 }
        ));
        assert!(matches!(mailbox.post(mail(1)), PostOutcome::Full));
    }
}
