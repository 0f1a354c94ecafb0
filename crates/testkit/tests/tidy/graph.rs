//! Which crates from outside may be in the build, and who may use the heavy ones.

use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::tree;

/// A crate of the workspace with what its manifest asks for.
#[derive(Clone)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) manifest: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a manifest's dependency tables.
#[derive(Clone)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// The table a dependency stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Dev,
    Build,
}

/// Heavy or dangerous crates with their one owner, and the outside crates that may sit between.
const OWNED: [(&str, &[&str]); 8] = [
    ("reqwest", &["outbound"]),
    ("sqlx", &["store"]),
    ("axum", &["http-server", "web", "utoipa-axum"]),
    (
        "hyper",
        &[
            "http-server",
            "outbound",
            "testkit",
            "axum",
            "hyper-rustls",
            "hyper-util",
            "object_store",
            "reqwest",
        ],
    ),
    (
        "rustls",
        &[
            "http-server",
            "outbound",
            "hyper-rustls",
            "quinn",
            "quinn-proto",
            "reqwest",
            "rustls-platform-verifier",
            "tokio-rustls",
        ],
    ),
    ("async-nats", &["bus"]),
    ("object_store", &["blobs"]),
    ("wasmtime", &["plugins"]),
];

/// There is one TLS library (rustls) and one cryptography library (aws-lc-rs).
const BANNED: [&str; 5] = ["ring", "openssl", "openssl-sys", "native-tls", "rsa"];

/// An edge of the resolved graph: the first crate uses the second.
type Edge = (String, String);

fn foreign_users(edges: &[Edge]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (user, used) in edges {
        let owners = OWNED
            .iter()
            .find(|(name, _)| name == used)
            .map(|(_, owners)| owners);
        if owners.is_some_and(|owners| !owners.contains(&user.as_str())) {
            complaints.push(format!("{user} must not use {used}"));
        }
    }
    complaints
}

/// Complains about banned crates in the lines of `cargo tree --prefix none`.
fn banned_crates(cargo_tree: &str) -> Vec<String> {
    let mut found: Vec<&str> = cargo_tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| BANNED.contains(name))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .map(|name| format!("{name} is in the build; `cargo tree -i {name}` shows why"))
        .collect()
}

/// The crates of this workspace.
pub(crate) fn workspace() -> Vec<Package> {
    let metadata = metadata();
    let packages: Vec<Package> = list(&metadata["packages"])
        .iter()
        .filter(|package| list(&metadata["workspace_members"]).contains(&package["id"]))
        .map(package)
        .collect();
    assert!(packages.len() > 5, "the workspace was not found");
    packages
}

fn package(value: &Value) -> Package {
    let dependencies = list(&value["dependencies"])
        .iter()
        .map(|dependency| Dependency {
            name: text(&dependency["name"]),
            kind: match dependency["kind"].as_str() {
                None => Kind::Normal,
                Some("dev") => Kind::Dev,
                Some("build") => Kind::Build,
                Some(other) => panic!("cargo knows a kind of dependency that we do not: {other}"),
            },
        })
        .collect();
    Package {
        name: text(&value["name"]),
        description: value["description"].as_str().map(str::to_owned),
        manifest: std::fs::read_to_string(text(&value["manifest_path"])).unwrap(),
        dependencies,
    }
}

/// All edges of the resolved graph, by crate name.
fn edges(metadata: &Value) -> Vec<Edge> {
    let name_of = |id: &Value| {
        let package = list(&metadata["packages"])
            .iter()
            .find(|package| package["id"] == *id);
        text(&package.unwrap()["name"])
    };
    let mut edges = Vec::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        for used in list(&node["dependencies"]) {
            edges.push((name_of(&node["id"]), name_of(used)));
        }
    }
    edges
}

/// `cargo metadata`, asked once. Only this platform: a fresh machine has not downloaded the others' crates.
fn metadata() -> &'static Value {
    static METADATA: OnceLock<Value> = OnceLock::new();
    METADATA.get_or_init(|| {
        let version = cargo(&["-vV"]);
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap();
        let json = cargo(&[
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--filter-platform",
            host,
        ]);
        serde_json::from_str(&json).unwrap()
    })
}

/// What one crate's product is made of, as lines of `cargo tree --prefix none`.
pub(crate) fn product_tree(name: &str) -> String {
    cargo(&[
        "tree",
        "--package",
        name,
        "--offline",
        "--prefix",
        "none",
        "--edges",
        "normal,build",
    ])
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(tree::root())
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "cargo {arguments:?} failed: {complaint}"
    );
    String::from_utf8(output.stdout).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn heavy_crates_are_used_by_their_owner_alone() {
    let edges = edges(metadata());
    assert!(
        edges.contains(&edge("store", "sqlx")),
        "the graph was not read"
    );
    crate::assert_no_complaints(&foreign_users(&edges));
}

// `cargo tree` and not the metadata: the latter lists optional crates that no enabled feature asks for.
#[test]
fn banned_crates_are_not_in_the_build() {
    let tree = cargo(&[
        "tree",
        "--workspace",
        "--offline",
        "--prefix",
        "none",
        "--edges",
        "normal,build,dev",
    ]);
    assert!(tree.contains("aws-lc-rs v"), "the tree was not read");
    crate::assert_no_complaints(&banned_crates(&tree));
}

fn edge(user: &str, used: &str) -> Edge {
    (user.to_owned(), used.to_owned())
}

#[test]
fn rejects_a_heavy_crate_in_another_room_or_behind_an_outside_crate() {
    let edges = [
        edge("chat", "sqlx"),
        edge("object_store", "reqwest"),
        edge("server", "axum"),
    ];
    let expected = [
        "chat must not use sqlx",
        "object_store must not use reqwest",
        "server must not use axum",
    ];
    assert_eq!(foreign_users(&edges), expected);
}

#[test]
fn accepts_a_heavy_crate_at_its_owner() {
    assert!(foreign_users(&[edge("outbound", "reqwest"), edge("sqlx", "sqlx-core")]).is_empty());
}

#[test]
fn rejects_a_banned_crate_anywhere_in_the_tree() {
    let tree =
        "server v0.3.0 (/somewhere)\nring v0.17.14\nring v0.17.14 (*)\nrsa v0.9.0\nstring v1.0.0";
    let complaints = banned_crates(tree);
    assert_eq!(complaints.len(), 2);
    assert!(complaints[0].starts_with("ring is in the build"));
    assert!(complaints[1].starts_with("rsa is in the build"));
}
