//! Rewrites plugin tracebacks with the author's file names.

/// What the engine calls the code of a plugin, whatever file it came from.
const CODE: &str = "File \"plugin.py\", line ";

/// A traceback that names the author's file, after a line that says what was raised and where.
pub(super) fn told(text: &str, file: &str) -> String {
    let text = text.replace(CODE, &format!("File \"{file}\", line "));
    match (place(&text), text.lines().next_back()) {
        (Some(place), Some(last)) if text.contains('\n') => {
            format!("{} at {place}\n{text}", last.trim())
        }
        _ => text,
    }
}

/// The last of the author's own lines in it, as `file:line`. Python's library files have absolute paths.
fn place(text: &str) -> Option<String> {
    let own = text.lines().rev().filter_map(|line| {
        let (file, rest) = line
            .trim_start()
            .strip_prefix("File \"")?
            .split_once("\", line ")?;
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("{file}:{number}"))
    });
    let mut own = own.filter(|place| !place.starts_with(['/', '<']));
    own.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceback_names_the_authors_file_and_line() {
        let text = "Traceback (most recent call last):\n  File \"plugin.py\", line 12, in greet\n    json.loads(x)\n  \
                    File \"/lib/json/decoder.py\", line 355, in raw_decode\nValueError: no";
        let said = told(text, "src/plugin.py");
        assert!(
            said.starts_with("ValueError: no at src/plugin.py:12\nTraceback"),
            "{said}"
        );
        assert!(said.contains("File \"src/plugin.py\", line 12"), "{said}");
        assert_eq!(
            told("it took too long", "src/plugin.py"),
            "it took too long"
        );
    }
}
