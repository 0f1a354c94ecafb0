//! Who has to go.

use model::{TokenId, UserId};
use store::UserKind;

use super::super::Removal;
use super::{ClientSession, RoomTask, announcements};
use crate::event::{ChatEventKind, CloseReason};

impl RoomTask {
    pub(super) fn remove(&mut self, user: &UserId, removal: &Removal) {
        let theirs = self.presence.connections_of(user);
        let name = self.presence.name_of(user);
        for client_id in theirs {
            if let Removal::Banned { reason, until } = removal {
                let (reason, until) = (reason.clone(), *until);
                let banned = self.new_event(ChatEventKind::Banned { reason, until });
                self.send_to(client_id, &banned);
            }
            self.dismiss(client_id, CloseReason::Removed);
        }
        self.presence.forget(user);
        if let (Some(name), Removal::Banned { .. }) = (name, removal) {
            self.broadcast_unrecorded(announcements::removed(&name));
        }
    }

    /// Disconnects the holders of a token that now belongs to an earlier user; they reconnect as that user.
    pub(super) fn reidentified(&mut self, token: &TokenId, known: &str) {
        let with_it = self.sessions.values().find(|one| one.token_id == *token);
        let name = with_it.map(|one| one.member.now().public.display_name.clone());
        self.dismiss_where(CloseReason::Changed, |one| one.token_id == *token);
        if let Some(name) = name.filter(|name| name != known) {
            self.broadcast_unrecorded(announcements::signed_in(&name, known));
        }
    }

    /// Disconnects whoever has this token, which is worth nothing any more.
    pub(super) fn remove_token(&mut self, token: &TokenId) {
        // A bot has to be given another one; people get one when they come in again.
        let has_it = |one: &ClientSession| one.token_id == *token;
        let is_bot = |one: &ClientSession| one.member.now().user.kind == UserKind::Api;
        self.dismiss_where(CloseReason::Removed, |one| has_it(one) && is_bot(one));
        self.dismiss_where(CloseReason::Changed, has_it);
    }

    /// Disconnects a user wherever they have another token than these.
    pub(super) fn keep_tokens(&mut self, user: &UserId, tokens: &[TokenId]) {
        for client_id in self.presence.connections_of(user) {
            let session = self.sessions.get(&client_id);
            if session.is_some_and(|one| !tokens.contains(&one.token_id)) {
                self.dismiss(client_id, CloseReason::Changed);
            }
        }
    }

    pub(super) fn dismiss_where(
        &mut self,
        reason: CloseReason,
        is_meant: impl Fn(&ClientSession) -> bool,
    ) {
        let meant = self
            .sessions
            .iter()
            .filter(|(_, session)| is_meant(session));
        let meant: Vec<u64> = meant.map(|(client_id, _)| *client_id).collect();
        for client_id in meant {
            self.dismiss(client_id, reason);
        }
    }
}
