//! The files themselves.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use model::Secret;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{BackoffConfig, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig};
use outbound::{Client, Policy, Url};

use crate::connector::OutboundConnector;
use crate::error::BlobError;
use crate::key;

/// Limit (operators): size of a file that machines of a cluster share through a bucket; a larger one stays on its machine.
pub const MAX_BLOB_BYTES: usize = 64 << 20;
/// For one request with its answer. Protects whoever waits; 64 MiB take this long at 18 Mb/s.
pub const DEADLINE: Duration = Duration::from_secs(30);
/// Answers that are not a file, such as a page of a list, are smaller than the largest file by far.
const MAX_ANSWER_BYTES: usize = MAX_BLOB_BYTES;

/// A bucket, and who may use it.
#[derive(Clone, Debug)]
pub struct BucketOptions {
    /// Where it answers, without the name of the bucket.
    pub endpoint: Url,
    pub bucket: String,
    pub region: String,
    /// Before the name of each file.
    pub prefix: String,
    pub access_key: String,
    pub secret_key: Secret,
    /// For one request; [`DEADLINE`] unless a test says otherwise.
    pub deadline: Duration,
}

/// One file of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobInfo {
    pub key: String,
    pub bytes: u64,
    /// Another one whenever the file was written.
    pub etag: String,
}

/// Files by name. Clones are the same place.
#[derive(Clone, Debug)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    prefix: String,
}

impl Blobs {
    /// In a folder that exists.
    pub fn in_folder(folder: &std::path::Path) -> Result<Self, BlobError> {
        let store = LocalFileSystem::new_with_prefix(folder)
            .map_err(|error| BlobError::Options(error.to_string()))?;
        Ok(Self {
            store: Arc::new(store),
            prefix: String::new(),
        })
    }

    /// In a bucket. Nothing is asked of it yet.
    pub fn in_bucket(options: BucketOptions, client: Client) -> Result<Self, BlobError> {
        let prefix = key::prefix(&options.prefix)?;
        let policy = Policy::bucket()
            .with_max_response_bytes(MAX_ANSWER_BYTES)
            .with_deadline(options.deadline);
        client
            .check_url(&options.endpoint, &policy)
            .map_err(|reason| {
                BlobError::Options(format!("the endpoint cannot be used: {reason}"))
            })?;
        let never = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: 0,
            retry_timeout: options.deadline,
        };
        let store = AmazonS3Builder::new()
            .with_endpoint(options.endpoint.as_str())
            .with_bucket_name(options.bucket)
            .with_region(options.region)
            .with_access_key_id(options.access_key)
            .with_secret_access_key(options.secret_key.expose())
            .with_allow_http(true)
            // Not every server knows how to delete many at once.
            .with_disable_bulk_delete(true)
            .with_retry(never)
            .with_http_connector(OutboundConnector { client, policy })
            .build()
            .map_err(|error| BlobError::Options(error.to_string()))?;
        Ok(Self {
            store: Arc::new(store),
            prefix,
        })
    }

    /// Writes a file, in place of one of this name, completely or not at all. Returns its entity tag.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<String, BlobError> {
        let path = self.path(key)?;
        fits(key, bytes.len() as u64)?;
        match self.store.put(&path, PutPayload::from(bytes)).await {
            Ok(done) => Ok(plain_etag(done.e_tag)),
            // What is written needs not be there before, so it is the bucket that is missing.
            Err(error) => Err(BlobError::of(&error, "")),
        }
    }

    pub async fn get(&self, key: &str) -> Result<Bytes, BlobError> {
        let path = self.path(key)?;
        let told = |error| BlobError::of(&error, key);
        let found = self.store.get(&path).await.map_err(told)?;
        fits(key, found.meta.size)?;
        let size = found.meta.size;
        let bytes = found.bytes().await.map_err(told)?;
        if bytes.len() as u64 != size {
            let text = format!("{key} has {} of its {size} bytes", bytes.len());
            return Err(BlobError::Away(text));
        }
        Ok(bytes)
    }

    pub async fn exists(&self, key: &str) -> Result<bool, BlobError> {
        let path = self.path(key)?;
        match self.store.head(&path).await {
            Ok(_) => Ok(true),
            Err(error) => match BlobError::of(&error, key) {
                BlobError::Missing(_) => Ok(false),
                other => Err(other),
            },
        }
    }

    /// Deletes a file. One that is not there is as good as deleted.
    pub async fn delete(&self, key: &str) -> Result<(), BlobError> {
        let path = self.path(key)?;
        match self.store.delete(&path).await {
            Ok(()) => Ok(()),
            Err(error) => match BlobError::of(&error, key) {
                BlobError::Missing(_) => Ok(()),
                other => Err(other),
            },
        }
    }

    /// All files below `folder`, at most `most`, sorted by name.
    pub async fn list(&self, folder: &str, most: usize) -> Result<Vec<BlobInfo>, BlobError> {
        let path = self.path(folder)?;
        let mut found = self.store.list(Some(&path));
        let mut files = Vec::new();
        while let Some(one) = found.next().await {
            let one = one.map_err(|error| BlobError::of(&error, ""))?;
            if files.len() == most {
                return Err(BlobError::TooMany(most));
            }
            files.extend(self.info(one.location.as_ref(), one.size, one.e_tag));
        }
        files.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(files)
    }

    /// Nothing for a name outside our prefix.
    fn info(&self, location: &str, bytes: u64, etag: Option<String>) -> Option<BlobInfo> {
        Some(BlobInfo {
            key: location.strip_prefix(&self.prefix)?.to_owned(),
            bytes,
            etag: plain_etag(etag),
        })
    }

    fn path(&self, key: &str) -> Result<Path, BlobError> {
        key::path(&self.prefix, key)
    }
}

fn fits(key: &str, bytes: u64) -> Result<(), BlobError> {
    match bytes <= MAX_BLOB_BYTES as u64 {
        true => Ok(()),
        false => Err(BlobError::TooLarge {
            key: key.to_owned(),
            bytes,
            most: MAX_BLOB_BYTES as u64,
        }),
    }
}

/// Some servers quote it in one answer and not in another.
fn plain_etag(etag: Option<String>) -> String {
    let etag = etag.unwrap_or_default();
    let etag = etag.strip_prefix("W/").unwrap_or(&etag);
    etag.trim_matches('"').to_owned()
}
