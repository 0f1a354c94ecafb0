//! Packages from a registry: an HTTP service chosen by the operator and trusted no further than its checksums.

use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use outbound::http::{HeaderMap, StatusCode};
use outbound::{Client, FetchBudget, FetchError, Policy, Response};
use serde::Deserialize;
use thiserror::Error;
use url::Url;

use crate::manifest::Slug;
use crate::package::MAX_PACKAGE_BYTES;

/// A registry that has not answered by then, the last byte included, is given up.
const REGISTRY_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes an answer about plugins may have; a larger one is refused.
const MAX_LISTING_BYTES: usize = 5 * 1024 * 1024;
/// Requests one installation may lead to: the question, the package, and a redirect for each.
const MAX_REQUESTS: u32 = 4;

/// Why a registry request failed.
#[derive(Debug, Error)]
pub enum RegistryError {
    /// No registry is configured.
    #[error(
        "no plugin registry is set: start the server with SERVICE_PLUGIN_REGISTRY or --plugin-registry"
    )]
    NotSet,
    /// The registry's answer is invalid.
    #[error("the plugin registry cannot be used: {0}")]
    Registry(String),
    /// The registry does not have this version.
    #[error("the plugin registry has no version {version:?} of {slug:?}")]
    UnknownVersion {
        slug: String,
        /// The requested version.
        version: String,
    },
    /// The slug is invalid.
    #[error("{0:?} is not the slug of a plugin")]
    BadSlug(String),
    /// The package cannot be verified or downloaded.
    #[error("this version cannot be installed: the registry names no {0}")]
    NotInstallable(&'static str),
    /// The download failed.
    #[error("the package could not be downloaded: {0}")]
    Download(String),
    /// The checksum does not match.
    #[error("the package is not the one the registry describes: its SHA-256 does not match")]
    Checksum,
}

/// The registry, if one is configured.
#[derive(Clone, Debug)]
pub struct Registry {
    client: Client,
    base: Option<Url>,
}

/// A registry's entry for a plugin.
#[derive(Debug, Deserialize)]
struct RegistryListing {
    #[serde(default)]
    versions: Vec<ListedVersion>,
}

#[derive(Debug, Deserialize)]
struct ListedVersion {
    version: String,
    #[serde(default)]
    sha256: String,
    #[serde(default, rename = "downloadURL")]
    download_url: String,
}

impl Registry {
    /// The registry at this address.
    pub fn new(client: Client, base: Option<Url>) -> Self {
        Self { client, base }
    }

    /// The registry's list, unchanged: status and JSON.
    pub async fn list(&self) -> Result<(StatusCode, Bytes), RegistryError> {
        let answer = self.ask("plugins", &FetchBudget::new(MAX_REQUESTS)).await?;
        serde_json::from_slice::<serde::de::IgnoredAny>(&answer.body)
            .map_err(|_| RegistryError::Registry("its answer is not JSON".into()))?;
        Ok((answer.status, answer.body))
    }

    /// Downloads a package and verifies it against the registry's description.
    pub async fn fetch(&self, slug: &str, version: &str) -> Result<Bytes, RegistryError> {
        let unknown = || RegistryError::UnknownVersion {
            slug: slug.to_owned(),
            version: version.to_owned(),
        };
        let known = Slug::parse(slug).ok_or_else(|| RegistryError::BadSlug(slug.to_owned()))?;
        let budget = FetchBudget::new(MAX_REQUESTS);
        let answer = self.ask(&format!("plugins/{known}"), &budget).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Err(unknown());
        }
        let answer = answer.require_success().map_err(unusable)?;
        let listing: RegistryListing = serde_json::from_slice(&answer.body).map_err(|error| {
            RegistryError::Registry(format!("its answer is not as expected: {error}"))
        })?;
        let mut versions = listing.versions.into_iter();
        let wanted = versions.find(|offered| offered.version == version);
        let wanted = wanted.ok_or_else(unknown)?;
        if wanted.sha256.is_empty() {
            return Err(RegistryError::NotInstallable("SHA-256"));
        }
        if wanted.download_url.is_empty() {
            return Err(RegistryError::NotInstallable("address to download it from"));
        }
        let url = answer.final_url.join(&wanted.download_url);
        let url = url.map_err(|error| RegistryError::Download(error.to_string()))?;
        let most = usize::try_from(MAX_PACKAGE_BYTES).unwrap_or(usize::MAX);
        let package = self.get(&url, most, &budget).await;
        let package = package.and_then(Response::require_success);
        let package = package.map_err(|error| RegistryError::Download(error.to_string()))?;
        if !is_hash_of(&wanted.sha256, &package.body) {
            return Err(RegistryError::Checksum);
        }
        Ok(package.body)
    }

    async fn ask(&self, path: &str, budget: &FetchBudget) -> Result<Response, RegistryError> {
        let base = self.base.as_ref().ok_or(RegistryError::NotSet)?;
        let url = format!("{}/{path}", base.as_str().trim_end_matches('/'));
        let url = Url::parse(&url).map_err(|error| RegistryError::Registry(error.to_string()))?;
        self.get(&url, MAX_LISTING_BYTES, budget)
            .await
            .map_err(unusable)
    }

    async fn get(
        &self,
        url: &Url,
        most: usize,
        budget: &FetchBudget,
    ) -> Result<Response, FetchError> {
        let policy = Policy::plugin()
            .with_max_response_bytes(most)
            .with_deadline(REGISTRY_TIMEOUT);
        self.client
            .get(url, &policy, HeaderMap::new(), budget)
            .await
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as map_err hands it over")]
fn unusable(error: FetchError) -> RegistryError {
    RegistryError::Registry(error.to_string())
}

fn is_hash_of(hex: &str, bytes: &[u8]) -> bool {
    hex.trim().eq_ignore_ascii_case(&sha256_hex(bytes))
}

/// The checksum of a package, in the registries' format.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let hash = digest(&SHA256, bytes);
    let pairs = hash.as_ref().iter();
    pairs.map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_compared_whole_and_in_either_case() {
        let hash = "BA7816BF8F01CFEA414140DE5DAE2223b00361a396177a9cb410ff61f20015ad";
        assert!(is_hash_of(hash, b"abc"));
        assert!(!is_hash_of(hash, b"abd"));
        assert!(!is_hash_of(&hash[..60], b"abc"));
        assert!(!is_hash_of("", b""));
    }
}
