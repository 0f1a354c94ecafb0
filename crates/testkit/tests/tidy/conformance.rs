//! Checks that `docs/conformance.md` has an existing test for every rule, and `docs/media-robustness.md` one for every
//! hard case of the media engine.

use std::collections::BTreeSet;
use std::fs;

use crate::tree::{self, File};

type Header = [&'static str; 3];

const HEADER: Header = ["rule", "where it is stated", "test"];
const ROBUSTNESS: Header = ["case", "what happens", "test"];

/// Reports a missing table, malformed rows, and tests that do not exist.
fn broken_promises(document: &str, tests: &BTreeSet<String>) -> Vec<String> {
    broken_promises_of(document, HEADER, tests)
}

fn broken_promises_of(document: &str, header: Header, tests: &BTreeSet<String>) -> Vec<String> {
    let rows: Vec<Vec<String>> = document.lines().filter_map(cells).collect();
    if !rows.iter().any(|row| row == &header) {
        return vec![format!("no table with the columns {}", header.join(", "))];
    }
    let mut complaints = Vec::new();
    for row in rows.iter().filter(|row| !is_header_or_rule(row, header)) {
        let [rule, _, test] = row.as_slice() else {
            complaints.push(format!(
                "a row has {} cells instead of 3: {}",
                row.len(),
                row.join(" | ")
            ));
            continue;
        };
        let names = in_backticks(test);
        if names.is_empty() {
            complaints.push(format!("no test is named for: {rule}"));
        }
        for name in names.into_iter().filter(|name| !tests.contains(name)) {
            complaints.push(format!(
                "the test `{name}` does not exist, named for: {rule}"
            ));
        }
    }
    complaints
}

/// The cells of a table row; `\|` is a bar inside a cell.
fn cells(line: &str) -> Option<Vec<String>> {
    const BAR: &str = "\u{1}";
    let line = line.trim().replace("\\|", BAR);
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(
        inner
            .split('|')
            .map(|cell| cell.trim().replace(BAR, "|"))
            .collect(),
    )
}

fn is_header_or_rule(row: &[String], header: Header) -> bool {
    let is_rule = row
        .iter()
        .all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':')));
    is_rule || row == header
}

fn in_backticks(cell: &str) -> Vec<String> {
    let parts = cell.split('`').map(str::trim);
    parts
        .skip(1)
        .step_by(2)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The names and titles of all tests in these files.
fn test_names(files: &[File]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in files {
        if file.has_extension(&["rs"]) {
            names.extend(rust_tests(&file.text));
        } else if file.has_extension(&["py"]) {
            names.extend(python_tests(&file.text));
        } else if file.has_extension(&["mjs", "ts", "tsx"]) && file.name().contains(".test.") {
            names.extend(script_tests(&file.text));
        }
    }
    names
}

/// Functions with a test attribute: `#[test]`, `#[tokio::test]`, `#[rstest]`; and those that the store's tests run on both
/// databases, of which the compiler complains where the list of them lacks one.
fn rust_tests(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut has_test_attribute = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") {
            has_test_attribute |= line.contains("test") && !line.contains("cfg(");
        } else if !line.starts_with("//") {
            let function = line.split_once("fn ").map(|(_, rest)| rest);
            let is_test = has_test_attribute || line.contains("(home: Home)");
            if let Some(function) = function.filter(|_| is_test) {
                let name = function.split(['(', '<']).next().unwrap_or_default();
                names.push(name.to_owned());
            }
            has_test_attribute = false;
        }
    }
    names
}

fn python_tests(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let definitions = lines.filter_map(|line| {
        line.strip_prefix("async ")
            .unwrap_or(line)
            .strip_prefix("def ")
    });
    definitions
        .filter(|definition| definition.starts_with("test_"))
        .filter_map(|definition| definition.split('(').next())
        .map(str::to_owned)
        .collect()
}

/// The first string passed to `test`, `it` and their variants, as in `test('keeps order', …)`, even if
/// a formatter moved it to the next line.
fn script_tests(text: &str) -> Vec<String> {
    let mut titles = Vec::new();
    for (at, _) in text.match_indices('(') {
        let callee = text[..at]
            .rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_')))
            .next();
        let is_test =
            callee.is_some_and(|callee| matches!(callee.split('.').next(), Some("test" | "it")));
        let argument = text[at + 1..].trim_start();
        let quote = argument
            .chars()
            .next()
            .filter(|c| matches!(c, '\'' | '"' | '`'));
        if let (true, Some(quote)) = (is_test, quote)
            && let Some((title, _)) = argument[1..].split_once(quote)
        {
            titles.push(title.to_owned());
        }
    }
    titles
}

#[test]
fn every_promised_test_exists() {
    let tests = test_names(&tree::files());
    let mut complaints = Vec::new();
    for (name, header) in [
        ("docs/conformance.md", HEADER),
        ("docs/media-robustness.md", ROBUSTNESS),
    ] {
        let document = fs::read_to_string(tree::root().join(name)).unwrap();
        complaints.extend(broken_promises_of(&document, header, &tests));
    }
    crate::assert_no_complaints(&complaints);
}

const TABLE: &str = "# Title\n| rule | where it is stated | test |\n|---|---|---|\n";

fn known(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn rejects_a_test_that_does_not_exist() {
    let document = format!("{TABLE}| Says hello | part A | `says_hello`, `greets` |\n");
    let complaints = broken_promises(&document, &known(&["greets"]));
    assert_eq!(
        complaints,
        ["the test `says_hello` does not exist, named for: Says hello"]
    );
    assert!(broken_promises(&document, &known(&["greets", "says_hello"])).is_empty());
}

#[test]
fn rejects_a_rule_without_a_test() {
    for cell in ["", "later", "``"] {
        let document = format!("{TABLE}| Says hello | part A | {cell} |\n");
        assert_eq!(
            broken_promises(&document, &known(&["later"])),
            ["no test is named for: Says hello"]
        );
    }
}

#[test]
fn rejects_a_row_of_another_shape_and_a_missing_table() {
    let two_cells = format!("{TABLE}| Says hello | `says_hello` |\n");
    assert_eq!(
        broken_promises(&two_cells, &known(&["says_hello"])).len(),
        1
    );
    assert_eq!(broken_promises("# Title\n", &known(&[])).len(), 1);
}

#[test]
fn accepts_a_bar_inside_a_cell() {
    let document = format!("{TABLE}| a \\| b | part A | `t` |\n");
    assert!(broken_promises(&document, &known(&["t"])).is_empty());
}

#[test]
fn finds_tests_and_no_other_functions() {
    let rust = "#[cfg(test)]\nfn helper() {}\n#[tokio::test]\n/// Why.\n#[allow(x)]\nasync fn waits() {}\n#[test]\nfn adds() {}\nfn other() {}\npub(crate) async fn keeps(home: Home) {}\n";
    let python = "class T:\n    def test_adds(self):\n    async def test_waits(self):\n    def helper(self):\n";
    let script = "test('keeps order', async (t) => { await t.test(\"in parts\") });\nit.skip(\n  `one`, x);\ncontest('no'); describe('no', f);\n";
    let files = [
        File::new("a.rs", rust),
        File::new("test_a.py", python),
        File::new("a.test.mjs", script),
        File::new("a.mjs", "test('elsewhere', f)"),
    ];
    let expected = [
        "adds",
        "keeps",
        "keeps order",
        "one",
        "test_adds",
        "test_waits",
        "waits",
    ];
    assert_eq!(Vec::from_iter(test_names(&files)), expected);
}
