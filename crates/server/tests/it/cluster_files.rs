//! Machines that share files through a bucket. Its server is a part of this test; what a real one says is asked in the
//! crate `blobs`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use server::cli::Options;
use server::testing::TestServer;
use testkit::https::{Peer, Reply, Request, reply};

use crate::cluster::Database;
use crate::http::{get, post};

/// Nobody listens there.
const NOWHERE: &str = "nats://127.0.0.1:9";
const BUCKET: &str = "/files/";
/// One white pixel.
const PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";

/// What is in the bucket; pictures are not whole, as requests are text here.
#[derive(Debug, Default)]
struct Objects {
    texts: Mutex<BTreeMap<String, String>>,
    is_away: AtomicBool,
}

impl Objects {
    fn answer(&self, request: &Request) -> Reply {
        if self.is_away.load(Ordering::SeqCst) {
            return reply(503, "", "<Error><Code>SlowDown</Code></Error>");
        }
        let mut texts = self.texts.lock().unwrap();
        let Some(key) = request.target().strip_prefix(BUCKET) else {
            return reply(200, "", &list(&texts));
        };
        match request.method() {
            "PUT" => {
                texts.insert(key.to_owned(), request.body.clone());
                reply(200, &format!("etag: {}\r\n", etag(&request.body)), "")
            }
            "DELETE" => {
                texts.remove(key);
                reply(204, "", "")
            }
            _ => match texts.get(key) {
                Some(text) => {
                    let head = format!(
                        "etag: {}\r\nlast-modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n",
                        etag(text)
                    );
                    reply(200, &head, text)
                }
                None => reply(404, "", "<Error><Code>NoSuchKey</Code></Error>"),
            },
        }
    }

    fn has(&self, key: &str) -> bool {
        self.texts.lock().unwrap().contains_key(key)
    }
}

fn etag(text: &str) -> String {
    let sum: u64 = text.bytes().map(u64::from).sum();
    format!("\"{}-{sum}\"", text.len())
}

fn list(texts: &BTreeMap<String, String>) -> String {
    let entry = |(key, text): (&String, &String)| {
        let etag = etag(text).replace('"', "&quot;");
        let size = text.len();
        format!(
            "<Contents><Key>{key}</Key><LastModified>2015-10-21T07:28:00.000Z</LastModified>\
             <ETag>{etag}</ETag><Size>{size}</Size></Contents>"
        )
    };
    let entries: String = texts.iter().map(entry).collect();
    format!(
        "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"
    )
}

async fn machine(database: &mut Database, bucket: &Peer, name: &str) -> TestServer {
    let options = Options {
        cluster: Some("test".into()),
        nats: Some(NOWHERE.into()),
        node_name: Some(name.into()),
        s3_endpoint: Some(format!("http://{}", bucket.address())),
        s3_bucket: Some("files".into()),
        s3_access_key: Some("key".into()),
        s3_secret_key: Some("secret".into()),
        ..Options::default()
    };
    database.machine_with(options).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn machines_share_files_and_go_on_without_the_bucket() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let objects = Arc::new(Objects::default());
    let answering = Arc::clone(&objects);
    let bucket = Peer::plain(move |request| answering.answer(request));
    let hello = ("shared/public/hello.txt".to_owned(), "hello".to_owned());
    objects.texts.lock().unwrap().extend([hello]);

    let left = machine(&mut database, &bucket, "left").await;
    let page = get("/public/hello.txt").send(&left).await;
    assert_eq!((page.status, page.body.as_str()), (200, "hello"));
    let upload = json!({ "name": "dot", "data": PIXEL });
    let added = post("/api/admin/emoji/upload", &upload);
    let added = added.by_admin().send(&left).await;
    assert_eq!(added.status, 200, "{added:?}");
    assert!(objects.has("shared/emoji/dot.png"), "it is there first");
    let right = machine(&mut database, &bucket, "right").await;

    objects.is_away.store(true, Ordering::SeqCst);
    let upload = json!({ "name": "other", "data": PIXEL });
    for server in [&left, &right] {
        let refused = post("/api/admin/emoji/upload", &upload);
        let refused = refused.by_admin().send(server).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(
            refused.body.contains("the bucket does not answer"),
            "{refused:?}"
        );
        let page = get("/public/hello.txt").send(server).await;
        assert_eq!((page.status, page.body.as_str()), (200, "hello"));
        assert_eq!(get("/api/status").send(server).await.status, 200);
    }
    let late = machine(&mut database, &bucket, "late").await;
    assert_eq!(get("/api/status").send(&late).await.status, 200);
    for server in [left, right, late] {
        server.stop().await;
    }
}
