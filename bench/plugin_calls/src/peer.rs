//! A CPython process that has loaded the same plugin with the same SDK, behind a pipe.
//!
//! It is what a server would have that runs plugins without a sandbox: one process each, a line for a question, a line
//! for an answer. What the plugin asks of the server is a line too.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use plugins::engine::CallKind;

/// What it says when the plugin is loaded.
const READY: &str = "ready";
/// Comes before what the plugin asks of the server; everything else is an answer.
const QUESTION: char = '?';
/// Statements, which plugins make when they are loaded.
const STATEMENT: &str = "?sql_exec ";
const STATEMENT_DONE: &[u8] = b"{\"rowsAffected\":0}\n";
/// No value under the key it asks for.
const NOTHING: &[u8] = b"null\n";

pub struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Peer {
    /// From the start of the process to a plugin that takes calls.
    pub fn start(command: &[String], package: &Path) -> (Self, Duration) {
        let begin = Instant::now();
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .arg(package)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the peer");
        let mut peer = Self {
            input: child.stdin.take().expect("a pipe"),
            output: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
            line: String::new(),
        };
        peer.answer_questions();
        assert_eq!(
            peer.line.trim_end(),
            READY,
            "the peer did not load the plugin"
        );
        (peer, begin.elapsed())
    }

    /// Calls it over and over: from before the question is written until the answer is read.
    pub fn call(
        &mut self,
        kind: CallKind,
        turn: Duration,
        input: fn(usize) -> String,
    ) -> Vec<Duration> {
        let begin = Instant::now();
        let mut times = Vec::new();
        while begin.elapsed() < turn {
            let input = input(times.len());
            let asked = Instant::now();
            let question = format!("{} {input}\n", kind.name());
            self.write(question.as_bytes());
            self.answer_questions();
            times.push(asked.elapsed());
        }
        times
    }

    /// Until it says something that is no question.
    fn answer_questions(&mut self) {
        while self.read().starts_with(QUESTION) {
            self.write(match self.line.starts_with(STATEMENT) {
                true => STATEMENT_DONE,
                false => NOTHING,
            });
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("a peer that reads");
    }

    fn read(&mut self) -> &str {
        self.line.clear();
        let read = self.output.read_line(&mut self.line);
        assert_ne!(read.expect("a peer that writes"), 0, "the peer has ended");
        self.line.trim_end()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
