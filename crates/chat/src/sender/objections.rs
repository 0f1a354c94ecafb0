//! Why a line or a name is refused, as a notice and a sentence for its author.

use std::sync::Arc;
use std::time::Duration;

use model::chat::name_key;
use model::sentence::Sentence;
use model::settings::Layers;
use model::settings::table::NAME;
use model::settings::table::chat::{FORBIDDEN_NAMES, REJECT_DUPLICATES, SPAM_PROTECTION};
use store::{StoreError, User};

use super::ClientSender;
use crate::event::Notice;
use crate::listener_state::slow_mode;
use crate::{names, render, rules, sentences};

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
    ) -> Option<(Notice, Sentence)> {
        let shared = &self.room.shared;
        let (now, uptime) = (shared.clock.now(), shared.clock.uptime());
        let find = |text: &str| shared.rules.blocked_word(settings, text);
        let word = find(body).or_else(|| find(&render::plain_text(html)));
        if let Some(word) = word {
            let sentence = sentences::BLOCKED_WORD.with([word.as_str().into()]);
            return Some((Notice::BlockedWord(word), sentence));
        }
        if html.contains("<a ") && !rules::may_link(settings, user, now) {
            return Some((Notice::Refused, sentences::NO_LINKS.plain()));
        }
        let is_once = *settings.get(&REJECT_DUPLICATES) && !user.is_moderator;
        if is_once && shared.rules.is_repeated(body, uptime) {
            return Some((Notice::Refused, sentences::REPEATED.plain()));
        }
        None
    }

    /// Whether readers take somebody for the server who is not its operator: the server got its name after them.
    pub(super) async fn is_mistaken_for_server(
        &self,
        settings: &Layers,
        user: &User,
    ) -> Result<bool, StoreError> {
        if !names::is_servers(&user.display_name, settings.text(&NAME)) {
            return Ok(false);
        }
        Ok(!self.is_operator(user).await?)
    }

    /// Whether this is the operator's own user.
    pub(super) async fn is_operator(&self, user: &User) -> Result<bool, StoreError> {
        let operator = self.room.shared.store.operator_user().await?;
        Ok(operator.as_ref() == Some(&user.id))
    }

    /// Names are visible to everybody, so the rules for lines apply to them. The server's is the operator's alone, who
    /// may spell it differently.
    pub(super) fn objection_to_name(
        &self,
        settings: &Arc<Layers>,
        user: &User,
        name: &str,
        is_operator: bool,
    ) -> Option<Sentence> {
        let shared = &self.room.shared;
        let (now, uptime) = (shared.clock.now(), shared.clock.uptime());
        if name_key(name).is_empty() {
            return Some(sentences::NAME_EMPTY.plain());
        }
        if names::is_forbidden(name, settings.get(&FORBIDDEN_NAMES).as_slice()) {
            return Some(sentences::NAME_FORBIDDEN.plain());
        }
        if !is_operator && names::is_servers(name, settings.text(&NAME)) {
            return Some(sentences::NAME_OF_SERVER.plain());
        }
        if shared.rules.is_foul(settings, name) {
            return Some(sentences::NAME_FOUL.plain());
        }
        if names::is_like_a_link(name) && !rules::may_link(settings, user, now) {
            return Some(sentences::NO_LINKS.plain());
        }
        if !rules::is_open_now(shared, settings, now) {
            return Some(sentences::CHAT_CLOSED.plain());
        }
        let interval = match user.is_moderator || !*settings.get(&SPAM_PROTECTION) {
            true => Duration::ZERO,
            false => RENAME_INTERVAL,
        };
        let interval = interval.max(slow_mode(settings, user));
        if !self.member.limiter().rename(uptime, interval) {
            return Some(sentences::RENAMED_TOO_SOON.plain());
        }
        None
    }
}
