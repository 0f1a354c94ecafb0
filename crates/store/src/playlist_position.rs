//! Where the playlists of a broadcast stand, for the server that goes on with it when its own one dies.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;

/// The end of what players could see of a broadcast when it was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaylistPosition {
    pub stream_id: String,
    /// Number of the segment that was under construction.
    pub msn: u64,
    /// How many of its parts were listed.
    pub parts: u64,
    /// The discontinuity number of that segment.
    pub discontinuities: u64,
    /// The end of its parts on the session's time line.
    pub end_us: i64,
    /// Wall-clock time at that end.
    pub end_date: Timestamp,
    /// 0 to 4: what was promised to players.
    pub latency_level: u8,
}

impl Store {
    /// Writes down where the broadcast stands; what was known of it or of another one is replaced.
    pub async fn note_playlist_position(
        &self,
        position: PlaylistPosition,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO playlist_position \
                     (only_row, stream_id, msn, parts, discontinuities, end_us, end_date, latency_level) \
                     VALUES (1, $1, $2, $3, $4, $5, $6, $7) \
                     ON CONFLICT (only_row) DO UPDATE SET stream_id = excluded.stream_id, \
                     msn = excluded.msn, parts = excluded.parts, \
                     discontinuities = excluded.discontinuities, end_us = excluded.end_us, \
                     end_date = excluded.end_date, latency_level = excluded.latency_level",
                )
                .bind(position.stream_id)
                .bind(position.msn.cast_signed())
                .bind(position.parts.cast_signed())
                .bind(position.discontinuities.cast_signed())
                .bind(position.end_us)
                .bind(position.end_date.as_millisecond())
                .bind(i64::from(position.latency_level))
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }

    /// Where this broadcast stood when that was written down last; `None` if it never was.
    pub async fn playlist_position(
        &self,
        stream_id: String,
    ) -> Result<Option<PlaylistPosition>, StoreError> {
        let row = sqlx::query(
            "SELECT stream_id, msn, parts, discontinuities, end_us, end_date, latency_level \
             FROM playlist_position WHERE stream_id = $1",
        )
        .bind(stream_id)
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(position).transpose()
    }
}

fn position(row: &AnyRow) -> Result<PlaylistPosition, StoreError> {
    let number = |name: &str| -> Result<u64, StoreError> {
        let stored: i64 = row.try_get(name)?;
        u64::try_from(stored).map_err(|error| StoreError::unreadable("playlist position", error))
    };
    let end_date = Timestamp::from_millisecond(row.try_get("end_date")?)
        .map_err(|error| StoreError::unreadable("playlist position", error))?;
    Ok(PlaylistPosition {
        stream_id: row.try_get("stream_id")?,
        msn: number("msn")?,
        parts: number("parts")?,
        discontinuities: number("discontinuities")?,
        end_us: row.try_get("end_us")?,
        end_date,
        latency_level: u8::try_from(number("latency_level")?).unwrap_or(u8::MAX),
    })
}
