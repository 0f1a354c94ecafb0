//! Packs a folder into a package. The same files produce the same bytes, at any time and on any machine.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use plugins::archive::write_archive;
use plugins::package::{MAX_ENTRIES, MAX_UNPACKED_BYTES, Package, PackageError};
use thiserror::Error;

use crate::project::{self, MANIFEST, ProjectError};

/// Files beside the code that a package holds, when there are any.
const EXTRAS: [&str; 2] = ["icon.png", "INSTRUCTIONS.md"];
/// Folders it holds with everything in them.
const FOLDERS: [&str; 2] = ["public", "assets"];
/// What systems leave in folders without being asked; `service-plugin-py package` leaves out the same.
const LITTER: [&str; 3] = [".DS_Store", "Thumbs.db", "desktop.ini"];

/// Why there is no package.
#[derive(Debug, Error)]
pub enum PackError {
    /// The project is incomplete.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A file cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// An archive cannot represent the file name.
    #[error("{0} has a name that is not valid Unicode: give the file another one")]
    Name(PathBuf),
    /// A link inside a folder: its target is elsewhere, and may be anything on this machine.
    #[error("{0} is a link, and links do not go into packages: put the file itself there")]
    Link(String),
    /// More than a package may hold.
    #[error("public and assets hold more than a package may: {MAX_ENTRIES} files, 256 MiB in all")]
    TooMuch,
    /// The archive could not be written.
    #[error("the package cannot be written: {0}")]
    Archive(String),
    /// Servers would reject it.
    #[error(transparent)]
    Package(#[from] PackageError),
}

/// A package that was just built or read.
#[derive(Clone, Debug)]
pub struct BuiltPackage {
    /// The package as servers read it.
    pub package: Arc<Package>,
    /// The bytes of the file.
    pub bytes: Bytes,
    /// The number of files in it.
    pub files: usize,
    /// Remarks for its author.
    pub remarks: Vec<String>,
}

/// Packs the project in a folder: the manifest, the code, the icon, the instructions, `public` and `assets`.
///
/// # Errors
/// When something is missing, or a server would reject it.
pub fn pack(folder: &Path) -> Result<BuiltPackage, PackError> {
    let manifest = project::manifest(folder)?;
    let code = project::code(folder, &manifest)?;
    let mut files = Files::default();
    files.add(MANIFEST, manifest.text().as_bytes().to_vec())?;
    files.add("plugin.py", code.source.into_bytes())?;
    for name in EXTRAS {
        files.file(name, &folder.join(name))?;
    }
    for name in FOLDERS {
        files.folder(name, &folder.join(name))?;
    }
    let all = files.all.iter();
    let bytes = write_archive(all.map(|(name, content)| (name.as_str(), content.as_slice())));
    let bytes = Bytes::from(bytes.map_err(|error| PackError::Archive(error.to_string()))?);
    let package = Package::from_bytes(bytes.clone())?;
    package.check_every_entry()?;
    let remarks = code.remark.into_iter().chain(package.remarks()).collect();
    Ok(BuiltPackage {
        package: Arc::new(package),
        bytes,
        files: files.all.len(),
        remarks,
    })
}

/// Files by their names in the package.
#[derive(Default)]
struct Files {
    all: BTreeMap<String, Vec<u8>>,
    total: u64,
}

impl Files {
    fn add(&mut self, name: &str, content: Vec<u8>) -> Result<(), PackError> {
        self.total += content.len() as u64;
        self.all.insert(name.to_owned(), content);
        match self.total > MAX_UNPACKED_BYTES || self.all.len() > MAX_ENTRIES {
            true => Err(PackError::TooMuch),
            false => Ok(()),
        }
    }

    /// Adds a file if it exists.
    fn file(&mut self, name: &str, path: &Path) -> Result<(), PackError> {
        match std::fs::read(path) {
            Ok(content) => self.add(name, content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(PackError::Unreadable(path.to_owned(), error)),
        }
    }

    /// Adds a folder if it exists, with everything in it except junk files.
    fn folder(&mut self, name: &str, path: &Path) -> Result<(), PackError> {
        let unreadable = |error| PackError::Unreadable(path.to_owned(), error);
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(unreadable(error)),
        };
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            let last = entry.file_name();
            let last = last.to_str().ok_or_else(|| PackError::Name(path.clone()))?;
            let name = format!("{name}/{last}");
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_symlink() {
                return Err(PackError::Link(name));
            }
            if kind.is_dir() {
                self.folder(&name, &path)?;
            } else if !LITTER.contains(&last) {
                self.file(&name, &path)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            (
                MANIFEST,
                r#"{"api":"1","name":"Bell","version":"1","category":"bells"}"#,
            ),
            ("src/plugin.py", "from service_plugin import plugin\n"),
            ("icon.png", "\u{89}PNG"),
            ("INSTRUCTIONS.md", "# Ring"),
            ("README.md", "not for servers"),
            ("public/index.html", "<p>"),
            ("public/a/b.txt", "b"),
            ("assets/c.txt", "c"),
            ("__tests__/x.test.json", "[]"),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn a_package_holds_what_servers_use_and_nothing_else() {
        let folder = project();
        let packed = pack(folder.path()).unwrap();
        let package = &packed.package;
        assert_eq!(packed.files, 7);
        assert_eq!(package.manifest().slug.as_str(), "bell");
        assert_eq!(
            package.code().unwrap(),
            "from service_plugin import plugin\n"
        );
        assert!(package.has_icon() && package.has_instructions());
        assert!(package.has_public("index.html") && package.has_public("a/b.txt"));
        assert_eq!(package.asset("c.txt").unwrap().unwrap(), "c");
        for left_out in ["README.md", "src/plugin.py", "__tests__/x.test.json"] {
            assert!(package.file(left_out).unwrap().is_none(), "{left_out}");
        }
        assert_eq!(
            packed.remarks,
            [r#"category: "bells" is not a known category"#]
        );
    }

    #[test]
    fn the_same_files_make_the_same_package() {
        let (one, other) = (project(), project());
        let at = std::time::SystemTime::UNIX_EPOCH;
        let file = std::fs::File::open(other.path().join("public/index.html")).unwrap();
        file.set_modified(at).unwrap();
        assert_eq!(
            pack(one.path()).unwrap().bytes,
            pack(other.path()).unwrap().bytes
        );
    }

    #[test]
    fn a_link_in_a_folder_is_refused_by_its_name_wherever_it_leads() {
        for target in ["/etc/hostname", "../icon.png", "../public", "nowhere"] {
            let folder = project();
            let link = folder.path().join("public/a/link");
            std::os::unix::fs::symlink(target, link).unwrap();
            let why = pack(folder.path()).unwrap_err().to_string();
            assert!(why.starts_with("public/a/link is a link"), "{why}");
        }
    }

    #[test]
    fn what_systems_leave_in_folders_is_left_out() {
        let (clean, littered) = (project(), project());
        for name in [
            "public/.DS_Store",
            "public/a/Thumbs.db",
            "assets/desktop.ini",
        ] {
            std::fs::write(littered.path().join(name), "litter").unwrap();
        }
        let packed = pack(littered.path()).unwrap();
        assert_eq!(packed.files, 7);
        assert_eq!(packed.bytes, pack(clean.path()).unwrap().bytes);
    }
}
