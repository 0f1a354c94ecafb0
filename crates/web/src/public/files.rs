//! `GET /public/…`: files the operator puts into the `public` folder of the data folder.
//!
//! A path is walked one name at a time, each opened inside the previous folder without following symbolic links, so no
//! path leads out. There are no listings, and anything but a regular file is not found.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path as FilePath;
use std::time::UNIX_EPOCH;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_server::etag;
use rustix::fs::{Mode, OFlags, openat};

use super::not_found;
use crate::problem::Problem;
use crate::state::App;

/// Limit (operators): size of a file in the public folder; a larger one is not served. This is no place for videos of
/// hours.
const MAX_FILE_BYTES: u64 = 512 << 20;
/// Names in a path; a longer path leads nowhere.
const MAX_DEPTH: usize = 16;
/// Read from the disk at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// A document on our own origin must not act as one of our pages: no scripts, and an origin of its own.
const SANDBOX: &str = "sandbox";

/// `GET /public/{*path}`
pub(crate) async fn get(
    State(app): State<App>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let folder = app.facts.public_folder.clone();
    let name = path.clone();
    let found = tokio::task::spawn_blocking(move || find(&folder, &name)).await;
    let Some(found) = found.map_err(|error| broken(&error))? else {
        return Ok(not_found().await);
    };
    let etag = HeaderValue::from_str(&found.etag);
    let mut response = if etag::is_known(&headers, &found.etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let size = found.size;
        let mut response = found.body().into_response();
        let out = response.headers_mut();
        out.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(content_type(&path)),
        );
        out.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
        response
    };
    let out = response.headers_mut();
    // Files are replaced under the same name, so a browser revalidates every time.
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = etag {
        out.insert(header::ETAG, etag);
    }
    if is_document(&path) {
        out.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(SANDBOX),
        );
    }
    Ok(response)
}

fn broken(error: &tokio::task::JoinError) -> Problem {
    model::stranger_line!(error, "public_file", %error, "a public file could not be read");
    Problem::Internal
}

/// An open file to be sent.
struct PublicFile {
    file: File,
    size: u64,
    etag: String,
}

/// Opens the file at a path below the folder.
fn find(folder: &FilePath, path: &str) -> Option<PublicFile> {
    let names: Vec<&str> = path.split('/').collect();
    if names.len() > MAX_DEPTH || !names.iter().all(|name| is_plain(name)) {
        return None;
    }
    let (name, folders) = names.split_last()?;
    // Opening a pipe or a device must not block.
    let common = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut at: OwnedFd = File::open(folder).ok()?.into();
    for folder in folders {
        at = openat(&at, *folder, common | OFlags::DIRECTORY, Mode::empty()).ok()?;
    }
    let file = File::from(openat(&at, *name, common, Mode::empty()).ok()?);
    let about = file.metadata().ok()?;
    if !about.is_file() || about.len() > MAX_FILE_BYTES {
        return None;
    }
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH);
    let changed = changed.unwrap_or_default().as_nanos();
    Some(PublicFile {
        file,
        size: about.len(),
        etag: format!("\"{changed:x}-{:x}\"", about.len()),
    })
}

/// Hidden files stay hidden, including `.` and `..`.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['\\', '\0'])
}

impl PublicFile {
    /// The content with the length it had when it was opened: never more, and an error if there is less.
    fn body(self) -> Body {
        let state = (self.file, self.size);
        Body::from_stream(stream::try_unfold(state, |(file, left)| async move {
            if left == 0 {
                return Ok(None);
            }
            let read = tokio::task::spawn_blocking(move || read_chunk(file, left)).await;
            let (chunk, file) = read.map_err(io::Error::other)??;
            let left = left - chunk.len() as u64;
            Ok::<_, io::Error>(Some((chunk, (file, left))))
        }))
    }
}

fn read_chunk(mut file: File, left: u64) -> io::Result<(Bytes, File)> {
    let size = usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES));
    let mut chunk = vec![0; size];
    let count = file.read(&mut chunk)?;
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    chunk.truncate(count);
    Ok((chunk.into(), file))
}

fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// Files that a browser would show as a page.
fn is_document(path: &str) -> bool {
    matches!(extension(path).as_str(), "html" | "htm" | "svg" | "xml")
}

/// Determined by the name.
pub(crate) fn content_type(path: &str) -> &'static str {
    match extension(path).as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "txt" | "md" => "text/plain; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "mp3" => "audio/mpeg",
        "ogg" | "oga" => "audio/ogg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "woff2" => "font/woff2",
        "vtt" => "text/vtt; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn content(folder: &FilePath, path: &str) -> Option<String> {
        let mut found = find(folder, path)?;
        let mut text = String::new();
        found.file.read_to_string(&mut text).unwrap();
        Some(text)
    }

    #[test]
    fn no_path_and_no_link_leads_out_of_the_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("public");
        fs::create_dir_all(folder.join("deep/er")).unwrap();
        fs::write(home.path().join("secret.key"), "secret").unwrap();
        fs::write(folder.join("a.txt"), "a").unwrap();
        fs::write(folder.join("deep/er/b.txt"), "b").unwrap();
        fs::write(folder.join(".hidden"), "hidden").unwrap();
        symlink("../secret.key", folder.join("link.txt")).unwrap();
        symlink("..", folder.join("up")).unwrap();
        symlink("a.txt", folder.join("inside.txt")).unwrap();
        assert_eq!(content(&folder, "a.txt").as_deref(), Some("a"));
        assert_eq!(content(&folder, "deep/er/b.txt").as_deref(), Some("b"));
        for bad in [
            "",
            "/",
            "deep",
            "deep/",
            "deep/er",
            "..",
            "../secret.key",
            "deep/../a.txt",
            "deep/../../secret.key",
            "./a.txt",
            "a.txt/",
            "a.txt/x",
            "/etc/passwd",
            "link.txt",
            "inside.txt",
            "up/secret.key",
            ".hidden",
            "a.txt\0",
            "..\\secret.key",
            &"x/".repeat(100),
        ] {
            assert_eq!(content(&folder, bad), None, "{bad:?}");
        }
        assert_eq!(content(&home.path().join("none"), "a.txt"), None);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_asked_for_only_what_is_there_comes_out(path in "[a./\\\\%\\PC]{0,30}") {
            let home = tempfile::tempdir().unwrap();
            fs::create_dir(home.path().join("public")).unwrap();
            fs::write(home.path().join("public/a"), "inside").unwrap();
            fs::write(home.path().join("a"), "outside").unwrap();
            if let Some(text) = content(&home.path().join("public"), &path) {
                proptest::prop_assert_eq!(text, "inside");
            }
        }
    }

    #[test]
    fn what_a_browser_would_open_as_a_page_is_marked() {
        assert!(is_document("x/a.SVG") && is_document("a.html"));
        assert!(!is_document("a.png") && !is_document("svg"));
        assert_eq!(content_type("x.unknown"), "application/octet-stream");
    }
}
