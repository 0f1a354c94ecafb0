//! The plugins included with the server: the folders of `plugins/`, embedded in the binary.
//!
//! They are packed in memory on request and are ordinary packages from then on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thiserror::Error;

use crate::archive::write_archive;
use crate::package::{Package, PackageError};

macro_rules! files {
    ($($path:literal,)*) => {
        &[$(($path, include_bytes!(concat!("../../../plugins/", $path)))),*]
    };
}

/// Every file that a server uses, by its path below `plugins/`.
const FILES: &[(&str, &[u8])] = files![
    "dice/INSTRUCTIONS.md",
    "dice/plugin.manifest.json",
    "dice/src/plugin.py",
    "live-notice/INSTRUCTIONS.md",
    "live-notice/plugin.manifest.json",
    "live-notice/src/plugin.py",
    "password-gate/INSTRUCTIONS.md",
    "password-gate/plugin.manifest.json",
    "password-gate/src/page.py",
    "password-gate/src/plugin.py",
    "poll/INSTRUCTIONS.md",
    "poll/plugin.manifest.json",
    "poll/public/overlay.css",
    "poll/public/overlay.html",
    "poll/public/overlay.js",
    "poll/src/plugin.py",
    "poll/src/tally.py",
    "song-wishes/INSTRUCTIONS.md",
    "song-wishes/plugin.manifest.json",
    "song-wishes/src/plugin.py",
    "word-shield/INSTRUCTIONS.md",
    "word-shield/plugin.manifest.json",
    "word-shield/src/plugin.py",
];

/// What a bundle of several source files begins with, the same as in the bundles that authors build.
const LOADER: &str = include_str!("../../../sdk/python/service_plugin_cli/loader.py");

const SOURCES: &str = "src/";
const ENTRY: &str = "src/plugin.py";

/// Why an included plugin is not a valid package, which only a mistake in its folder can cause.
#[derive(Debug, Error)]
enum IncludedError {
    #[error("{0} is not text in UTF-8")]
    NotText(String),
    #[error("there is no {ENTRY}")]
    NoEntry,
    #[error("it cannot be packed: {0}")]
    Archive(String),
    #[error(transparent)]
    Package(#[from] PackageError),
}

/// All included plugins, sorted by slug.
pub fn packages() -> Vec<Arc<Package>> {
    let folders = folders().into_iter();
    folders
        .filter_map(|folder| match package(folder) {
            Ok(package) => Some(Arc::new(package)),
            Err(error) => {
                tracing::error!(plugin = folder, %error, "a plugin of the server itself cannot be used");
                None
            }
        })
        .collect()
}

fn folders() -> BTreeSet<&'static str> {
    let paths = FILES.iter();
    paths
        .filter_map(|(path, _)| Some(path.split_once('/')?.0))
        .collect()
}

/// The files of one plugin, by their paths in its folder.
fn files(folder: &str) -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES.iter().filter_map(move |(path, content)| {
        let path = path.strip_prefix(folder)?.strip_prefix('/')?;
        Some((path, *content))
    })
}

fn package(folder: &str) -> Result<Package, IncludedError> {
    let (sources, others): (Vec<_>, Vec<_>) =
        files(folder).partition(|(path, _)| path.starts_with(SOURCES));
    let mut texts = BTreeMap::new();
    for (path, content) in sources {
        let text = std::str::from_utf8(content);
        let text = text.map_err(|_| IncludedError::NotText(path.to_owned()))?;
        texts.insert(path, text);
    }
    let entry = texts.remove(ENTRY).ok_or(IncludedError::NoEntry)?;
    let code = match texts.is_empty() {
        true => entry.to_owned(),
        false => bundle(entry, &texts),
    };
    let code = ("plugin.py", code.as_bytes());
    let bytes = write_archive(others.into_iter().chain([code]));
    let bytes = bytes.map_err(|error| IncludedError::Archive(error.to_string()))?;
    Ok(Package::from_bytes(bytes)?)
}

