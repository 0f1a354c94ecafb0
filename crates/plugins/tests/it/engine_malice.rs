//! Malicious plugins. Each is contained, and its neighbour does not notice.

use std::sync::Arc;
use std::time::Duration;

use plugins::engine::{Budget, CallError, CallKind, Instance};

use crate::engine_kit::*;

/// Runs the lines for a short while beside a neighbour, which must still work afterwards.
async fn contained(lines: &str) -> CallError {
    let mut neighbour = start(&returning("return 'well'")).await;
    let error = run_within(lines, SHORT).await.unwrap_err();
    well(&mut neighbour).await;
    error
}

async fn well(neighbour: &mut Instance) {
    let answer = neighbour.call(CallKind::Styles, "", PATIENT).await;
    assert_eq!(answer.as_deref(), Ok("well"));
}

fn is_out_of_time(error: &CallError) -> bool {
    matches!(error, CallError::OutOfTime(_))
}

#[tokio::test]
async fn an_endless_loop_is_ended() {
    let error = contained("while True: pass").await;
    assert!(is_out_of_time(&error), "{error}");
}

#[tokio::test]
async fn an_endless_loop_that_swallows_every_exception_is_ended() {
    let lines = "
while True:
    try:
        raise ValueError('again')
    except BaseException:
        pass";
    assert!(is_out_of_time(&contained(lines).await));
}

#[tokio::test]
async fn a_regular_expression_that_never_finishes_is_ended() {
    let lines = "import re\nreturn re.match('(a+)+$', 'a' * 60 + 'b')";
    assert!(is_out_of_time(&contained(lines).await));
}

#[tokio::test]
async fn a_long_sleep_is_ended() {
    let error = contained("import time\ntime.sleep(3600)").await;
    assert!(is_out_of_time(&error), "{error}");
}

#[tokio::test]
async fn two_endless_loops_do_not_stop_a_third_plugin_on_the_same_thread() {
    let mut neighbour = start(&returning("return 'well'")).await;
    let loops = [
        start(&returning("while True: pass")).await,
        start(&returning("while True: pass")).await,
    ];
    let tasks: Vec<_> = loops
        .into_iter()
        .map(|mut one| tokio::spawn(async move { one.call(CallKind::Styles, "", PATIENT).await }))
        .collect();
    for _ in 0..3 {
        tokio::task::yield_now().await;
        well(&mut neighbour).await;
    }
    for task in &tasks {
        assert!(!task.is_finished());
        task.abort();
    }
}

#[tokio::test]
async fn recursion_ends_in_an_exception_or_in_a_trap() {
    let error = run("def deeper(n): return deeper(n + 1)\nreturn deeper(0)")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("RecursionError"), "{error}");
    let lines = "
import sys
sys.setrecursionlimit(10 ** 9)
def deeper(n): return deeper(n + 1)
return deeper(0)";
    contained(lines).await;
}

#[tokio::test]
async fn recursion_inside_python_itself_is_a_trap() {
    let lines = "
nested = []
for _ in range(100_000): nested = [nested]
return repr(nested)";
    let error = run(lines).await.unwrap_err();
    assert!(
        error.is_fatal() || error.to_string().contains("RecursionError"),
        "{error}"
    );
}

#[tokio::test]
async fn a_list_of_four_gigabytes_does_not_come_into_being() {
    let error = contained("return len([0] * (1 << 30))").await;
    assert!(error.to_string().contains("MemoryError"), "{error}");
}

#[tokio::test]
async fn memory_that_grows_and_grows_is_refused_and_the_instance_ends() {
    let mut instance = start(&returning(
        "kept = []\nwhile True: kept.append('x' * 100_000)",
    ))
    .await;
    let error = instance
        .call(CallKind::Styles, "", PATIENT)
        .await
        .unwrap_err();
    assert!(matches!(error, CallError::OutOfMemory { .. }), "{error}");
    assert!(instance.is_dead() && instance.memory() <= 64 * 1024 * 1024);
}

