//! The favicon: built in, or uploaded by the operator.

use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use store::StoredFile;

use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::App;

/// The name in the store, and of the field of an upload.
const NAME: &str = "favicon";
/// What is shown until the operator has one.
const BUILT_IN: &str = "favicon.ico";
/// Limit (operators): size of the favicon; a larger one is refused.
const MAX_ICON_BYTES: usize = 200 * 1024;
/// What is read of an upload, so that one that is too large can be told so; beyond it the connection ends.
pub(crate) const MAX_UPLOAD_BYTES: usize = 2 << 20;

// Existing admin tools compare these texts.
const UPDATED: &str = "favicon updated";
const WRONG_FORMAT: &str = "favicon must be PNG or ICO format";
const TOO_LARGE: &str = "file too large, max 200KB";
const NO_FILE: &str = "no file provided";

/// `GET /favicon.ico`
pub(crate) async fn get(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let icon = app.pictures.favicon.get(&app.store, NAME, BUILT_IN).await?;
    Ok(icon.answer(&headers))
}

/// `POST /api/admin/config/favicon`
pub(crate) async fn post(
    State(app): State<App>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, Problem> {
    let form = form.map_err(|_| refused(NO_FILE))?;
    let bytes = read(form).await?;
    let content_type = sniff(&bytes).ok_or_else(|| refused(WRONG_FORMAT))?;
    let file = StoredFile {
        content_type: content_type.into(),
        bytes,
    };
    app.store.put_file(NAME, file, app.clock.now()).await?;
    app.pictures.favicon.clear();
    Ok(done(UPDATED))
}

/// `DELETE /api/admin/config/favicon`
pub(crate) async fn delete(State(app): State<App>) -> Result<Response, Problem> {
    app.store.delete_file(NAME).await?;
    app.pictures.favicon.clear();
    Ok(done("favicon reset"))
}

fn refused(why: &str) -> Problem {
    let sentence = match why {
        WRONG_FORMAT => sentences::FAVICON_FORMAT.plain(),
        TOO_LARGE => {
            let most = (MAX_ICON_BYTES >> 10) as u64;
            sentences::FAVICON_TOO_LARGE.with([most.into()])
        }
        _ => sentences::NO_FILE_SENT.plain(),
    };
    Problem::BadRequest(why.into()).worded(sentence)
}

/// The bytes of the upload field.
async fn read(mut form: Multipart) -> Result<Vec<u8>, Problem> {
    let unreadable = |status: StatusCode| match status {
        StatusCode::PAYLOAD_TOO_LARGE => refused(TOO_LARGE),
        _ => refused(NO_FILE),
    };
    loop {
        let field = form.next_field().await;
        let field = field.map_err(|error| unreadable(error.status()))?;
        let mut field = field.ok_or_else(|| refused(NO_FILE))?;
        if field.name() != Some(NAME) {
            continue;
        }
        let mut bytes = Vec::new();
        loop {
            let chunk = field.chunk().await;
            let Some(chunk) = chunk.map_err(|error| unreadable(error.status()))? else {
                break;
            };
            if bytes.len() + chunk.len() > MAX_ICON_BYTES {
                return Err(refused(TOO_LARGE));
            }
            bytes.extend_from_slice(&chunk);
        }
        return match bytes.is_empty() {
            true => Err(refused(NO_FILE)),
            false => Ok(bytes),
        };
    }
}

/// The type follows from the content, whatever the uploader claims.
fn sniff(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        // Reserved, type 1 (an icon, not a cursor), at least one image, and space for its entry.
        [0, 0, 1, 0, low, high, ..] if (*low, *high) != (0, 0) && bytes.len() > 22 => {
            Some("image/x-icon")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_is_what_its_content_says() {
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\nrest"), Some("image/png"));
        let icon = [&[0, 0, 1, 0, 1, 0][..], &[0; 40]].concat();
        assert_eq!(sniff(&icon), Some("image/x-icon"));
        let cursor = [&[0, 0, 2, 0, 1, 0][..], &[0; 40]].concat();
        let empty = [&[0, 0, 1, 0, 0, 0][..], &[0; 40]].concat();
        for bad in [
            &b""[..],
            b"\xff\xd8\xff",
            b"<svg/>",
            &[0, 0, 1, 0],
            &cursor,
            &empty,
        ] {
            assert_eq!(sniff(bad), None, "{bad:?}");
        }
    }
}
