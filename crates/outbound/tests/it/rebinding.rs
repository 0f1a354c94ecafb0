//! A name that changes its answer: the checked address is the one dialled.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use outbound::guard::{Reach, reach};
use outbound::{Dialer, FetchError, Policy, RefusalReason, Retry};

use crate::support::{Peer, Reply, Scripted, Trap, builder, counter, get};

const TRIES: usize = 1_000;

/// Records every address that passed the guard and sends public ones to `127.0.0.2`.
#[derive(Clone, Default)]
struct Diverted {
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Dialer for Diverted {
    fn target(&self, checked: SocketAddr) -> SocketAddr {
        self.dialled.lock().unwrap().push(checked);
        match reach(checked.ip()) {
            Reach::Public => "127.0.0.2:0".parse().unwrap(),
            Reach::Internal | Reach::Never => checked,
        }
    }
}

/// A trap on `127.0.0.1` and a well-behaved peer on `127.0.0.2`, on the same port: the URL's port decides for both, so
/// only the address tells them apart.
fn trap_and_peer() -> (Trap, Peer) {
    for _ in 0..50 {
        let trap = Trap::set();
        let address = SocketAddr::from(([127, 0, 0, 2], trap.port()));
        let hello = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi".to_vec();
        if let Ok(peer) = Peer::start(address, None, move |_| Reply::Cut(hello.clone())) {
            return (trap, peer);
        }
    }
    panic!("no port was free on both addresses");
}

#[tokio::test]
async fn a_thousand_changing_answers_never_reach_a_forbidden_address() {
    let (trap, peer) = trap_and_peer();
    let asked = counter();
    let dialer = Diverted::default();
    let answers: [&[&str]; 8] = [
        &["8.8.8.8"],
        &["127.0.0.1"],
        &["2606:4700::1111", "127.0.0.1"],
        &["::1", "8.8.8.8"],
        &["::ffff:127.0.0.1", "127.0.0.1", "9.9.9.9"],
        &["::1", "127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1"],
        &["64:ff9b::8.8.8.8"],
        &["0.0.0.0", "169.254.169.254", "::"],
    ];
    let client = builder()
        .resolver(Scripted::new(&answers, asked))
        .dialer(dialer.clone())
        .build()
        .unwrap();
    let text = format!("http://rebind.example:{}/", trap.port());

    let (mut answered, mut refused) = (0, 0);
    for _ in 0..TRIES {
        match get(&client, &text, &Policy::plugin()).await {
            Ok(response) => {
                assert_eq!(&response.body[..], b"hi");
                answered += 1;
            }
            Err(
                error @ FetchError::Refused {
                    reason: RefusalReason::Address(_),
                    ..
                },
            ) => {
                assert_eq!(error.retry(), Retry::Never);
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    assert_eq!(trap.connections(), 0);
    assert_eq!((answered, refused), (TRIES * 5 / 8, TRIES * 3 / 8));
    assert_eq!(
        asked.load(Ordering::SeqCst),
        TRIES,
        "one look-up per connection"
    );
    assert!(peer.connections() >= answered);
    let dialled = dialer.dialled.lock().unwrap();
    assert!(
        dialled
            .iter()
            .all(|address| reach(address.ip()) == Reach::Public)
    );
}

#[tokio::test]
async fn the_trap_would_have_noticed() {
    // The control for the test above: with the guard open, the same answer lands in the trap.
    let (trap, _peer) = trap_and_peer();
    let client = builder()
        .resolver(Scripted::new(&[&["127.0.0.1"]], counter()))
        .dialer(Diverted::default())
        .danger_allow_internal_addresses()
        .deadline(Duration::from_millis(200))
        .build()
        .unwrap();
    let text = format!("http://rebind.example:{}/", trap.port());
    assert!(get(&client, &text, &Policy::plugin()).await.is_err());
    assert_eq!(trap.connections(), 1);
}

#[tokio::test]
async fn a_name_without_addresses_may_be_tried_later() {
    let client = builder()
        .resolver(Scripted::new(&[&[]], counter()))
        .build()
        .unwrap();
    let outcome = get(&client, "https://gone.example/", &Policy::federation()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::Unresolved { is_certain: true, .. }) if error.retry() == Retry::Backoff),
        "{outcome:?}"
    );
    let client = builder().build().unwrap();
    let outcome = get(&client, "https://gone.example/", &Policy::federation()).await;
    assert!(
        matches!(
            outcome,
            Err(FetchError::Unresolved {
                is_certain: false,
                ..
            })
        ),
        "a resolver that fails has said nothing about the name: {outcome:?}"
    );
}
