//! `docs/federation-cases.md` numbers the checks of the inbox and the cases of federation. Comments cite them by number
//! and name the page: a number alone, or one of a list that is elsewhere, leaves the reader nowhere to look.

use std::collections::BTreeSet;
use std::fs;

use crate::tree::{self, File};

const PAGE: &str = "docs/federation-cases.md";

/// What may stand behind a number.
const ENDS: [char; 5] = ['.', ',', ':', ';', ')'];

/// The numbers on the page, in its order.
struct Numbers {
    cases: Vec<u16>,
    checks: Vec<u16>,
}

impl Numbers {
    fn of(page: &str) -> Self {
        Self {
            cases: page.lines().filter_map(item_number).collect(),
            checks: page.lines().filter_map(row_number).collect(),
        }
    }

    fn lists(&self) -> [(&'static str, &[u16]); 2] {
        [
            ("case", self.cases.as_slice()),
            ("check", self.checks.as_slice()),
        ]
    }
}

/// The number of an item of an ordered list.
fn item_number(line: &str) -> Option<u16> {
    let (number, _) = line.split_once(". ")?;
    number.parse().ok()
}

/// The number in the first cell of a table's row.
fn row_number(line: &str) -> Option<u16> {
    let (number, _) = line.strip_prefix("| ")?.split_once(" | ")?;
    number.parse().ok()
}

/// Complains about a list that is missing, or whose numbers do not run from 1 without a gap.
fn broken_lists(numbers: &Numbers) -> Vec<String> {
    let mut complaints = Vec::new();
    for (kind, found) in numbers.lists() {
        let wrong = (1u16..).zip(found).find(|(wanted, found)| wanted != *found);
        if let Some((wanted, found)) = wrong {
            complaints.push(format!(
                "{PAGE}: {kind} {found} stands where {wanted} should"
            ));
        }
        if found.is_empty() {
            complaints.push(format!("{PAGE} has no list of {kind}s"));
        }
    }
    complaints
}

/// Lines of comment that follow each other, as one text.
struct Comment {
    /// The number of its first line.
    line: usize,
    text: String,
    is_documentation: bool,
}

/// The comments that have their lines to themselves.
fn comments(text: &str) -> Vec<Comment> {
    let mut comments: Vec<Comment> = Vec::new();
    let mut goes_on = false;
    for (index, line) in text.lines().enumerate() {
        let Some(rest) = line.trim_start().strip_prefix("//") else {
            goes_on = false;
            continue;
        };
        let words = rest.trim_start_matches(['/', '!']).trim();
        match comments.last_mut().filter(|_| goes_on) {
            Some(comment) => {
                comment.text.push(' ');
                comment.text.push_str(words);
            }
            None => comments.push(Comment {
                line: index + 1,
                text: words.to_owned(),
                is_documentation: rest.starts_with(['/', '!']),
            }),
        }
        goes_on = true;
    }
    comments
}

/// Complains about numbers that are not on the page, and about comments that do not say what their number is of.
fn unclear_citations(files: &[File], numbers: &Numbers) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        for comment in comments(&file.text) {
            for problem in problems(&comment, numbers) {
                complaints.push(format!("{}:{}: {problem}", file.path, comment.line));
            }
        }
    }
    complaints
}

fn problems(comment: &Comment, numbers: &Numbers) -> Vec<String> {
    let text = comment.text.as_str();
    let mut problems = Vec::new();
    for (kind, known) in numbers.lists() {
        let cited = cited(text, kind);
        if !cited.is_empty() && !text.contains(PAGE) {
            problems.push(format!("say which list the {kind} is of: {PAGE}"));
        }
        for number in cited.iter().filter(|number| !known.contains(number)) {
            problems.push(format!("{PAGE} has no {kind} {number}"));
        }
    }
    if cites_an_unnamed_list(text) {
        problems.push("\"the list\" is no name: say which one".to_owned());
    }
    if cites_an_unnamed_specification(text) {
        problems
            .push("no specification is named: say the rule, or where it can be read".to_owned());
    }
    if begins_with_a_number_of_nothing(comment) {
        problems.push("a number says nothing without the list it is of".to_owned());
    }
    problems
}

/// The numbers behind `kind` or its plural: one, several, or a range.
fn cited(text: &str, kind: &str) -> BTreeSet<u16> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = BTreeSet::new();
    for (index, word) in words.iter().enumerate() {
        let word = word.trim_start_matches(['(', '"', '`']);
        let word = word.to_ascii_lowercase();
        if word == kind || word.strip_suffix('s') == Some(kind) {
            found.extend(leading_numbers(&words[index + 1..]));
        }
    }
    found
}

fn leading_numbers(words: &[&str]) -> Vec<u16> {
    let mut numbers: Vec<u16> = Vec::new();
    let mut is_range = false;
    for word in words {
        if !numbers.is_empty() && matches!(*word, "and" | "or" | "to") {
            is_range = *word == "to";
            continue;
        }
        let digits = word.trim_end_matches(ENDS);
        let Ok(number) = digits.parse::<u16>() else {
            break;
        };
        match numbers.last().copied() {
            Some(first) if is_range => numbers.extend(first..=number),
            _ => numbers.push(number),
        }
        is_range = false;
        if !matches!(&word[digits.len()..], "" | ",") {
            break;
        }
    }
    numbers
}

fn number(word: &str) -> Option<u16> {
    word.trim_end_matches(ENDS).parse().ok()
}

fn is_number(word: &str) -> bool {
    number(word).is_some()
}

fn cites_an_unnamed_list(text: &str) -> bool {
    let mut places = text.match_indices(" of the list");
    places.any(|(at, _)| text[..at].rsplit([' ', '(']).next().is_some_and(is_number))
}

