//! Queues log lines, which a thread of their own writes.
//!
//! Whoever reads the log may stall: a log shipper that hangs, a terminal that was stopped. Writing straight to standard
//! error would then block the threads that serve viewers. So lines wait in a queue, and when it is full they are
//! dropped and counted.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait.
const MAX_WAITING: usize = 1_024;
/// How long the end of the process waits for lines that wait; a reader that stalls must not hold it up.
const PATIENCE: Duration = Duration::from_secs(1);

enum Item {
    Line(Vec<u8>),
    /// The sender waits until everything before this is written.
    Flush(SyncSender<()>),
}

/// The queue's sending end; clones share the queue.
#[derive(Clone, Debug)]
pub(super) struct LineQueue {
    waiting: SyncSender<Item>,
    dropped: Arc<AtomicU64>,
}

impl LineQueue {
    /// Starts writing to `out`.
    pub(super) fn start(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (waiting, lines) = sync_channel(MAX_WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let missing = Arc::clone(&dropped);
        std::thread::Builder::new()
            .name("log".into())
            .spawn(move || write_out(&lines, &missing, out))?;
        Ok(Self { waiting, dropped })
    }

    /// A guard that writes the last lines when it is dropped.
    pub(super) fn at_the_end(&self) -> LastLines {
        LastLines(self.waiting.clone())
    }

    fn leave(&self, line: &[u8]) {
        match self.waiting.try_send(Item::Line(line.to_vec())) {
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
            Err(TrySendError::Full(_)) => {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                metrics::counter!("rillcast_log_lines_dropped_total").increment(1);
            }
        }
    }
}

fn write_out(lines: &Receiver<Item>, dropped: &AtomicU64, mut out: impl Write) {
    for item in lines {
        match item {
            // A closed log is no reason to stop serving.
            Item::Line(line) => drop(out.write_all(&line)),
            Item::Flush(done) => drop(done.send(())),
        }
        let dropped = dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let _unread = writeln!(
                out,
                "rillcast: {dropped} lines of the log were dropped: its reader was too slow"
            );
        }
    }
}

/// One line of the formatter, which writes each line with one call.
#[derive(Debug)]
pub(super) struct LineWriter<'a>(&'a LineQueue);

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.leave(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        LineWriter(self)
    }
}

/// When dropped, waits briefly for the lines still in the queue.
#[derive(Debug)]
pub struct LastLines(SyncSender<Item>);

impl Drop for LastLines {
    fn drop(&mut self) {
        let (done, written) = sync_channel(1);
        if self.0.try_send(Item::Flush(done)).is_ok() {
            let _in_vain = written.recv_timeout(PATIENCE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use super::*;

    /// A writer into memory that blocks until it is allowed to go on.
    struct Reader {
        may_go_on: mpsc::Receiver<()>,
        read: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // When the other end is dropped, it goes on with everything.
            let _go = self.may_go_on.recv();
            self.read.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_stalled_reader_holds_nobody_up_and_hears_how_much_it_missed() {
        let (go_on, may_go_on) = mpsc::channel();
        let read = Arc::new(Mutex::new(Vec::new()));
        let reader = Reader {
            may_go_on,
            read: Arc::clone(&read),
        };
        let queue = LineQueue::start(reader).unwrap();
        // This would never end if it waited for the reader.
        for number in 0..MAX_WAITING * 3 {
            queue
                .make_writer()
                .write_all(format!("{number}\n").as_bytes())
                .unwrap();
        }
        drop(go_on);
        // A flush needs a free place in the queue too.
        while queue
            .waiting
            .try_send(Item::Line(b"last\n".to_vec()))
            .is_err()
        {
            std::thread::yield_now();
        }
        drop(queue.at_the_end());
        let read = String::from_utf8(read.lock().unwrap().clone()).unwrap();
        assert!(read.starts_with("0\n"), "{read:.100}");
        assert!(
            read.contains(" lines of the log were dropped"),
            "{read:.100}"
        );
        assert!(read.contains("\nlast\n"));
        assert!(read.lines().count() < MAX_WAITING * 2);
    }

    #[test]
    fn the_last_lines_are_written_before_the_end() {
        let (go_on, may_go_on) = mpsc::channel();
        let read = Arc::new(Mutex::new(Vec::new()));
        let reader = Reader {
            may_go_on,
            read: Arc::clone(&read),
        };
        let queue = LineQueue::start(reader).unwrap();
        let last = queue.at_the_end();
        queue.make_writer().write_all(b"stopped\n").unwrap();
        drop(go_on);
        drop(last);
        assert_eq!(read.lock().unwrap().as_slice(), b"stopped\n");
    }
}
