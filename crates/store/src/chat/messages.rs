//! Lines of the chat.

use jiff::Timestamp;
pub use model::chat::Reply;
use model::{Event, MessageId, UserId};
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::any::AnyRow;

use super::hiding::{author_name, unpin_hidden};
use super::log::{Action, Actor, ModerationTarget, moderator, note};
use super::own_lines::not_deleted;
use super::refusal::{LineGap, PostResult, refusal, time_to_wait};
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, User, optional_time, time};
use crate::writer::Tx;

/// Lines the operator's list shows at most.
const MAX_LISTED: i64 = 5_000;
/// Lines waiting for a moderator that are shown at once.
const MAX_HELD: i64 = 200;

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// A user wrote it.
    Chat,
    /// The server announced it.
    System,
    /// Something happened.
    Action,
    /// Somebody on the Fediverse followed.
    Follow,
    /// Somebody on the Fediverse liked a post.
    Like,
    /// Somebody on the Fediverse shared a post.
    Repost,
}

impl MessageKind {
    /// As stored, and as it is called on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            MessageKind::Chat => "CHAT",
            MessageKind::System => "SYSTEM",
            MessageKind::Action => "CHAT_ACTION",
            MessageKind::Follow => "FEDIVERSE_ENGAGEMENT_FOLLOW",
            MessageKind::Like => "FEDIVERSE_ENGAGEMENT_LIKE",
            MessageKind::Repost => "FEDIVERSE_ENGAGEMENT_REPOST",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let all = [
            MessageKind::Chat,
            MessageKind::System,
            MessageKind::Action,
            MessageKind::Follow,
            MessageKind::Like,
            MessageKind::Repost,
        ];
        all.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// What a line from the Fediverse shows besides its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    pub title: String,
    pub image: Option<String>,
    /// A link to the person.
    pub link: String,
}

/// A line to be stored.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// Chosen by the caller.
    pub id: MessageId,
    pub kind: MessageKind,
    /// The author, if a user wrote it.
    pub user_id: Option<UserId>,
    /// Rendered and sanitised.
    pub body: String,
    /// As typed.
    pub raw_body: String,
    pub reply: Option<Reply>,
    pub card: Option<Card>,
    /// Whether it waits for a moderator.
    pub is_held: bool,
    pub at: Timestamp,
}

/// A stored line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Its position in the order.
    pub seq: i64,
    pub id: MessageId,
    pub kind: MessageKind,
    /// Rendered and sanitised.
    pub body: String,
    /// As typed.
    pub raw_body: String,
    pub reply: Option<Reply>,
    pub card: Option<Card>,
    /// When it was hidden.
    pub hidden_at: Option<Timestamp>,
    /// When its author deleted it, which hides it for good.
    pub deleted_at: Option<Timestamp>,
    pub at: Timestamp,
    pub user: Option<User>,
}

/// A query for lines and their authors; a macro, because statements are static.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT m.seq, m.id AS message_id, m.kind AS message_kind, m.body, m.raw_body, m.reply, m.card, ",
            "m.hidden_at, m.deleted_at, m.at, m.user_id, u.id, u.kind, u.display_name, u.display_color, ",
            "u.previous_names, u.created_at, u.name_changed_at, u.authenticated_at, u.disabled_at, u.is_moderator, ",
            "u.muted_until, u.spoke_at, u.muted_reason, u.disabled_reason, u.disabled_until ",
            "FROM messages m LEFT JOIN users u ON u.id = m.user_id ",
            $rest
        )
    };
}
pub(super) use select;

impl Store {
    /// Stores a line, unless its author may not write any more. `event` is logged with it. `after_commit` runs in the
    /// order of the lines' positions, before any later line is visible.
    pub async fn post_message<A>(
        &self,
        message: NewMessage,
        event: Option<Event>,
        after_commit: A,
    ) -> Result<PostResult, StoreError>
    where
        A: FnOnce(PostResult) + Send + 'static,
    {
        self.post_message_after(LineGap::default(), message, event, after_commit)
            .await
    }

