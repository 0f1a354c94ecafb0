//! Checks which crate of the workspace depends on which. The map is the one in `ARCHITECTURE.md`; a new edge is a
//! decision, made there first.

use crate::graph::{Dependency, Kind, Package, product_tree, workspace};

/// For each crate, the crates it may use. `server` may use everything and is not listed.
const DOORS: [(&str, &[&str]); 17] = [
    ("model", &[]),
    ("store", &["model"]),
    ("outbound", &["model"]),
    ("bus", &["model"]),
    ("blobs", &["outbound", "model"]),
    ("archive", &["store", "model"]),
    ("http-server", &["model"]),
    ("access", &["store", "outbound", "model"]),
    ("media-formats", &["model"]),
    ("media", &["media-formats", "store", "model"]),
    ("chat", &["store", "model"]),
    ("federation", &["store", "outbound", "model"]),
    ("plugins", &["store", "outbound", "model"]),
    ("plugin-tools", &["plugins", "store", "model"]),
    ("notify", &["store", "outbound", "model"]),
    (
        "web",
        &[
            "access",
            "archive",
            "chat",
            "federation",
            "http-server",
            "media",
            "plugins",
            "plugin-tools",
            "notify",
            "store",
            "model",
        ],
    ),
    ("testkit", &["model"]),
];

/// Crates that compute and wait for nothing: whoever works on them compiles no runtime, and none can creep in.
const WITHOUT_RUNTIME: [&str; 2] = ["model", "media-formats"];

/// Reports every edge between two crates that the map does not show, and unknown crates.
fn forbidden_doors(packages: &[Package]) -> Vec<String> {
    let rooms: Vec<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let mut complaints = Vec::new();
    for package in packages.iter().filter(|package| package.name != "server") {
        let Some((_, allowed)) = DOORS.iter().find(|(name, _)| *name == package.name) else {
            complaints.push(format!("{} is not on the map of rooms", package.name));
            continue;
        };
        for used in &package.dependencies {
            let is_room = rooms.contains(&used.name.as_str());
            let is_test_support = used.kind == Kind::Dev && used.name == "testkit";
            if is_room && !is_test_support && !allowed.contains(&used.name.as_str()) {
                complaints.push(format!("{} must not use {}", package.name, used.name));
            }
        }
    }
    complaints
}

#[test]
fn rooms_use_only_the_doors_on_the_map() {
    crate::assert_no_complaints(&forbidden_doors(&workspace()));
}

/// Reports crates that have tokio in their product, in the lines of `cargo tree --prefix none` for each of them.
fn runtimes(trees: &[(&str, String)]) -> Vec<String> {
    let runs = |tree: &str| tree.lines().any(|line| line.starts_with("tokio v"));
    let found = trees.iter().filter(|(_, tree)| runs(tree));
    found
        .map(|(name, _)| format!("{name} must not use tokio; `cargo tree -p {name}` shows why"))
        .collect()
}

#[test]
fn what_computes_only_has_no_runtime() {
    let trees = WITHOUT_RUNTIME.map(|name| {
        let tree = product_tree(name);
        assert!(
            tree.starts_with(&format!("{name} v")),
            "the tree was not read"
        );
        (name, tree)
    });
    crate::assert_no_complaints(&runtimes(&trees));
}

#[test]
fn rejects_a_runtime_behind_another_crate() {
    let tree = |second: &str| format!("model v0.3.0 (/somewhere)\nserde v1.0.0\n{second}\n");
    let complaints = runtimes(&[
        ("model", tree("tokio v1.54.0")),
        ("media-formats", tree("tokio-util v0.7.0")),
    ]);
    assert_eq!(complaints.len(), 1);
    assert!(complaints[0].starts_with("model must not use tokio"));
}

fn room(name: &str, uses: &[(&str, Kind)]) -> Package {
    let dependencies = uses
        .iter()
        .map(|(name, kind)| Dependency {
            name: (*name).to_owned(),
            kind: *kind,
        })
        .collect();
    Package {
        name: name.to_owned(),
        description: None,
        manifest: String::new(),
        dependencies,
    }
}

#[test]
fn rejects_a_door_that_is_not_on_the_map() {
    for kind in [Kind::Normal, Kind::Dev, Kind::Build] {
        let packages = [room("chat", &[("plugins", kind)]), room("plugins", &[])];
        assert_eq!(forbidden_doors(&packages), ["chat must not use plugins"]);
    }
}

#[test]
fn rejects_test_support_in_the_product() {
    let packages = [
        room("chat", &[("testkit", Kind::Normal)]),
        room("testkit", &[]),
    ];
    assert_eq!(forbidden_doors(&packages), ["chat must not use testkit"]);
}

#[test]
fn rejects_a_room_nobody_drew() {
    assert_eq!(
        forbidden_doors(&[room("utils", &[])]),
        ["utils is not on the map of rooms"]
    );
}

#[test]
fn accepts_test_support_in_tests_and_everything_in_the_server() {
    let packages = [
        room(
            "chat",
            &[
                ("testkit", Kind::Dev),
                ("store", Kind::Normal),
                ("serde", Kind::Normal),
            ],
        ),
        room("store", &[]),
        room("testkit", &[("model", Kind::Normal)]),
        room("model", &[("testkit", Kind::Dev)]),
        room(
            "server",
            &[("chat", Kind::Normal), ("testkit", Kind::Normal)],
        ),
    ];
    assert!(forbidden_doors(&packages).is_empty());
}
