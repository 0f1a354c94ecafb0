//! A plugin's folder on its author's machine.
//!
//! The code is `<slug>.py`, which `service-plugin-py build` writes, or `src/plugin.py` (else `plugin.py`) if that
//! imports no other file. If both exist, the newer one is used.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use plugins::manifest::Manifest;

/// The file every project has.
pub(crate) const MANIFEST: &str = "plugin.manifest.json";
/// Where authors write code, in the order in which it is looked for.
const ENTRIES: [&str; 2] = ["src/plugin.py", "plugin.py"];
/// The folder of its tests.
pub(crate) const TESTS: &str = "__tests__";
/// How code begins that was built from several files; it knows their names by itself.
const BUNDLE: &str = "# Built by service-plugin-py";
/// Files and folders below `src` that are looked at for changes after the build. With more, changes are not told.
const MAX_SOURCES: usize = 10_000;

/// Why a project cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("there is no {MANIFEST} in {0}")]
    NoManifest(PathBuf),
    /// The manifest is invalid.
    #[error("{MANIFEST}: {0}")]
    Manifest(String),
    #[error(
        "there is no {0}: build the plugin first, with `service-plugin-py build`, or write its code to src/plugin.py"
    )]
    NotBuilt(PathBuf),
    /// The code consists of several files.
    #[error(
        "{entry} imports {module}, which is a file of its own: build the plugin first, with `service-plugin-py build`"
    )]
    InPieces {
        /// The entry file.
        entry: PathBuf,
        /// The first module it imports.
        module: String,
    },
    #[error("there are no tests: {0} has no files that end in .test.json")]
    NoTests(PathBuf),
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
}

/// A plugin's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginCode {
    pub(crate) source: String,
    /// The file that its line numbers refer to, relative to the project's folder.
    pub(crate) file: String,
    /// A remark for its author.
    pub(crate) remark: Option<String>,
}

/// Reads the manifest.
pub(crate) fn manifest(folder: &Path) -> Result<Manifest, ProjectError> {
    let text = read(&folder.join(MANIFEST))?;
    let text = text.ok_or_else(|| ProjectError::NoManifest(folder.to_owned()))?;
    Manifest::parse(&text).map_err(|error| ProjectError::Manifest(error.to_string()))
}

/// Reads the code.
pub(crate) fn code(folder: &Path, manifest: &Manifest) -> Result<PluginCode, ProjectError> {
    let built = folder.join(format!("{}.py", manifest.slug));
    let entry = ENTRIES.iter().map(|name| (folder.join(name), *name));
    let entry = entry
        .filter(|(entry, _)| *entry != built)
        .find_map(|(entry, name)| Some((changed(&entry)?, entry, name)));
    let name = entry.as_ref().map(|(_, _, name)| *name);
    let built_at = changed(&built);
    if let Some((written_at, entry, name)) = entry
        && built_at.is_none_or(|built_at| built_at < written_at)
    {
        let source = read(&entry)?.unwrap_or_default();
        let Some(module) = own_import(&entry, &built, &source) else {
            return Ok(PluginCode {
                source,
                file: name.to_owned(),
                remark: None,
            });
        };
        if built_at.is_none() {
            return Err(ProjectError::InPieces { entry, module });
        }
    }
    let source = read(&built)?.ok_or_else(|| ProjectError::NotBuilt(built.clone()))?;
    // Without bundled modules, the line numbers of the built file are those of the source.
    let name = name.filter(|_| !source.starts_with(BUNDLE));
    Ok(PluginCode {
        file: name.map_or_else(|| format!("{}.py", manifest.slug), str::to_owned),
        remark: built_at.and_then(|at| stale(folder, &built, at)),
        source,
    })
}

/// The text of a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, ProjectError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ProjectError::Unreadable(path.to_owned(), error)),
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}

/// A remark if the source changed after it was built.
fn stale(folder: &Path, built: &Path, at: SystemTime) -> Option<String> {
    let mut folders = vec![folder.join("src")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > MAX_SOURCES {
                return None;
            }
            let path = entry.path();
            // A link does not count as a folder, so there are no cycles.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "py")
                && changed(&path).is_some_and(|changed| changed > at)
            {
                return Some(format!(
                    "{} is newer than {}: build the plugin again",
                    path.display(),
                    built.display()
                ));
            }
        }
    }
    None
}

/// The first import of a module that is a file or folder beside the code. A line-based check is enough: an import it
/// misses fails when the plugin is loaded, with the module's name.
fn own_import(entry: &Path, built: &Path, source: &str) -> Option<String> {
    let root = entry.parent()?;
    let is_own = |names: &[&str]| {
        let place = root.join(names.iter().collect::<PathBuf>());
        let file = place.with_extension("py");
        let is_other = file != entry && file != built;
        (is_other && file.is_file()) || place.join("__init__.py").is_file()
    };
    let mut imported = source.lines().flat_map(imported);
    imported.find_map(|module| {
        let names: Vec<&str> = module.split('.').collect();
        // Relative imports, which a plugin's code cannot use.
        if names.contains(&"") {
            return None;
        }
        let own = (1..=names.len()).find(|end| is_own(&names[..*end]))?;
        Some(names[..own].join("."))
    })
}