#[tokio::test]
async fn a_plugin_may_catch_that_memory_is_short_and_go_on() {
    let lines = "
try:
    bytearray(200_000_000)
except MemoryError:
    return 'caught'";
    assert_eq!(run(lines).await.unwrap(), "caught");
}

#[tokio::test]
async fn host_calls_beyond_the_budget_never_reach_the_host() {
    let host = FakeHost::new();
    let lines = "return [service.kv.get('k') for _ in range(10_050)].count('value')";
    let spec = spec(&returning(lines), &host, &Default::default());
    let (mut instance, _) = engine().start(spec).await.unwrap();
    let answer = instance.call(CallKind::Styles, "", PATIENT).await.unwrap();
    assert_eq!((answer.as_str(), host.calls()), ("10000", 10_000));
}

#[tokio::test]
async fn a_million_host_calls_are_ended_by_the_clock() {
    let error = contained("for _ in range(10 ** 9): service.kv.get('k')").await;
    assert!(is_out_of_time(&error), "{error}");
}

#[tokio::test]
async fn a_host_call_without_an_answer_fails_and_the_plugin_goes_on() {
    let answer = run_within("return str(service.kv.get('forever'))", SHORT).await;
    assert_eq!(answer.unwrap(), "None");
}

#[tokio::test]
async fn a_host_call_is_not_begun_when_the_waiting_is_used_up_unless_it_waits_for_nothing() {
    let host = FakeHost::new();
    let lines = "
service.kv.get('forever')
late = [service.kv.get('k') for _ in range(3)]
service.log.info('late')
return str(late)";
    let log = Arc::new(Lines::default());
    let spec = spec(&returning(lines), &host, &log);
    let (mut instance, _) = engine().start(spec).await.unwrap();
    for calls in [2, 4] {
        let answer = instance.call(CallKind::Styles, "", SHORT).await.unwrap();
        assert_eq!(
            (answer.as_str(), host.calls()),
            ("[None, None, None]", calls)
        );
    }
    // One line per call: the plugin itself only sees `None`.
    let told = "kv_get: there was no answer within the time a handler may wait";
    assert_eq!(log.all(), [told, told]);
}

#[tokio::test]
async fn waiting_for_the_host_is_not_counted_as_running() {
    let host = FakeHost::new();
    let spec = spec(
        &returning("return service.kv.get('gate')"),
        &host,
        &Default::default(),
    );
    let (mut instance, _) = engine().start(spec).await.unwrap();
    let budget = Budget {
        running: Duration::from_millis(100),
        waiting: PATIENT.waiting,
    };
    let call = tokio::spawn(async move { instance.call(CallKind::Styles, "", budget).await });
    // Longer than its running limit.
    tokio::time::sleep(Duration::from_millis(300)).await;
    host.gate.add_permits(1);
    assert_eq!(call.await.unwrap().unwrap(), "open");
}

#[tokio::test]
async fn what_a_plugin_prints_is_cut_and_the_log_says_so() {
    let lines = "
import sys
print('x' * 10_000)
for n in range(10_000): print('line', n, file=sys.stderr)
return 'done'";
    let all = printed(lines).await;
    assert!(all.iter().all(|line| line.len() < 4_200));
    assert!(
        all[0].starts_with("xxx") && all[0].ends_with("[…]"),
        "{}",
        all[0]
    );
    assert_eq!(all.len(), 201);
    let note = all.last().unwrap();
    assert!(note.contains("more than 200 lines"), "{note}");

    let all = printed("for n in range(100): print('y' * 1_000)\nreturn 'done'").await;
    assert!(all.iter().map(String::len).sum::<usize>() < 70_000);
    let note = all.last().unwrap();
    assert!(note.contains("more than 65536 bytes"), "{note}");
}

