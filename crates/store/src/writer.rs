//! A single writer task: units of work, group commit, answers after COMMIT.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use model::LoggedEvent;
use sqlx::{AnyConnection, Connection};
use tokio::sync::{mpsc, oneshot, watch};

use crate::address::{DatabaseUrl, Role};
use crate::dialect::Dialect;
use crate::error::StoreError;
use crate::group_commit::{GroupCommit, GroupFeed, Wake};
use crate::lease::Lease;
use crate::log_rows::{appended_after, newest_in};
use crate::opening::claim;

/// Units waiting for the writer; callers beyond that wait for room, so a flood slows its senders and nothing else.
pub const QUEUE_CAPACITY: usize = 1024;

/// Units in one commit; keeps the wait of the first one bounded while one fsync serves many.
pub const MAX_GROUP: usize = 256;

/// The same for a database that other servers write to as well: they wait while a group holds the lock.
const MAX_SHARED_GROUP: usize = 64;

/// A group that takes longer is given up: one stuck statement must not hold every writer for ever.
const GROUP_TIMEOUT: Duration = Duration::from_secs(15);

/// The connection a unit of work runs on, inside the group's transaction.
pub type Tx = AnyConnection;

#[derive(Clone, Debug)]
pub(crate) struct Writer {
    inbox: mpsc::Sender<WriterCommand>,
    /// What units sent through this handle are done under.
    lease: Lease,
}

/// A command to the writer task.
#[derive(Debug)]
enum WriterCommand {
    Write(Box<dyn WriteUnit>),
    /// Write what is queued, refuse later commands, close the connection, then answer.
    Close(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the task on an open connection; the task opens a new one if that is lost.
    pub(crate) fn start(
        url: DatabaseUrl,
        connection: AnyConnection,
        is_claimed: bool,
        chain: Option<Chain>,
    ) -> Self {
        let (sender, inbox) = mpsc::channel(QUEUE_CAPACITY);
        let task = WriterTask {
            url,
            inbox,
            connection: Some(connection),
            is_claimed,
            chain,
        };
        tokio::spawn(task.run());
        Self {
            inbox: sender,
            lease: Lease::always(),
        }
    }

    /// A handle to the same task whose units are rolled back once another server has the lease.
    pub(crate) fn under(&self, lease: &Lease) -> Self {
        Self {
            inbox: self.inbox.clone(),
            lease: lease.clone(),
        }
    }

    /// Runs `work` in the next group and returns once it is durable.
    ///
    /// `after_commit` runs in the writer task, in commit order, before the answer. This is the place to publish what
    /// was written, because no later write can overtake it there. It must be quick.
    pub(crate) async fn write<T, F, A>(&self, work: F, after_commit: A) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
        A: FnOnce(&T) + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let unit = TypedUnit {
            work: Some(work),
            lease: self.lease.clone(),
            after_commit,
            outcome: None,
            sender,
        };
        let stopping = || StoreError::Unavailable("the server is stopping".into());
        let command = WriterCommand::Write(Box::new(unit));
        self.inbox.send(command).await.map_err(|_| stopping())?;
        receiver.await.map_err(|_| stopping())?
    }

    /// Finishes queued writes and closes the database connection; later writes are refused.
    pub(crate) async fn close(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.inbox.send(WriterCommand::Close(sender)).await.is_ok() {
            // An error means that the task has already ended, which is what we want.
            drop(receiver.await);
        }
    }
}

/// A unit of work that can report its outcome to the caller.
trait WriteUnit: Send {
    /// Does the work; true if it succeeded.
    fn run<'c>(&'c mut self, tx: &'c mut Tx) -> BoxFuture<'c, bool>;
    /// Answers the caller; `lost` says why the whole group is not in the database.
    fn answer(self: Box<Self>, lost: Option<&StoreError>);
}

impl std::fmt::Debug for dyn WriteUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WriteUnit")
    }
}

struct TypedUnit<T, F, A> {
    work: Option<F>,
    lease: Lease,
    after_commit: A,
    outcome: Option<Result<T, StoreError>>,
    sender: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F, A> WriteUnit for TypedUnit<T, F, A>
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
            // The caller has been told "failed" by a timeout; doing the work now would make that a lie.
            if self.sender.is_closed() {
                return false;
            }
            let lease = self.lease.clone();
            let fenced = async {
                lease.check(&mut *tx).await?;
                work(tx).await
            };
            // A panic in one unit must not end the only writer.
            let outcome = AssertUnwindSafe(fenced).catch_unwind().await;
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
        // A caller that gave up at the last moment no longer listens; the write stands.
        drop(self.sender.send(answer));
    }
}

/// How the groups of this process stand among those of other servers on the same database.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) feed: Arc<GroupFeed>,
    pub(crate) deliveries: watch::Receiver<()>,
    pub(crate) inbox: watch::Receiver<u64>,
}

impl Chain {
    /// What was queued since the last group; asked after the units were answered, because that is when they say so.
    fn wake(&mut self) -> Wake {
        Wake {
            deliveries: has_news(&mut self.deliveries),
            inbox: has_news(&mut self.inbox),
        }
    }
}

fn has_news<T>(queue: &mut watch::Receiver<T>) -> bool {
    let has_news = queue.has_changed().unwrap_or(false);
    queue.mark_unchanged();
    has_news
}

