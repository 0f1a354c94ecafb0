//! Messages of the server itself, its operator and its bots.

use std::sync::Arc;

use model::Event;
use store::{Card, MessageKind, NewMessage, PostResult, StoreError, User};

use crate::event::ChatEventKind;
use crate::ids::new_message_id;
use crate::member::MemberProfile;
use crate::render;
use crate::room::{Room, RoomCommand, keeps_html};
use crate::sender::{ComposedLine, post_line};

/// Bytes of a text that is rendered at once, whatever is in it.
const QUICK_BYTES: usize = 256;

impl Room {
    /// A Markdown line from the server, its operator or an integration; stored.
    pub async fn say_system(&self, text: String) -> Result<(), StoreError> {
        let body = self.trusted(text.clone()).await;
        let event_kind = ChatEventKind::System {
            body: body.clone(),
            server_name: self.server_name(),
        };
        self.post_plain(MessageKind::System, text, body, None, event_kind)
            .await
    }

    /// A Markdown action line from an integration; stored.
    pub async fn say_action(&self, text: String) -> Result<(), StoreError> {
        let body = self.trusted(text.clone()).await;
        let event_kind = ChatEventKind::Action {
            user: None,
            body: body.clone(),
            notice: None,
            sentence: None,
        };
        self.post_plain(MessageKind::Action, text, body, None, event_kind)
            .await
    }

    /// An action on the Fediverse, such as a follow or a like, as a Markdown line; stored.
    pub async fn say_engagement(
        &self,
        kind: MessageKind,
        text: String,
        card: Card,
    ) -> Result<(), StoreError> {
        let body = self.trusted(text.clone()).await;
        let event_kind = ChatEventKind::Engagement {
            kind,
            body: body.clone(),
            card: card.clone(),
            server_name: self.server_name(),
        };
        self.post_plain(kind, text, body, Some(card), event_kind)
            .await
    }

    /// A message from the server to one connection; not stored, and dropped if there is no such connection.
    pub async fn say_to(&self, client_id: u64, text: String) {
        if self.is_elsewhere(client_id) {
            self.tell_elsewhere(client_id, text);
        } else {
            self.say_to_here(client_id, text).await;
        }
    }

    /// The same, if the connection is at this server.
    pub async fn say_to_here(&self, client_id: u64, text: String) {
        let event_kind = ChatEventKind::System {
            body: self.trusted(text).await,
            server_name: self.server_name(),
        };
        let chat_event = self.new_event(event_kind);
        self.send(RoomCommand::SendTo(client_id, Box::new(chat_event)))
            .await;
    }

    /// A line of a bot, in Markdown as people write it. Does nothing if it is empty.
    pub async fn say_as(&self, bot: User, text: String) -> Result<Option<PostResult>, StoreError> {
        match self.rendered(text.clone()).await {
            Some(html) => self.post_as(bot, text, html).await.map(Some),
            None => Ok(None),
        }
    }

    /// A line of a bot in plain text: addresses become links and emoji codes become pictures; everything else stays as
    /// it is. Does nothing if it is empty.
    pub async fn say_plain_as(
        &self,
        bot: User,
        text: String,
    ) -> Result<Option<PostResult>, StoreError> {
        match self.rendered_plain(text.clone()).await {
            Some(html) => self.post_as(bot, text, html).await.map(Some),
            None => Ok(None),
        }
    }

    async fn post_as(
        &self,
        bot: User,
        text: String,
        html: String,
    ) -> Result<PostResult, StoreError> {
        let line = ComposedLine {
            id: new_message_id(),
            raw: text,
            html,
            reply: None,
        };
        post_line(self, &MemberProfile::from(bot), line, 0, false).await
    }

    /// An action of a bot, in its name and in plain text. Does nothing if it is empty.
    pub async fn act_as(&self, bot: User, text: String) -> Result<Option<PostResult>, StoreError> {
        let Some(html) = self.rendered_plain(text.clone()).await else {
            return Ok(None);
        };
        let body = done_by(&bot.display_name, &html);
        let chat_event = self.new_event(ChatEventKind::Action {
            user: Some(Arc::new(bot.public())),
            body: body.clone(),
            notice: None,
            sentence: None,
        });
        let message = NewMessage {
            id: chat_event.id.clone(),
            kind: MessageKind::Action,
            raw_body: format!("{} {text}", bot.display_name),
            user_id: Some(bot.id),
            body,
            reply: None,
            card: None,
            is_held: false,
            at: chat_event.at,
        };
        let event = Event::ChatNoticePosted {
            id: chat_event.id.clone(),
        };
        self.post(message, Some(event), chat_event).await.map(Some)
    }

    async fn post_plain(
        &self,
        kind: MessageKind,
        text: String,
        body: String,
        card: Option<Card>,
        event_kind: ChatEventKind,
    ) -> Result<(), StoreError> {
        let chat_event = self.new_event(event_kind);
        let message = NewMessage {
            id: chat_event.id.clone(),
            kind,
            user_id: None,
            body,
            raw_body: text,
            reply: None,
            card,
            is_held: false,
            at: chat_event.at,
        };
        let event = Event::ChatNoticePosted {
            id: chat_event.id.clone(),
        };
        self.post(message, Some(event), chat_event).await.map(drop)
    }

    /// Renders long texts off the runtime: texts built to be slow take milliseconds, for which others would wait.
    pub(crate) async fn rendered(&self, text: String) -> Option<String> {
        if text.len() <= QUICK_BYTES {
            return render::line(&text, &self.shared.emoji);
        }
        let shared = Arc::clone(&self.shared);
        let rendering = tokio::task::spawn_blocking(move || render::line(&text, &shared.emoji));
        rendering.await.ok().flatten()
    }

    async fn rendered_plain(&self, text: String) -> Option<String> {
        if text.len() <= QUICK_BYTES {
            return render::plain_line(&text, &self.shared.emoji);
        }
        let shared = Arc::clone(&self.shared);
        let rendering =
            tokio::task::spawn_blocking(move || render::plain_line(&text, &shared.emoji));
        rendering.await.ok().flatten()
    }

    /// A text as a line of the server would show it.
    pub async fn rendered_system_text(&self, text: String) -> String {
        self.trusted(text).await
    }

    async fn trusted(&self, text: String) -> String {
        let is_raw_html_kept = keeps_html(&self.shared.settings.now());
        if text.len() <= QUICK_BYTES {
            return render::trusted(&text, is_raw_html_kept);
        }
        let rendering =
            tokio::task::spawn_blocking(move || render::trusted(&text, is_raw_html_kept));
        rendering.await.unwrap_or_default()
    }
}

/// Puts the name before the action, because many clients show the body alone.
fn done_by(name: &str, html: &str) -> String {
    let name = render::escaped(name);
    match html.strip_prefix("<p>") {
        Some(rest) => format!("<p><strong>{name}</strong> {rest}"),
        None => format!("<p><strong>{name}</strong></p>{html}"),
    }
}

#[cfg(test)]
mod tests {
    use super::done_by;

    #[test]
    fn whoever_did_it_stands_before_what_was_done() {
        for (html, shown) in [
            ("<p>rings</p>", "<p><strong>A &lt;b&gt;</strong> rings</p>"),
            (
                "<ul><li>x</li></ul>",
                "<p><strong>A &lt;b&gt;</strong></p><ul><li>x</li></ul>",
            ),
        ] {
            assert_eq!(done_by("A <b>", html), shown);
        }
    }
}
