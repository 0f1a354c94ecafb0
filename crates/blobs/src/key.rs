//! Which names a file may have.

use object_store::path::Path;

use crate::error::BlobError;

/// Longest name; S3 takes no longer one.
const MAX_KEY_BYTES: usize = 1024;
/// Longest part of a name between two slashes, as common file systems have it.
const MAX_PART_BYTES: usize = 255;

/// Refuses what would mean another file in a folder than in a bucket.
pub(crate) fn path(prefix: &str, key: &str) -> Result<Path, BlobError> {
    let refused = || BlobError::Key(key.to_owned());
    let is_fine = |part: &str| {
        (1..=MAX_PART_BYTES).contains(&part.len())
            && part != "."
            && part != ".."
            && !part.contains(|c: char| c.is_control() || matches!(c, '\\' | '#'))
    };
    let whole = format!("{prefix}{key}");
    if whole.len() > MAX_KEY_BYTES || !key.split('/').all(is_fine) {
        return Err(refused());
    }
    Path::parse(whole).map_err(|_| refused())
}

/// A prefix that ends with a slash, or nothing.
pub(crate) fn prefix(given: &str) -> Result<String, BlobError> {
    let trimmed = given.trim_matches('/');
    if trimmed.is_empty() {
        return Ok(String::new());
    }
    path("", trimmed)?;
    Ok(format!("{trimmed}/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_lead_out_of_its_folder() {
        for key in [
            "", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\\b", "a\0b", "a\nb", "a#1",
        ] {
            assert!(
                matches!(path("", key), Err(BlobError::Key(_))),
                "{key:?} was taken"
            );
        }
        let long = "a".repeat(MAX_PART_BYTES + 1);
        assert!(path("", &long).is_err());
        let deep = vec!["a"; MAX_KEY_BYTES].join("/");
        assert!(path("", &deep).is_err());
    }

    #[test]
    fn a_name_is_the_same_in_a_folder_and_in_a_bucket() {
        for key in [
            "a",
            "a/b.png",
            ".hidden",
            "größe 1%.txt",
            "a%2Fb",
            "a+b&c=d",
        ] {
            assert_eq!(path("p/", key).unwrap().as_ref(), format!("p/{key}"));
        }
    }

    #[test]
    fn a_prefix_ends_with_one_slash() {
        assert_eq!(prefix("").unwrap(), "");
        assert_eq!(prefix("/").unwrap(), "");
        assert_eq!(prefix("/a/b/").unwrap(), "a/b/");
        assert!(prefix("a/../b").is_err());
    }
}
