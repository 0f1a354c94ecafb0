//! Files that use each other in a circle: none of them can be read, moved or tested without all the others.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{self, File};

/// Crates that still have circles: methods of one type (the room, the host of plugins, the packager) are spread over
/// files that the type's own file uses.
const WITH_CIRCLES: [&str; 4] = ["chat", "media", "plugins", "web"];

/// The path of a module inside its crate; the root has no parts.
pub(crate) type Module = Vec<String>;

/// The crate and the module of a source file; `None` for tests and programs.
fn module_of(path: &str) -> Option<(&str, Module)> {
    let (name, path) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let path = path.strip_suffix(".rs")?;
    if path.starts_with("bin/") || path.ends_with("tests") {
        return None;
    }
    let parts = path
        .split('/')
        .filter(|part| !matches!(*part, "lib" | "main"));
    Some((name, parts.map(str::to_owned).collect()))
}

/// The paths that a file's own `use` lines name; those of a function or of inline tests are indented.
pub(crate) fn used_paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(first) = use_tree(line) else {
            continue;
        };
        let mut tree = first.trim().to_owned();
        while !tree.ends_with(';') {
            let Some(more) = lines.next() else { break };
            tree.push_str(more.trim());
        }
        expand("", tree.trim_end_matches(';'), &mut found);
    }
    found
}

fn use_tree(line: &str) -> Option<&str> {
    let item = match line.strip_prefix("pub") {
        Some(rest) => match rest.strip_prefix('(') {
            Some(scoped) => scoped.split_once(')')?.1,
            None => rest,
        },
        None => line,
    };
    item.trim_start()
        .strip_prefix("use ")
        .filter(|_| !line.starts_with(' '))
}

/// Adds every path of `a::{b, c::{d}}` to `found`.
fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree);
        found.push(format!("{prefix}{path}"));
        return;
    };
    let inner = rest.strip_suffix('}').unwrap_or(rest);
    let prefix = format!("{prefix}{head}");
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, &inner[start..at], found);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inner[start..].trim().is_empty() {
        expand(&prefix, &inner[start..], found);
    }
}

/// The module that a path leads to, unless it is the user itself, above it or below it: a module and its parts belong
/// together.
fn used_module(modules: &BTreeSet<Module>, user: &[String], path: &str) -> Option<Module> {
    let mut parts = path.split("::").peekable();
    let mut used: Module = match parts.next()? {
        "crate" => Vec::new(),
        "super" => {
            let mut above = user.to_vec();
            above.pop();
            while parts.next_if_eq(&"super").is_some() {
                above.pop();
            }
            above
        }
        _ => return None,
    };
    for part in parts {
        used.push(part.to_owned());
        if !modules.contains(&used) {
            used.pop();
            break;
        }
    }
    let is_related = used.starts_with(user) || user.starts_with(&used);
    (!is_related).then_some(used)
}

/// What is left of a graph without all that use nobody or are used by nobody.
fn in_circles(mut graph: BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    loop {
        let used: BTreeSet<Module> = graph.values().flatten().cloned().collect();
        let left: BTreeSet<Module> = graph
            .iter()
            .filter(|(module, uses)| used.contains(*module) && !uses.is_empty())
            .map(|(module, _)| module.clone())
            .collect();
        if left.len() == graph.len() {
            let names = graph.into_keys().map(|module| module.join("::"));
            return names.collect();
        }
        graph.retain(|module, _| left.contains(module));
        for uses in graph.values_mut() {
            uses.retain(|module| left.contains(module));
        }
    }
}

fn circles(files: &[File]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(Module, &str)>> = BTreeMap::new();
    for file in files {
        if let Some((name, module)) = module_of(&file.path) {
            let sources = crates.entry(name).or_default();
            sources.push((module, file.text.as_str()));
        }
    }
    let mut complaints = Vec::new();
    for (name, sources) in crates {
        let modules: BTreeSet<Module> = sources.iter().map(|(module, _)| module.clone()).collect();
        let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, text) in &sources {
            let paths = used_paths(text);
            let used = paths
                .iter()
                .filter_map(|path| used_module(&modules, module, path));
            graph.entry(module.clone()).or_default().extend(used);
        }
        let found = in_circles(graph);
        if !found.is_empty() && !WITH_CIRCLES.contains(&name) {
            let found = found.join(", ");
            complaints.push(format!("{name}: these use each other in a circle: {found}"));
        }
    }
    complaints
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    crate::assert_no_complaints(&circles(&tree::files()));
}

#[test]
fn rejects_a_circle_of_three() {
    let files = [
        File::new("crates/store/src/a.rs", "use crate::b::{self, B};\n"),
        File::new(
            "crates/store/src/b.rs",
            "pub(crate) use super::c::{\n    d::D,\n    C as E,\n};\n",
        ),
        File::new(
            "crates/store/src/c.rs",
            "use std::fmt;\n\nuse crate::{a::A, e};\n",
        ),
        File::new("crates/store/src/e.rs", ""),
        File::new("crates/store/src/f.rs", "use crate::a::A;\n"),
    ];
    assert_eq!(
        circles(&files),
        ["store: these use each other in a circle: a, b, c"]
    );
}

#[test]
fn accepts_a_module_with_its_parts_and_what_tests_use() {
    let tests = "use crate::b::B;\n\n#[cfg(test)]\nmod tests {\n    use crate::c::C;\n}\n";
    let files = [
        File::new("crates/store/src/lib.rs", "mod a;\n\npub use a::A;\n"),
        File::new("crates/store/src/a.rs", tests),
        File::new(
            "crates/store/src/a/part.rs",
            "use super::A;\nuse crate::Store;\n",
        ),
        File::new("crates/store/src/a/tests.rs", "use crate::c::C;\n"),
        File::new("crates/store/src/b.rs", "use std::fmt;\n"),
        File::new("crates/store/src/c.rs", "use crate::a::A;\n"),
    ];
    assert!(circles(&files).is_empty());
}
