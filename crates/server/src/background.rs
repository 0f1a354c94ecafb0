//! A second runtime for work that may be late: federation and notifications.
//!
//! Its threads are niced, so on a small machine a post to ten thousand followers only takes what the stream, the chat
//! and the pages leave over. Blocking work started there (signing, making keys) runs on its threads too.

use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

/// Threads of the second runtime. What they do is mostly waiting.
const THREADS: usize = 2;
/// How far behind everything else they stand.
const NICENESS: i32 = 10;
/// What they are called in the system's lists.
const THREAD_NAME: &str = "background";

/// The second runtime. Dropping it ends the runtime and whatever work is still on it.
#[derive(Debug)]
pub(crate) struct Background(Option<Runtime>, Handle);

impl Background {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name(THREAD_NAME)
            .on_thread_start(step_back)
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        Ok(Self(Some(runtime), handle))
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.1
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // This is dropped inside the other runtime, so waiting for its threads is not possible here.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// On Linux the "process" whose priority this sets is the calling thread.
fn step_back() {
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::warn!(%error, "cannot lower the priority of background work");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn niceness() -> i64 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // The process name may contain anything, so fields are counted from its closing bracket.
        let (_, fields) = stat.rsplit_once(')').unwrap();
        fields.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[tokio::test]
    async fn background_work_stands_behind_everything_else_and_so_does_what_it_blocks_on() {
        let background = Background::start().unwrap();
        let before = niceness();
        let working = background.handle().spawn(async {
            let blocking = tokio::task::spawn_blocking(niceness);
            (niceness(), blocking.await.unwrap())
        });
        let behind = before.max(i64::from(NICENESS));
        assert_eq!(working.await.unwrap(), (behind, behind));
        assert_eq!(niceness(), before);
    }
}