    /// The same, unless the author's last line is not so long ago, whatever server it was said at.
    pub async fn post_message_after<A>(
        &self,
        gap: LineGap,
        message: NewMessage,
        event: Option<Event>,
        after_commit: A,
    ) -> Result<PostResult, StoreError>
    where
        A: FnOnce(PostResult) + Send + 'static,
    {
        let at = message.at;
        self.write_events_and(
            at,
            move |tx| {
                Box::pin(async move {
                    let author = message.user_id.as_ref();
                    if let Some(wait) = time_to_wait(tx, author, gap, at).await? {
                        return Ok((PostResult::TooSoon(wait), vec![]));
                    }
                    let posting = insert(tx, message).await?;
                    let event = event.filter(|_| matches!(posting, PostResult::Posted(_)));
                    Ok((posting, event.into_iter().collect()))
                })
            },
            move |posting| after_commit(*posting),
        )
        .await
    }

    /// The newest lines that everybody can read, oldest first.
    pub async fn recent_messages(&self, limit: u32) -> Result<Vec<ChatMessage>, StoreError> {
        let rows = sqlx::query(select!(
            "WHERE m.hidden_at IS NULL AND m.is_held = 0 AND u.disabled_at IS NULL ORDER BY m.seq DESC LIMIT $1"
        ))
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        oldest_first(&rows)
    }

    /// The newest lines that users wrote and everybody can read, oldest first.
    pub async fn recent_written_messages(
        &self,
        limit: u32,
    ) -> Result<Vec<ChatMessage>, StoreError> {
        let rows = sqlx::query(select!(
            "WHERE m.kind = 'CHAT' AND m.hidden_at IS NULL AND m.is_held = 0 AND u.disabled_at IS NULL \
             ORDER BY m.seq DESC LIMIT $1"
        ))
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        oldest_first(&rows)
    }

