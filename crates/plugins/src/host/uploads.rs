//! Public files.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::args;
use crate::host::files::{Folder, FolderQuota, MAX_FILE_BYTES};
use crate::host::plugin_host::Host;

/// The folder with one subfolder of public files for each plugin.
#[derive(Debug)]
pub struct Uploads {
    root: PathBuf,
    /// One upload at a time, so that two uploads of one plugin do not both claim the last free space.
    turn: Mutex<()>,
}

impl Uploads {
    /// Stores files below `root`.
    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            turn: Mutex::new(()),
        }
    }

    /// Stores a file, replacing an older one of the same name. Blocks on the disk.
    ///
    /// # Errors
    /// A message for the plugin's author.
    pub fn keep(&self, slug: &str, name: &str, bytes: &[u8]) -> Result<(), String> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        Folder::new(self.root.join(slug), FolderQuota::UPLOADS).write(name, bytes)
    }
}

#[derive(Deserialize)]
struct UploadArgs {
    #[serde(deserialize_with = "args::text")]
    name: String,
    #[serde(rename = "base64", deserialize_with = "args::bytes")]
    bytes: Vec<u8>,
}

#[derive(Serialize)]
struct UploadResult {
    url: String,
}

pub(super) async fn upload(host: &Host, args: &str) -> Result<String, String> {
    let UploadArgs { name, bytes } = args::read(args)?;
    let name = base_name(&name)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(format!("a file can have at most {MAX_FILE_BYTES} bytes"));
    }
    let url = host
        .parts
        .services
        .upload(host.slug(), name, &bytes)
        .await?;
    args::answer(&UploadResult { url })
}

/// The last component of a path; the rest is ignored.
fn base_name(name: &str) -> Result<&str, String> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let is_plain =
        !base.is_empty() && !base.starts_with('.') && !base.chars().any(char::is_control);
    match is_plain && base.len() <= 200 {
        true => Ok(base),
        false => Err(format!("name: {name:?} is not a file name")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_part_of_a_name_counts() {
        assert_eq!(base_name("a/b/c.png").unwrap(), "c.png");
        assert_eq!(base_name("..\\..\\c.png").unwrap(), "c.png");
        for bad in [
            "",
            "a/",
            "..",
            ".htaccess",
            "a\nb",
            "a\0b",
            &"a".repeat(201),
        ] {
            assert!(base_name(bad).is_err(), "{bad:?}");
        }
    }
}
