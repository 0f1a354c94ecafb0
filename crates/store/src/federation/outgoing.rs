//! What is sent, and to whom: one row per activity and inbox.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::host_of;
use crate::error::StoreError;
use crate::writer::Tx;

/// Deliveries that wait for one inbox; a further one is not queued: that inbox is as good as dead.
pub const MAX_WAITING_FOR_INBOX: i64 = 100;
/// Limit (operators): deliveries to followers that wait; while there are as many, nothing more is queued for them.
pub const MAX_WAITING_DELIVERIES: i64 = 500_000;
/// Limit (fediverse): answers that wait for one server; further ones are not sent. Whoever asks without taking the
/// answers fills only that.
pub const MAX_WAITING_ANSWERS_FOR_HOST: i64 = 500;
/// Answers that wait in all; while it is reached, a further one is not queued. What followers get is counted apart.
pub const MAX_WAITING_ANSWERS: i64 = 50_000;
/// A server that is unavailable or gone gets one new delivery in this time, to see whether it is back.
pub(super) const PROBE_EVERY: Duration = Duration::from_secs(24 * 3600);
/// A server that was sent nothing signed for so long is forgotten, and not told of a new key.
pub(super) const CONTACT_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The kind of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryKind {
    /// A post that announces that the stream is live.
    GoLive,
    /// Another post.
    Post,
    /// A profile change. A newer one replaces one that waits.
    Update,
    /// The deletion of a post or a quote authorization.
    Delete,
    /// The account was renamed.
    Move,
    /// A follow is accepted.
    Accept,
    /// A follow is rejected.
    Reject,
    /// We follow a server.
    Follow,
    /// We unfollow a server.
    Undo,
    /// A quote request is granted or refused.
    Quote,
    /// A message to one person. Its text is deleted as soon as the delivery is over.
    Direct,
    /// A ping: live. A newer ping replaces one that waits.
    Offer,
    /// A ping: no longer live. A newer ping replaces one that waits.
    Leave,
}

impl DeliveryKind {
    /// All there are.
    pub const ALL: [DeliveryKind; 13] = [
        DeliveryKind::GoLive,
        DeliveryKind::Post,
        DeliveryKind::Update,
        DeliveryKind::Delete,
        DeliveryKind::Move,
        DeliveryKind::Accept,
        DeliveryKind::Reject,
        DeliveryKind::Follow,
        DeliveryKind::Undo,
        DeliveryKind::Quote,
        DeliveryKind::Direct,
        DeliveryKind::Offer,
        DeliveryKind::Leave,
    ];

    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            DeliveryKind::GoLive => "go_live",
            DeliveryKind::Post => "post",
            DeliveryKind::Update => "update",
            DeliveryKind::Delete => "delete",
            DeliveryKind::Move => "move",
            DeliveryKind::Accept => "accept",
            DeliveryKind::Reject => "reject",
            DeliveryKind::Follow => "follow",
            DeliveryKind::Undo => "undo",
            DeliveryKind::Quote => "quote",
            DeliveryKind::Direct => "direct",
            DeliveryKind::Offer => "offer",
            DeliveryKind::Leave => "leave",
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, StoreError> {
        DeliveryKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| StoreError::unreadable("kind of a delivery", text))
    }
}

/// The recipients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryAudience {
    /// One inbox.
    Inbox(String),
    /// All accepted followers except directories; once per shared inbox.
    Followers,
    /// All accepted directories.
    Directories,
    /// Other servers that may know our key and have no followers of ours.
    Contacts,
}

/// An activity to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingActivity {
    /// The activity's id. Queueing it again for the same inbox changes nothing.
    pub id: String,
    pub json: String,
    pub kind: DeliveryKind,
    pub audience: DeliveryAudience,
    /// The former name that signs it; `None` for the present one.
    pub signer: Option<String>,
    /// Not to be sent after.
    pub expires_at: Timestamp,
}

