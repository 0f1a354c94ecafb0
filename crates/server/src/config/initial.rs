//! Values for the first start, for containers that nobody sets up by hand.

use std::path::PathBuf;

use model::Secret;
use model::settings::by_key;
use serde_json::json;

use super::{ConfigError, ConfigSources, parse};

/// Longest file that is read for one of them.
const MAX_FILE_BYTES: usize = 4096;

/// What to store if nothing is stored yet; ignored otherwise.
#[derive(Clone, Debug, Default)]
pub struct InitialCredentials {
    pub admin_password: Option<Secret>,
    /// The first stream key.
    pub stream_key: Option<Secret>,
}

impl InitialCredentials {
    pub(super) fn read(sources: &ConfigSources) -> Result<Self, ConfigError> {
        let admin_password = value(
            sources,
            "initial_admin_password",
            "initial_admin_password_file",
            "admin_password",
        )?;
        if let Some((key, password)) = &admin_password {
            let checked = access::check_password(password);
            checked.map_err(|error| sources.incomplete(key, &error.to_string()))?;
        }
        let stream_key = value(
            sources,
            "initial_stream_key",
            "initial_stream_key_file",
            "stream_key",
        )?;
        if let Some((key, secret)) = &stream_key {
            let keys = by_key("stream_keys").expect("the table has stream keys");
            let accepted = keys.accept(json!([{ "key": secret.expose() }]));
            accepted.map_err(|error| sources.incomplete(key, &error.to_string()))?;
        }
        Ok(Self {
            admin_password: admin_password.map(|(_, secret)| secret),
            stream_key: stream_key.map(|(_, secret)| secret),
        })
    }
}

/// The value and the option it comes from: given directly or in a file.
fn value(
    sources: &ConfigSources,
    key: &'static str,
    file_key: &'static str,
    locking: &'static str,
) -> Result<Option<(&'static str, Secret)>, ConfigError> {
    let direct = sources.option(key, parse::secret)?;
    let file = sources.option(file_key, parse::path)?;
    let (key, secret) = match (direct, file) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            let why = format!("conflicts with {key}: give only one of them");
            return Err(sources.incomplete(file_key, &why));
        }
        (Some(secret), None) => (key, secret),
        (None, Some(path)) => (file_key, from_file(sources, file_key, &path)?),
    };
    if sources.option(locking, parse::secret)?.is_some() {
        let why = format!(
            "is for the first start only, and {locking} applies at every start: give only one of them"
        );
        return Err(sources.incomplete(key, &why));
    }
    Ok(Some((key, secret)))
}

/// A secret in a file.
pub(super) fn from_file(
    sources: &ConfigSources,
    key: &'static str,
    path: &PathBuf,
) -> Result<Secret, ConfigError> {
    let wrong = |why: String| sources.incomplete(key, &why);
    let text =
        std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if text.len() > MAX_FILE_BYTES {
        return Err(wrong(format!("has more than {MAX_FILE_BYTES} bytes")));
    }
    // Editors and `echo` add a newline at the end.
    let text = text.trim_end_matches(['\r', '\n']);
    parse::secret(text).map_err(wrong)
}
