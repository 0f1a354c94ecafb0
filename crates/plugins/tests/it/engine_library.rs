//! The standard library inside a plugin, and that instances share nothing.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use plugins::engine::{CallError, CallKind, StartError};

use crate::engine_kit::*;

/// What does not import, by what it lacks. Each says so.
const ABSENT: &[(&str, &str)] = &[
    (
        "written in C",
        "_bz2 _ctypes _dbm _gdbm _hashlib _lzma _remote_debugging _uuid _zstd asyncio.tools bz2 compression.bz2 compression.lzma \
         compression.zstd compression.zstd._zstdfile ctypes ctypes._aix ctypes._endian ctypes._layout ctypes.macholib \
         ctypes.macholib.dyld ctypes.macholib.dylib ctypes.macholib.framework ctypes.util ctypes.wintypes dbm.gnu \
         dbm.ndbm encodings.bz2_codec lzma multiprocessing.sharedctypes _pyrepl.windows_console",
    ),
    ("sockets", "_scproxy _ssl ssl"),
    (
        "processes",
        "_interpchannels _interpqueues _interpreters _multiprocessing _posixshmem _posixsubprocess mmap \
         concurrent.futures.interpreter concurrent.interpreters concurrent.interpreters._crossinterp \
         concurrent.interpreters._queues multiprocessing.forkserver multiprocessing.heap multiprocessing.popen_fork \
         multiprocessing.popen_forkserver multiprocessing.popen_spawn_posix multiprocessing.resource_tracker \
         multiprocessing.shared_memory multiprocessing.synchronize",
    ),
    (
        "screen",
        "_curses _curses_panel _tkinter curses curses.ascii curses.has_key curses.panel curses.textpad idlelib tkinter \
         tkinter.colorchooser tkinter.commondialog tkinter.constants tkinter.dialog tkinter.dnd tkinter.filedialog \
         tkinter.font tkinter.messagebox tkinter.scrolledtext tkinter.simpledialog tkinter.ttk turtle turtledemo",
    ),
    (
        "terminal",
        "readline termios pty tty _pyrepl.fancy_termios _pyrepl.readline _pyrepl.simple_interact _pyrepl.unix_console \
         _pyrepl.unix_eventqueue",
    ),
    ("operating system", "fcntl grp pwd resource syslog"),
    (
        "for Windows",
        "_overlapped _winapi _wmi asyncio.windows_events asyncio.windows_utils encodings.mbcs encodings.oem msvcrt \
         multiprocessing.popen_spawn_win32 nt winreg winsound",
    ),
    ("installed", "ensurepip"),
];

/// Imports a share of all modules and tells which did not work and why.
const IMPORTS: &str = r#"
import json, sys
library = next(finder for finder in sys.meta_path if hasattr(finder, "names"))
names = sorted(set(library.names()) | set(sys.stdlib_module_names))
failed = {}
for name in names[SHARE::8]:
    try:
        __import__(name)
    except BaseException as error:
        failed[name] = f"{type(error).__name__}: {error}"
return json.dumps(failed)
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_module_of_the_standard_library_imports_or_says_why_it_cannot() {
    let mut failed: BTreeMap<String, String> = BTreeMap::new();
    for share in 0..8 {
        let lines = IMPORTS.replace("SHARE", &share.to_string());
        let answer = run(&lines).await.unwrap();
        failed.extend(serde_json::from_str::<BTreeMap<String, String>>(&answer).unwrap());
    }
    let mut expected = BTreeMap::new();
    for (reason, names) in ABSENT {
        expected.extend(
            names
                .split_whitespace()
                .map(|name| (name.to_owned(), *reason)),
        );
    }
    let names: Vec<_> = failed.keys().collect();
    assert_eq!(names, expected.keys().collect::<Vec<_>>(), "{failed:#?}");
    for (name, why) in &failed {
        assert!(
            why.contains("is not available to plugins: ") && why.contains(expected[name]),
            "{name}: {why}"
        );
    }
}

#[tokio::test]
async fn what_most_plugins_import_is_imported_once_for_all_of_them() {
    let lines =
        "import gc, sys\nreturn repr(('html.entities' in sys.modules, gc.get_freeze_count() > 0))";
    assert_eq!(run(lines).await.unwrap(), "(True, True)");
}

#[tokio::test]
async fn a_name_nobody_knows_fails_as_it_does_everywhere() {
    let error = run("import no_such_module").await.unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("ModuleNotFoundError: No module named 'no_such_module'"),
        "{error}"
    );
}

#[tokio::test]
async fn a_traceback_shows_the_lines_of_the_plugin_and_of_the_library() {
    let error = run("import textwrap\nreturn textwrap.wrap(None)")
        .await
        .unwrap_err();
    let CallError::Raised(text) = &error else {
        panic!("{error}");
    };
    assert!(
        text.contains("File \"plugin.py\", line 6, in run"),
        "{text}"
    );
    assert!(text.contains("return textwrap.wrap(None)"), "{text}");
    assert!(text.contains("/python/textwrap.py"), "{text}");
    assert!(text.contains("text = text.expandtabs"), "{text}");
}