/// Queues an activity for the inboxes from `$source` that `$has_room` lets through because not too much waits for them;
/// a macro, because statements are static.
///
/// While a server is held back, new deliveries for it wait as long as old ones.
macro_rules! fan_out {
    ($source:expr, $has_room:literal) => {
        concat!(
            "INSERT INTO deliveries (activity_id, inbox, host, kind, state, is_backlog, is_answer, attempts, next_at, ",
            "expires_at, created_at) SELECT $1, t.inbox, t.host, $2, 'pending', 0, t.is_answer, 0, ",
            "CASE WHEN h.held_until > $3 THEN h.held_until ELSE $3 END, $4, $3 FROM (",
            $source,
            ") t LEFT JOIN ap_hosts h ON h.host = t.host WHERE (h.probe_at IS NULL OR h.probe_at <= $3) AND ",
            $has_room,
            " ON CONFLICT (activity_id, inbox) DO NOTHING"
        )
    };
}

/// Queues for followers. Full inboxes are determined once and not once per follower: PostgreSQL might otherwise rescan
/// everything the statement has inserted so far, again and again.
macro_rules! fan_out_to_followers {
    ($which:literal) => {
        fan_out!(
            concat!(
                "SELECT DISTINCT COALESCE(NULLIF(shared_inbox, ''), inbox) AS inbox, host, 0 AS is_answer ",
                "FROM ap_followers WHERE state = 'accepted' AND ",
                $which
            ),
            "t.inbox NOT IN (SELECT inbox FROM deliveries WHERE state = 'pending' GROUP BY inbox HAVING COUNT(*) >= $5)"
        )
    };
}

/// Queues an activity for its audience; returns the number of inboxes.
pub(super) async fn enqueue(
    tx: &mut Tx,
    outgoing: &OutgoingActivity,
    at: Timestamp,
) -> Result<u64, StoreError> {
    let is_full = match &outgoing.audience {
        DeliveryAudience::Inbox(inbox) => is_full_of_answers(&mut *tx, host_of(inbox)).await?,
        DeliveryAudience::Followers
        | DeliveryAudience::Directories
        | DeliveryAudience::Contacts => is_full(&mut *tx).await?,
    };
    if is_full {
        tracing::warn!(
            kind = outgoing.kind.as_str(),
            "too many deliveries are waiting; this one is not sent"
        );
        metrics::counter!("rillcast_federation_deliveries_refused_total").increment(1);
        return Ok(0);
    }
    sqlx::query(
        "INSERT INTO outbound_activities (id, json, signer, is_secret, created_at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(outgoing.id.clone())
    .bind(outgoing.json.clone())
    .bind(outgoing.signer.clone())
    .bind(i64::from(outgoing.kind == DeliveryKind::Direct))
    .bind(at.as_millisecond())
    .execute(&mut *tx)
    .await?;
    let queued = insert(&mut *tx, outgoing, at).await?;
    if queued > 0 {
        note_probes(&mut *tx, &outgoing.id, at).await?;
        replace_older(&mut *tx, outgoing).await?;
    } else if outgoing.kind == DeliveryKind::Direct {
        forget_secrets(tx).await?;
    }
    Ok(queued)
}

/// Deletes the text of private messages that no delivery will send any more, for whatever reason.
pub(super) async fn forget_secrets(tx: &mut Tx) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE outbound_activities SET json = '', is_secret = 0 WHERE is_secret = 1 AND NOT EXISTS \
         (SELECT 1 FROM deliveries d WHERE d.activity_id = outbound_activities.id \
         AND d.state IN ('pending', 'in_flight'))",
    )
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert(
    tx: &mut Tx,
    outgoing: &OutgoingActivity,
    at: Timestamp,
) -> Result<u64, StoreError> {
    let statement = match &outgoing.audience {
        DeliveryAudience::Inbox(_) => fan_out!(
            "SELECT $6 AS inbox, $7 AS host, 1 AS is_answer",
            "(SELECT COUNT(*) FROM deliveries w WHERE w.inbox = t.inbox AND w.state = 'pending') < $5"
        ),
        DeliveryAudience::Followers => fan_out_to_followers!("is_directory = 0"),
        DeliveryAudience::Directories => fan_out_to_followers!("is_directory = 1"),
        DeliveryAudience::Contacts => fan_out!(
            "SELECT c.inbox, c.host, 0 AS is_answer FROM (SELECT inbox, host FROM ap_contacts WHERE contacted_at >= $6 \
             AND inbox IS NOT NULL UNION SELECT inbox, host FROM federated_servers WHERE inbox IS NOT NULL \
             AND follow_status IN ('pending', 'accepted')) c \
             WHERE c.host NOT IN (SELECT host FROM ap_followers WHERE state = 'accepted')",
            "t.inbox NOT IN (SELECT inbox FROM deliveries WHERE state = 'pending' GROUP BY inbox HAVING COUNT(*) >= $5)"
        ),
    };
    let mut query = sqlx::query(statement)
        .bind(outgoing.id.clone())
        .bind(outgoing.kind.as_str())
        .bind(at.as_millisecond())
        .bind(outgoing.expires_at.as_millisecond())
        .bind(MAX_WAITING_FOR_INBOX);
    match &outgoing.audience {
        DeliveryAudience::Inbox(inbox) => query = query.bind(inbox.clone()).bind(host_of(inbox)),
        DeliveryAudience::Contacts => query = query.bind((at - CONTACT_AGE).as_millisecond()),
        DeliveryAudience::Followers | DeliveryAudience::Directories => {}
    }
    Ok(query.execute(tx).await?.rows_affected())
}

