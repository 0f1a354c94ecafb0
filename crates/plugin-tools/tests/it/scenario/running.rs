//! How scenarios are run and reported.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plugin_tools::scenario::{Project, ProjectError, Runner};
use serde_json::{Value, json};

use super::{SOURCE, line, options, play, play_wished, project, project_of, put, run, said};
use crate::engine_kit::engine;

#[tokio::test]
async fn a_scenario_that_goes_as_expected_is_ok() {
    let tests = json!([{
        "name": "a line is echoed", "given": {"kv": {"old": "1"}}, "events": [said("a"), run("service.fs.write('f', 'x')")],
        "expect": {"chatSends": ["echo: a"], "kv": {"old": "1"}},
    }]);
    let folder = project(&tests);
    let report = play(folder.path()).await;
    assert_eq!(
        report.lines(),
        ["ok    a.test.json :: a line is echoed", "1/1 passed"]
    );
    assert!(!folder.path().join("scratch").try_exists().unwrap());
}

#[tokio::test]
async fn one_bad_scenario_fails_alone_and_the_others_are_played() {
    let good = |name: &str| json!({"name": name, "events": [said("a")], "expect": {"chatSends": ["echo: a"]}});
    let tests = json!([
        good("first"),
        {"name": "typo", "evnts": []},
        {"name": "wrong type", "events": {}},
        {"events": []},
        7,
        good("last"),
    ]);
    let folder = project(&tests);
    let report = play(folder.path()).await;
    assert_eq!((report.passed(), report.total()), (2, 6));
    let names: Vec<_> = report
        .outcomes
        .iter()
        .map(|one| (one.name.as_deref().unwrap(), one.is_good()))
        .collect();
    assert_eq!(
        names,
        [
            ("first", true),
            ("typo", false),
            ("wrong type", false),
            ("scenario 4", false),
            ("scenario 5", false),
            ("last", true),
        ]
    );
    let lines = report.lines().join("\n");
    assert!(
        lines.contains("scenario 2 of this file cannot be read: unknown field `evnts`"),
        "{lines}"
    );
    assert!(lines.ends_with("2/6 passed"), "{lines}");
    let junit = report.junit();
    assert!(junit.contains(r#"tests="6" failures="4""#), "{junit}");
    // A filter excludes an invalid scenario with another name just like a valid one.
    let report = play_wished(folder.path(), &options(Some("first")))
        .await
        .unwrap();
    assert_eq!(
        (report.passed(), report.total(), report.left_out),
        (1, 3, 3)
    );
}

#[tokio::test]
async fn failures_stand_below_their_scenario_and_the_others_go_on() {
    let tests = json!([
        {"name": "wrong", "events": [said("a")], "expect": {"chatSends": ["echo: b"], "kv": {"k": "v"}}},
        {"name": "right", "events": [said("a")], "expect": {"chatSends": ["echo: a"]}},
    ]);
    let report = play(project(&tests).path()).await;
    assert_eq!((report.passed(), report.total()), (1, 2));
    assert_eq!(
        report.lines(),
        [
            "FAIL  a.test.json :: wrong",
            "      __tests__/a.test.json:1",
            "      chatSends",
            "          expected    actual",
            "        ≠ \"echo: b\"   \"echo: a\"",
            "      kv.k",
            "          expected   actual",
            "        ≠ \"v\"        \"\"",
            "ok    a.test.json :: right",
            "1/2 passed",
        ]
    );
}

#[tokio::test]
async fn what_a_plugin_raises_is_told_with_its_traceback_and_the_authors_file_and_line() {
    let source = "from service_plugin import plugin\n\n@plugin.on('tried.run')\ndef run(payload):\n    print('here')\n    raise ValueError('too bad')\n";
    let tests = json!([
        {"name": "of no interest", "events": [run("")]},
        {"name": "wrong", "events": [run("")], "expect": {"kv": {"a": "1"}}},
    ]);
    let folder = project_of(source, &tests);
    let report = play(folder.path()).await;
    assert_eq!(report.passed(), 1);
    for outcome in &report.outcomes {
        let notes = outcome.notes.join("\n");
        for part in [
            "note: events[0]: ValueError: too bad at src/plugin.py:6",
            "File \"src/plugin.py\", line 6, in run",
            "raise ValueError('too bad')",
        ] {
            assert!(notes.contains(part), "{part}\n{notes}");
        }
        // Its output is shown where somebody looks for a mistake.
        assert_eq!(notes.contains("printed: here"), !outcome.is_good());
    }
    put(
        &folder,
        "src/plugin.py",
        "import json\nimport nothing_like_this\n",
    );
    let report = play(folder.path()).await;
    let text = report.lines().join("\n");
    assert_eq!(report.passed(), 0);
    assert!(
        text.contains("'nothing_like_this' at src/plugin.py:2"),
        "{text}"
    );
}

#[tokio::test]
async fn a_permission_that_is_missing_is_named() {
    let tests =
        json!([{"name": "a", "events": [said("x"), said("y")], "expect": {"chatSends": []}}]);
    let folder = project(&tests);
    let manifest = json!({"api": "1", "name": "Tried", "version": "1"});
    put(&folder, "plugin.manifest.json", &manifest.to_string());
    let source = "from service_plugin import plugin, service\n@plugin.on_chat_message\ndef a(msg):\n    service.chat.send('a')\n";
    put(&folder, "src/plugin.py", source);
    let report = play(folder.path()).await;
    let text = report.lines().join("\n");
    let note = "needs the permission \"chat.send\": add it to the manifest";
    assert!(
        report.is_good() && text.matches(note).count() == 1,
        "{text}"
    );
}

#[tokio::test]
async fn of_many_notes_the_first_are_told() {
    let steps = vec![run("raise ValueError('oops')"); 150];
    let tests = json!([{"name": "a", "events": steps}]);
    let report = play(project(&tests).path()).await;
    assert_eq!(report.outcomes[0].notes.len(), 100);
}

#[tokio::test]
async fn a_plugin_that_is_ended_starts_anew_for_the_next_step() {
    let tests = json!([{
        "name": "endless", "events": [run("globals()['a'] = 1\nwhile True: pass"), run("say(str('a' in globals()))")],
        "expect": {"chatSends": ["False"]},
    }]);
    let report = play(project(&tests).path()).await;
    let text = report.lines().join("\n");
    assert!(report.is_good() && text.contains("and was ended"), "{text}");
}

#[tokio::test]
async fn a_filter_plays_what_has_the_text_in_its_name_or_in_that_of_its_file() {
    let folder = project(&json!([{"name": "The bell rings"}, {"name": "it is silent"}]));
    put(
        &folder,
        "__tests__/doors.test.json",
        r#"[{"name": "open"}, {"name": "closed"}]"#,
    );
    let played = async |text: &str| {
        let report = play_wished(folder.path(), &options(Some(text)))
            .await
            .unwrap();
        report.lines()
    };
    assert_eq!(
        played("BELL").await,
        [
            "ok    a.test.json :: The bell rings",
            "3 scenarios left out by --filter \"BELL\"",
            "1/1 passed"
        ]
    );
    assert_eq!(
        played("doors.test").await,
        [
            "ok    doors.test.json :: open",
            "ok    doors.test.json :: closed",
            "2 scenarios left out by --filter \"doors.test\"",
            "2/2 passed"
        ]
    );
    let nothing = play_wished(folder.path(), &options(Some("cellar")))
        .await
        .unwrap_err();
    assert_eq!(
        nothing.to_string(),
        "no scenario and no file has \"cellar\" in its name; there are \"The bell rings\", \"it is silent\", \"open\" and 1 more"
    );
}

#[tokio::test]
async fn test_files_without_scenarios_are_nothing_to_play() {
    let folder = project(&json!([]));
    for filter in [None, Some("bell")] {
        let nothing = play_wished(folder.path(), &options(filter))
            .await
            .unwrap_err();
        assert_eq!(nothing.to_string(), "there are no scenarios");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_counts_as_one_failure_and_says_where() {
    for (text, part) in [
        (
            "{\"name\": \"no list\"}",
            "this is not a test file, which is a list of scenarios",
        ),
        ("[\n{\"name\": \"a\"},\n{\"name\": \"b\"", "line 3 column"),
    ] {
        let folder = project(&json!([]));
        put(&folder, "__tests__/a.test.json", text);
        put(&folder, "__tests__/b.test.json", "[{\"name\": \"fine\"}]");
        let report = play(folder.path()).await;
        assert_eq!((report.passed(), report.total()), (1, 2), "{text}");
        let lines = report.lines();
        assert_eq!(lines[0], "FAIL  a.test.json");
        assert!(lines[1].contains(part), "{lines:?}");
    }
}

#[tokio::test]
async fn a_scenario_that_cannot_be_read_says_where() {
    for (text, part) in [
        (
            "[\n{\"name\": \"a\"},\n{\n\"events\": []}]",
            "line 4: scenario 2 of this file cannot be read: missing field `name`",
        ),
        (
            "[{\"name\": \"a\",\n\"expect\": {\"chatSent\": []}}]",
            "line 2: scenario 1 of this file cannot be read: unknown field `chatSent`",
        ),
        (
            "[{\"name\": \"a\", \"given\": {\"now\": \"noon\"}}]",
            "line 1: scenario 1",
        ),
    ] {
        let folder = project(&json!([]));
        put(&folder, "__tests__/a.test.json", text);
        let lines = play(folder.path()).await.lines().join("\n");
        assert!(lines.contains(part), "{lines}");
    }
}

#[tokio::test]
async fn a_failure_names_the_line_its_scenario_begins_in() {
    let folder = project(&json!([]));
    let text = "[\n  {\"name\": \"a\"},\n\n  {\n    \"name\": \"b\", \"expect\": {\"kv\": {\"x\": \"1\"}}}\n]";
    put(&folder, "__tests__/a.test.json", text);
    let report = play(folder.path()).await;
    assert_eq!(
        report
            .outcomes
            .iter()
            .map(|one| one.line)
            .collect::<Vec<_>>(),
        [2, 4]
    );
    assert!(
        report
            .lines()
            .contains(&"      __tests__/a.test.json:4".to_owned())
    );
    assert!(
        report
            .junit()
            .contains("file=\"__tests__/a.test.json\" line=\"4\"")
    );
}

#[tokio::test]
async fn a_project_says_what_it_lacks() {
    let folder = project(&json!([]));
    let open = || Project::open(folder.path(), true);
    assert!(open().is_ok());
    std::fs::remove_file(folder.path().join("__tests__/a.test.json")).unwrap();
    assert!(matches!(open(), Err(ProjectError::NoTests(_))));
    let now = options(None).now;
    let runner = Runner::new(engine(), folder.path().join("scratch"));
    let check = async || {
        let loaded = Arc::new(Project::open(folder.path(), false).unwrap());
        runner.check_load(&loaded, now).await
    };
    check().await.unwrap();
    put(&folder, "src/plugin.py", "import nothing_like_this");
    let why = check().await.unwrap_err();
    assert!(why.contains("nothing_like_this"), "{why}");
    put(&folder, "src/plugin.py", SOURCE);
    check().await.unwrap();
    std::fs::remove_file(folder.path().join("src/plugin.py")).unwrap();
    assert!(matches!(open(), Err(ProjectError::NotBuilt(_))));
    std::fs::remove_file(folder.path().join("plugin.manifest.json")).unwrap();
    assert!(matches!(open(), Err(ProjectError::NoManifest(_))));
}

#[tokio::test]
async fn a_command_that_is_cooling_down_is_silent() {
    let tests = json!([{
        "name": "twice", "events": [said("!ping a"), {"event": "chat.message.received", "payload": line("!ping b")}],
        "expect": {"chatSends": ["pong a"]},
    }]);
    let report = play(project(&tests).path()).await;
    assert!(report.is_good(), "{}", report.lines().join("\n"));
}

/// A step has half a second of real time, and sixty-four scenarios want it at once.
mod alone {
    use super::*;

    #[tokio::test]
    async fn scenarios_are_played_side_by_side_and_told_in_the_order_of_the_files() {
        // The first ones take the longest, so the last ones finish before them.
        let scenario = |number: u64| {
            let code = format!(
                "time.sleep({}); service.fs.write('f', '{number}'); say(service.fs.read_text('f'))",
                0.05 / (number + 1) as f64
            );
            json!({"name": number.to_string(), "events": [run(&code)], "expect": {"chatSends": [number.to_string()]}})
        };
        let folder = project(&Value::from_iter((0..6).map(scenario)));
        put(
            &folder,
            "__tests__/b.test.json",
            &Value::from_iter((6..9).map(scenario)).to_string(),
        );
        for jobs in [1, 4, 64] {
            let mut options = options(None);
            options.jobs = NonZeroUsize::new(jobs).unwrap();
            let report = play_wished(folder.path(), &options).await.unwrap();
            assert!(report.is_good(), "{}", report.lines().join("\n"));
            let names: Vec<_> = report
                .outcomes
                .iter()
                .filter_map(|one| one.name.clone())
                .collect();
            assert_eq!(names.join(""), "012345678");
        }
        assert!(!folder.path().join("scratch").try_exists().unwrap());
    }
}