/// Modules that a line may import: `from a import b` imports from `a`, or the module `a.b`.
fn imported(line: &str) -> Vec<String> {
    let Some((word, rest)) = line.trim_start().split_once(char::is_whitespace) else {
        return vec![];
    };
    match word {
        "import" => rest.split(',').map(|one| name(one).to_owned()).collect(),
        "from" => {
            let module = name(rest);
            let mut all = vec![module.to_owned()];
            let rest = rest.trim_start().split_once(char::is_whitespace);
            let list = rest.and_then(|(_, rest)| rest.trim_start().strip_prefix("import"));
            let list = list.unwrap_or_default().split(',');
            all.extend(list.map(|one| format!("{module}.{}", name(one))));
            all
        }
        _ => vec![],
    }
}

/// The dotted name at the start of a text; anything may follow it.
fn name(text: &str) -> &str {
    let text = text.trim_start_matches(|one: char| one == '(' || one.is_whitespace());
    let end = text.find(|one: char| !one.is_alphanumeric() && one != '_' && one != '.');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            let folder = Self(tempfile::tempdir().unwrap());
            folder.put(MANIFEST, r#"{"api":"1","name":"Bell","version":"1"}"#);
            folder
        }

        fn put(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        /// Sets the file's time to this many seconds later.
        fn age(&self, name: &str, seconds: u64) {
            let file = std::fs::File::open(self.0.path().join(name)).unwrap();
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
            file.set_modified(at).unwrap();
        }

        fn code(&self) -> Result<PluginCode, ProjectError> {
            code(self.0.path(), &manifest(self.0.path()).unwrap())
        }
    }

    #[test]
    fn the_newer_of_what_was_written_and_what_was_built_counts() {
        let folder = Folder::new();
        assert!(matches!(folder.code(), Err(ProjectError::NotBuilt(_))));
        folder.put("plugin.py", "old place");
        assert_eq!(folder.code().unwrap().source, "old place");
        folder.put("src/plugin.py", "written");
        assert_eq!(folder.code().unwrap().source, "written");
        folder.put("bell.py", "built");
        folder.age("src/plugin.py", 1);
        folder.age("bell.py", 2);
        assert_eq!(folder.code().unwrap().source, "built");
        folder.age("src/plugin.py", 3);
        assert_eq!(folder.code().unwrap().source, "written");
    }

    #[test]
    fn lines_are_those_of_the_file_they_were_written_in() {
        let folder = Folder::new();
        let file = || folder.code().unwrap().file;
        folder.put("bell.py", "built");
        assert_eq!(file(), "bell.py");
        folder.put("plugin.py", "written");
        folder.age("plugin.py", 1);
        folder.age("bell.py", 2);
        assert_eq!(file(), "plugin.py");
        folder.put("src/plugin.py", "written");
        folder.age("src/plugin.py", 1);
        assert_eq!(file(), "src/plugin.py");
        folder.put("bell.py", "# Built by service-plugin-py: of several files");
        folder.age("bell.py", 2);
        assert_eq!(file(), "bell.py");
    }

    #[test]
    fn code_in_several_files_has_to_be_built() {
        let folder = Folder::new();
        folder.put("src/plugin.py", "import json, util\n");
        assert!(folder.code().is_ok());
        folder.put("src/util.py", "");
        let error = folder.code().unwrap_err().to_string();
        assert!(
            error.contains("imports util") && error.contains("service-plugin-py build"),
            "{error}"
        );
        folder.put("bell.py", "built");
        folder.age("bell.py", 1);
        let code = folder.code().unwrap();
        assert_eq!(code.source, "built");
        assert!(code.remark.unwrap().contains("build the plugin again"));
    }

    #[test]
    fn a_change_of_any_module_is_told_after_the_build() {
        let folder = Folder::new();
        folder.put("src/plugin.py", "from parts.deep import a\n");
        folder.put("src/parts/deep/a.py", "");
        folder.put("bell.py", "built");
        folder.age("src/plugin.py", 1);
        folder.age("src/parts/deep/a.py", 1);
        folder.age("bell.py", 2);
        assert_eq!(folder.code().unwrap().remark, None);
        folder.age("src/parts/deep/a.py", 3);
        let remark = folder.code().unwrap().remark.unwrap();
        assert!(
            remark.contains("src/parts/deep/a.py is newer than"),
            "{remark}"
        );
    }

    #[test]
    fn imports_are_found_wherever_they_stand() {
        let folder = Folder::new();
        folder.put("src/util.py", "");
        folder.put("src/parts/__init__.py", "");
        folder.put("src/loose/words.py", "");
        let entry = folder.0.path().join("src/plugin.py");
        let found = |source: &str| own_import(&entry, Path::new("bell.py"), source);
        for source in [
            "import util",
            "from util import x",
            "def f():\n    import util as u",
            "import json, util",
            "import util.x",
        ] {
            assert_eq!(found(source), Some("util".into()), "{source}");
        }
        assert_eq!(found("from parts.a import b"), Some("parts".into()));
        for source in [
            "import loose.words",
            "import loose.words as w",
            "from loose.words import x",
            "from loose import other, words",
            "from loose import (words)",
        ] {
            assert_eq!(found(source), Some("loose.words".into()), "{source}");
        }
        for source in [
            "import loose",
            "from loose import other",
            "from . import util",
            "from .util import x",
            "from json import *",
            "import plugin",
            "import utility",
            "from json import util",
            "important = util",
            "",
        ] {
            assert_eq!(found(source), None, "{source}");
        }
    }
}
