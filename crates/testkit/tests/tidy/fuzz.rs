//! The fuzz crate compiles files of other crates without their neighbours; whoever adds a `use` to such a file cannot
//! see that from the file, and the ring that builds the fuzz targets runs rarely.

use std::collections::{BTreeMap, BTreeSet};

use crate::circles::{Module, used_paths};
use crate::tree::{self, File};

const ROOT: &str = "fuzz/src/lib.rs";
const LANGUAGE: [&str; 4] = ["alloc", "core", "self", "std"];

/// What `fuzz/src/lib.rs` declares: modules written in place with the names they have, and modules of files.
#[derive(Default)]
struct Declared {
    /// The folder behind each `#[path]`, by the module at the root that has it.
    folders: BTreeMap<String, String>,
    in_place: BTreeMap<Module, BTreeSet<String>>,
    of_files: BTreeSet<Module>,
}

fn names_used(line: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for path in used_paths(line) {
        names.extend(path.rsplit("::").next().map(str::to_owned));
    }
    names
}

fn without_visibility(line: &str) -> &str {
    match line.strip_prefix("pub") {
        Some(rest) => rest.trim_start().trim_start_matches("(crate)").trim_start(),
        None => line,
    }
}

fn declared(text: &str) -> Declared {
    let mut found = Declared::default();
    let mut inside: Module = Vec::new();
    let mut folder = None;
    found.in_place.entry(Vec::new()).or_default();
    for line in text.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("#[path = \"../../") {
            folder = path.strip_suffix("\"]").map(str::to_owned);
        } else if line == "}" {
            inside.pop();
        } else if let Some(module) = without_visibility(line).strip_prefix("mod ") {
            let name = module.trim_end_matches([' ', '{', ';']).to_owned();
            let names = found.in_place.entry(inside.clone()).or_default();
            names.insert(name.clone());
            let mut module_path = inside.clone();
            module_path.push(name.clone());
            if line.ends_with('{') {
                if let Some(folder) = folder.take() {
                    found.folders.insert(name, folder);
                }
                found.in_place.entry(module_path.clone()).or_default();
                inside = module_path;
            } else {
                found.of_files.insert(module_path);
            }
        } else {
            let names = found.in_place.entry(inside.clone()).or_default();
            names.extend(names_used(line));
        }
    }
    found
}

/// The file of a module that the fuzz crate compiles.
fn file_of<'a>(files: &'a [File], declared: &Declared, module: &[String]) -> Option<&'a File> {
    let (first, inner) = module.split_first()?;
    let folder = declared.folders.get(first)?;
    let path = format!("{folder}/{}.rs", inner.join("/"));
    files.iter().find(|file| file.path == path)
}

/// The modules that a file declares besides its tests, as `mod name;`.
fn parts_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_test = false;
    for line in text.lines() {
        if let Some(module) = without_visibility(line).strip_prefix("mod ")
            && let Some(name) = module.strip_suffix(';')
            && !is_test
        {
            found.push(name.to_owned());
        }
        is_test = line == "#[cfg(test)]";
    }
    found
}

/// The names of the crates that a manifest depends on, as `use` spells them.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut is_dependencies = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_dependencies = line == "[dependencies]";
        } else if is_dependencies && let Some((name, _)) = line.split_once('=') {
            found.insert(name.trim().replace('-', "_"));
        }
    }
    found
}

/// Where `crate::` and `super::` of a module begin, and what follows; `None` for paths into other crates.
fn start_of<'a>(module: &[String], path: &'a str) -> Option<(Module, &'a str)> {
    if let Some(rest) = path.strip_prefix("crate::") {
        return Some((Vec::new(), rest));
    }
    let mut above = module.to_vec();
    let mut rest = path;
    let mut is_local = false;
    while let Some(after) = rest.strip_prefix("super::") {
        above.pop();
        rest = after;
        is_local = true;
    }
    is_local.then_some((above, rest))
}

fn missing(files: &[File], manifest: &str, root: &str) -> Vec<String> {
    let dependencies = dependencies(manifest);
    let mut declared = declared(root);
    let mut waiting: Vec<Module> = declared.of_files.iter().cloned().collect();
    let mut complaints = Vec::new();
    while let Some(module) = waiting.pop() {
        let Some(file) = file_of(files, &declared, &module) else {
            complaints.push(format!("{ROOT}: {} has no file", module.join("::")));
            continue;
        };
        let parts = parts_of(&file.text);
        for part in &parts {
            let mut inner = module.clone();
            inner.push(part.clone());
            if declared.of_files.insert(inner.clone()) {
                waiting.push(inner);
            }
        }
        for path in used_paths(&file.text) {
            let is_known = match start_of(&module, &path) {
                // Only modules written in place lack anything: a file brings all that is in it.
                Some((place, rest)) => declared.in_place.get(&place).is_none_or(|names| {
                    rest.split("::")
                        .next()
                        .is_some_and(|name| names.contains(name))
                }),
                None => path
                    .trim_start_matches("::")
                    .split("::")
                    .next()
                    .is_some_and(|name| {
                        LANGUAGE.contains(&name)
                            || dependencies.contains(name)
                            || parts.iter().any(|part| part == name)
                    }),
            };
            if !is_known {
                complaints.push(format!(
                    "{} uses {path}, which the fuzz crate does not have",
                    file.path
                ));
            }
        }
    }
    complaints
}

#[test]
fn files_that_the_fuzz_crate_compiles_use_only_what_it_has() {
    let files = tree::files();
    let text = |path: &str| {
        let found = files.iter().find(|file| file.path == path);
        found.map(|file| file.text.as_str()).unwrap()
    };
    let complaints = missing(&files, text("fuzz/Cargo.toml"), text(ROOT));
    crate::assert_no_complaints(&complaints);
}

#[test]
fn rejects_neighbours_and_crates_that_the_fuzz_crate_lacks() {
    let root = "pub use plugins::manifest;\n\n#[path = \"../../crates/web/src\"]\npub mod web {\n    \
        pub(crate) mod chat {\n        mod wire;\n\n        pub(crate) use wire::read;\n    }\n    \
        pub mod gone;\n}\n";
    let manifest = "[package]\nname = \"fuzz\"\n\n[dependencies]\nserde = \"1\"\nmedia-formats = { path = \"x\" }\n";
    let wire = "use serde::Serialize;\nuse media_formats::amf0;\nuse jiff::Timestamp;\n\n\
        use super::pins::WirePin;\nuse super::read;\nuse crate::manifest::{Manifest};\nuse crate::state::State;\n\
        mod part;\n\n#[cfg(test)]\nmod tests;\n";
    let files = [
        File::new("crates/web/src/chat/wire.rs", wire),
        File::new(
            "crates/web/src/chat/wire/part.rs",
            "use super::Anything;\nuse crate::problem::Problem;\n",
        ),
        File::new("crates/web/src/chat/wire/tests.rs", "use tokio::time;\n"),
    ];
    let mut found = missing(&files, manifest, root);
    found.sort();
    assert_eq!(
        found,
        [
            "crates/web/src/chat/wire.rs uses crate::state::State, which the fuzz crate does not have",
            "crates/web/src/chat/wire.rs uses jiff::Timestamp, which the fuzz crate does not have",
            "crates/web/src/chat/wire.rs uses super::pins::WirePin, which the fuzz crate does not have",
            "crates/web/src/chat/wire/part.rs uses crate::problem::Problem, which the fuzz crate does not have",
            "fuzz/src/lib.rs: web::gone has no file",
        ]
    );
}
