//! Shows expected and actual values side by side, line by line.

use std::fmt::Write;

use serde_json::Value;

use super::matching::shown;

/// Letters of a line with both sides; beyond it they stand below each other.
const WIDTH: usize = 110;
/// Letters that are shown of a value; the rest is cut.
const LONGEST: usize = 600;
/// Letters that are shown before the first difference of two long values.
const BEFORE: usize = 40;
/// Rows that are shown.
const ROWS: usize = 40;
/// Rows that are shown before the first difference.
const ROWS_BEFORE: usize = 3;
/// Stands where one side has less than the other.
const NOTHING: &str = "(nothing)";

/// One value on each side.
pub(super) struct Row {
    expected: Option<String>,
    actual: Option<String>,
    is_same: bool,
}

/// Compares two values that do not match: lists item by item, objects key by key.
pub(super) fn values(
    what: &str,
    wanted: &Value,
    got: &Value,
    is_same: fn(&Value, &Value) -> bool,
) -> String {
    let row = |wanted: Option<&Value>, got: Option<&Value>| Row {
        expected: wanted.map(shown),
        actual: got.map(shown),
        is_same: matches!((wanted, got), (Some(wanted), Some(got)) if is_same(wanted, got)),
    };
    let rows = match (wanted, got) {
        (Value::Array(wanted), Value::Array(got)) => {
            let count = wanted.len().max(got.len());
            (0..count)
                .map(|place| row(wanted.get(place), got.get(place)))
                .collect()
        }
        (Value::Object(wanted), Value::Object(got)) => wanted
            .iter()
            .map(|(key, wanted)| {
                let named = |value: String| format!("{key}: {value}");
                let Row {
                    expected,
                    actual,
                    is_same,
                } = row(Some(wanted), got.get(key));
                Row {
                    expected: expected.map(named),
                    actual: actual.map(named),
                    is_same,
                }
            })
            .collect(),
        _ => vec![row(Some(wanted), Some(got))],
    };
    table(what, &rows)
}

/// Two texts, line by line.
pub(super) fn texts(what: &str, wanted: &str, got: &str) -> String {
    let lines = |text: &str| Value::from_iter(text.split('\n').map(str::to_owned));
    values(what, &lines(wanted), &lines(got), |one, other| one == other)
}

fn table(what: &str, rows: &[Row]) -> String {
    let first = rows.iter().position(|row| !row.is_same).unwrap_or_default();
    let begin = first.saturating_sub(ROWS_BEFORE);
    let shown: Vec<(String, String, bool)> = rows[begin..]
        .iter()
        .take(ROWS)
        .map(|row| {
            let (expected, actual) = cut(row);
            (expected, actual, row.is_same)
        })
        .collect();
    let widest = |side: fn(&(String, String, bool)) -> &String, title: &str| {
        let widths = shown.iter().map(|row| side(row).chars().count());
        widths.max().unwrap_or_default().max(title.len())
    };
    let left = widest(|row| &row.0, "expected");
    let right = widest(|row| &row.1, "actual");
    let mut text = what.to_owned();
    // Writing to a string never fails.
    let mut line = |line: String| write!(text, "\n{}", line.trim_end()).ok();
    if begin > 0 {
        line(format!("    … {begin} the same"));
    }
    if left + right <= WIDTH {
        line(format!("    {:left$}   actual", "expected"));
        for (expected, actual, is_same) in &shown {
            let sign = if *is_same { ' ' } else { '≠' };
            line(format!("  {sign} {expected:left$}   {actual}"));
        }
    } else {
        for (expected, actual, is_same) in &shown {
            if *is_same {
                line(format!("    both      {expected}"));
            } else {
                line(format!("  ≠ expected  {expected}"));
                line(format!("    actual    {actual}"));
            }
        }
    }
    let rest = rows.len() - begin - shown.len();
    if rest > 0 {
        line(format!("    … {rest} more"));
    }
    text
}

/// Both sides truncated around the position where they first differ.
fn cut(row: &Row) -> (String, String) {
    let (Some(expected), Some(actual)) = (&row.expected, &row.actual) else {
        let one = |side: &Option<String>| {
            side.as_deref()
                .map_or(NOTHING.to_owned(), |text| part(text, 0))
        };
        return (one(&row.expected), one(&row.actual));
    };
    let same = expected
        .chars()
        .zip(actual.chars())
        .take_while(|(one, other)| one == other);
    let same = same.count();
    let is_long = expected.chars().count().max(actual.chars().count()) > LONGEST;
    let from = if is_long && !row.is_same {
        same.saturating_sub(BEFORE)
    } else {
        0
    };
    (part(expected, from), part(actual, from))
}

fn part(text: &str, from: usize) -> String {
    let mut letters = text.chars();
    let before = if from > 0 { "…" } else { "" };
    let shown: String = letters.by_ref().skip(from).take(LONGEST).collect();
    match letters.count() {
        0 => format!("{before}{shown}"),
        more => format!("{before}{shown}… ({more} more letters)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn equal(one: &Value, other: &Value) -> bool {
        one == other
    }

    #[test]
    fn expected_and_actual_stand_side_by_side() {
        let said = values(
            "chatSends",
            &json!(["Hello, mira!", "bye"]),
            &json!(["Hello, mira!", "Bye", "more"]),
            equal,
        );
        let expected = "\
chatSends
    expected         actual
    \"Hello, mira!\"   \"Hello, mira!\"
  ≠ \"bye\"            \"Bye\"
  ≠ (nothing)        \"more\"";
        assert_eq!(said, expected);
        let said = values(
            "commands",
            &json!({"name": "a"}),
            &json!({"name": "a", "x": 1}),
            equal,
        );
        assert!(said.ends_with("    name: \"a\"   name: \"a\""), "{said}");
        assert!(values("kv.a", &json!("1"), &json!(""), equal).contains("≠ \"1\"        \"\""));
    }

    #[test]
    fn long_values_stand_below_each_other_and_show_where_they_differ() {
        let (one, other) = (
            "x".repeat(5_000) + "1" + &"y".repeat(900),
            "x".repeat(5_000) + "2",
        );
        let said = texts("body", &one, &other);
        assert!(said.contains("≠ expected  …xxx"), "{said}");
        assert!(
            said.contains("x2\"") && said.contains("more letters"),
            "{said}"
        );
        assert!(said.len() < 2_000, "{said}");
        let lines = "a\n".repeat(500);
        let said = texts("body", &lines, &(lines.clone() + "b"));
        assert!(
            said.contains("… 497 the same") && said.contains("\"b\""),
            "{said}"
        );
        let said = texts("body", &("b\n".to_owned() + &lines), &lines);
        assert!(said.contains("… 462 more"), "{said}");
    }
}
