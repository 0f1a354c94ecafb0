//! The results as JUnit XML: a suite for each file, a case for each scenario.

use std::fmt::Write;
use std::time::Duration;

use super::ScenarioOutcome;
use crate::project::TESTS;

/// The whole document.
pub(super) fn write(plugin: &str, outcomes: &[ScenarioOutcome]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = counts(outcomes);
    line(
        &mut text,
        format_args!("<testsuites name=\"{}\"{counts}>", attribute(plugin)),
    );
    for suite in outcomes.chunk_by(|one, next| one.file == next.file) {
        write_suite(&mut text, plugin, suite);
    }
    text.push_str("</testsuites>\n");
    text
}

fn write_suite(text: &mut String, plugin: &str, suite: &[ScenarioOutcome]) {
    let Some(first) = suite.first() else { return };
    let (file, counts) = (attribute(&first.file), counts(suite));
    line(
        text,
        format_args!("  <testsuite name=\"{file}\"{counts} errors=\"0\" skipped=\"0\">"),
    );
    let short = first.file.strip_suffix(".test.json").unwrap_or(&first.file);
    let class = attribute(&format!("{plugin}.{short}"));
    for case in suite {
        let name = attribute(case.name.as_deref().unwrap_or(&case.file));
        line(
            text,
            format_args!(
                "    <testcase name=\"{name}\" classname=\"{class}\" file=\"{TESTS}/{file}\" line=\"{}\" time=\"{}\">",
                case.line,
                seconds(case.took)
            ),
        );
        if let Some(failure) = case.failures.first() {
            let message = attribute(failure.lines().next().unwrap_or_default());
            let all = content(&case.failures.join("\n"));
            line(
                text,
                format_args!("      <failure message=\"{message}\">{all}</failure>"),
            );
        }
        if !case.notes.is_empty() {
            let notes = content(&case.notes.join("\n"));
            line(text, format_args!("      <system-out>{notes}</system-out>"));
        }
        text.push_str("    </testcase>\n");
    }
    text.push_str("  </testsuite>\n");
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    writeln!(text, "{line}").ok();
}

fn counts(cases: &[ScenarioOutcome]) -> String {
    let failures = cases.iter().filter(|case| !case.is_good()).count();
    let time = seconds(cases.iter().map(|case| case.took).sum());
    format!(
        " tests=\"{}\" failures=\"{failures}\" time=\"{time}\"",
        cases.len()
    )
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Escapes an attribute value, in which a line break would become a space.
fn attribute(text: &str) -> String {
    content(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Escapes text content. Control characters are dropped, because XML cannot represent them.
fn content(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(sign),
            '\u{fffe}' | '\u{ffff}' => {}
            sign if sign.is_control() => {}
            sign => safe.push(sign),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junit_has_a_suite_for_each_file_and_a_case_with_its_time_for_each_scenario() {
        let outcome = |file: &str, name: Option<&str>, failures: &[&str]| ScenarioOutcome {
            file: file.into(),
            name: name.map(str::to_owned),
            line: 7,
            failures: failures.iter().map(|text| (*text).to_owned()).collect(),
            notes: vec![],
            took: Duration::from_millis(1_250),
        };
        let mut noted = outcome("a.test.json", Some("b"), &["chatSends\n  expected", "kv"]);
        noted.notes = vec!["note: it raised".into()];
        let outcomes = [
            outcome("a.test.json", Some("a"), &[]),
            noted,
            outcome("b.test.json", None, &["this is no test file"]),
        ];
        let expected = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"bell\" tests=\"3\" failures=\"2\" time=\"3.750\">
  <testsuite name=\"a.test.json\" tests=\"2\" failures=\"1\" time=\"2.500\" errors=\"0\" skipped=\"0\">
    <testcase name=\"a\" classname=\"bell.a\" file=\"__tests__/a.test.json\" line=\"7\" time=\"1.250\">
    </testcase>
    <testcase name=\"b\" classname=\"bell.a\" file=\"__tests__/a.test.json\" line=\"7\" time=\"1.250\">
      <failure message=\"chatSends\">chatSends\n  expected\nkv</failure>
      <system-out>note: it raised</system-out>
    </testcase>
  </testsuite>
  <testsuite name=\"b.test.json\" tests=\"1\" failures=\"1\" time=\"1.250\" errors=\"0\" skipped=\"0\">
    <testcase name=\"b.test.json\" classname=\"bell.b\" file=\"__tests__/b.test.json\" line=\"7\" time=\"1.250\">
      <failure message=\"this is no test file\">this is no test file</failure>
    </testcase>
  </testsuite>
</testsuites>
";
        assert_eq!(write("bell", &outcomes), expected);
    }

    #[test]
    fn junit_is_escaped_and_has_no_control_characters() {
        let nasty = "<a href=\"x\">&amp; \u{1b}[31mred\u{0}\u{7f}\u{85}\u{fffe}\r\n\tü🎉]]>";
        assert_eq!(
            content(nasty),
            "&lt;a href=&quot;x&quot;&gt;&amp;amp; [31mred\n\tü🎉]]&gt;"
        );
        assert_eq!(attribute("a\n\tb\"'"), "a&#10;&#9;b&quot;'");
    }
}
