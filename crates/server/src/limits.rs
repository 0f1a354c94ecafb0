//! Resource limits of this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Used when the system sets no limit at all.
const PLENTY: u64 = 1_000_000;

/// Raises the limit of open files to the maximum allowed and returns it.
pub(crate) fn raise_open_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.unwrap_or(PLENTY);
    let current = limit.current.unwrap_or(PLENTY);
    if current >= allowed {
        return current;
    }
    match setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(allowed),
            maximum: limit.maximum,
        },
    ) {
        Ok(()) => allowed,
        Err(error) => {
            tracing::warn!(%error, current, "cannot raise the limit of open files");
            current
        }
    }
}
