//! The rules of the house that a compiler does not keep, as tests.
//!
//! Every rule is a pure function from data to a list of complaints, with a test of its own on data it
//! must reject. The tests of the real tree only gather the data and demand that nobody complains.
#![allow(clippy::unwrap_used)]

mod cases;
mod conformance;
mod doors;
mod graph;
mod manifests;
mod migrations;
mod names;
mod sources;
mod strangers;
mod tree;

/// Fails with one complaint per line.
fn assert_no_complaints(complaints: &[String]) {
    assert!(
        complaints.is_empty(),
        "\n{} complaint(s):\n  {}\n",
        complaints.len(),
        complaints.join("\n  ")
    );
}
