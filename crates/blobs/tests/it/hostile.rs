//! Buckets that are away, slow, broken or worse: an error in time, and nothing else.

use blobs::{BlobError, Blobs, MAX_BLOB_BYTES};
use testkit::https::{Peer, Reply, reply};

use crate::support::{SHORT, at, client, options};

/// What a bucket says of a file of four bytes.
const HEAD: &str =
    "HTTP/1.1 200 OK\r\netag: \"x\"\r\nlast-modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n";

/// Every request gets this answer, and all of them must fail in this way.
async fn all_fail(script: Reply, is_meant: fn(&BlobError) -> bool) {
    let peer = Peer::plain(move |_| script.clone());
    let blobs = at(&peer, SHORT);
    for outcome in [
        blobs.get("a").await.map(drop),
        blobs.list("a", 10).await.map(drop),
        blobs.put("a", "x".into()).await.map(drop),
        blobs.delete("a").await,
    ] {
        let error = outcome.unwrap_err();
        assert!(is_meant(&error), "{error:?}");
        let text = error.to_string();
        assert!(text.len() < 1000 && !text.contains('\n'), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

fn is_away(error: &BlobError) -> bool {
    matches!(error, BlobError::Away(_))
}

#[tokio::test]
async fn a_bucket_that_says_nothing_is_away_after_the_deadline() {
    all_fail(Reply::Silent, is_away).await;
}

#[tokio::test]
async fn a_bucket_that_breaks_is_away() {
    all_fail(
        reply(500, "", "<Error><Code>InternalError</Code></Error>"),
        is_away,
    )
    .await;
    all_fail(reply(503, "", &"x".repeat(100_000)), is_away).await;
}

#[tokio::test]
async fn a_bucket_that_hangs_up_in_the_middle_of_its_head_is_away() {
    all_fail(
        Reply::Cut(b"HTTP/1.1 200 OK\r\ncontent-le".to_vec()),
        is_away,
    )
    .await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Peer::plain(|_| unreachable!("nobody comes here"));
    let location = format!("location: http://{}/\r\n", elsewhere.address());
    for status in [301, 302, 307, 308] {
        all_fail(reply(status, &location, ""), is_away).await;
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_bucket_that_refuses_says_why_in_one_word() {
    let answer =
        "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>no</Message></Error>";
    all_fail(
        reply(403, "", answer),
        |error| matches!(error, BlobError::Refused(why) if why.ends_with("403 Forbidden AccessDenied")),
    )
    .await;
}

#[tokio::test]
async fn a_bucket_that_does_not_exist_is_not_taken_for_an_empty_one() {
    let answer = "<Error><Code>NoSuchBucket</Code></Error>";
    let peer = Peer::plain(move |_| reply(404, "", answer));
    let blobs = at(&peer, SHORT);
    for outcome in [
        blobs.get("a").await.map(drop),
        blobs.list("a", 10).await.map(drop),
        blobs.put("a", "x".into()).await.map(drop),
        blobs.delete("a").await,
    ] {
        assert!(matches!(outcome, Err(BlobError::Refused(_))), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_file_that_is_cut_off_is_not_taken_for_a_whole_one() {
    let answer = format!("{HEAD}content-length: 4\r\n\r\nab");
    let peer = Peer::plain(move |_| Reply::Cut(answer.clone().into_bytes()));
    let outcome = at(&peer, SHORT).get("a").await;
    assert!(matches!(outcome, Err(BlobError::Away(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_file_that_trickles_is_given_up_at_the_deadline() {
    let answer = format!("{HEAD}content-length: 4000\r\n\r\n");
    let peer = Peer::plain(move |_| Reply::Trickle(answer.clone().into_bytes()));
    let outcome = at(&peer, SHORT).get("a").await;
    assert!(matches!(outcome, Err(BlobError::Away(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_file_that_is_said_to_be_huge_is_not_read() {
    let answer = format!("{HEAD}content-length: {}\r\n\r\n", MAX_BLOB_BYTES + 1);
    let peer = Peer::plain(move |_| Reply::Endless(answer.clone().into_bytes(), vec![0; 4096]));
    let outcome = at(&peer, SHORT).get("a").await;
    assert!(
        matches!(
            outcome,
            Err(BlobError::Away(_) | BlobError::TooLarge { .. })
        ),
        "{outcome:?}"
    );
    assert!(peer.sent() < MAX_BLOB_BYTES / 4, "{}", peer.sent());
}

#[tokio::test]
async fn a_list_with_names_that_lead_elsewhere_is_refused_as_a_whole() {
    let answer = "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated><Contents>\
        <Key>test/a/../../etc/passwd</Key><LastModified>2015-10-21T07:28:00.000Z</LastModified>\
        <ETag>\"x\"</ETag><Size>4</Size></Contents></ListBucketResult>";
    let peer = Peer::plain(move |_| reply(200, "content-type: application/xml\r\n", answer));
    let outcome = at(&peer, SHORT).list("a", 10).await;
    assert!(matches!(outcome, Err(BlobError::Away(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_bucket_nobody_listens_at_is_away_and_named_without_its_key() {
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let blobs = Blobs::in_bucket(options(&format!("http://{address}")), client()).unwrap();
    let error = blobs.get("a").await.unwrap_err();
    assert!(is_away(&error), "{error:?}");
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn requests_are_signed_and_the_secret_stays_here() {
    let peer = Peer::plain(|_| reply(200, "etag: \"x\"\r\n", ""));
    let etag = at(&peer, SHORT).put("a b", "x".into()).await.unwrap();
    assert_eq!(etag, "x");
    let requests = peer.requests();
    let [request] = &requests[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(
        (request.method(), request.target()),
        ("PUT", "/files/test/a%20b")
    );
    let head = request.head.to_lowercase();
    assert!(
        head.contains("authorization: aws4-hmac-sha256 credential=key/"),
        "{head}"
    );
    assert!(!head.contains("secret"), "{head}");
}