async fn is_full(tx: &mut Tx) -> Result<bool, StoreError> {
    let waiting: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM deliveries WHERE state = 'pending'")
            .fetch_one(&mut *tx)
            .await?;
    // Answers are not counted while they could not matter.
    if waiting < MAX_WAITING_DELIVERIES {
        return Ok(false);
    }
    Ok(waiting - waiting_answers(tx).await? >= MAX_WAITING_DELIVERIES)
}

async fn is_full_of_answers(tx: &mut Tx, host: String) -> Result<bool, StoreError> {
    let for_host: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM deliveries WHERE state = 'pending' AND is_answer = 1 AND host = $1",
    )
    .bind(host)
    .fetch_one(&mut *tx)
    .await?;
    Ok(for_host >= MAX_WAITING_ANSWERS_FOR_HOST
        || waiting_answers(tx).await? >= MAX_WAITING_ANSWERS)
}

async fn waiting_answers(tx: &mut Tx) -> Result<i64, StoreError> {
    let waiting = sqlx::query_scalar(
        "SELECT COUNT(*) FROM deliveries WHERE state = 'pending' AND is_answer = 1",
    );
    Ok(waiting.fetch_one(tx).await?)
}

/// Deliveries just queued for servers that are unavailable or gone are their probes; the next probe waits a day.
async fn note_probes(tx: &mut Tx, activity: &str, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE ap_hosts SET probe_at = $2 WHERE probe_at <= $3 AND host IN \
         (SELECT host FROM deliveries WHERE activity_id = $1)",
    )
    .bind(activity.to_owned())
    .bind((at + PROBE_EVERY).as_millisecond())
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

/// A newer profile makes an older one pointless, and a newer ping makes an older one wrong.
async fn replace_older(tx: &mut Tx, outgoing: &OutgoingActivity) -> Result<(), StoreError> {
    let statement = match outgoing.kind {
        DeliveryKind::Update => {
            "DELETE FROM deliveries WHERE state = 'pending' AND kind = 'update' AND activity_id <> $1 AND inbox IN \
             (SELECT inbox FROM deliveries WHERE activity_id = $1)"
        }
        DeliveryKind::Offer | DeliveryKind::Leave => {
            "DELETE FROM deliveries WHERE state = 'pending' AND kind IN ('offer', 'leave') AND activity_id <> $1 \
             AND inbox IN (SELECT inbox FROM deliveries WHERE activity_id = $1)"
        }
        _ => return Ok(()),
    };
    sqlx::query(statement)
        .bind(outgoing.id.clone())
        .execute(tx)
        .await?;
    Ok(())
}
