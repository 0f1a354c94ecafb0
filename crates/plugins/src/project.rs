//! The folder of a plugin, as its author has it.
//!
//! The code is `<slug>.py`, which `service-plugin-py build` writes, or `src/plugin.py` (else `plugin.py`) as long as that
//! needs no other file. When both are there, the newer one counts.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::manifest::Manifest;

/// The file every project has.
pub(crate) const MANIFEST: &str = "plugin.manifest.json";
/// Where authors write code, in the order in which it is looked for.
const ENTRIES: [&str; 2] = ["src/plugin.py", "plugin.py"];
/// The folder of its tests.
pub(crate) const TESTS: &str = "__tests__";
/// How code begins that was built from several files; it knows their names by itself.
const BUNDLE: &str = "# Built by service-plugin-py";

/// What is wrong with a project.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// No manifest.
    #[error("there is no {MANIFEST} in {0}")]
    NoManifest(PathBuf),
    /// One that is wrong.
    #[error("{MANIFEST}: {0}")]
    Manifest(String),
    /// No code.
    #[error(
        "there is no {0}: build the plugin first, with `service-plugin-py build`, or write its code to src/plugin.py"
    )]
    NotBuilt(PathBuf),
    /// Code in several files.
    #[error(
        "{entry} imports {module}, which is a file of its own: build the plugin first, with `service-plugin-py build`"
    )]
    InPieces {
        /// The file it begins with.
        entry: PathBuf,
        /// The first module it needs.
        module: String,
    },
    /// No tests.
    #[error("there are no tests: {0} has no files that end in .test.json")]
    NoTests(PathBuf),
    /// The disk.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
}

/// The code of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    pub(crate) source: String,
    /// The file its lines are those of, from the project's folder.
    pub(crate) file: String,
    /// What its author may want to know.
    pub(crate) remark: Option<String>,
}

/// What the project is.
pub(crate) fn manifest(folder: &Path) -> Result<Manifest, ProjectError> {
    let text = read(&folder.join(MANIFEST))?;
    let text = text.ok_or_else(|| ProjectError::NoManifest(folder.to_owned()))?;
    Manifest::parse(&text).map_err(|error| ProjectError::Manifest(error.to_string()))
}

/// What it does.
pub(crate) fn code(folder: &Path, manifest: &Manifest) -> Result<Code, ProjectError> {
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
            return Ok(Code {
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
    // Without modules inside, every line of what was built is the same line of what was written.
    let name = name.filter(|_| !source.starts_with(BUNDLE));
    Ok(Code {
        file: name.map_or_else(|| format!("{}.py", manifest.slug), str::to_owned),
        remark: built_at.and_then(|at| stale(folder, &built, at)),
        source,
    })
}

/// The text of a file; nothing when it is not there.
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

/// A sentence about code that was changed after it was built.
fn stale(folder: &Path, built: &Path, at: SystemTime) -> Option<String> {
    let sources = std::fs::read_dir(folder.join("src")).ok()?;
    let mut sources = sources.filter_map(|entry| Some(entry.ok()?.path()));
    let newer = sources.find(|path| {
        path.extension().is_some_and(|suffix| suffix == "py")
            && changed(path).is_some_and(|changed| changed > at)
    })?;
    Some(format!(
        "{} is newer than {}: build the plugin again",
        newer.display(),
        built.display()
    ))
}

/// The first import of a file that lies beside the code. A look at lines is enough: whatever it misses fails when the
/// plugin is loaded, with the name of the module.
fn own_import(entry: &Path, built: &Path, source: &str) -> Option<String> {
    let beside = std::fs::read_dir(entry.parent()?).ok()?;
    let beside = beside.filter_map(|found| Some(found.ok()?.path()));
    let names: BTreeSet<String> = beside
        .filter(|path| path != entry && path != built)
        .filter(|path| {
            path.extension().is_some_and(|suffix| suffix == "py")
                || path.join("__init__.py").is_file()
        })
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let lines = source.lines().map(str::trim_start);
    let imported = lines.filter_map(|line| match line.split_once(char::is_whitespace)? {
        ("import", rest) => Some(rest),
        ("from", rest) => rest.split_whitespace().next(),
        _ => None,
    });
    let mut modules = imported.flat_map(|list| list.split(','));
    modules.find_map(|module| {
        let name = module.trim().split(['.', ' ', ';', '#']).next()?;
        names.contains(name).then(|| name.to_owned())
    })
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

        /// As if it had been written so many seconds later.
        fn age(&self, name: &str, seconds: u64) {
            let file = std::fs::File::open(self.0.path().join(name)).unwrap();
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
            file.set_modified(at).unwrap();
        }

        fn code(&self) -> Result<Code, ProjectError> {
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
    fn imports_are_found_wherever_they_stand() {
        let folder = Folder::new();
        folder.put("src/util.py", "");
        folder.put("src/parts/__init__.py", "");
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
            "import utility",
            "from json import util",
            "important = util",
            "",
        ] {
            assert_eq!(found(source), None, "{source}");
        }
    }
}
