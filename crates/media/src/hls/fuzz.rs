//! The body of the fuzz target for viewers' requests. The target compiles this file, the two it tests and nothing else of
//! this crate (`fuzz/src/lib.rs`).

use super::delivery_directives::DeliveryDirectives;
use super::name::HlsPath;

/// Paths and queries below `/hls/`: an accepted path is the only name of its file.
///
/// # Panics
/// If it is not.
pub fn hls_path(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    if let Some(HlsPath::File(rendition, file)) = HlsPath::parse(path) {
        assert_eq!(format!("{}/{file}", rendition.folder()), path);
    }
    if let Ok(directives) = DeliveryDirectives::parse(query) {
        assert!(directives.msn.is_some() || directives.part.is_none());
    }
}
