//! Address literals never reach a resolver, so the URL check refuses them.

use outbound::{Client, FetchError, Policy, RefusalReason, Retry, Url};

use crate::support::{Nowhere, Trap, builder, get, url};

/// Spellings of hosts that lead to this machine; all must be refused before any connection.
const HOSTS: [&str; 50] = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.1.",
    "127.255.255.254",
    "2130706433",
    "2130706433.",
    "0x7f000001",
    "0x7F000001",
    "0X7f.1",
    "0x7f.0x0.0x0.0x1",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "0177.1",
    "0177.0.0.0x1",
    "00000177.1",
    "0",
    "0.",
    "0x0",
    "0x",
    "0.0.0.0",
    "0.0",
    "00",
    "127%2e0%2e0%2e1",
    "%31%32%37.0.0.1",
    "%30",
    "2130706%3433",
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127．0．0．1",
    "２１３０７０６４３３",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::]",
    "[::ffff:0:0]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "ｌｏｃａｌｈｏｓｔ",
    "localhost.localdomain",
    "lo%63alhost",
];

/// Literals of other machines are refused as well: strangers have names.
const ELSEWHERE: [&str; 6] = [
    "8.8.8.8",
    "134744072",
    "[2606:4700::1111]",
    "[::ffff:8.8.8.8]",
    "169.254.169.254",
    "10.0.0.1",
];

fn every_url(host: &str, port: u16) -> Vec<Url> {
    let texts = [
        format!("https://{host}:{port}/"),
        format!("https:\\\\{host}:{port}\\"),
        format!("http://{host}:{port}/x?y#z"),
    ];
    texts
        .iter()
        .filter_map(|text| Url::parse(text).ok())
        .collect()
}

async fn refused(client: &Client, url: &Url, policy: &Policy) {
    let outcome = get(client, url.as_str(), policy).await;
    match outcome {
        Err(error @ FetchError::Refused { .. }) => assert_eq!(error.retry(), Retry::Never),
        other => panic!("{url} was not refused: {other:?}"),
    }
}

#[tokio::test]
async fn no_spelling_of_an_address_makes_a_connection() {
    let trap = Trap::set();
    let trap_v6 = Trap::at(&format!("[::1]:{}", trap.port()));
    let client = builder().build().unwrap();
    let mut tried = 0;
    for host in HOSTS.iter().chain(&ELSEWHERE) {
        for url in every_url(host, trap.port()) {
            refused(&client, &url, &Policy::federation()).await;
            refused(&client, &url, &Policy::webhook()).await;
            refused(&client, &url, &Policy::plugin()).await;
            tried += 1;
        }
    }
    assert!(tried > 140, "only {tried} spellings parsed");
    assert_eq!(trap.connections(), 0);
    assert_eq!(trap_v6.map_or(0, |trap| trap.connections()), 0);
}

#[test]
fn a_policy_may_take_public_addresses_and_no_others() {
    let policy = Policy::plugin().taking_literal_addresses();
    let check = |host: &str| {
        let url = url(&format!("https://{host}/"));
        outbound::guard::check_url(&url, &policy)
    };
    for host in ["8.8.8.8", "134744072", "[2606:4700::1111]"] {
        assert_eq!(check(host), Ok(()), "{host}");
    }
    for host in HOSTS {
        let text = format!("https://{host}/");
        let Ok(url) = Url::parse(&text) else { continue };
        assert!(outbound::guard::check_url(&url, &policy).is_err(), "{host}");
    }
    for host in [
        "10.0.0.1",
        "169.254.169.254",
        "[::ffff:10.0.0.1]",
        "[fd00::1]",
    ] {
        assert!(
            matches!(check(host), Err(RefusalReason::Address(_))),
            "{host}"
        );
    }
}

#[tokio::test]
async fn the_same_spellings_do_connect_past_a_deny_all_resolver_when_the_guard_is_opened() {
    // The control for the test above: the trap works, and the resolver alone would not help.
    let trap = Trap::set();
    let client = builder()
        .resolver(Nowhere)
        .danger_allow_internal_addresses()
        .deadline(std::time::Duration::from_millis(200))
        .build()
        .unwrap();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.1",
        "127.1",
        "[::ffff:127.0.0.1]",
        "１２７.０.０.１",
    ] {
        let text = format!("http://{host}:{}/", trap.port());
        let outcome = get(&client, &text, &Policy::webhook()).await;
        assert!(
            matches!(outcome, Err(FetchError::DeadlinePassed { .. })),
            "{host}: {outcome:?}"
        );
        assert_eq!(trap.connections(), 1, "{host}");
    }
}

#[tokio::test]
async fn the_opened_guard_still_refuses_the_unspecified_address() {
    let trap = Trap::set();
    let client = builder().danger_allow_internal_addresses().build().unwrap();
    for host in ["0", "0.0.0.0", "0x0", "[::]", "[::ffff:0.0.0.0]"] {
        let text = format!("http://{host}:{}/", trap.port());
        refused(&client, &url(&text), &Policy::webhook()).await;
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn local_names_and_userinfo_make_no_connection() {
    let trap = Trap::set();
    let client = builder().build().unwrap();
    let port = trap.port();
    for host in [
        "intranet",
        "nas.local",
        "metadata.google.internal",
        "x.onion",
        "router.home.arpa",
        "a.lan",
        "peer.example.",
        "user@peer.example",
        "user:pw@peer.example",
        "peer.example@127.0.0.1",
        "1.0.0.127.in-addr.arpa",
    ] {
        refused(
            &client,
            &url(&format!("https://{host}:{port}/")),
            &Policy::federation(),
        )
        .await;
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn privileged_ports_other_than_443_are_refused_for_federation() {
    let client = builder().build().unwrap();
    for port in [22u16, 25, 80, 445, 1023] {
        let outcome = get(
            &client,
            &format!("https://peer.example:{port}/"),
            &Policy::federation(),
        )
        .await;
        assert!(
            matches!(outcome, Err(FetchError::Refused { reason: RefusalReason::Port(named), .. }) if named == port),
            "{port}: {outcome:?}"
        );
    }
}
