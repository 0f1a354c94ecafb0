//! The moderation log.

use jiff::Timestamp;
use model::UserId;
use model::chat::ChatUser;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, time};
use crate::writer::Tx;

/// Entries kept; older ones go as new ones come.
const MAX_ENTRIES: i64 = 10_000;

/// Who performed an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// A user's id, or `operator`.
    pub id: String,
    /// The name as shown at the time.
    pub name: String,
}

impl Actor {
    /// The operator of the server.
    pub fn operator() -> Self {
        Self {
            id: "operator".into(),
            name: "operator".into(),
        }
    }
}

/// Something a moderator can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Hide,
    Show,
    Ban,
    Unban,
    Timeout,
    Untimeout,
    Moderator,
    Unmoderator,
    AddressBan,
    AddressUnban,
    DeleteUser,
    Approve,
    Reject,
    Pin,
    Unpin,
    /// A link that makes somebody a moderator was made.
    Invite,
    /// Such a link was taken back.
    Uninvite,
    /// Who may write, or how often, was changed.
    Restrict,
}

impl Action {
    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Hide => "hide",
            Action::Show => "show",
            Action::Ban => "ban",
            Action::Unban => "unban",
            Action::Timeout => "timeout",
            Action::Untimeout => "untimeout",
            Action::Moderator => "moderator",
            Action::Unmoderator => "unmoderator",
            Action::AddressBan => "ip-ban",
            Action::AddressUnban => "ip-unban",
            Action::DeleteUser => "delete-user",
            Action::Approve => "approve",
            Action::Reject => "reject",
            Action::Pin => "pin",
            Action::Unpin => "unpin",
            Action::Invite => "invite",
            Action::Uninvite => "uninvite",
            Action::Restrict => "restrict",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Its position: newer entries have higher ones.
    pub seq: i64,
    pub at: Timestamp,
    pub actor: Actor,
    /// One of [`Action`], as text.
    pub action: String,
    /// A user, a message or an address.
    pub target: String,
    /// The user's name at the time, if it is about a user.
    pub target_name: String,
    /// More about it.
    pub detail: String,
    /// What the moderator wrote about it.
    pub reason: String,
}

/// Whom or what an entry is about.
#[derive(Clone, Debug, Default)]
pub(super) struct ModerationTarget {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) detail: String,
    pub(super) reason: String,
}

/// Adds an entry inside the unit of work it describes.
pub(super) async fn note(
    tx: &mut Tx,
    at: Timestamp,
    actor: &Actor,
    action: Action,
    target: ModerationTarget,
) -> Result<(), StoreError> {
    let row = sqlx::query(
        "INSERT INTO moderation_log (at, actor, actor_name, action, target, target_name, detail, reason) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING seq",
    )
    .bind(at.as_millisecond())
    .bind(actor.id.clone())
    .bind(actor.name.clone())
    .bind(action.as_str())
    .bind(target.id)
    .bind(target.name)
    .bind(target.detail)
    .bind(target.reason)
    .fetch_one(&mut *tx)
    .await?;
    let seq: i64 = row.try_get(0)?;
    sqlx::query("DELETE FROM moderation_log WHERE seq <= $1")
        .bind(seq - MAX_ENTRIES)
        .execute(tx)
        .await?;
    Ok(())
}

/// The acting moderator as a chat user; `None` for the operator.
pub(super) async fn moderator(
    tx: &mut Tx,
    actor: &Actor,
) -> Result<Option<Box<ChatUser>>, StoreError> {
    let Ok(id) = UserId::parse(actor.id.clone()) else {
        return Ok(None);
    };
    let user = users::by_id(tx, &id).await?;
    Ok(user.map(|user| Box::new(user.public())))
}

/// Logs that somebody changed a setting of the chat, as `key=value`, inside the unit of work that changes it.
pub(crate) async fn note_restriction(
    tx: &mut Tx,
    change: String,
    actor: &Actor,
    at: Timestamp,
) -> Result<(), StoreError> {
    let about = ModerationTarget {
        detail: change,
        ..ModerationTarget::default()
    };
    note(tx, at, actor, Action::Restrict, about).await
}

impl Store {
    /// Log entries, newest first.
    pub async fn moderation_log(&self, limit: u32) -> Result<Vec<LogEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, at, actor, actor_name, action, target, target_name, detail, reason FROM moderation_log \
             ORDER BY seq DESC LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// The same for moderators, from before an entry: without addresses and invitations, which are the operator's alone.
    pub async fn moderators_log(
        &self,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<LogEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, at, actor, actor_name, action, target, target_name, detail, reason FROM moderation_log \
             WHERE seq < $1 AND action NOT IN ('ip-ban', 'ip-unban', 'invite', 'uninvite') \
             ORDER BY seq DESC LIMIT $2",
        )
        .bind(before.unwrap_or(i64::MAX))
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }
}

fn from_row(row: &AnyRow) -> Result<LogEntry, StoreError> {
    Ok(LogEntry {
        seq: row.try_get("seq")?,
        at: time(row.try_get("at")?)?,
        actor: Actor {
            id: row.try_get("actor")?,
            name: row.try_get("actor_name")?,
        },
        action: row.try_get("action")?,
        target: row.try_get("target")?,
        target_name: row.try_get("target_name")?,
        detail: row.try_get("detail")?,
        reason: row.try_get("reason")?,
    })
}