/// What a committed group added to the log; without a chain nobody asks.
type ChainLink = Option<(i64, Vec<LoggedEvent>)>;

struct WriterTask {
    url: DatabaseUrl,
    inbox: mpsc::Receiver<WriterCommand>,
    connection: Option<AnyConnection>,
    /// The database belongs to this server, alone or with others; every new connection has to claim it again.
    is_claimed: bool,
    /// Set if other servers write to the database as well.
    chain: Option<Chain>,
}

impl WriterTask {
    async fn run(mut self) {
        let most = match self.chain {
            Some(_) => MAX_SHARED_GROUP,
            None => MAX_GROUP,
        };
        let mut commands = Vec::with_capacity(MAX_GROUP);
        let mut group: Vec<Box<dyn WriteUnit>> = Vec::with_capacity(MAX_GROUP);
        let mut closing = Vec::new();
        while self.inbox.recv_many(&mut commands, most).await > 0 {
            for command in commands.drain(..) {
                match command {
                    WriterCommand::Write(unit) => group.push(unit),
                    WriterCommand::Close(done) => {
                        self.inbox.close();
                        closing.push(done);
                    }
                }
            }
            if !group.is_empty() {
                self.write_and_answer(&mut group).await;
            }
        }
        if let Some(connection) = self.connection.take() {
            drop(connection.close().await);
        }
        for done in closing {
            // The caller may have stopped waiting.
            let _gone = done.send(());
        }
    }

    async fn write_and_answer(&mut self, group: &mut Vec<Box<dyn WriteUnit>>) {
        metrics::histogram!("rillcast_store_group_units").record(group.len() as f64);
        // Cancelling drops the connection, which rolls back whatever it was doing.
        let committed = match tokio::time::timeout(GROUP_TIMEOUT, self.write_group(group)).await {
            Ok(committed) => committed,
            Err(_) => Err(StoreError::Unavailable(
                "the database does not answer".into(),
            )),
        };
        if let Err(error) = &committed {
            tracing::warn!(%error, units = group.len(), "writes refused");
            metrics::counter!("rillcast_store_refused_total").increment(group.len() as u64);
        }
        for unit in group.drain(..) {
            let answer = AssertUnwindSafe(|| unit.answer(committed.as_ref().err()));
            // `after_commit` belongs to the caller: its panic must not end the only writer.
            if std::panic::catch_unwind(answer).is_err() {
                metrics::counter!("rillcast_panics_total", "where" => "store").increment(1);
            }
        }
        if let (Some(chain), Ok(Some((prev, events)))) = (&mut self.chain, committed) {
            let wake = chain.wake();
            chain.feed.hand_out(GroupCommit { prev, events, wake });
        }
    }

    async fn write_group(
        &mut self,
        group: &mut [Box<dyn WriteUnit>],
    ) -> Result<ChainLink, StoreError> {
        let mut connection = self.begin().await?;
        let prev = match self.chain {
            // A statement of its own, after the lock: one that waits for the lock has a snapshot from before.
            Some(_) => Some(newest_in(&mut connection).await?),
            None => None,
        };
        for unit in group {
            run_in_savepoint(unit.as_mut(), &mut connection).await?;
        }
        let appended = match prev {
            Some(prev) => Some((prev, appended_after(&mut connection, prev).await?)),
            None => None,
        };
        execute(&mut connection, "COMMIT").await?;
        // Only a connection in a known state is kept; dropping any other rolls back.
        self.connection = Some(connection);
        Ok(appended)
    }

    async fn begin(&mut self) -> Result<AnyConnection, StoreError> {
        let begin = match self.url.dialect() {
            // IMMEDIATE takes the write lock here, where busy_timeout waits for it.
            Dialect::Sqlite => "BEGIN IMMEDIATE",
            // The lock makes us the one writer even beside another process, so events are numbered in commit order. And
            // every statement after it has to see what was committed before, whatever the server's default is.
            Dialect::Postgres => {
                "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(7245520313)"
            }
        };
        if let Some(mut connection) = self.connection.take() {
            match (execute(&mut connection, begin).await, self.url.dialect()) {
                (Ok(()), _) => return Ok(connection),
                (Err(error), Dialect::Sqlite) => return Err(error),
                // PostgreSQL may have restarted: retry once on a fresh connection.
                (Err(_), Dialect::Postgres) => {}
            }
        }
        let mut connection = self.url.connect(Role::Writer).await?;
        if self.is_claimed && !claim(&mut connection, self.chain.is_some()).await? {
            let text = "another server has taken it over meanwhile";
            return Err(StoreError::Unavailable(text.into()));
        }
        execute(&mut connection, begin).await?;
        Ok(connection)
    }
}

/// A failing unit is rolled back alone. An error here means that the whole transaction is lost.
async fn run_in_savepoint(unit: &mut dyn WriteUnit, tx: &mut Tx) -> Result<(), StoreError> {
    execute(tx, "SAVEPOINT unit").await?;
    if !unit.run(tx).await {
        execute(tx, "ROLLBACK TO SAVEPOINT unit").await?;
    }
    // SQLite may have rolled everything back by itself (disk full): then this fails, and no caller is told "done".
    execute(tx, "RELEASE SAVEPOINT unit").await
}

async fn execute(tx: &mut Tx, sql: &'static str) -> Result<(), StoreError> {
    sqlx::raw_sql(sql).execute(tx).await?;
    Ok(())
}
