//! Why a line or a name is refused, as a notice and a text for its author.

use std::sync::Arc;
use std::time::Duration;

use model::chat::name_key;
use model::settings::Layers;
use model::settings::table::chat::{FORBIDDEN_NAMES, REJECT_DUPLICATES, SPAM_PROTECTION};
use store::User;

use super::ClientSender;
use crate::event::Notice;
use crate::listener_state::slow_mode;
use crate::{names, render, rules};

/// Limit (viewers): time between two name changes; an earlier one is refused.
const RENAME_INTERVAL: Duration = Duration::from_secs(5);

impl ClientSender {
    /// Why a line is rejected. Both forms are checked: markup can hide a word in one of them.
    pub(super) fn objection(
        &self,
        settings: &Arc<Layers>,
        user: &User,
        body: &str,
        html: &str,
    ) -> Option<(Notice, String)> {
        let shared = &self.room.shared;
        let (now, uptime) = (shared.clock.now(), shared.clock.uptime());
        let find = |text: &str| shared.rules.blocked_word(settings, text);
        let word = find(body).or_else(|| find(&render::plain_text(html)));
        if let Some(word) = word {
            let text = format!("Your message contains a blocked word: “{word}”.");
            return Some((Notice::BlockedWord(word), text));
        }
        if html.contains("<a ") && !rules::may_link(settings, user, now) {
            return Some((Notice::Refused, "Links are not allowed here.".into()));
        }
        let is_once = *settings.get(&REJECT_DUPLICATES) && !user.is_moderator;
        if is_once && shared.rules.is_repeated(body, uptime) {
            return Some((
                Notice::Refused,
                "That message was sent a moment ago.".into(),
            ));
        }
        None
    }

    /// Names are visible to everybody, so the rules for lines apply to them.
    pub(super) fn objection_to_name(
        &self,
        settings: &Arc<Layers>,
        user: &User,
        name: &str,
    ) -> Option<&'static str> {
        let shared = &self.room.shared;
        let (now, uptime) = (shared.clock.now(), shared.clock.uptime());
        if name_key(name).is_empty() {
            return Some("A name needs at least one letter.");
        }
        if names::is_forbidden(name, settings.get(&FORBIDDEN_NAMES).as_slice()) {
            return Some("That name is not allowed here.");
        }
        if shared.rules.is_foul(settings, name) {
            return Some("That name contains a blocked word.");
        }
        if names::is_like_a_link(name) && !rules::may_link(settings, user, now) {
            return Some("Links are not allowed here.");
        }
        if !rules::is_open_now(shared, settings, now) {
            return Some("The chat is closed.");
        }
        let interval = match user.is_moderator || !*settings.get(&SPAM_PROTECTION) {
            true => Duration::ZERO,
            false => RENAME_INTERVAL,
        };
        let interval = interval.max(slow_mode(settings, user));
        if !self.member.limiter().rename(uptime, interval) {
            return Some("You changed your name a moment ago. Please wait a little.");
        }
        None
    }
}
