//! Plugins over the admin API, and what viewers see of them, with a fake plugin runtime.

mod contributing;
mod events;
mod fake;
mod gate;
mod included;
mod installing;
mod machines;
mod passes;
mod people;
mod registry;
mod running;
mod serving;
mod settings;
mod updating;

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::archive::{ZipEntry, zip};

use crate::http::{Answer, get, post, request};

async fn tell(server: &TestServer, path: &str) -> Answer {
    let path = format!("/api/admin/plugins/{path}");
    request("POST", &path).by_admin().send(server).await
}

async fn send(server: &TestServer, path: &str, body: &Value) -> Answer {
    let path = format!("/api/admin/{path}");
    post(&path, body).by_admin().send(server).await
}

async fn read(server: &TestServer, path: &str) -> Answer {
    let path = format!("/api/admin/plugins{path}");
    get(&path).by_admin().send(server).await
}

/// A plugin's entry in the list.
async fn entry(server: &TestServer, slug: &str) -> Value {
    let list = read(server, "").await.json();
    let entries = list.as_array().unwrap().iter();
    let mut found = entries.filter(|entry| entry["slug"] == slug);
    found.next().cloned().unwrap_or(Value::Null)
}

async fn upload(server: &TestServer, file: &str, bytes: &[u8]) -> Answer {
    form(server, "plugin", file, bytes).await
}

async fn form(server: &TestServer, field: &str, file: &str, bytes: &[u8]) -> Answer {
    let head = format!(
        "--xyz\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{file}\"\r\n\r\n"
    );
    let body = [head.as_bytes(), bytes, b"\r\n--xyz--\r\n"].concat();
    request("POST", "/api/admin/plugins")
        .by_admin()
        .header("content-type", "multipart/form-data; boundary=xyz")
        .bytes(&body)
        .send(server)
        .await
}

/// A manifest with what most tests need; `changes` override it.
fn manifest(changes: &Value) -> Value {
    let mut whole = json!({
        "api": "1", "name": "Door Bell", "slug": "bell", "version": "1.0", "description": "It rings.",
        "permissions": ["chat.send"], "category": "chat-bots",
    });
    for (key, value) in changes.as_object().unwrap() {
        whole[key] = value.clone();
    }
    whole
}

fn package(changes: &Value, code: &str) -> Vec<u8> {
    let manifest = manifest(changes).to_string();
    zip(&[
        ZipEntry::new("plugin.manifest.json", manifest.as_bytes()),
        ZipEntry::new("plugin.py", code.as_bytes()),
        ZipEntry::new("icon.png", b"\x89PNG\r\n\x1a\n"),
        ZipEntry::new("INSTRUCTIONS.md", b"# Ring\n"),
    ])
}