    /// All stored lines that users wrote, newest first, including hidden ones.
    pub async fn all_messages(&self) -> Result<Vec<ChatMessage>, StoreError> {
        let rows = sqlx::query(select!(
            "WHERE m.kind = 'CHAT' AND m.is_held = 0 AND m.user_id IS NOT NULL ORDER BY m.seq DESC LIMIT $1"
        ))
        .bind(MAX_LISTED)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// All lines of one user, newest first, including hidden ones.
    pub async fn messages_of(
        &self,
        user: &UserId,
        limit: u32,
    ) -> Result<Vec<ChatMessage>, StoreError> {
        let rows = sqlx::query(select!(
            "WHERE m.user_id = $1 AND m.kind = 'CHAT' AND m.is_held = 0 ORDER BY m.seq DESC LIMIT $2"
        ))
        .bind(user.as_str())
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// A line that everybody can read.
    pub async fn readable_message(
        &self,
        id: &MessageId,
    ) -> Result<Option<ChatMessage>, StoreError> {
        let row = sqlx::query(select!(
            "WHERE m.id = $1 AND m.hidden_at IS NULL AND m.is_held = 0"
        ))
        .bind(id.as_str())
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Lines that wait for a moderator, oldest first.
    pub async fn held_messages(&self) -> Result<Vec<ChatMessage>, StoreError> {
        let rows = sqlx::query(select!(
            "WHERE m.is_held = 1 AND u.disabled_at IS NULL ORDER BY m.seq LIMIT $1"
        ))
        .bind(MAX_HELD)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// A line that waits for a moderator.
    pub async fn held_message(&self, id: &MessageId) -> Result<Option<ChatMessage>, StoreError> {
        let row = sqlx::query(select!("WHERE m.id = $1 AND m.is_held = 1"))
            .bind(id.as_str())
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Discards a held line; false if it was already decided.
    pub async fn reject_message(
        &self,
        id: MessageId,
        actor: Actor,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| Box::pin(take_held(tx, id, actor, Action::Reject, at)))
            .await
    }

    /// Posts a held line as `message`, at the end, because nobody would look for it where it was written; it may keep
    /// its id. `None` if it was already decided; a line that cannot be posted stays held.
    pub async fn approve_message<A>(
        &self,
        id: MessageId,
        message: NewMessage,
        event: Option<Event>,
        actor: Actor,
        after_commit: A,
    ) -> Result<Option<PostResult>, StoreError>
    where
        A: FnOnce(PostResult) + Send + 'static,
    {
        let at = message.at;
        self.write_events_and(
            at,
            move |tx| {
                Box::pin(async move {
                    if !is_waiting(tx, &id).await? {
                        return Ok((None, vec![]));
                    }
                    if let Some(refused) =
                        refusal(tx, message.user_id.as_ref(), message.is_held, message.at).await?
                    {
                        return Ok((Some(refused), vec![]));
                    }
                    take_held(tx, id, actor, Action::Approve, at).await?;
                    let author = message.user_id.clone();
                    let posting = insert(tx, message).await?;
                    // The author's next lines are not held.
                    let changed = author.map(|user| Event::ChatUserChanged { user });
                    Ok((Some(posting), event.into_iter().chain(changed).collect()))
                })
            },
            move |posting| {
                if let Some(posting) = posting {
                    after_commit(*posting);
                }
            },
        )
        .await
    }

    /// Hides lines or shows them again, and returns which. Unknown ids are ignored; what its author deleted stays
    /// hidden.
    pub async fn set_visibility(
        &self,
        ids: Vec<MessageId>,
        is_visible: bool,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Vec<MessageId>, StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let ids = match is_visible {
                    true => not_deleted(tx, ids).await?,
                    false => ids,
                };
                if ids.is_empty() {
                    return Ok((ids, vec![]));
                }
                let hidden_at = (!is_visible).then_some(at.as_millisecond());
                for id in &ids {
                    sqlx::query("UPDATE messages SET hidden_at = $1 WHERE id = $2 AND is_held = 0")
                        .bind(hidden_at)
                        .bind(id.as_str())
                        .execute(&mut *tx)
                        .await?;
                    if !is_visible {
                        // Replies must stop quoting what was hidden.
                        sqlx::query("UPDATE messages SET reply = NULL WHERE reply_id = $1")
                            .bind(id.as_str())
                            .execute(&mut *tx)
                            .await?;
                    }
                }
                if !is_visible {
                    unpin_hidden(tx).await?;
                }
                let action = if is_visible {
                    Action::Show
                } else {
                    Action::Hide
                };
                let name = author_name(tx, ids.first()).await?;
                let names: Vec<&str> = ids.iter().map(MessageId::as_str).collect();
                let target = ModerationTarget {
                    id: names.first().copied().unwrap_or_default().to_owned(),
                    name,
                    detail: names.join(" "),
                    ..ModerationTarget::default()
                };
                note(tx, at, &actor, action, target).await?;
                let event = Event::ChatVisibilityChanged {
                    ids: ids.clone(),
                    visible: is_visible,
                    moderator: moderator(tx, &actor).await?,
                };
                Ok((ids, vec![event]))
            })
        })
        .await
    }

    /// How many lines are stored.
    pub async fn message_count(&self) -> Result<i64, StoreError> {
        let row = sqlx::query("SELECT COUNT(*) FROM messages")
            .fetch_one(&self.readers)
            .await?;
        Ok(row.try_get(0)?)
    }
}

async fn is_waiting(tx: &mut Tx, id: &MessageId) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT COUNT(*) FROM messages WHERE id = $1 AND is_held = 1")
        .bind(id.as_str())
        .fetch_one(tx)
        .await?;
    let count: i64 = row.try_get(0)?;
    Ok(count > 0)
}