/// Bundles several modules into one file, in the format that `service-plugin-py build` writes.
fn bundle(entry: &str, modules: &BTreeMap<&str, &str>) -> String {
    // The docstring before this describes the loader itself.
    let loader = LOADER
        .split_once("\"\"\"\n")
        .map_or(LOADER, |(_, rest)| rest);
    let modules: String = modules
        .iter()
        .map(|(path, text)| {
            let (name, is_package) = module(path);
            let is_package = if is_package { "True" } else { "False" };
            let (name, path) = (literal(&name), literal(path));
            format!("{name}: ({path}, {is_package},\n{}\n),\n", lines(text))
        })
        .collect();
    format!(
        "{}\n\n\n_bundle = _load_bundle({{\n{modules}}}, {},\n{}\n, globals())\nexec(_bundle)\n",
        loader.trim_matches('\n'),
        literal(ENTRY),
        lines(entry)
    )
}

/// The import name of a source file, and whether it is a package.
fn module(path: &str) -> (String, bool) {
    let path = path.strip_prefix(SOURCES).unwrap_or(path);
    let path = path.strip_suffix(".py").unwrap_or(path);
    let package = path.strip_suffix("/__init__");
    (package.unwrap_or(path).replace('/', "."), package.is_some())
}

/// A text as Python source, line by line, so that people can read what is in a package.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split_inclusive('\n').map(literal).collect();
    match lines.is_empty() {
        true => literal(""),
        false => lines.join("\n"),
    }
}

/// Python parses every JSON string the way JSON does.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Files of a folder that authors and tests need and servers do not.
    const NOT_FOR_SERVERS: [&str; 2] = ["README.md", "__tests__"];

    fn collect(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_str().unwrap();
            if NOT_FOR_SERVERS.contains(&name) {
                continue;
            }
            if path.is_dir() {
                collect(root, &path, found);
            } else {
                let path = path.strip_prefix(root).unwrap();
                found.insert(path.to_str().unwrap().to_owned());
            }
        }
    }

    /// The files in the repository, without what running and building leave beside them.
    fn in_repository() -> BTreeSet<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
        let mut found = BTreeSet::new();
        collect(&root, &root, &mut found);
        let is_source = |path: &String| {
            let (folder, file) = path.split_once('/').unwrap_or(("", path));
            let is_built = file == format!("{folder}.py") || file == format!("{folder}.ocpkg");
            !is_built && !path.contains("/__pycache__/") && !path.contains("/.service-dev-data/")
        };
        found.retain(is_source);
        found
    }

    #[test]
    fn every_plugin_of_the_repository_and_every_file_of_it_is_in_the_binary() {
        let included: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).into()).collect();
        assert_eq!(included, in_repository());
    }

    #[test]
    fn every_plugin_of_the_binary_is_a_package_that_servers_take() {
        let packages = packages();
        let slugs = packages
            .iter()
            .map(|package| package.manifest().slug.as_str());
        let slugs: Vec<_> = slugs.collect();
        let folders: Vec<_> = folders().into_iter().collect();
        assert_eq!(slugs, folders, "each under the slug of its folder");
        assert_eq!(slugs.len(), 6);
        for package in &packages {
            package.check_every_entry().unwrap();
            assert!(package.has_instructions());
            assert_eq!(package.remarks(), Vec::<String>::new());
        }
        let poll = packages.iter().find(|one| one.has_public("overlay.js"));
        assert!(poll.is_some());
    }

    #[test]
    fn modules_are_embedded_as_python_reads_them() {
        let modules = BTreeMap::from([
            ("src/parts/__init__.py", ""),
            ("src/parts/words.py", "A = \"\\n\t\u{e4}\"\n# end"),
        ]);
        let bundled = bundle("import parts\n", &modules);
        assert!(bundled.starts_with("def _load_bundle("), "{bundled}");
        let rest = bundled.split_once("_bundle = ").unwrap().1;
        assert_eq!(
            rest,
            r##"_load_bundle({
"parts": ("src/parts/__init__.py", True,
""
),
"parts.words": ("src/parts/words.py", False,
"A = \"\\n\tä\"\n"
"# end"
),
}, "src/plugin.py",
"import parts\n"
, globals())
exec(_bundle)
"##
        );
    }
}
