//! `rillcast plugin test`.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{ChildStdout, Command};

use super::{BELL, Project, program, rillcast, run};

/// A scenario with a chat line and the expected answer.
fn scenario(name: &str, body: &str, answer: &str) -> String {
    format!(
        r#"[{{"name": "{name}", "events": [{{"event": "chat.message.received", "payload":
            {{"id": "m", "user": {{"id": "u", "displayName": "mira"}}, "body": "{body}"}}}}],
            "expect": {{"chatSends": ["{answer}"]}}}}]"#
    )
}

fn project() -> Project {
    let project = Project::new(BELL);
    project.put(
        "__tests__/a.test.json",
        &scenario("greets", "hi", "hello mira"),
    );
    project.put(
        "__tests__/b.test.json",
        &scenario("rings", "!ring x", "ding x 1"),
    );
    project
}

fn test(project: &Project, arguments: &[&str]) -> Command {
    let mut command = program(&rillcast(), project.path());
    command.args(["plugin", "test"]).args(arguments);
    command
}

#[tokio::test]
async fn it_exits_with_0_when_all_passed_and_with_1_when_something_failed() {
    let project = project();
    let (code, out, errors) = run(&mut test(&project, &["--jobs", "2"])).await;
    assert_eq!(code, 0, "{errors}");
    assert_eq!(
        out,
        "ok    a.test.json :: greets\nok    b.test.json :: rings\n2/2 passed\n"
    );
    project.put(
        "__tests__/b.test.json",
        &scenario("rings", "!ring x", "dong"),
    );
    let (code, out, _) = run(&mut test(&project, &[])).await;
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("FAIL  b.test.json :: rings"), "{out}");
    assert!(out.contains(r#"≠ "dong"     "ding x 1""#), "{out}");
    assert!(out.ends_with("\n1/2 passed\n"), "{out}");
}

#[tokio::test]
async fn load_only_exits_with_0_or_1_and_plays_nothing() {
    let project = project();
    let (code, out, _) = run(&mut test(&project, &["--load-only"])).await;
    assert_eq!((code, out.as_str()), (0, ""));
    project.put(
        "src/plugin.py",
        "from service_plugin import plugin\n@plugin.on_tick\ndef tick(t): servce.chat.send('x')\n",
    );
    let (code, _, warned) = run(&mut test(&project, &["--load-only"])).await;
    assert_eq!(code, 0, "{warned}");
    assert!(warned.contains("`servce` is not defined"), "{warned}");
    project.put("src/plugin.py", "import nothing_like_this\n");
    let (code, _, why) = run(&mut test(&project, &["--load-only"])).await;
    assert_eq!(code, 1, "{why}");
    assert!(why.contains("src/plugin.py:1"), "{why}");
}

#[tokio::test]
async fn what_cannot_be_played_is_said_in_a_line_with_exit_code_2() {
    let project = project();
    let refused = async |arguments: &[&str], part: &str| {
        let (code, out, why) = run(&mut test(&project, arguments)).await;
        assert_eq!(
            (code, out.as_str(), why.lines().count()),
            (2, "", 1),
            "{why}"
        );
        assert!(why.contains(part), "{why}");
    };
    refused(&["nowhere"], "there is no plugin.manifest.json in nowhere").await;
    refused(&["--filter", "cellar"], "\"cellar\"").await;
    let path = |name: &str| project.path().join(name);
    std::fs::remove_file(path("src/plugin.py")).unwrap();
    refused(&[], "build the plugin first").await;
    project.put("src/plugin.py", BELL);
    std::fs::remove_file(path("__tests__/a.test.json")).unwrap();
    std::fs::remove_file(path("__tests__/b.test.json")).unwrap();
    refused(&[], "there are no tests").await;
    std::fs::remove_dir(path("__tests__")).unwrap();
    refused(&[], "there are no tests").await;
    project.put("plugin.manifest.json", "{");
    refused(&[], "plugin.manifest.json: ").await;
}

#[tokio::test]
async fn a_filter_says_what_it_left_out() {
    let (code, out, _) = run(&mut test(&project(), &["--filter", "ring"])).await;
    assert_eq!(
        (code, out.as_str()),
        (
            0,
            "ok    b.test.json :: rings\n1 scenario left out by --filter \"ring\"\n1/1 passed\n"
        )
    );
}

#[tokio::test]
async fn results_are_also_written_as_junit() {
    let project = project();
    project.put(
        "__tests__/b.test.json",
        &scenario("rings", "!ring", "<dong>"),
    );
    let (code, ..) = run(&mut test(&project, &["--junit", "results.xml"])).await;
    assert_eq!(code, 1);
    let xml = std::fs::read_to_string(project.path().join("results.xml")).unwrap();
    for part in [
        "<testsuites name=\"bell\" tests=\"2\" failures=\"1\"",
        "<testcase name=\"greets\" classname=\"bell.a\"",
        "<failure message=\"chatSends\">",
        "&lt;dong&gt;",
    ] {
        assert!(xml.contains(part), "{part}\n{xml}");
    }
    let (code, out, why) = run(&mut test(&project, &["--junit", "none/results.xml"])).await;
    assert_eq!(code, 1);
    assert!(out.contains("1/2 passed"), "{out}");
    assert!(
        why.contains("cannot write the results to none/results.xml"),
        "{why}"
    );
}

type Said = Lines<BufReader<ChildStdout>>;

/// Collects the output until a line starts like this.
async fn until(said: &mut Said, begin: &str) -> String {
    let mut text = String::new();
    let reading = async {
        while let Some(line) = said.next_line().await.unwrap() {
            text += &format!("{line}\n");
            if line.starts_with(begin) {
                return true;
            }
        }
        false
    };
    assert!(reading.await, "it ended without {begin:?}:\n{text}");
    text
}

#[tokio::test]
async fn with_watch_they_are_played_again_when_something_changes_until_ctrl_c() {
    let project = project();
    let mut command = test(&project, &["--watch", "--filter", "greets"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let text = until(&mut said, "waiting for changes").await;
    assert!(text.contains("\n1/1 passed\n"), "{text}");

    project.put(
        "__tests__/a.test.json",
        &scenario("greets", "hi", "good evening"),
    );
    let text = until(&mut said, "0/1 passed").await;
    assert!(text.contains("changed: __tests__/a.test.json\n"), "{text}");

    project.put(
        "src/plugin.py",
        &BELL.replace("\"hello \" + msg.user.display_name", "\"good evening\""),
    );
    let text = until(&mut said, "1/1 passed").await;
    assert!(text.contains("changed: src/plugin.py\n"), "{text}");

    let pid = Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
}
