//! What the server itself, its operator and its bots say.

use std::sync::Arc;

use store::{Card, MessageKind, NewMessage, Posting, StoreError, User};

use crate::heard::What;
use crate::ids::new_message_id;
use crate::member::Known;
use crate::render;
use crate::room::{Command, Room, keeps_html};
use crate::speaker::{Text, post_line};

/// Bytes of a text that is rendered at once, whatever is in it.
const QUICK_BYTES: usize = 256;

impl Room {
    /// A line of the server itself, from operator or integration; stored, in Markdown.
    pub async fn say_system(&self, text: String) -> Result<(), StoreError> {
        let body = self.trusted(text.clone()).await;
        let what = What::System {
            body: body.clone(),
            server_name: self.server_name(),
        };
        self.post_plain(MessageKind::System, text, body, None, what)
            .await
    }

    /// Something that happened, from an integration; stored, in Markdown.
    pub async fn say_action(&self, text: String) -> Result<(), StoreError> {
        let body = self.trusted(text.clone()).await;
        let what = What::Action {
            user: None,
            body: body.clone(),
            notice: None,
        };
        self.post_plain(MessageKind::Action, text, body, None, what)
            .await
    }

    /// Somebody on the Fediverse took an interest; stored, in Markdown.
    pub async fn say_engagement(
        &self,
        kind: MessageKind,
        text: String,
        card: Card,
    ) -> Result<(), StoreError> {
        let body = self.trusted(text.clone()).await;
        let what = What::Engagement {
            kind,
            body: body.clone(),
            card: card.clone(),
            server_name: self.server_name(),
        };
        self.post_plain(kind, text, body, Some(card), what).await
    }

    /// A word of the server to one connection; not stored. Nobody hears it when there is no such connection.
    pub async fn say_to(&self, client_id: u64, text: String) {
        let what = What::System {
            body: self.trusted(text).await,
            server_name: self.server_name(),
        };
        let heard = self.heard(what);
        self.send(Command::Tell(client_id, Box::new(heard))).await;
    }

    /// A line of a bot, in Markdown as people write it. Nothing when it is empty.
    pub async fn say_as(&self, bot: User, text: String) -> Result<Option<Posting>, StoreError> {
        match self.rendered(text.clone()).await {
            Some(html) => self.post_as(bot, text, html).await.map(Some),
            None => Ok(None),
        }
    }

    /// A line of a bot in plain text: addresses become links and emoji codes pictures, everything else stays as it is.
    /// Nothing when it is empty.
    pub async fn say_plain_as(
        &self,
        bot: User,
        text: String,
    ) -> Result<Option<Posting>, StoreError> {
        match self.rendered_plain(text.clone()).await {
            Some(html) => self.post_as(bot, text, html).await.map(Some),
            None => Ok(None),
        }
    }

    async fn post_as(&self, bot: User, text: String, html: String) -> Result<Posting, StoreError> {
        let text = Text {
            id: new_message_id(),
            raw: text,
            html,
            reply: None,
        };
        post_line(self, &Known::from(bot), text, 0, false).await
    }

    /// Something a bot does, in its name and in plain text. Nothing when it is empty.
    pub async fn act_as(&self, bot: User, text: String) -> Result<Option<Posting>, StoreError> {
        let Some(html) = self.rendered_plain(text.clone()).await else {
            return Ok(None);
        };
        let body = done_by(&bot.display_name, &html);
        let heard = self.heard(What::Action {
            user: Some(Arc::new(bot.public())),
            body: body.clone(),
            notice: None,
        });
        let message = NewMessage {
            id: heard.id.clone(),
            kind: MessageKind::Action,
            raw_body: format!("{} {text}", bot.display_name),
            user_id: Some(bot.id),
            body,
            reply: None,
            card: None,
            is_held: false,
            at: heard.at,
        };
        self.post(message, None, heard).await.map(Some)
    }

    async fn post_plain(
        &self,
        kind: MessageKind,
        text: String,
        body: String,
        card: Option<Card>,
        what: What,
    ) -> Result<(), StoreError> {
        let heard = self.heard(what);
        let message = NewMessage {
            id: heard.id.clone(),
            kind,
            user_id: None,
            body,
            raw_body: text,
            reply: None,
            card,
            is_held: false,
            at: heard.at,
        };
        self.post(message, None, heard).await.map(drop)
    }

    /// Long texts made to be slow take milliseconds, which others would wait for.
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

/// The name before what was done: many clients show the body alone.
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
