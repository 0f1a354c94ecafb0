//! Old lines go, except those beside a recording.

use jiff::Timestamp;

use crate::database::Store;
use crate::error::StoreError;

/// What nobody reads again beside a recording: lines of the server, lines that nobody saw, and those that their authors
/// deleted.
const NOT_REPLAYED: &str = "DELETE FROM messages WHERE at < $1 \
     AND (kind <> 'CHAT' OR is_held = 1 OR deleted_at IS NOT NULL) \
     AND id NOT IN (SELECT message_id FROM pinned_message)";

/// What was said while nothing was recorded with its chat. It is looked up by the gaps between recordings, so lines that
/// stay are not looked at; the join's order is fixed because SQLite would not know that.
const OUTSIDE_RECORDINGS: &str = "WITH spans AS (\
     SELECT started_at, COALESCE(ended_at, $1) AS ended_at FROM recordings \
     WHERE keeps_chat = 1 AND state IN ('recording', 'finished') AND started_at < $1\
     ), gaps AS (\
     SELECT COALESCE(MAX(ended_at) OVER (ORDER BY started_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1) \
     AS since, started_at AS until FROM spans \
     UNION ALL SELECT COALESCE(MAX(ended_at), -1), CAST($1 AS BIGINT) FROM spans\
     ) DELETE FROM messages WHERE seq IN (\
     SELECT m.seq FROM gaps CROSS JOIN messages m WHERE m.at > gaps.since AND m.at < gaps.until\
     ) AND id NOT IN (SELECT message_id FROM pinned_message)";

impl Store {
    /// Deletes lines older than `before`, except the one above the chat and what people wrote during a recording that
    /// keeps its chat; returns how many.
    pub async fn prune_messages(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let mut pruned = 0;
                for delete in [NOT_REPLAYED, OUTSIDE_RECORDINGS] {
                    let done = sqlx::query(delete)
                        .bind(before.as_millisecond())
                        .execute(&mut *tx)
                        .await?;
                    pruned += done.rows_affected();
                }
                Ok(pruned)
            })
        })
        .await
    }
}
