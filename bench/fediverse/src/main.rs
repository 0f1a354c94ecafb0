//! Ten thousand other servers in one process: they accept deliveries, publish their keys, follow, post, and forge.
//!
//! Usage: `fediverse CERTIFICATE KEY` (PEM files; the certificate is for all names that lead here). The first line it
//! prints says on which ports of 127.0.0.1 it is. Then each line it reads is a command as JSON, and each line it prints
//! is an answer with the command's `id`. It ends with its input.
#![allow(clippy::disallowed_methods)] // It measures time, and there is no clock to take.

mod burst;
mod flood;
mod follow;
mod key;
mod listeners;
mod peers;
mod requests;
mod sender;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use peers::Peers;
use requests::Receiver;

/// The result of a command, or why it failed.
type CommandResult = Result<Value, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [certificate, key] = words.as_slice() else {
        eprintln!("usage: fediverse CERTIFICATE KEY");
        return ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let done = runtime
        .map_err(|error| error.to_string())
        .and_then(|runtime| {
            let done = runtime.block_on(run(certificate, key));
            // Nobody waits for what is still under way.
            runtime.shutdown_background();
            done
        });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("fediverse: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run(certificate: &str, key: &str) -> Result<(), String> {
    let peers = Arc::new(Peers::new(key::Key::generate()?));
    let listeners = listeners::open(&peers, certificate, key)?;
    println!("{}", listeners.ports());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let command: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        let peers = Arc::clone(&peers);
        tokio::spawn(async move {
            let id = command["id"].clone();
            let answer = match execute(peers, command).await {
                Ok(answer) => json!({ "id": id, "answer": answer }),
                Err(problem) => json!({ "id": id, "problem": problem }),
            };
            println!("{answer}");
        });
    }
    Ok(())
}

async fn execute(peers: Arc<Peers>, command: Value) -> CommandResult {
    match command["do"].as_str().unwrap_or_default() {
        "reset" => {
            peers.reset();
            Ok(Value::Null)
        }
        "count" => Ok(peers.count()),
        "sign" => {
            let seconds = number(&command, "seconds")?;
            let signing = tokio::task::spawn_blocking(move || peers.key.rate(seconds));
            let rate = signing.await.map_err(|error| error.to_string())?;
            Ok(json!({ "rate": rate }))
        }
        "follow" => follow::follow(&peers, &Receiver::of(&command)?, text(&command, "host")?).await,
        "burst" => {
            let receiver = Receiver::of(&command)?;
            let first = number(&command, "first")?;
            burst::burst(&peers, &receiver, first, number(&command, "requests")?).await
        }
        "flood" => {
            let receiver = Receiver::of(&command)?;
            let plan = flood::Plan {
                seconds: number(&command, "seconds")?,
                rate: number(&command, "rate")?,
                addresses: number(&command, "addresses")?,
                known_key: text(&command, "known_key")?.to_owned(),
            };
            flood::flood(&receiver, plan).await
        }
        other => Err(format!("{other:?} is not understood")),
    }
}

fn text<'a>(command: &'a Value, name: &str) -> Result<&'a str, String> {
    command[name].as_str().ok_or(format!("{name} is missing"))
}

fn number(command: &Value, name: &str) -> Result<u64, String> {
    command[name].as_u64().ok_or(format!("{name} is missing"))
}
