//! Proxies from the environment are not used.
//!
//! All tests of a process share its variables, so the client runs in a child process.

// The child gets its task from the environment, which the parent sets.
#![allow(clippy::disallowed_methods)]

use std::process::Command;

use outbound::Policy;

use crate::support::{Peer, SHORT, Trap, authority, builder, get, reply};

const TASK: &str = "OUTBOUND_TEST_PEER";
const CHILD: &str = "environment::child_of_the_test_above";

#[tokio::test]
async fn proxies_of_the_environment_are_ignored() {
    let trap = Trap::set();
    let plain = Peer::plain(|_| reply("direct"));
    let proxy = format!("http://{}", trap.address());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", CHILD, "--nocapture"])
        .env(TASK, plain.address().to_string());
    for name in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ] {
        command.env(name, &proxy);
    }
    for name in ["NO_PROXY", "no_proxy", "REQUEST_METHOD"] {
        command.env_remove(name);
    }
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .unwrap()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(trap.connections(), 0);
    assert_eq!(plain.heads().len(), 1, "the child did make its request");
}

#[tokio::test]
async fn child_of_the_test_above() {
    // Without a task this is the ordinary test run, with nothing to do.
    let Ok(address) = std::env::var(TASK) else {
        return;
    };
    let address = address.parse().unwrap();
    let secure = Peer::tls(authority().certify("secure.test"), |_| reply("direct"));
    let client = builder()
        .danger_resolve("peer.test", address)
        .danger_resolve("secure.test", secure.address())
        .deadline(SHORT)
        .build()
        .unwrap();
    let response = get(&client, "http://peer.test/", &Policy::webhook())
        .await
        .unwrap();
    assert_eq!(&response.body[..], b"direct");
    let response = get(&client, "https://secure.test/", &Policy::federation())
        .await
        .unwrap();
    assert_eq!(&response.body[..], b"direct");
}
