//! The servers that share this database: who is there, since when, and how busy they are.
//!
//! A row is one process. It is written when the process joins and every ten seconds from then on; a clean stop deletes
//! it. `joining.rs` decides which program may join.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::joining::DATABASE_TIME;
use crate::migrate::newest_known;

/// Limit (operators): time a machine that fell silent is listed; then it is forgotten.
const NODE_IS_FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A server that joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNode {
    /// Names this process and no other one, not even the same server after a restart.
    pub id: String,
    /// What the operator calls the machine.
    pub name: String,
    pub version: String,
    /// What it is for, separated by commas.
    pub roles: String,
    /// Where it listens, as JSON.
    pub addresses: String,
    pub since: Timestamp,
}

/// A server as its row tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRecord {
    pub id: String,
    /// Short, and another one for each process that is known.
    pub number: i64,
    pub name: String,
    pub version: String,
    /// The newest schema its program knows.
    pub schema: i64,
    pub roles: String,
    pub addresses: String,
    /// How busy it is, as JSON.
    pub load: String,
    pub since: Timestamp,
    pub last_seen: Timestamp,
}

impl Store {
    /// Enters a server into the list and returns its number. An earlier process of the same name is taken off it, and so
    /// is whoever fell silent long ago.
    pub async fn join_nodes(&self, node: NewNode) -> Result<i64, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let number: i64 =
                    sqlx::query_scalar("SELECT COALESCE(MAX(number), 0) + 1 FROM nodes")
                        .fetch_one(&mut *tx)
                        .await?;
                sqlx::query("DELETE FROM nodes WHERE name = $1 OR last_seen < $2")
                    .bind(node.name.clone())
                    .bind((node.since - NODE_IS_FORGOTTEN_AFTER).as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                sqlx::query(
                    "INSERT INTO nodes \
                     (id, number, name, version, schema, roles, addresses, load, since, last_seen) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, '{}', $8, $8)",
                )
                .bind(node.id)
                .bind(number)
                .bind(node.name)
                .bind(node.version)
                .bind(newest_known())
                .bind(node.roles)
                .bind(node.addresses)
                .bind(node.since.as_millisecond())
                .execute(tx)
                .await?;
                Ok(number)
            })
        })
        .await
    }

    /// Says that a server is still there, and how busy it is. False if it is on the list no more, because another
    /// process of the same name has joined, or because it was silent for long; then it has to join again.
    pub async fn note_node(
        &self,
        id: String,
        load: String,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let noted = sqlx::query("UPDATE nodes SET load = $2, last_seen = $3 WHERE id = $1")
                    .bind(id)
                    .bind(load)
                    .bind(at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                sqlx::query("DELETE FROM nodes WHERE last_seen < $1")
                    .bind((at - NODE_IS_FORGOTTEN_AFTER).as_millisecond())
                    .execute(tx)
                    .await?;
                Ok(noted.rows_affected() > 0)
            })
        })
        .await
    }

    /// Takes a server off the list that stops cleanly.
    pub async fn leave_nodes(&self, id: String) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("DELETE FROM nodes WHERE id = $1")
                    .bind(id)
                    .execute(tx)
                    .await?;
                Ok(())
            })
        })
        .await
    }

    /// The servers that are there or were there lately, by name.
    pub async fn nodes(&self) -> Result<Vec<NodeRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, number, name, version, schema, roles, addresses, load, since, last_seen \
             FROM nodes ORDER BY name, number",
        )
        .fetch_all(&self.readers)
        .await?;
        let mut nodes = Vec::with_capacity(rows.len());
        for row in rows {
            nodes.push(NodeRecord {
                id: row.try_get("id")?,
                number: row.try_get("number")?,
                name: row.try_get("name")?,
                version: row.try_get("version")?,
                schema: row.try_get("schema")?,
                roles: row.try_get("roles")?,
                addresses: row.try_get("addresses")?,
                load: row.try_get("load")?,
                since: time(row.try_get("since")?)?,
                last_seen: time(row.try_get("last_seen")?)?,
            });
        }
        Ok(nodes)
    }

    /// What PostgreSQL's clock says, which all servers of a cluster compare theirs with. SQLite has none of its own.
    pub async fn database_time(&self) -> Result<Timestamp, StoreError> {
        let millis: i64 = sqlx::query_scalar(DATABASE_TIME)
            .fetch_one(&self.readers)
            .await?;
        time(millis)
    }
}

fn time(millis: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(millis).map_err(|error| StoreError::unreadable("time", error))
}