/// Takes a held line from its queue; false if it is not there.
async fn take_held(
    tx: &mut Tx,
    id: MessageId,
    actor: Actor,
    action: Action,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let row = sqlx::query(select!("WHERE m.id = $1 AND m.is_held = 1"))
        .bind(id.as_str())
        .fetch_optional(&mut *tx)
        .await?;
    let Some(row) = row else { return Ok(false) };
    let message = from_row(&row)?;
    sqlx::query("DELETE FROM messages WHERE id = $1")
        .bind(id.as_str())
        .execute(&mut *tx)
        .await?;
    let target = ModerationTarget {
        id: id.to_string(),
        name: message
            .user
            .map(|user| user.display_name)
            .unwrap_or_default(),
        detail: message.raw_body,
        ..ModerationTarget::default()
    };
    note(tx, at, &actor, action, target).await?;
    Ok(true)
}

async fn insert(tx: &mut Tx, message: NewMessage) -> Result<PostResult, StoreError> {
    if let Some(refused) =
        refusal(tx, message.user_id.as_ref(), message.is_held, message.at).await?
    {
        return Ok(refused);
    }
    if let Some(user) = message.user_id.as_ref().filter(|_| !message.is_held) {
        sqlx::query("UPDATE users SET spoke_at = $1 WHERE id = $2 AND spoke_at IS NULL")
            .bind(message.at.as_millisecond())
            .bind(user.as_str())
            .execute(&mut *tx)
            .await?;
    }
    let row = sqlx::query(
        "INSERT INTO messages (id, kind, user_id, body, raw_body, reply, reply_id, card, is_held, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING seq",
    )
    .bind(message.id.as_str())
    .bind(message.kind.as_str())
    .bind(message.user_id.map(String::from))
    .bind(message.body)
    .bind(message.raw_body)
    .bind(to_json(message.reply.as_ref())?)
    .bind(message.reply.map(|reply| String::from(reply.id)))
    .bind(to_json(message.card.as_ref())?)
    .bind(i64::from(message.is_held))
    .bind(message.at.as_millisecond())
    .fetch_one(tx)
    .await?;
    Ok(PostResult::Posted(row.try_get(0)?))
}

fn to_json<T: Serialize>(value: Option<&T>) -> Result<Option<String>, StoreError> {
    let json = value.map(serde_json::to_string).transpose();
    json.map_err(|error| StoreError::unreadable("message", error))
}

fn from_json<T: for<'a> Deserialize<'a>>(
    row: &AnyRow,
    column: &str,
) -> Result<Option<T>, StoreError> {
    let json: Option<String> = row.try_get(column)?;
    let value = json.map(|json| serde_json::from_str(&json)).transpose();
    value.map_err(|error| StoreError::unreadable("message", error))
}

pub(super) fn oldest_first(newest_first: &[AnyRow]) -> Result<Vec<ChatMessage>, StoreError> {
    newest_first.iter().rev().map(from_row).collect()
}

pub(super) fn from_row(row: &AnyRow) -> Result<ChatMessage, StoreError> {
    let kind: String = row.try_get("message_kind")?;
    let user_id: Option<String> = row.try_get("user_id")?;
    Ok(ChatMessage {
        seq: row.try_get("seq")?,
        id: MessageId::parse(row.try_get::<String, _>("message_id")?)
            .map_err(|error| StoreError::unreadable("message id", error))?,
        // Written by a newer version: the text is all there is to show.
        kind: MessageKind::parse(&kind).unwrap_or(MessageKind::System),
        body: row.try_get("body")?,
        raw_body: row.try_get("raw_body")?,
        reply: from_json(row, "reply")?,
        card: from_json(row, "card")?,
        hidden_at: optional_time(row, "hidden_at")?,
        deleted_at: optional_time(row, "deleted_at")?,
        at: time(row.try_get("at")?)?,
        user: user_id.map(|_| users::from_row(row)).transpose()?,
    })
}
