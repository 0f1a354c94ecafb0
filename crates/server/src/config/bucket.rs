//! The bucket that the machines of a cluster share files through.

use blobs::BucketOptions;

use super::initial::from_file;
use super::parse;
use super::sources::{ConfigError, ConfigSources};

/// What most servers other than Amazon's call the only one they have.
const USUAL_REGION: &str = "us-east-1";
/// All options of a bucket.
pub(super) const PARTS: [&str; 7] = [
    "s3_endpoint",
    "s3_bucket",
    "s3_region",
    "s3_prefix",
    "s3_access_key",
    "s3_secret_key",
    "s3_secret_key_file",
];

/// `None` if there is none.
pub(super) fn read(sources: &ConfigSources) -> Result<Option<BucketOptions>, ConfigError> {
    let Some(endpoint) = sources.option("s3_endpoint", parse::url)? else {
        for part in PARTS {
            if sources.option(part, |_| Ok(()))?.is_some() {
                return Err(sources.incomplete(
                    part,
                    "needs s3_endpoint beside it, such as https://s3.example.com",
                ));
            }
        }
        return Ok(None);
    };
    let missing =
        |what: &str| sources.incomplete("s3_endpoint", &format!("needs {what} beside it"));
    let direct = sources.option("s3_secret_key", parse::secret)?;
    let file = sources.option("s3_secret_key_file", parse::path)?;
    let secret_key = match (direct, file) {
        (Some(_), Some(_)) => {
            return Err(sources.incomplete(
                "s3_secret_key_file",
                "conflicts with s3_secret_key: give only one of them",
            ));
        }
        (Some(secret), None) => secret,
        (None, Some(path)) => from_file(sources, "s3_secret_key_file", &path)?,
        (None, None) => return Err(missing("s3_secret_key_file or s3_secret_key")),
    };
    Ok(Some(BucketOptions {
        endpoint,
        bucket: sources
            .option("s3_bucket", bucket_name)?
            .ok_or_else(|| missing("s3_bucket"))?,
        region: sources
            .option("s3_region", word)?
            .unwrap_or_else(|| USUAL_REGION.into()),
        prefix: sources.option("s3_prefix", word)?.unwrap_or_default(),
        access_key: sources
            .option("s3_access_key", word)?
            .ok_or_else(|| missing("s3_access_key"))?,
        secret_key,
        deadline: blobs::DEADLINE,
    }))
}

/// As Amazon has it, with the capitals and underscores of old buckets.
fn bucket_name(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_name = (3..=63).contains(&text.len())
        && text.chars().all(is_fine)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric());
    match is_name {
        true => Ok(text.to_owned()),
        false => Err(
            "expected the name of a bucket: 3 to 63 letters, digits, dots, hyphens and underscores"
                .into(),
        ),
    }
}

fn word(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => Err("expected one word".into()),
        false => Ok(text.to_owned()),
    }
}
