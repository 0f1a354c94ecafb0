//! A plugin's stored data for its author to inspect: values, tables and files, each up to a limit.

use std::collections::BTreeMap;
use std::path::Path;

use plugins::host::{Table, Tables};
use serde::Serialize;

use super::DevServer;

/// Keys that are shown. Further ones are only counted.
pub const MAX_SHOWN_KEYS: usize = 500;

/// Characters of a value that are shown. A longer one is cut; its size is said beside it.
const MAX_SHOWN_CHARS: usize = 2000;

/// Files that are shown. Further ones are only counted.
pub const MAX_SHOWN_FILES: usize = 500;

/// Folders inside one another that are looked into, as deep as plugins can make them.
const MAX_DEPTH: usize = 32;

/// Stands where a value was cut.
const CUT: char = '…';

/// A plugin's stored data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredData {
    /// Its keys and values, in key order.
    pub values: Vec<StoredValue>,
    /// The number of keys.
    pub value_count: usize,
    /// The tables of its database, in name order.
    pub tables: Vec<Table>,
    /// The number of tables.
    pub table_count: u64,
    /// Why the tables cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables_error: Option<String>,
    /// Its files, in path order.
    pub files: Vec<StoredFile>,
    /// The number of files.
    pub file_count: usize,
}

/// A value under a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredValue {
    pub key: String,
    /// The value, truncated if it is long.
    pub value: String,
    /// Size of the whole value in bytes.
    pub bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredFile {
    /// Its path as the plugin knows it.
    pub path: String,
    pub bytes: u64,
}

impl DevServer {
    /// A snapshot of the plugin's stored data.
    pub async fn stored_data(&self) -> StoredData {
        let Some(slug) = self.slug() else {
            return StoredData::default();
        };
        let (values, value_count) = self.plugin_data.values(|all| {
            let shown = all.iter().take(MAX_SHOWN_KEYS);
            let shown = shown.map(|(key, value)| StoredValue {
                key: key.clone(),
                value: shortened(value),
                bytes: value.len(),
            });
            (shown.collect(), all.len())
        });
        let tables = match self.runtime.running_plugin(slug.as_str()) {
            Some(plugin) => plugin.tables().await,
            None => Ok(Tables::default()),
        };
        let (tables, tables_error) = match tables {
            Ok(tables) => (tables, None),
            Err(why) => (Tables::default(), Some(why)),
        };
        let folder = self.storage.join(slug.as_str()).join("files");
        let files = tokio::task::spawn_blocking(move || files(&folder)).await;
        let (files, file_count) = files.unwrap_or_default();
        StoredData {
            values,
            value_count,
            tables: tables.first,
            table_count: tables.count,
            tables_error,
            files,
            file_count,
        }
    }
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}{CUT}", &value[..end]),
        None => value.to_owned(),
    }
}

/// The first files below a folder, and their total number; links are not followed, as for the plugin itself.
fn files(root: &Path) -> (Vec<StoredFile>, usize) {
    let mut first = BTreeMap::new();
    let mut count = 0;
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(facts) = entry.metadata() else {
                continue;
            };
            let path = entry.path();
            if facts.is_dir() && depth < MAX_DEPTH {
                folders.push((path, depth + 1));
            } else if facts.is_file() {
                count += 1;
                let below = path.strip_prefix(root).unwrap_or(&path);
                first.insert(below.display().to_string(), facts.len());
                // Folders are unordered, so which files come first is known only at the end.
                if first.len() > MAX_SHOWN_FILES {
                    first.pop_last();
                }
            }
        }
    }
    let first = first.into_iter();
    let first = first.map(|(path, bytes)| StoredFile { path, bytes });
    (first.collect(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_path_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(files(&folder.path().join("none")), (vec![], 0));
        std::fs::create_dir_all(folder.path().join("notes/old")).unwrap();
        for (path, text) in [("b.txt", "12"), ("notes/old/a.txt", "1")] {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        std::os::unix::fs::symlink("/", folder.path().join("everything")).unwrap();
        let (found, count) = files(folder.path());
        assert_eq!(count, 2);
        let found: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.bytes)).collect();
        assert_eq!(found, [("b.txt", 2), ("notes/old/a.txt", 1)]);
    }

    #[test]
    fn the_first_files_are_shown_and_all_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MAX_SHOWN_FILES + 10 {
            std::fs::write(folder.path().join(format!("{number:04}.txt")), "").unwrap();
        }
        let (found, count) = files(folder.path());
        assert_eq!(
            (found.len(), count),
            (MAX_SHOWN_FILES, MAX_SHOWN_FILES + 10)
        );
        assert_eq!(found[0].path, "0000.txt");
        let last = format!("{:04}.txt", MAX_SHOWN_FILES - 1);
        assert_eq!(found[MAX_SHOWN_FILES - 1].path, last);
    }

    #[test]
    fn a_long_value_is_shortened() {
        assert_eq!(shortened("short"), "short");
        let long = "ä".repeat(MAX_SHOWN_CHARS + 1);
        assert_eq!(shortened(&long).chars().count(), MAX_SHOWN_CHARS + 1);
        assert!(shortened(&long).ends_with(CUT));
    }
}
