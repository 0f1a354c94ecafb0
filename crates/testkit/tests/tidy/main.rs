//! Tests for project rules that a compiler does not check.
//!
//! Every rule is a pure function from data to a list of complaints, with a test of its own on data it
//! must reject. The tests of the real tree only gather the data and require an empty list.
#![allow(clippy::unwrap_used)]

mod cases;
mod circles;
mod conformance;
mod doors;
mod fuzz;
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
