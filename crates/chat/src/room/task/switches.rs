//! The switches that control who may write, and what people are told when they change.

use model::settings::Layers;
use model::settings::table::chat::{
    DISABLED, ESTABLISHED_ONLY, KNOWN_ONLY, PAUSED, REQUIRE_AUTHENTICATION, SLOW_MODE_SECONDS,
    WHEN_OFFLINE,
};

use super::announcements;
use crate::event::ChatEventKind;

/// The switches that control who may write, as last announced to pages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Switches {
    is_disabled: bool,
    is_paused: bool,
    needs_sign_in: bool,
    is_for_known: bool,
    is_for_established: bool,
    slow_mode_seconds: u32,
    when_offline: String,
}

impl Switches {
    pub(super) fn of(settings: &Layers) -> Self {
        Self {
            is_disabled: *settings.get(&DISABLED),
            is_paused: *settings.get(&PAUSED),
            needs_sign_in: *settings.get(&REQUIRE_AUTHENTICATION),
            is_for_known: *settings.get(&KNOWN_ONLY),
            is_for_established: *settings.get(&ESTABLISHED_ONLY),
            slow_mode_seconds: *settings.get(&SLOW_MODE_SECONDS),
            when_offline: settings.get(&WHEN_OFFLINE).clone(),
        }
    }

    /// What people in the chat are told about a change, in the order of what it means for them.
    pub(super) fn news(&self, before: &Self) -> Vec<ChatEventKind> {
        let mut news = Vec::new();
        if self.is_paused != before.is_paused {
            news.push(announcements::paused(self.is_paused));
        }
        if self.slow_mode_seconds != before.slow_mode_seconds {
            news.push(announcements::slow_mode(self.slow_mode_seconds));
        }
        let closed = |switches: &Self| {
            let Self {
                is_for_known,
                is_for_established,
                needs_sign_in,
                ..
            } = *switches;
            [is_for_known, is_for_established, needs_sign_in]
        };
        let (now, then) = (closed(self), closed(before));
        let begins: [fn() -> ChatEventKind; 3] = [
            announcements::for_known,
            announcements::for_established,
            announcements::for_signed_in,
        ];
        let begun = begins.iter().zip(now.iter().zip(then));
        news.extend(
            begun
                .filter(|(_, (is_on, was_on))| **is_on && !was_on)
                .map(|(tell, _)| tell()),
        );
        if then.contains(&true) && !now.contains(&true) {
            news.push(announcements::for_newcomers());
        }
        news
    }
}
