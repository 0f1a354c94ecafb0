//! What is done with a line that is hidden, whoever hides it.

use model::MessageId;
use sqlx::Row;

use crate::error::StoreError;
use crate::writer::Tx;

/// Takes the line from above the chat if it has just been hidden. It does not come back when it is shown again.
pub(super) async fn unpin_hidden(tx: &mut Tx) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM pinned_message WHERE EXISTS \
         (SELECT 1 FROM messages WHERE messages.id = pinned_message.message_id AND messages.hidden_at IS NOT NULL)",
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The name of a line's author for the log; empty if nobody wrote it.
pub(super) async fn author_name(tx: &mut Tx, id: Option<&MessageId>) -> Result<String, StoreError> {
    let Some(id) = id else {
        return Ok(String::new());
    };
    let row = sqlx::query(
        "SELECT u.display_name FROM messages m JOIN users u ON u.id = m.user_id WHERE m.id = $1",
    )
    .bind(id.as_str())
    .fetch_optional(tx)
    .await?;
    let name: Option<String> = row.map(|row| row.try_get(0)).transpose()?;
    Ok(name.unwrap_or_default())
}
