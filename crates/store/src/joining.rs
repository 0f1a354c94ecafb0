//! Which program may join the servers on a database.
//!
//! Migrations only add, so servers of several versions can share a database while they are brought up to date one by
//! one. A migration that older programs cannot live with raises the oldest schema that may join: whoever is older stays
//! out, and the migration itself has to wait until no such program runs any more.

use std::time::Duration;

use sqlx::{AnyConnection, Row};

use crate::dialect::Dialect;
use crate::error::OpenError;
use crate::migrate::{NODES_SINCE, OLDEST_USABLE, found_version, newest_known};

/// A server that has not written its row for this long is not there: it writes it every ten seconds.
pub const NODE_IS_SILENT_AFTER: Duration = Duration::from_secs(30);
/// PostgreSQL only. The time now, not that of the transaction.
pub(crate) const DATABASE_TIME: &str =
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// A server that is running.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LivingNode {
    name: String,
    version: String,
    schema: i64,
}

/// What a program brings along.
#[derive(Clone, Copy, Debug)]
struct ProgramSchema {
    /// The newest schema it knows.
    known: i64,
    /// The oldest whose program can use the database after its migrations.
    oldest_usable: i64,
}

/// Refuses this program if it is too old for the others on this PostgreSQL, or too new. To be asked before the first
/// change, while the database is claimed.
pub(crate) async fn check(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<(), OpenError> {
    let found = found_version(connection, dialect).await?;
    if found < NODES_SINCE {
        return Ok(());
    }
    let failed = |error: sqlx::Error| OpenError::Other(error.into());
    let needed: i64 = sqlx::query_scalar("SELECT COALESCE(MAX(min_schema), 0) FROM cluster")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    let now: i64 = sqlx::query_scalar(DATABASE_TIME)
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    let silent = i64::try_from(NODE_IS_SILENT_AFTER.as_millis()).unwrap_or(i64::MAX);
    let rows = sqlx::query(
        "SELECT name, version, schema FROM nodes WHERE last_seen > $1 ORDER BY name, number",
    )
    .bind(now.saturating_sub(silent))
    .fetch_all(&mut *connection)
    .await
    .map_err(failed)?;
    let mut living = Vec::with_capacity(rows.len());
    for row in rows {
        living.push(LivingNode {
            name: row.try_get("name").map_err(failed)?,
            version: row.try_get("version").map_err(failed)?,
            schema: row.try_get("schema").map_err(failed)?,
        });
    }
    let program = ProgramSchema {
        known: newest_known(),
        oldest_usable: OLDEST_USABLE,
    };
    judge(program, needed, &living)
}

fn judge(program: ProgramSchema, needed: i64, living: &[LivingNode]) -> Result<(), OpenError> {
    if program.known < needed {
        return Err(OpenError::TooOld {
            known: program.known,
            needed,
            nodes: named(living.iter()),
        });
    }
    let outdated = |node: &&LivingNode| node.schema < program.oldest_usable;
    let shut_out = named(living.iter().filter(outdated));
    match shut_out.is_empty() {
        true => Ok(()),
        false => Err(OpenError::ShutsOut {
            needed: program.oldest_usable,
            nodes: shut_out,
        }),
    }
}

fn named<'a>(nodes: impl Iterator<Item = &'a LivingNode>) -> Vec<String> {
    nodes
        .map(|node| format!("{} ({})", node.name, node.version))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, schema: i64) -> LivingNode {
        LivingNode {
            name: name.into(),
            version: format!("0.{schema}.0"),
            schema,
        }
    }

    fn program(known: i64, oldest_usable: i64) -> ProgramSchema {
        ProgramSchema {
            known,
            oldest_usable,
        }
    }

    #[test]
    fn versions_that_only_add_to_the_schema_run_side_by_side() {
        let living = [node("one", 18), node("two", 20)];
        judge(program(18, 18), 18, &living).unwrap();
        judge(program(21, 18), 18, &living).unwrap();
        judge(program(18, 18), 18, &[]).unwrap();
    }

    #[test]
    fn a_program_that_is_too_old_is_refused_with_one_line_that_names_the_others() {
        let error = judge(program(18, 18), 19, &[node("one", 19), node("two", 20)]).unwrap_err();
        let text = error.to_string();
        for part in [
            "schema 18",
            "schema 19 or newer",
            "one (0.19.0), two (0.20.0)",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains('\n'));
        let alone = judge(program(18, 18), 19, &[]).unwrap_err().to_string();
        assert!(
            alone.contains("or newer; install"),
            "there is nobody to name: {alone}"
        );
    }

    #[test]
    fn a_migration_that_would_shut_out_living_nodes_is_refused_with_their_names() {
        let living = [node("one", 18), node("two", 19), node("three", 18)];
        let text = judge(program(20, 19), 18, &living).unwrap_err().to_string();
        assert!(text.contains("one (0.18.0), three (0.18.0)"), "{text}");
        assert!(!text.contains("two") && !text.contains('\n'), "{text}");
        judge(program(20, 19), 18, &living[1..2]).unwrap();
    }

    #[test]
    fn what_this_program_needs_is_not_newer_than_what_it_knows() {
        assert!((NODES_SINCE..=newest_known()).contains(&OLDEST_USABLE));
    }
}
