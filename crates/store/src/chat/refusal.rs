//! Decides who may not post, and names how posting ends.

use std::time::Duration;

use jiff::Timestamp;
use model::UserId;
use sqlx::Row;

use crate::error::StoreError;
use crate::users::optional_time;
use crate::writer::Tx;

/// The result of posting a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostResult {
    /// It was posted, at this position.
    Posted(i64),
    /// Its author is banned or deleted.
    Banned,
    /// Its author is muted.
    Muted,
    /// Another line of its author is already waiting for a moderator.
    Waiting,
    /// Its author said something a moment ago and has to wait for this long.
    TooSoon(Duration),
}

/// Why a line cannot be posted. Asked inside the unit of work, so that no ban can slip in between.
pub(super) async fn refusal(
    tx: &mut Tx,
    author: Option<&UserId>,
    is_held: bool,
    at: Timestamp,
) -> Result<Option<PostResult>, StoreError> {
    let Some(user) = author else {
        return Ok(None);
    };
    let row =
        sqlx::query("SELECT disabled_at, disabled_until, muted_until FROM users WHERE id = $1")
            .bind(user.as_str())
            .fetch_optional(&mut *tx)
            .await?;
    let Some(row) = row else {
        return Ok(Some(PostResult::Banned));
    };
    let is_over = optional_time(&row, "disabled_until")?.is_some_and(|until| until <= at);
    if optional_time(&row, "disabled_at")?.is_some() && !is_over {
        return Ok(Some(PostResult::Banned));
    }
    if optional_time(&row, "muted_until")?.is_some_and(|until| until > at) {
        return Ok(Some(PostResult::Muted));
    }
    if is_held {
        let row = sqlx::query("SELECT COUNT(*) FROM messages WHERE user_id = $1 AND is_held = 1")
            .bind(user.as_str())
            .fetch_one(&mut *tx)
            .await?;
        let waiting: i64 = row.try_get(0)?;
        return Ok((waiting > 0).then_some(PostResult::Waiting));
    }
    Ok(None)
}

/// The time between two lines of one person that the database sees to, because they may be said at different servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineGap {
    pub least: Duration,
    /// When they said their last line at this server, which sees itself to what follows here.
    pub last_here: Option<Timestamp>,
}

/// How long an author still has to wait after their last line at another server. Asked inside the unit of work, where
/// every line of every server is seen; so it is as exact as the clocks of two servers are equal, and no two lines slip
/// through.
pub(super) async fn time_to_wait(
    tx: &mut Tx,
    author: Option<&UserId>,
    gap: LineGap,
    at: Timestamp,
) -> Result<Option<Duration>, StoreError> {
    let Some(user) = author.filter(|_| !gap.least.is_zero()) else {
        return Ok(None);
    };
    let row = sqlx::query(
        "SELECT at FROM messages WHERE user_id = $1 AND kind = 'CHAT' ORDER BY seq DESC LIMIT 1",
    )
    .bind(user.as_str())
    .fetch_optional(tx)
    .await?;
    let last = row.map(|row| row.try_get::<i64, _>(0)).transpose()?;
    let last_here = gap.last_here.map(Timestamp::as_millisecond);
    let Some(last) = last.filter(|last| Some(*last) != last_here) else {
        return Ok(None);
    };
    let gap = i64::try_from(gap.least.as_millis()).unwrap_or(i64::MAX);
    // A clock that is ahead must not make anybody wait for longer than the gap.
    let left = last.saturating_add(gap).saturating_sub(at.as_millisecond());
    let left = u64::try_from(left.min(gap)).unwrap_or_default();
    Ok((left > 0).then(|| Duration::from_millis(left)))
}
