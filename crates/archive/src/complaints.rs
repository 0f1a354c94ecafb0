//! Names each file that cannot be read once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files that are complained about once; the log is told no more after as many.
const MAX_COMPLAINTS: usize = 256;

/// Files that could not be read, so that the log names each once. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Complaints(Arc<Mutex<HashSet<PathBuf>>>);

impl Complaints {
    /// Whether this file is complained about for the first time.
    pub(crate) fn is_new(&self, path: &Path) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.len() < MAX_COMPLAINTS && known.insert(path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_complained_about_once_and_no_flood_fills_the_list() {
        let complaints = Complaints::default();
        assert!(complaints.is_new(Path::new("a")));
        assert!(!complaints.is_new(Path::new("a")));
        for number in 0..2 * MAX_COMPLAINTS {
            complaints.is_new(Path::new(&number.to_string()));
        }
        assert_eq!(complaints.0.lock().unwrap().len(), MAX_COMPLAINTS);
        assert!(!complaints.is_new(Path::new("another")));
    }
}