/// A standard is cited by its title, in quotation marks where a number follows.
fn cites_an_unnamed_specification(text: &str) -> bool {
    let mut places = text.match_indices("pecification ");
    places.any(|(at, found)| {
        let is_numbered = text[at + found.len()..].starts_with(|c: char| c.is_ascii_digit());
        let is_in_title = text[..at].matches('"').count() % 2 == 1;
        is_numbered && !is_in_title
    })
}

/// Whether the comment is a number by itself, or a number and which side of it this is. Statuses of HTTP and years are
/// known to everybody.
fn begins_with_a_number_of_nothing(comment: &Comment) -> bool {
    let words: Vec<&str> = comment.text.split(' ').collect();
    if matches!(words.as_slice(), ["Number" | "Numbers", next, ..] if is_number(next)) {
        return true;
    }
    let is_short = |word: &str| number(word).is_some_and(|number| number < 100);
    let (last, rest) = match words.as_slice() {
        [first, "and", last, rest @ ..] if is_short(first) && is_short(last) => (last, rest),
        [last, rest @ ..] if is_short(last) => (last, rest),
        _ => return false,
    };
    let goes_on_with_a_word = rest
        .first()
        .is_some_and(|next| next.starts_with(char::is_alphabetic));
    let is_alone = rest.is_empty() || (last.ends_with(',') && goes_on_with_a_word);
    is_alone && !comment.is_documentation
}

#[test]
fn every_number_that_is_cited_is_on_the_page_and_says_so() {
    let page = fs::read_to_string(tree::root().join(PAGE)).unwrap();
    let numbers = Numbers::of(&page);
    let mut complaints = broken_lists(&numbers);
    complaints.extend(unclear_citations(&tree::files(), &numbers));
    crate::assert_no_complaints(&complaints);
}

const TWO_CHECKS: &str =
    "| | what | else |\n|---|---|---|\n| 1 | It is on. | 405 |\n| 2 | It is small. | 413 |\n";

fn numbers(items: &str) -> Numbers {
    Numbers::of(&format!("# Title\n\n{TWO_CHECKS}\n## One\n\n{items}"))
}

fn three_cases() -> Numbers {
    numbers("1. First.\n2. Second.\n\n## Two\n\n3. Third.\n")
}

/// What is said about one Rust file with this text.
fn about(text: &str) -> Vec<String> {
    unclear_citations(&[File::new("a.rs", text)], &three_cases())
}

#[test]
fn rejects_a_number_that_is_not_on_the_page() {
    for (comment, missing) in [
        ("// Case 4 of docs/federation-cases.md.", "case 4"),
        ("// Cases 1 and 5 of docs/federation-cases.md.", "case 5"),
        (
            "// Cases 1, 6 and 2 of docs/federation-cases.md: why.",
            "case 6",
        ),
        ("// Cases 2 to 4 of docs/federation-cases.md.", "case 4"),
        ("//! See (case 9) in `docs/federation-cases.md`.", "case 9"),
        ("/// Check 3 of `docs/federation-cases.md`.", "check 3"),
        (
            "// Checks 1 and 2 and case 7 of docs/federation-cases.md.",
            "case 7",
        ),
        ("// Case 4\n// of docs/federation-cases.md.", "case 4"),
    ] {
        let expected = format!("a.rs:2: docs/federation-cases.md has no {missing}");
        assert_eq!(about(&format!("\n{comment}\n")), [expected], "{comment}");
    }
}

#[test]
fn rejects_a_number_that_does_not_say_of_which_list_it_is() {
    for comment in [
        "// Case 1.",
        "    // Cases 1 and 2, as far as it matters.",
        "/// checks 1 to 2",
        "// Specification 11, the tenth.",
        "// See specification 7.2.",
        "// It comes first (1 to 4 of the list).",
        "// All of it: 11 and 12 of the list.",
        "// Number 58.",
        "// Number 2: twice.",
        "// 52",
        "// 52.",
        "// 52, after a start",
        "// 54 and 63, from the side of the settings",
        "// Case 1.\nfn f() {}\n// docs/federation-cases.md",
    ] {
        assert_eq!(about(comment).len(), 1, "{comment}");
    }
}

#[test]
fn takes_citations_with_their_page_and_numbers_that_cite_nothing() {
    for text in [
        "// Case 3 of docs/federation-cases.md.",
        "/// Checks 1 and 2 of\n/// `docs/federation-cases.md`, then a third.",
        "// Checks 1 to 2 and cases 1 to 3 of docs/federation-cases.md.",
        "// A page of the list. In that case nothing is sent.",
        "//! After \"Video Format Specification 10.1\", part 2.",
        "// The specification would have it otherwise.",
        "// 1, 010, 011, 00100",
        "// 64 KiB are enough.",
        "/// 1 to 31, or negative.",
        "// 2100 is none.",
        "// 503, as long as the disk is full.",
        "let text = \"// Case 9.\";",
    ] {
        assert_eq!(about(text), Vec::<String>::new(), "{text}");
    }
    let other = File::new("a.md", "// Case 9.");
    assert!(unclear_citations(&[other], &three_cases()).is_empty());
}

#[test]
fn rejects_lists_that_are_missing_or_have_gaps() {
    assert!(broken_lists(&three_cases()).is_empty());
    for items in [
        "1. First.\n3. Third.\n",
        "2. Second.\n",
        "1. First.\n1. Again.\n",
        "",
    ] {
        assert_eq!(broken_lists(&numbers(items)).len(), 1, "{items}");
    }
    assert_eq!(broken_lists(&Numbers::of("# Title\n")).len(), 2);
}
