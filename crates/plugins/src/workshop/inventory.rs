//! What a plugin keeps, for its author to look at: values, tables and files, each up to a limit.

use std::path::Path;

use serde::Serialize;

use super::Workshop;
use crate::host::Table;

/// Keys that are shown. Further ones are only counted.
pub const MAX_SHOWN_KEYS: usize = 500;

/// Characters of a value that are shown. A longer one is cut; its size is said beside it.
const MAX_SHOWN_CHARS: usize = 2000;

/// Files that are shown. Further ones are left out.
pub const MAX_SHOWN_FILES: usize = 500;

/// Folders inside one another that are looked into, as deep as plugins can make them.
const MAX_DEPTH: usize = 32;

/// Stands where a value was cut.
const CUT: char = '…';

/// What a plugin keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    /// Its keys and values, in the order of the keys.
    pub values: Vec<KeptValue>,
    /// How many keys there are.
    pub value_count: usize,
    /// The tables of its database.
    pub tables: Vec<Table>,
    /// Why there are none to be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables_error: Option<String>,
    /// Its files, in the order of their paths.
    pub files: Vec<KeptFile>,
}

/// A value under a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptValue {
    /// The key.
    pub key: String,
    /// The value, cut if it is long.
    pub value: String,
    /// Bytes of the whole value.
    pub bytes: usize,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptFile {
    /// Its path as the plugin knows it.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

impl Workshop {
    /// What the plugin keeps at the moment.
    pub async fn inventory(&self) -> Inventory {
        let Some(slug) = self.slug() else {
            return Inventory::default();
        };
        let (values, value_count) = self.drawer.values(|all| {
            let shown = all.iter().take(MAX_SHOWN_KEYS);
            let shown = shown.map(|(key, value)| KeptValue {
                key: key.clone(),
                value: shortened(value),
                bytes: value.len(),
            });
            (shown.collect(), all.len())
        });
        let tables = match self.runtime.guest(slug.as_str()) {
            Some(guest) => guest.tables().await,
            None => Ok(Vec::new()),
        };
        let (tables, tables_error) = match tables {
            Ok(tables) => (tables, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let folder = self.storage.join(slug.as_str()).join("files");
        let files = tokio::task::spawn_blocking(move || files(&folder)).await;
        Inventory {
            values,
            value_count,
            tables,
            tables_error,
            files: files.unwrap_or_default(),
        }
    }
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}{CUT}", &value[..end]),
        None => value.to_owned(),
    }
}

/// Files below a folder; links lead nowhere, for the plugin neither.
fn files(root: &Path) -> Vec<KeptFile> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(facts) = entry.metadata() else {
                continue;
            };
            let path = entry.path();
            if facts.is_dir() && depth < MAX_DEPTH {
                folders.push((path, depth + 1));
            } else if facts.is_file() && found.len() < MAX_SHOWN_FILES {
                let below = path.strip_prefix(root).unwrap_or(&path);
                found.push(KeptFile {
                    path: below.display().to_string(),
                    bytes: facts.len(),
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_path_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        assert!(files(&folder.path().join("none")).is_empty());
        std::fs::create_dir_all(folder.path().join("notes/old")).unwrap();
        for (path, text) in [("b.txt", "12"), ("notes/old/a.txt", "1")] {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        std::os::unix::fs::symlink("/", folder.path().join("everything")).unwrap();
        let found = files(folder.path());
        let found: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.bytes)).collect();
        assert_eq!(found, [("b.txt", 2), ("notes/old/a.txt", 1)]);
    }

    #[test]
    fn a_long_value_is_shortened() {
        assert_eq!(shortened("short"), "short");
        let long = "ä".repeat(MAX_SHOWN_CHARS + 1);
        assert_eq!(shortened(&long).chars().count(), MAX_SHOWN_CHARS + 1);
        assert!(shortened(&long).ends_with(CUT));
    }
}
