//! Checks how long a source file may be, and what must not be written in any file.

use crate::tree::{self, File};

/// Longer files hold more than one idea and are split. Aim for 80 to 300.
const LONGEST_FILE: usize = 500;

const SOURCES: [&str; 5] = ["rs", "ts", "tsx", "py", "mjs"];

/// Split in two, so that this file does not contain what it forbids.
const UNFINISHED: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const UNSAFE_SQL: &str = concat!("Assert", "SqlSafe");
const BUILD_PATH: &str = concat!("/wo", "rk/");

fn long_files(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| is_product_source(file)) {
        let lines = product_lines(&file.text);
        if lines > LONGEST_FILE {
            complaints.push(format!(
                "{} has {lines} lines, {LONGEST_FILE} are the limit",
                file.path
            ));
        }
    }
    complaints
}

/// Sources other than tests and type declarations, which are generated.
fn is_product_source(file: &File) -> bool {
    let name = file.name();
    let is_test = format!("/{}", file.path).contains("/tests/")
        || name == "tests.rs"
        || name.contains(".test.")
        || name.starts_with("test_");
    file.has_extension(&SOURCES) && !is_test && !name.ends_with(".d.ts")
}

/// Lines above the test module that closes a Rust file.
fn product_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let closing_tests = lines.windows(2).position(|pair| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    });
    closing_tests.unwrap_or(lines.len())
}

fn mod_files(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.name() == "mod.rs")
        .map(|file| format!("{}: a module with parts is foo.rs beside foo/", file.path))
        .collect()
}

fn forbidden_words(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !is_lock_file(file)) {
        for (index, line) in file.text.lines().enumerate() {
            for word in words_in(file, line) {
                complaints.push(format!(
                    "{}:{}: {word} must not be here",
                    file.path,
                    index + 1
                ));
            }
        }
    }
    complaints
}

/// Generated files full of hashes, which can spell anything.
fn is_lock_file(file: &File) -> bool {
    matches!(file.name(), "Cargo.lock" | "package-lock.json")
}

fn words_in<'a>(file: &File, line: &'a str) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for word in UNFINISHED {
        found.extend(whole_word(line, word));
    }
    if file.has_extension(&["rs"]) {
        let code = line.split("//").next().unwrap_or_default();
        found.extend(whole_word(code, UNSAFE_SQL));
    }
    let at = line
        .match_indices(BUILD_PATH)
        .find(|(at, _)| starts_a_path(line, *at));
    found.extend(at.map(|(_, path)| path));
    found
}

/// Whether the slash at `at` begins a path instead of continuing one.
fn starts_a_path(line: &str, at: usize) -> bool {
    let before = line[..at].chars().next_back();
    !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '*' | '}' | ')'))
}

fn whole_word<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.split(|c: char| !is_part(c)).find(|part| *part == word)
}

#[test]
fn no_source_file_is_too_long() {
    crate::assert_no_complaints(&long_files(&tree::files()));
}

#[test]
fn no_module_is_called_mod() {
    crate::assert_no_complaints(&mod_files(&tree::files()));
}

#[test]
fn no_forbidden_word_is_in_the_tree() {
    crate::assert_no_complaints(&forbidden_words(&tree::files()));
}

#[test]
fn rejects_a_file_one_line_too_long() {
    let longest = "x\n".repeat(LONGEST_FILE);
    for path in [
        "crates/chat/src/room.rs",
        "ui/src/page.tsx",
        "scripts/ring.py",
        "e2e/server.mjs",
    ] {
        assert!(long_files(&[File::new(path, &longest)]).is_empty());
        assert_eq!(
            long_files(&[File::new(path, &format!("{longest}x\n"))]).len(),
            1,
            "{path}"
        );
    }
}

#[test]
fn does_not_count_tests() {
    let long = "x\n".repeat(LONGEST_FILE + 1);
    for path in [
        "crates/chat/tests/it/main.rs",
        "crates/chat/src/room/tests.rs",
        "ui/src/a.test.ts",
        "scripts/test_ring.py",
    ] {
        assert!(long_files(&[File::new(path, &long)]).is_empty(), "{path}");
    }
    let with_tests = format!("fn product() {{}}\n\n#[cfg(test)]\nmod tests {{\n{long}}}\n");
    assert!(long_files(&[File::new("crates/chat/src/room.rs", &with_tests)]).is_empty());
}

#[test]
fn counts_product_code_behind_a_test_only_item() {
    let long = "x\n".repeat(LONGEST_FILE);
    let text = format!("#[cfg(test)]\nmod tests;\n{long}");
    assert_eq!(
        long_files(&[File::new("crates/chat/src/room.rs", &text)]).len(),
        1
    );
}

#[test]
fn rejects_a_module_called_mod() {
    assert_eq!(
        mod_files(&[File::new("crates/chat/src/room/mod.rs", "")]).len(),
        1
    );
    assert!(mod_files(&[File::new("crates/chat/src/room.rs", "")]).is_empty());
}

#[test]
fn rejects_unfinished_work_in_any_file() {
    for word in UNFINISHED {
        let line = format!("ok\n# {word}: later\n");
        let complaints = forbidden_words(&[File::new("Makefile", &line)]);
        assert_eq!(complaints, [format!("Makefile:2: {word} must not be here")]);
        assert!(
            forbidden_words(&[File::new(
                "a.md",
                &format!("{word}S {}", word.to_lowercase())
            )])
            .is_empty()
        );
    }
}

#[test]
fn rejects_unsafe_sql_in_code_but_not_in_a_comment() {
    let code = format!("query({UNSAFE_SQL}(text))");
    assert_eq!(
        forbidden_words(&[File::new("crates/store/src/a.rs", &code)]).len(),
        1
    );
    let comment = format!("// {UNSAFE_SQL} is banned");
    assert!(forbidden_words(&[File::new("crates/store/src/a.rs", &comment)]).is_empty());
    assert!(forbidden_words(&[File::new("clippy.toml", &code)]).is_empty());
}

#[test]
fn rejects_the_path_of_a_build_machine() {
    let absolute = format!("cd {BUILD_PATH}main");
    assert_eq!(
        forbidden_words(&[File::new("Makefile", &absolute)]).len(),
        1
    );
    let relative = format!("cd ./net{BUILD_PATH}main");
    assert!(forbidden_words(&[File::new("Makefile", &relative)]).is_empty());
}
