//! What every place keeps to: a folder always, and a real bucket where `scripts/versitygw.sh` has started one.

use blobs::{BlobError, Blobs, BucketOptions, MAX_BLOB_BYTES};
use model::Secret;
use testkit::https::Peer;

use crate::support::{client, options, real_bucket};

/// Runs a test in a folder, and in the bucket if there is one, below a prefix of its own.
macro_rules! in_both {
    ($($name:ident)*) => {
        mod folder {
            $(#[tokio::test]
            async fn $name() {
                let folder = tempfile::tempdir().unwrap();
                super::$name(super::Blobs::in_folder(folder.path()).unwrap()).await;
            })*
        }

        mod bucket {
            $(#[tokio::test]
            async fn $name() {
                let prefix = format!("{}-{}", stringify!($name), std::process::id());
                if let Some(options) = super::real_bucket(&prefix) {
                    super::$name(super::Blobs::in_bucket(options, super::client()).unwrap()).await;
                }
            })*
        }
    };
}

in_both! {
    what_is_written_can_be_read_until_it_is_deleted
    a_list_has_every_file_below_a_folder_and_no_other
    an_etag_changes_with_the_file_and_is_the_same_in_the_list
    names_with_odd_characters_are_kept_as_they_are
    a_file_that_is_not_there_is_missing_and_nothing_worse
}

async fn what_is_written_can_be_read_until_it_is_deleted(blobs: Blobs) {
    blobs.put("a/b.txt", "one".into()).await.unwrap();
    assert_eq!(&blobs.get("a/b.txt").await.unwrap()[..], b"one");
    assert!(blobs.exists("a/b.txt").await.unwrap());
    blobs.put("a/b.txt", "two".into()).await.unwrap();
    assert_eq!(&blobs.get("a/b.txt").await.unwrap()[..], b"two");
    blobs.put("a/empty", bytes::Bytes::new()).await.unwrap();
    assert!(blobs.get("a/empty").await.unwrap().is_empty());
    blobs.delete("a/b.txt").await.unwrap();
    assert!(!blobs.exists("a/b.txt").await.unwrap());
    let large = vec![7; 3 << 20];
    blobs.put("a/large", large.clone().into()).await.unwrap();
    assert!(blobs.get("a/large").await.unwrap() == large);
}

async fn a_list_has_every_file_below_a_folder_and_no_other(blobs: Blobs) {
    assert!(blobs.list("a", 10).await.unwrap().is_empty());
    for key in ["a/2", "a/1", "a/b/3", "ab/4", "c"] {
        blobs.put(key, key.into()).await.unwrap();
    }
    let listed = blobs.list("a", 10).await.unwrap();
    let keys: Vec<&str> = listed.iter().map(|file| file.key.as_str()).collect();
    assert_eq!(keys, ["a/1", "a/2", "a/b/3"]);
    assert_eq!(listed[2].bytes, 5);
    let too_many = blobs.list("a", 2).await;
    assert!(
        matches!(too_many, Err(BlobError::TooMany(2))),
        "{too_many:?}"
    );
}

async fn an_etag_changes_with_the_file_and_is_the_same_in_the_list(blobs: Blobs) {
    let first = blobs.put("a/1", "one".into()).await.unwrap();
    assert_eq!(blobs.list("a", 10).await.unwrap()[0].etag, first);
    let second = blobs.put("a/1", "other".into()).await.unwrap();
    assert_ne!(first, second);
    assert_eq!(blobs.list("a", 10).await.unwrap()[0].etag, second);
}

async fn names_with_odd_characters_are_kept_as_they_are(blobs: Blobs) {
    let keys = [
        "o/ä ö.png",
        "o/a%2Fb",
        "o/a+b&c=d?e",
        "o/(x)'!~*",
        "o/.hidden",
    ];
    for key in keys {
        blobs.put(key, key.into()).await.unwrap();
    }
    for key in keys {
        assert_eq!(&blobs.get(key).await.unwrap()[..], key.as_bytes());
    }
    let listed = blobs.list("o", 10).await.unwrap();
    let mut wanted = Vec::from(keys);
    wanted.sort_unstable();
    let found: Vec<&str> = listed.iter().map(|file| file.key.as_str()).collect();
    assert_eq!(found, wanted);
}

async fn a_file_that_is_not_there_is_missing_and_nothing_worse(blobs: Blobs) {
    let missing = blobs.get("nowhere").await;
    assert!(
        matches!(&missing, Err(BlobError::Missing(key)) if key == "nowhere"),
        "{missing:?}"
    );
    assert!(!blobs.exists("nowhere").await.unwrap());
    blobs.delete("nowhere").await.unwrap();
}

#[tokio::test]
async fn a_file_that_is_too_large_is_not_even_sent() {
    let peer = Peer::plain(|_| unreachable!("nothing is asked"));
    let blobs = Blobs::in_bucket(options(&format!("http://{}", peer.address())), client()).unwrap();
    let refused = blobs.put("large", vec![0; MAX_BLOB_BYTES + 1].into()).await;
    assert!(
        matches!(refused, Err(BlobError::TooLarge { .. })),
        "{refused:?}"
    );
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_used_is_refused_before_anything_is_asked() {
    for endpoint in [
        "ftp://127.0.0.1",
        "http://169.254.169.254",
        "http://u:p@s3.example",
        "http://127.0.0.1:22",
    ] {
        let opened = Blobs::in_bucket(options(endpoint), client());
        assert!(matches!(opened, Err(BlobError::Options(_))), "{endpoint}");
    }
}

#[tokio::test]
async fn a_wrong_key_and_a_bucket_that_does_not_exist_are_told_apart_from_a_bucket_that_is_away() {
    let Some(right) = real_bucket("refused") else {
        return;
    };
    let wrong_key = BucketOptions {
        secret_key: Secret::new("wrong"),
        ..right.clone()
    };
    let no_bucket = BucketOptions {
        bucket: "no-such-bucket".into(),
        ..right
    };
    for options in [wrong_key, no_bucket] {
        let blobs = Blobs::in_bucket(options, client()).unwrap();
        for outcome in [
            blobs.list("a", 10).await.map(drop),
            blobs.put("a", "x".into()).await.map(drop),
            blobs.get("a").await.map(drop),
        ] {
            assert!(matches!(outcome, Err(BlobError::Refused(_))), "{outcome:?}");
        }
    }
}
