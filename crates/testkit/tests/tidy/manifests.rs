//! Checks the required fields of every manifest, and that all name one version.

use std::fs;

use crate::graph::{Package, workspace};
use crate::tree;

fn incomplete_manifests(packages: &[Package]) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in packages {
        if package
            .description
            .as_deref()
            .unwrap_or_default()
            .trim()
            .is_empty()
        {
            complaints.push(format!("{} has no description", package.name));
        }
        if !inherits_lints(&package.manifest) {
            complaints.push(format!(
                "{} does not say `lints.workspace = true`",
                package.name
            ));
        }
    }
    complaints
}

fn inherits_lints(manifest: &str) -> bool {
    value(manifest, "lints", "workspace") == Some("true")
        || value(manifest, "", "lints.workspace") == Some("true")
}

/// The value of a key in one table of a TOML text, without its quotes. Enough for our own manifests.
fn value<'a>(manifest: &'a str, table: &str, key: &str) -> Option<&'a str> {
    let mut current = "";
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            current = header.trim_end_matches(']');
        } else if current == table
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(value.trim().trim_matches('"'));
        }
    }
    None
}

fn differing_versions(cargo: &str, pyproject: &str) -> Vec<String> {
    let server = value(cargo, "workspace.package", "version");
    let sdk = value(pyproject, "project", "version");
    if server.is_some() && server == sdk {
        return Vec::new();
    }
    vec![format!(
        "the workspace's version is {server:?}, the Python SDK's {sdk:?}"
    )]
}

#[test]
fn every_crate_describes_itself_and_inherits_the_lints() {
    crate::assert_no_complaints(&incomplete_manifests(&workspace()));
}

#[test]
fn the_server_and_the_python_sdk_have_one_version() {
    let read = |path: &str| fs::read_to_string(tree::root().join(path)).unwrap();
    let complaints = differing_versions(&read("Cargo.toml"), &read("sdk/python/pyproject.toml"));
    crate::assert_no_complaints(&complaints);
}

fn package(description: Option<&str>, manifest: &str) -> Package {
    Package {
        name: "chat".to_owned(),
        description: description.map(str::to_owned),
        manifest: manifest.to_owned(),
        dependencies: Vec::new(),
    }
}

#[test]
fn rejects_a_crate_without_description() {
    let manifest = "[lints]\nworkspace = true\n";
    for description in [None, Some(" ")] {
        let complaints = incomplete_manifests(&[package(description, manifest)]);
        assert_eq!(complaints, ["chat has no description"]);
    }
}

#[test]
fn rejects_a_crate_with_lints_of_its_own() {
    let elsewhere = "[dependencies]\nworkspace = true\n[lints]\nworkspace = false\n";
    for manifest in ["", elsewhere] {
        let complaints = incomplete_manifests(&[package(Some("The room"), manifest)]);
        assert_eq!(complaints, ["chat does not say `lints.workspace = true`"]);
    }
}

#[test]
fn accepts_both_spellings_of_inherited_lints() {
    assert!(inherits_lints(
        "[package]\nname = \"chat\"\n\n[lints]\nworkspace = true\n"
    ));
    assert!(inherits_lints("lints.workspace = true\n[package]\n"));
}

#[test]
fn rejects_an_sdk_of_another_or_of_no_version() {
    let cargo = "[package]\nversion = \"9.9.9\"\n[workspace.package]\nversion = \"0.3.0\"\n";
    for pyproject in [
        "[project]\nversion = \"0.3.1\"\n",
        "[tool]\nversion = \"0.3.0\"\n",
        "",
    ] {
        assert_eq!(differing_versions(cargo, pyproject).len(), 1, "{pyproject}");
    }
    assert_eq!(differing_versions("", "").len(), 1);
    assert!(differing_versions(cargo, "[project]\nversion = \"0.3.0\"\n").is_empty());
}
