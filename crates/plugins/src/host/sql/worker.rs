//! One connection in one thread, opened on first use.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, InterruptHandle, OpenFlags};
use tokio::sync::{mpsc, oneshot};

use super::{guard, run, temp_files};

/// Limit (plugins): time for one call of `sql`; then it is cancelled and undone. The wait for its turn is included.
const PATIENCE: Duration = Duration::from_secs(2);

/// Limit (plugins): size of the database; writing more is an error.
const MAX_DATABASE_BYTES: u32 = 128 * 1024 * 1024;

/// Bytes that sorts and what a statement collects may take in temporary files, however full the database is. Beyond that
/// they have what the database leaves of its own limit.
const MIN_TEMP_BYTES: u32 = 16 * 1024 * 1024;

/// Bytes of one page of it.
const PAGE_BYTES: u32 = 4096;

/// Calls that wait for the thread; calls of one plugin follow one another, so there are hardly ever two.
const MAX_WAITING: usize = 4;

/// Steps of SQLite between two looks at whether time is up: a fraction of a millisecond.
const STEPS: i32 = 1000;

type Job = Box<dyn FnOnce(&DatabaseSession) + Send>;

/// The database of one plugin.
#[derive(Debug)]
pub(in crate::host) struct Database {
    folder: Option<PathBuf>,
    state: Mutex<WorkerState>,
}

#[derive(Debug)]
enum WorkerState {
    /// Not used yet.
    Idle,
    /// A thread accepts jobs.
    Open(mpsc::Sender<Job>),
    /// The plugin was unloaded.
    Closed,
}

/// The thread's state.
struct DatabaseSession {
    connection: Result<Connection, String>,
    is_ours: Arc<AtomicBool>,
}

/// How a running job learns that its time is up.
#[derive(Default)]
struct Deadline {
    is_over: AtomicBool,
    /// Set while the job's statements run. A search takes few steps, so it must be interrupted and cannot just poll.
    running: Mutex<Option<InterruptHandle>>,
}

impl Deadline {
    fn running(&self) -> MutexGuard<'_, Option<InterruptHandle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// A job's time is up as soon as nobody waits for it any more, for whatever reason.
struct DeadlineGuard(Arc<Deadline>);

impl Drop for DeadlineGuard {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        if let Some(running) = &*self.0.running() {
            running.interrupt();
        }
    }
}

impl Database {
    pub(in crate::host) fn on_disk(folder: PathBuf) -> Self {
        Self {
            folder: Some(folder),
            state: Mutex::new(WorkerState::Idle),
        }
    }

    pub(in crate::host) fn in_memory() -> Self {
        Self {
            folder: None,
            state: Mutex::new(WorkerState::Idle),
        }
    }

    /// Whether it was never used; an in-memory database is then empty.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*state, WorkerState::Idle)
    }

    /// Ends the thread after its current job.
    pub(in crate::host) fn close(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = WorkerState::Closed;
    }

    /// Runs `work` in a transaction: all of it or nothing.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let (reply, answer) = oneshot::channel();
        let deadline = Arc::<Deadline>::default();
        let waiting = DeadlineGuard(Arc::clone(&deadline));
        let job: Job = Box::new(move |session| {
            // The caller may be gone.
            let _ = reply.send(session.transaction(&deadline, work));
        });
        let jobs = self.jobs()?;
        let outcome = tokio::time::timeout(PATIENCE, async {
            jobs.send(job).await.ok();
            answer.await
        });
        let outcome = outcome.await;
        drop(waiting);
        match outcome {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err("the database is closed".into()),
            Err(_) => Err(format!(
                "the statement took longer than {} seconds and was ended: add an index or ask for less",
                PATIENCE.as_secs()
            )),
        }
    }

    fn jobs(&self) -> Result<mpsc::Sender<Job>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            WorkerState::Open(jobs) => Ok(jobs.clone()),
            WorkerState::Closed => Err("the database is closed".into()),
            WorkerState::Idle => {
                let (sender, mut jobs) = mpsc::channel::<Job>(MAX_WAITING);
                let folder = self.folder.clone();
                std::thread::Builder::new()
                    .name("plugin-sql".into())
                    .spawn(move || {
                        let session = DatabaseSession::open(folder.as_deref());
                        while let Some(job) = jobs.blocking_recv() {
                            job(&session);
                        }
                    })
                    .map_err(|error| format!("the database cannot be opened: {error}"))?;
                *state = WorkerState::Open(sender.clone());
                Ok(sender)
            }
        }
    }
}

