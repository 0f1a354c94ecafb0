//! What the operator has to look after outside of these pages: space on the disk, backups, the certificate.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::Tls;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Read of the note about the last backup; a time is shorter.
const MAX_NOTE_BYTES: u64 = 64;

/// What needs looking after now and then.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Upkeep {
    /// The disk with the data folder; `null` where the system does not say.
    #[schema(required = true)]
    disk: Option<DiskSpace>,
    /// Whether `rillcast backup` saves everything; a database elsewhere is saved by its own tools.
    can_back_up: bool,
    /// When `rillcast backup` last wrote a file, or when the restored backup was made; `null` if there is none.
    #[schema(required = true)]
    last_backup_at: Option<Timestamp>,
    /// When the certificate of this server ends; `null` where it has none of its own, or one that does not say.
    #[schema(required = true)]
    certificate_ends_at: Option<Timestamp>,
}

/// Room on a disk, in bytes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiskSpace {
    /// What this server may still write.
    free_bytes: u64,
    /// All that it may ever use.
    total_bytes: u64,
}

/// `GET /api/admin/upkeep`
pub(crate) async fn upkeep(State(app): State<App>) -> Result<Response, Problem> {
    let folder = app.facts.data_folder.clone();
    let note = app.facts.backup_note.clone();
    let certificate_ends_at = app.facts.tls.as_ref().and_then(Tls::ends_at);
    let look = move || Upkeep {
        disk: disk_space(&folder),
        can_back_up: note.is_some(),
        last_backup_at: note.and_then(|path| noted_time(&path)),
        certificate_ends_at,
    };
    let looked = tokio::task::spawn_blocking(look).await;
    let found = looked.map_err(|error| {
        tracing::error!(%error, "cannot look at the data folder");
        Problem::Internal
    })?;
    Ok((NO_CACHE, Json(found)).into_response())
}

fn disk_space(folder: &Path) -> Option<DiskSpace> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    let used = disk.f_blocks.saturating_sub(disk.f_bfree);
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Some(DiskSpace {
        free_bytes: bytes(disk.f_bavail),
        total_bytes: bytes(used.saturating_add(disk.f_bavail)),
    })
}

/// A note that cannot be read says nothing, as one that is not there.
fn noted_time(path: &Path) -> Option<Timestamp> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(MAX_NOTE_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_of_a_folder_has_no_more_room_than_it_is_large() {
        let disk = disk_space(Path::new("/")).unwrap();
        assert!(disk.total_bytes > 0);
        assert!(disk.free_bytes <= disk.total_bytes, "{disk:?}");
        assert!(disk_space(Path::new("/no/such/folder")).is_none());
    }

    #[test]
    fn only_a_time_counts_as_a_backup() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("note");
        assert_eq!(noted_time(&note), None);
        std::fs::write(&note, "yesterday\n").unwrap();
        assert_eq!(noted_time(&note), None);
        std::fs::write(&note, "2026-01-02T03:04:05Z\n").unwrap();
        let found = noted_time(&note).unwrap();
        assert_eq!(found.to_string(), "2026-01-02T03:04:05Z");
    }
}
