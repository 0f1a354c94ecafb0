//! What plugins do in the chat.

use std::time::Duration;

use access::sha256;
use model::settings::table::chat::HISTORY_HOURS;
use model::{MessageId, UserId};
use plugins::host::wire::{ChatClient, ChatMessage, User, time};
use plugins::host::{Bot, SocialNotice};
use store::{Card, MessageKind, NewUser, UserKind};

use super::{Services, actor, failed};

impl Services {
    pub(super) async fn send_chat(&self, bot: &Bot, text: &str) -> Result<(), String> {
        let user = self.bot(bot).await?;
        let said = self.chat.say_plain_as(user, text.to_owned()).await;
        said.map(drop).map_err(failed)
    }

    pub(super) async fn send_chat_action(&self, bot: &Bot, text: &str) -> Result<(), String> {
        let user = self.bot(bot).await?;
        let done = self.chat.act_as(user, text.to_owned()).await;
        done.map(drop).map_err(failed)
    }

    /// The user a plugin speaks as; the same one for the life of the database.
    async fn bot(&self, bot: &Bot) -> Result<store::User, String> {
        let new = NewUser {
            id: bot_id(&bot.slug)?,
            kind: UserKind::Api,
            display_name: bot_name(bot),
            display_color: chat::random_color(),
        };
        let at = self.clock.now();
        self.store.plugin_bot(new, at).await.map_err(failed)
    }

    pub(super) async fn chat_history(&self, limit: u32) -> Result<Vec<ChatMessage>, String> {
        let written = self.store.recent_written_messages(limit).await;
        // Older ones are still there only for those who watch a recording.
        let hours = *self.settings.now().get(&HISTORY_HOURS);
        let since = self.clock.now() - Duration::from_secs(u64::from(hours) * 3600);
        let written = written.map_err(failed)?.into_iter();
        let recent = written.filter(|message| message.at >= since);
        let lines = recent.map(|message| ChatMessage {
            id: message.id.to_string(),
            user: message.user.map(|user| User::from(&user.public())),
            client_id: None,
            body: message.raw_body,
            timestamp: time(message.at),
        });
        Ok(lines.collect())
    }

    pub(super) async fn connections(&self) -> Vec<ChatClient> {
        let connections = self.chat.connections().await.into_iter();
        let clients = connections.map(|one| ChatClient {
            id: one.client_id,
            user_id: one.user.id.to_string(),
            display_name: one.user.display_name.clone(),
            connected_at: Some(time(one.since)),
            user_agent: one.user_agent.to_string(),
            ip_address: one.address.to_string(),
            message_count: u64::from(one.lines),
        });
        clients.collect()
    }

    pub(super) async fn delete_message(&self, slug: &str, id: &str) -> Result<(), String> {
        let id = MessageId::parse(id).map_err(|_| format!("there is no message {id:?}"))?;
        let hidden = self.chat.set_visibility(vec![id], false, actor(slug));
        hidden.await.map_err(failed)?;
        Ok(())
    }

    pub(super) async fn notify_fediverse(&self, notice: &SocialNotice) -> Result<(), String> {
        let kind = match notice.kind.as_str() {
            "like" => MessageKind::Like,
            "repost" => MessageKind::Repost,
            _ => MessageKind::Follow,
        };
        let card = Card {
            title: self.handle(),
            image: (!notice.image.is_empty()).then(|| notice.image.clone()),
            link: notice.link.clone(),
        };
        let said = self.chat.say_engagement(kind, notice.body.clone(), card);
        said.await.map_err(failed)
    }
}

/// The bot's name, cleaned as people's names are because it appears beside them. If nothing is left, the slug is used.
fn bot_name(bot: &Bot) -> String {
    let name = chat::names::clean(&bot.display_name);
    match name.is_empty() {
        true => chat::names::clean(&bot.slug),
        false => name,
    }
}

/// An id derived from the slug, which itself could be too long for one.
fn bot_id(slug: &str) -> Result<UserId, String> {
    let hash = sha256(slug);
    let digits: String = hash
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    UserId::parse(format!("plugin-{digits}")).map_err(failed)
}