/// What such a handler prints to the log.
async fn printed(lines: &str) -> Vec<String> {
    let log: Arc<Lines> = Arc::default();
    let spec = spec(&returning(lines), &FakeHost::new(), &log);
    let (mut instance, _) = engine().start(spec).await.unwrap();
    assert_eq!(
        instance.call(CallKind::Styles, "", PATIENT).await.unwrap(),
        "done"
    );
    log.all()
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_refused_and_the_plugin_goes_on() {
    let mut instance = start(&returning(
        "global n\nn = globals().get('n', 20_000_000) // 2\nreturn 'x' * (n * 2)",
    ))
    .await;
    let error = instance
        .call(CallKind::Styles, "", PATIENT)
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            CallError::TooLarge {
                size: 20_000_000,
                ..
            }
        ),
        "{error}"
    );
    assert!(instance.call(CallKind::Styles, "", PATIENT).await.is_ok());
}

#[tokio::test]
async fn an_error_text_of_megabytes_is_cut() {
    let error = run("raise ValueError('x' * 5_000_000)").await.unwrap_err();
    assert!(error.to_string().len() < 20_000);
}

#[tokio::test]
async fn leaving_ends_the_call_or_the_instance_and_nothing_else() {
    assert!(
        contained("import sys\nsys.exit(3)")
            .await
            .to_string()
            .contains("SystemExit")
    );
    assert!(contained("import os\nos._exit(3)").await.is_fatal());
    assert!(contained("import os\nos.abort()").await.is_fatal());
}

#[tokio::test]
async fn a_plugin_that_tears_its_own_python_apart_harms_itself_alone() {
    let mut neighbour = start(&returning("return 'well'")).await;
    for lines in [
        "import sys\nsys.modules.clear()\nreturn 'x'",
        "import builtins\nbuiltins.__dict__.clear()",
        "import json, service_plugin._guest as g\ng._KINDS.clear()\njson.loads = None\nreturn 1",
        "import gc, sys\nfor o in gc.get_objects():\n    if isinstance(o, dict) and o is not globals(): o.clear()",
    ] {
        let mut instance = start(&returning(lines)).await;
        for _ in 0..2 {
            let _ = instance.call(CallKind::Styles, "", SHORT).await;
        }
        well(&mut neighbour).await;
    }
}

#[tokio::test]
async fn there_are_no_threads_processes_sockets_or_files() {
    for (lines, expected) in [
        (
            "import threading\nthreading.Thread(target=print).start()",
            "can't start new thread",
        ),
        (
            "import subprocess\nsubprocess.run(['ls'])",
            "does not support processes",
        ),
        ("import os\nos.system('ls')", "AttributeError"),
        ("import os\nos.fork()", "AttributeError"),
        (
            "import socket\nsocket.create_connection(('127.0.0.1', 80))",
            "gaierror",
        ),
        (
            "import socket\nsocket.socket().bind(('127.0.0.1', 0))",
            "PermissionError",
        ),
        (
            "import socket\nsocket.getaddrinfo('localhost', 80)",
            "gaierror",
        ),
        (
            "import urllib.request\nurllib.request.urlopen('http://127.0.0.1/')",
            "URLError",
        ),
        ("open('/etc/passwd')", "FileNotFoundError"),
        ("open('../../etc/passwd')", "FileNotFoundError"),
        ("open('new', 'w')", "FileNotFoundError"),
        ("import os\nos.listdir('/')", "FileNotFoundError"),
        ("input()", "EOFError"),
        ("import os\nos._exit(3)", "it ended itself"),
        ("import ctypes", "not available to plugins"),
        (
            "import wit_world\nwit_world.host_call('no_such', '{}')",
            "no_such is not here",
        ),
    ] {
        let error = run(lines).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{lines}: {error}");
    }
}

#[tokio::test]
async fn an_instance_that_was_ended_or_given_up_says_so() {
    let mut ended = start(&returning("while True: pass")).await;
    assert!(ended.call(CallKind::Styles, "", SHORT).await.is_err());
    let mut given_up = start(&returning("return service.kv.get('forever')")).await;
    let call = given_up.call(CallKind::Styles, "", PATIENT);
    assert!(
        tokio::time::timeout(Duration::from_millis(50), call)
            .await
            .is_err()
    );
    for mut instance in [ended, given_up] {
        assert!(instance.is_dead());
        assert_eq!(
            instance.call(CallKind::Styles, "", PATIENT).await,
            Err(CallError::Dead)
        );
    }
}