impl DatabaseSession {
    fn open(folder: Option<&Path>) -> Self {
        let is_ours = Arc::new(AtomicBool::new(true));
        let connection = connect(folder, &is_ours).map_err(|why| {
            tracing::warn!(error = why, "the database of a plugin cannot be opened");
            format!("the database cannot be opened: {why}")
        });
        Self {
            connection,
            is_ours,
        }
    }

    fn transaction<T>(
        &self,
        deadline: &Arc<Deadline>,
        work: impl FnOnce(&Connection) -> Result<T, String>,
    ) -> Result<T, String> {
        let connection = self.connection.as_ref().map_err(Clone::clone)?;
        let end = Arc::clone(deadline);
        connection
            .progress_handler(STEPS, Some(move || end.is_over()))
            .map_err(|error| run::sentence(&error))?;
        temp_files::allow(temp_bytes(connection).map_err(|error| run::sentence(&error))?);
        self.own(connection, "BEGIN")?;
        self.is_ours.store(false, Ordering::Relaxed);
        *deadline.running() = Some(connection.get_interrupt_handle());
        let outcome = work(connection);
        // An interrupt meant for this job must not hit the end of the transaction or the next job.
        *deadline.running() = None;
        self.is_ours.store(true, Ordering::Relaxed);
        let outcome = outcome.and_then(|value| {
            // A caller that was told of a timeout must not find the work done.
            match deadline.is_over() {
                true => Err("it took too long".into()),
                false => self.own(connection, "COMMIT").map(|()| value),
            }
        });
        if outcome.is_err() {
            // The rollback must not be interrupted.
            let _ = connection.progress_handler(0, None::<fn() -> bool>);
            // SQLite may have rolled back by itself; then there is nothing to do.
            let _ = self.own(connection, "ROLLBACK");
        }
        outcome
    }

    fn own(&self, connection: &Connection, sql: &str) -> Result<(), String> {
        connection
            .execute_batch(sql)
            .map_err(|error| run::sentence(&error))
    }
}

/// The budget for temporary files, given the database's current size.
fn temp_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let pages: u32 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    let left = MAX_DATABASE_BYTES.saturating_sub(pages.saturating_mul(PAGE_BYTES));
    Ok(left.max(MIN_TEMP_BYTES).into())
}

fn connect(folder: Option<&Path>, is_ours: &Arc<AtomicBool>) -> Result<Connection, String> {
    let vfs = temp_files::vfs().ok_or("SQLite has no way to files")?;
    let connection = match folder {
        None => Connection::open_in_memory_with_flags_and_vfs(OpenFlags::default(), vfs),
        Some(folder) => {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(|error| error.to_string())?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            // Resolves links on the way to the data folder: the database itself must not be a link.
            let folder = folder.canonicalize().map_err(|error| error.to_string())?;
            Connection::open_with_flags_and_vfs(folder.join("plugin.db"), flags, vfs)
        }
    };
    let connection = connection.map_err(|error| error.to_string())?;
    let pages = MAX_DATABASE_BYTES / PAGE_BYTES;
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = {PAGE_BYTES}; PRAGMA max_page_count = {pages}; PRAGMA trusted_schema = OFF; \
             PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 1048576; \
             PRAGMA cell_size_check = ON;"
        ))
        .and_then(|()| guard::put_before(&connection, is_ours))
        .map_err(|error| error.to_string())?;
    Ok(connection)
}