#[tokio::test]
async fn a_plugin_that_cannot_be_compiled_says_in_which_line() {
    let spec = spec("x = 1\ny = = 2\n", &FakeHost::new(), &Default::default());
    let error = engine().start(spec).await.unwrap_err();
    let StartError::Plugin(CallError::Raised(text)) = &error else {
        panic!("{error}");
    };
    assert!(
        text.contains("line 2") && text.contains("SyntaxError"),
        "{text}"
    );
}

#[tokio::test]
async fn coroutines_run_without_sockets() {
    let lines = "
import asyncio
async def one():
    await asyncio.sleep(0)
    return 1
async def all():
    await asyncio.sleep(0.001)
    return sum(await asyncio.gather(one(), one()))
return asyncio.run(all())";
    assert_eq!(run(lines).await.unwrap(), "2");
}

#[tokio::test]
async fn time_zones_are_known_by_their_names() {
    let lines = "
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones
noon = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo('UTC'))
told = [noon.astimezone(ZoneInfo(name)).strftime('%H:%M %Z') for name in ('Europe/Berlin', 'Asia/Kolkata')]
for name in ('Mars/Olympus', 'Europe', 'zone.tab'):
    try:
        ZoneInfo(name)
    except ZoneInfoNotFoundError as error:
        told.append(str(error).strip(chr(39)))
try:
    ZoneInfo('../zone_data')
except ValueError:
    told.append('refused')
return f'{told} {\"Europe/Berlin\" in available_timezones()}'";
    let not_found = "'No time zone found with key";
    assert_eq!(
        run(lines).await.unwrap(),
        format!(
            "['14:00 CEST', '17:30 IST', {not_found} Mars/Olympus', {not_found} Europe', {not_found} zone.tab', \
             'refused'] True"
        )
    );
}

/// Numbers hash to themselves, in every Python.
#[tokio::test]
async fn a_flood_of_equal_hashes_costs_the_plugins_own_time() {
    let flood = "return len({number * (2**31 - 1): 0 for number in range(10**6)})";
    let ended = run_within(flood, SHORT).await.unwrap_err();
    assert!(matches!(ended, CallError::OutOfTime(_)), "{ended}");
}

#[tokio::test]
async fn every_instance_draws_its_own_random_numbers() {
    for lines in [
        "import random\nreturn random.random()",
        "import uuid\nreturn uuid.uuid4()",
        "import secrets\nreturn secrets.token_hex()",
        "import os\nreturn os.urandom(16).hex()",
        "import tempfile\nreturn next(tempfile._get_candidate_names())",
    ] {
        let (one, other) = (run(lines).await.unwrap(), run(lines).await.unwrap());
        assert_ne!(one, other, "{lines}");
    }
}

#[tokio::test]
async fn a_plugin_sees_the_time_of_day_and_nothing_else_of_the_machine() {
    let lines = "
import os, time
return f'{time.time()} {dict(os.environ)} {os.path.exists(\"/\")} {os.path.exists(\"/python\")}'";
    let seen = run(lines).await.unwrap();
    let (time, rest) = seen.split_once(' ').unwrap();
    assert_eq!(rest, "{} False False");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let apart = now.as_secs_f64() - time.parse::<f64>().unwrap();
    assert!(apart.abs() < 3_600.0, "{apart} s apart");
}

#[tokio::test]
async fn two_plugins_do_not_see_each_others_patched_modules() {
    let patching = "
import json, math, sys, types
math.pi = 3
json.dumps = lambda *a, **k: 'patched'
sys.modules['shared'] = types.ModuleType('shared')
return math.pi";
    let mut first = start(&returning(patching)).await;
    let looking = "
import json, math, sys
return f'{math.pi:.4f} {json.dumps([1])} {\"shared\" in sys.modules}'";
    let mut second = start(&returning(looking)).await;
    assert_eq!(
        first.call(CallKind::Styles, "", PATIENT).await.unwrap(),
        "3"
    );
    let seen = second.call(CallKind::Styles, "", PATIENT).await.unwrap();
    assert_eq!(seen, "3.1416 [1] False");
}

#[tokio::test]
async fn what_a_plugin_remembers_lives_as_long_as_its_instance() {
    let counting = returning("global n\nn = globals().get('n', 0) + 1\nreturn n");
    let mut instance = start(&counting).await;
    for expected in ["1", "2", "3"] {
        assert_eq!(
            instance.call(CallKind::Styles, "", PATIENT).await.unwrap(),
            expected
        );
    }
    let mut fresh = start(&counting).await;
    assert_eq!(
        fresh.call(CallKind::Styles, "", PATIENT).await.unwrap(),
        "1"
    );
}

#[tokio::test]
async fn what_was_registered_is_told() {
    let source = "
from service_plugin import plugin
plugin.set_filter_priority(7)
@plugin.on_chat_message
def heard(message): pass
@plugin.filter_chat_message
def judge(message): pass
plugin.commands({'ring': {'description': 'Ring', 'aliases': ['r'], 'run': lambda context: None}})
";
    let spec = spec(source, &FakeHost::new(), &Default::default());
    let (_instance, registered) = engine().start(spec).await.unwrap();
    assert_eq!(registered.subscriptions.filter[0].priority, 7);
    assert_eq!(
        registered.subscriptions.notify[0].event,
        "chat.message.received"
    );
    assert_eq!(registered.commands[0].aliases, ["r"]);
    assert!(
        registered.json.starts_with(r#"{"name":"Tried","#),
        "{}",
        registered.json
    );
}
