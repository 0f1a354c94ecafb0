//! What it costs to load a plugin and to call it, beside a CPython process that has loaded the same plugin.
//!
//! Usage: `plugin_calls ENGINE SECONDS PACKAGES EXAMPLES -- COMMAND…`; prints JSON. PACKAGES is a folder of plugins
//! that all stay loaded; the first of them asks the server something for every line it receives, the second also
//! filters. EXAMPLES is a folder of plugins that are loaded one after the other. COMMAND starts the peer when the path
//! of a package is added.
//!
//! Ours is everything the server does when it loads or calls a plugin, with a server in memory behind the host calls.
//! Calls of ours and of the peer are measured in turns, so that whatever else the machine does hits both.

mod peer;
mod percentiles;
mod server;

use std::path::{Path, PathBuf};
use std::time::Duration;

use peer::Peer;
use percentiles::summary;
use plugins::dispatch::EventDelivery;
use plugins::engine::CallKind;
use serde_json::{Map, Value, json};
use server::{Caller, PluginServer};

const USAGE: &str = "usage: plugin_calls ENGINE SECONDS PACKAGES EXAMPLES -- COMMAND…";
/// Turns of each kind.
const TURNS: u32 = 10;
/// How often a plugin is loaded alone.
const LOADS: usize = 20;
/// Loads and calls that come before anything is measured.
const WARM_LOADS: usize = 3;
const WARM_CALL_TIME: Duration = Duration::from_millis(200);

struct Arguments {
    engine: PathBuf,
    measured: Duration,
    packages: Vec<PathBuf>,
    examples: Vec<PathBuf>,
    peer: Vec<String>,
}

fn main() {
    let Some(arguments) = arguments(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    // Read from the disk the first time, and from memory every other time.
    drop(PluginServer::open(&arguments.engine));
    let (ours, mapped) = PluginServer::open(&arguments.engine);
    let alone = loads_alone(&ours, &arguments);
    let together: Vec<Duration> = arguments
        .packages
        .iter()
        .map(|path| ours.load(path).1)
        .collect();
    let report = json!({
        "engine_ms": mapped.as_secs_f64() * 1e3,
        "load_ms": alone,
        "load_among_others_ms": summary(together, 1e3),
        "call_us": calls(&ours, &arguments),
    });
    println!("{report}");
}

fn arguments(mut words: impl Iterator<Item = String>) -> Option<Arguments> {
    let mut word = || words.next();
    let arguments = Arguments {
        engine: word()?.into(),
        measured: Duration::from_secs(word()?.parse().ok()?),
        packages: packages(Path::new(&word()?)),
        examples: packages(Path::new(&word()?)),
        peer: Vec::new(),
    };
    (word()? == "--").then_some(())?;
    let peer: Vec<String> = words.collect();
    let is_whole = arguments.packages.len() >= 2 && !peer.is_empty();
    is_whole.then_some(Arguments { peer, ..arguments })
}

/// The packages of a folder, by name.
fn packages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of packages");
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder of packages").path())
        .filter(|path| path.extension().is_some_and(|end| end == "ocpkg"))
        .collect();
    found.sort();
    found
}

/// Times of loading each example, and the first package, when no other plugin is there: for the first time, when its code
/// has to be compiled, and every other time, when what it was compiled to was kept.
fn loads_alone(ours: &PluginServer, arguments: &Arguments) -> Map<String, Value> {
    let mut report = Map::new();
    for path in arguments.packages[..1].iter().chain(&arguments.examples) {
        let (mut first, mut us, mut them) = (Vec::new(), Vec::new(), Vec::new());
        let mut name = String::new();
        for _ in 0..LOADS {
            ours.forget();
            let (package, took) = ours.load(path);
            ours.unload(&package);
            first.push(took);
        }
        for round in 0..WARM_LOADS + LOADS {
            let (package, took) = ours.load(path);
            ours.unload(&package);
            let (peer, peer_took) = Peer::start(&arguments.peer, path);
            drop(peer);
            if round >= WARM_LOADS {
                us.push(took);
                them.push(peer_took);
            }
            name = package.manifest().slug.to_string();
        }
        report.insert(
            name,
            json!({ "ours": summary(us, 1e3), "first": summary(first, 1e3), "peer": summary(them, 1e3) }),
        );
    }
    report
}

/// Times of calls, by what is asked.
fn calls(ours: &PluginServer, arguments: &Arguments) -> Value {
    let [asks, filters, ..] = &arguments.packages[..] else {
        unreachable!("there are two packages at least");
    };
    // Events come from where plugins run, lines to be judged from the threads of the chat.
    let kinds = [
        ("event", filters, CallKind::Event, Caller::PluginThread),
        (
            "event_with_host_call",
            asks,
            CallKind::Event,
            Caller::PluginThread,
        ),
        ("filter", filters, CallKind::Filter, Caller::OtherThread),
    ];
    let turn = arguments.measured / (2 * TURNS * kinds.len() as u32);
    let mut report = Map::new();
    for (name, path, kind, caller) in kinds {
        let slug = plugins::package::Package::open(path)
            .expect("a package")
            .manifest()
            .slug
            .clone();
        let (mut peer, _) = Peer::start(&arguments.peer, path);
        ours.call(slug.as_str(), kind, caller, WARM_CALL_TIME, line);
        peer.call(kind, WARM_CALL_TIME, line);
        let (mut us, mut them) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            us.extend(ours.call(slug.as_str(), kind, caller, turn, line));
            them.extend(peer.call(kind, turn, line));
        }
        report.insert(
            name.to_owned(),
            json!({ "ours": summary(us, 1e6), "peer": summary(them, 1e6) }),
        );
    }
    report.into()
}

/// A line of chat as plugins are handed it.
fn line(number: usize) -> String {
    let payload = json!({
        "id": format!("Zx81Qa4{number}"),
        "user": {
            "id": "4mRzYw8nB",
            "displayName": "patient-otter",
            "displayColor": 211,
            "createdAt": "2026-08-18T12:00:00Z",
        },
        "clientId": 42,
        "body": format!("line {number} of a busy evening, and not a short one"),
        "timestamp": "2026-08-18T12:00:00Z",
    });
    let delivery = EventDelivery::new("chat.message.received", &payload.to_string());
    delivery.expect("JSON").envelope.to_string()
}
