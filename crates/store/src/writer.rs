//! One task writes: units of work, group commit, answers after COMMIT.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool};
use tokio::sync::{mpsc, oneshot};

use crate::dialect::Dialect;
use crate::error::StoreError;

/// Units waiting for the writer; callers beyond that wait for room, so a flood slows its senders and nothing else.
pub const QUEUE_CAPACITY: usize = 1024;

/// Units in one commit; keeps the wait of the first one bounded while one fsync serves many.
pub const MAX_GROUP: usize = 256;

/// The connection a unit of work runs on, inside the group's transaction.
pub type Tx = AnyConnection;

/// A cloneable handle to the writer task.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    units: mpsc::Sender<Box<dyn Unit>>,
}

impl Writer {
    /// Starts the task; it ends when the last handle is dropped, after the queue has been written.
    pub(crate) fn start(pool: AnyPool, dialect: Dialect) -> Self {
        let (units, inbox) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(
            WriterTask {
                pool,
                dialect,
                inbox,
                connection: None,
            }
            .run(),
        );
        Self { units }
    }

    /// Runs `work` in the next group and returns once it is durable.
    ///
    /// `after_commit` runs in the writer task, in commit order, before the answer: the place to publish what was
    /// written, because no later write can overtake it there. It must be quick.
    pub(crate) async fn write<T, F, A>(&self, work: F, after_commit: A) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
        A: FnOnce(&T) + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let unit = TypedUnit {
            work: Some(work),
            after_commit,
            outcome: None,
            sender,
        };
        let stopping = || StoreError::Unavailable("the server is stopping".into());
        self.units
            .send(Box::new(unit))
            .await
            .map_err(|_| stopping())?;
        receiver.await.map_err(|_| stopping())?
    }
}

/// A piece of writing that knows how to tell its caller the end.
trait Unit: Send {
    /// Does the work; true when it succeeded.
    fn run<'c>(&'c mut self, tx: &'c mut Tx) -> BoxFuture<'c, bool>;
    /// Answers the caller; `lost` says why the whole group is not in the database.
    fn answer(self: Box<Self>, lost: Option<&StoreError>);
}

impl std::fmt::Debug for dyn Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unit")
    }
}

struct TypedUnit<T, F, A> {
    work: Option<F>,
    after_commit: A,
    outcome: Option<Result<T, StoreError>>,
    sender: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F, A> Unit for TypedUnit<T, F, A>
where
    T: Send + 'static,
    F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    A: FnOnce(&T) + Send + 'static,
{
    fn run<'c>(&'c mut self, tx: &'c mut Tx) -> BoxFuture<'c, bool> {
        Box::pin(async move {
            let Some(work) = self.work.take() else {
                return false;
            };
            // A panic in one unit must not end the only writer.
            let outcome = AssertUnwindSafe(async { work(tx).await })
                .catch_unwind()
                .await;
            let outcome = outcome.unwrap_or_else(|_| {
                metrics::counter!("rillcast_panics_total", "where" => "store").increment(1);
                Err(StoreError::Unavailable(
                    "a write failed unexpectedly; see the log".into(),
                ))
            });
            self.outcome.insert(outcome).is_ok()
        })
    }

    fn answer(self: Box<Self>, lost: Option<&StoreError>) {
        let answer = match (self.outcome, lost) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), None) => {
                (self.after_commit)(&value);
                Ok(value)
            }
            (_, Some(error)) => Err(StoreError::Unavailable(error.to_string())),
            (None, None) => Err(StoreError::Unavailable("the write was not tried".into())),
        };
        // A caller that gave up no longer listens; the write stands either way.
        drop(self.sender.send(answer));
    }
}

struct WriterTask {
    pool: AnyPool,
    dialect: Dialect,
    inbox: mpsc::Receiver<Box<dyn Unit>>,
    connection: Option<PoolConnection<Any>>,
}

impl WriterTask {
    async fn run(mut self) {
        let mut group: Vec<Box<dyn Unit>> = Vec::with_capacity(MAX_GROUP);
        while self.inbox.recv_many(&mut group, MAX_GROUP).await > 0 {
            metrics::histogram!("rillcast_store_group_units").record(group.len() as f64);
            let committed = self.write_group(&mut group).await;
            if let Err(error) = &committed {
                tracing::warn!(%error, units = group.len(), "writes refused");
                metrics::counter!("rillcast_store_refused_total").increment(group.len() as u64);
            }
            for unit in group.drain(..) {
                unit.answer(committed.as_ref().err());
            }
        }
    }

    async fn write_group(&mut self, group: &mut [Box<dyn Unit>]) -> Result<(), StoreError> {
        let mut connection = self.begin().await?;
        let mut outcome = Ok(());
        for unit in group {
            outcome = run_in_savepoint(unit.as_mut(), &mut connection).await;
            if outcome.is_err() {
                break;
            }
        }
        if outcome.is_ok() {
            outcome = execute(&mut connection, "COMMIT").await;
        }
        match outcome {
            Ok(()) => self.connection = Some(connection),
            // Its state is unknown; closing rolls back, and a fresh connection is cheaper than finding out.
            Err(_) => drop(connection.close().await),
        }
        outcome
    }

    async fn begin(&mut self) -> Result<PoolConnection<Any>, StoreError> {
        let begin = match self.dialect {
            // IMMEDIATE takes the write lock here, where busy_timeout waits for it.
            Dialect::Sqlite => "BEGIN IMMEDIATE",
            Dialect::Postgres => "BEGIN",
        };
        if let Some(mut connection) = self.connection.take() {
            match execute(&mut connection, begin).await {
                Ok(()) => return Ok(connection),
                Err(error) if self.dialect == Dialect::Sqlite => {
                    drop(connection.close().await);
                    return Err(error);
                }
                // PostgreSQL may have restarted: once more on a fresh connection.
                Err(_) => drop(connection.close().await),
            }
        }
        let mut connection = self.pool.acquire().await?;
        execute(&mut connection, begin).await?;
        Ok(connection)
    }
}

/// A failing unit is undone alone. An error here means that the whole transaction is lost.
async fn run_in_savepoint(unit: &mut dyn Unit, tx: &mut Tx) -> Result<(), StoreError> {
    execute(tx, "SAVEPOINT unit").await?;
    if !unit.run(tx).await {
        execute(tx, "ROLLBACK TO SAVEPOINT unit").await?;
    }
    // SQLite may have rolled everything back by itself (disk full): then this fails, and nobody hears "done".
    execute(tx, "RELEASE SAVEPOINT unit").await
}

async fn execute(tx: &mut Tx, sql: &'static str) -> Result<(), StoreError> {
    sqlx::raw_sql(sql).execute(tx).await?;
    Ok(())
}
