//! Object storage for media.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::super::rules::{http_url, line};
use super::super::setting::SettingError;

/// A bucket and its credentials.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct S3 {
    pub enabled: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub endpoint: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub access_key: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub secret: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bucket: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub region: String,
    /// The ACL of stored objects.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub acl: String,
    /// The prefix of every object name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path_prefix: String,
    /// Whether the bucket is part of the path instead of the host.
    pub force_path_style: bool,
}

impl fmt::Debug for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3")
            .field("enabled", &self.enabled)
            .field("endpoint", &self.endpoint)
            .field("bucket", &self.bucket)
            .finish_non_exhaustive()
    }
}

pub(in super::super) fn checked(s3: S3) -> Result<S3, SettingError> {
    let named = |name: &'static str, text: String| line::<500>(text).map_err(|why| why.of(name));
    let checked = S3 {
        enabled: s3.enabled,
        endpoint: named("endpoint", s3.endpoint)?,
        access_key: named("accessKey", s3.access_key)?,
        secret: named("secret", s3.secret)?,
        bucket: named("bucket", s3.bucket)?,
        region: named("region", s3.region)?,
        acl: named("acl", s3.acl)?,
        path_prefix: named("pathPrefix", s3.path_prefix)?,
        force_path_style: s3.force_path_style,
    };
    if !checked.enabled {
        return Ok(checked);
    }
    http_url(&checked.endpoint).map_err(|why| why.of("endpoint"))?;
    for (name, value) in [
        ("accessKey", &checked.access_key),
        ("secret", &checked.secret),
        ("bucket", &checked.bucket),
        ("region", &checked.region),
    ] {
        if value.is_empty() {
            return Err(format!("{name} must not be empty while storage is enabled").into());
        }
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_that_is_switched_on_has_to_be_complete() {
        let whole = S3 {
            enabled: true,
            endpoint: "https://s3.example".into(),
            access_key: "a".into(),
            secret: "hush".into(),
            bucket: "b".into(),
            region: "r".into(),
            ..S3::default()
        };
        assert_eq!(checked(whole.clone()), Ok(whole.clone()));
        assert!(!format!("{whole:?}").contains("hush"));
        let broken: [fn(&mut S3); 5] = [
            |s3| s3.endpoint = "s3.example".into(),
            |s3| s3.access_key.clear(),
            |s3| s3.secret.clear(),
            |s3| s3.bucket.clear(),
            |s3| s3.region.clear(),
        ];
        for breaking in broken {
            let mut s3 = whole.clone();
            breaking(&mut s3);
            assert!(checked(s3.clone()).is_err(), "{s3:?}");
            s3.enabled = false;
            assert!(checked(s3).is_ok());
        }
    }
}
