//! Plugins from a registry.

use std::collections::BTreeMap;

use plugins::registry::sha256_hex;
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::fake::{server, server_with};
use super::{entry, package, send, tell};
use crate::http::get;

/// A registry that serves these answers by path and 404 for everything else.
async fn registry(answers: BTreeMap<&'static str, Vec<u8>>) -> TestServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 8192];
            let mut length = 0;
            while !request[..length].ends_with(b"\r\n\r\n") {
                length += stream.read(&mut request[length..]).await.unwrap();
            }
            let text = String::from_utf8_lossy(&request[..length]).into_owned();
            let path = text.split(' ').nth(1).unwrap();
            let (status, body) = match answers.get(path) {
                Some(body) => ("200 OK", body.clone()),
                None => ("404 Not Found", b"{}".to_vec()),
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
            );
            stream
                .write_all(&[head.as_bytes(), &body].concat())
                .await
                .unwrap();
        }
    });
    let options = Options {
        plugin_registry: Some(format!("http://{address}/base/")),
        danger_allow_internal_addresses: true,
        ..Options::default()
    };
    server_with(options).await
}

async fn list(server: &TestServer) -> crate::http::Answer {
    get("/api/admin/plugin-registry/list")
        .by_admin()
        .send(server)
        .await
}

async fn install(server: &TestServer, body: Value) -> crate::http::Answer {
    send(server, "plugin-registry/install", &body).await
}

#[tokio::test]
async fn without_a_registry_there_is_nothing_to_list_and_who_installs_is_told_how_to_set_one() {
    let server = server().await;
    let listed = list(&server).await;
    assert_eq!((listed.status, listed.json()), (200, json!([])));
    let answer = install(&server, json!({ "slug": "bell", "version": "1.0" })).await;
    assert_eq!(answer.status, 502);
    let error = answer.json()["error"].clone();
    assert!(error.as_str().unwrap().contains("SERVICE_PLUGIN_REGISTRY"));
    assert_eq!(
        install(&server, json!({ "slug": "bell" })).await.status,
        400
    );
}

#[tokio::test]
async fn a_package_of_the_registry_is_installed_when_its_checksum_fits_and_replaces_an_older_one() {
    let old = package(&json!({ "version": "1.0" }), "");
    let new = package(
        &json!({ "version": "2.0", "permissions": ["chat.send", "storage.kv"] }),
        "",
    );
    let about = json!({ "slug": "bell", "versions": [
        { "version": "1.0", "sha256": sha256_hex(&old), "downloadURL": "/files/1" },
        { "version": "2.0", "sha256": sha256_hex(&new).to_uppercase(), "downloadURL": "/files/2" },
        { "version": "3.0", "sha256": sha256_hex(&old), "downloadURL": "/files/2" },
        { "version": "4.0", "sha256": "", "downloadURL": "/files/2" },
        { "version": "5.0", "sha256": sha256_hex(&old), "downloadURL": "/files/gone" },
    ] });
    let listing = json!({ "plugins": [{ "slug": "bell" }] });
    let server = registry(BTreeMap::from([
        ("/base/plugins", listing.to_string().into_bytes()),
        ("/base/plugins/bell", about.to_string().into_bytes()),
        ("/files/1", old),
        ("/files/2", new),
    ]))
    .await;
    assert_eq!(list(&server).await.json(), listing);
    let slash = get("/api/admin/plugin-registry/list/")
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(slash.json(), listing);

    let made = install(&server, json!({ "slug": "bell", "version": "1.0" })).await;
    assert_eq!(made.status, 200, "{made:?}");
    assert_eq!(
        (&made.json()["slug"], &made.json()["enabled"]),
        (&json!("bell"), &json!(false))
    );
    tell(&server, "bell/enable").await;
    let newer = install(&server, json!({ "slug": "bell", "version": "2.0" })).await;
    assert_eq!(newer.status, 200, "{newer:?}");
    assert_eq!(
        entry(&server, "bell").await["pendingPermissions"],
        json!(["storage.kv"])
    );

    for (slug, version, status, why) in [
        ("bell", "3.0", 502, "SHA-256"),
        ("bell", "4.0", 400, "names no SHA-256"),
        ("bell", "5.0", 502, "downloaded"),
        ("bell", "9.9", 404, "no version \"9.9\""),
        ("nobody", "1.0", 404, "no version"),
        ("../x", "1.0", 400, "not the slug"),
    ] {
        let answer = install(&server, json!({ "slug": slug, "version": version })).await;
        assert_eq!(answer.status, status, "{slug} {version}: {answer:?}");
        assert!(
            answer.json()["error"].as_str().unwrap().contains(why),
            "{answer:?}"
        );
    }
}
