//! Checks which crate of the workspace depends on which. The map is the one in `ARCHITECTURE.md`; a new edge is a
//! decision, made there first.

use crate::graph::{Dependency, Kind, Package, workspace};

/// For each crate, the crates it may use. `server` may use everything and is not listed.
const DOORS: [(&str, &[&str]); 11] = [
    ("model", &[]),
    ("store", &["model"]),
    ("outbound", &["model"]),
    ("access", &["store", "outbound", "model"]),
    ("media", &["store", "model"]),
    ("chat", &["store", "model"]),
    ("federation", &["store", "outbound", "model"]),
    ("plugins", &["store", "outbound", "model"]),
    ("notify", &["store", "outbound", "model"]),
    (
        "web",
        &[
            "access",
            "chat",
            "federation",
            "media",
            "plugins",
            "notify",
            "store",
            "model",
        ],
    ),
    ("testkit", &["model"]),
];

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
