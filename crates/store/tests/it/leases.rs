//! Leases between stores on one database, as between two servers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use model::{Clock, Sleep, UserId};
use store::{Lease, LeaseName, LeaseRow, Leases, NewUser, Store, StoreError, UserKind};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{Home, at};

const NAME: LeaseName = LeaseName::Webhooks;

#[derive(Debug)]
struct RealClock(Instant);

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn uptime(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep_until(&self, _: Timestamp) -> Sleep<'_> {
        Box::pin(std::future::pending())
    }
}

fn user(number: u32) -> NewUser {
    NewUser {
        id: UserId::parse(format!("u{number}")).unwrap(),
        kind: UserKind::Standard,
        display_name: format!("user {number}"),
        display_color: 0,
    }
}

pub(crate) fn keeper(store: &Store, holder: &str, stop: &CancellationToken) -> Leases {
    let clock = Arc::new(RealClock(Instant::now()));
    let (leases, keeping) = Leases::keep(store.clone(), clock, holder.into(), stop.clone());
    tokio::spawn(keeping);
    leases
}

async fn row(store: &Store) -> Option<LeaseRow> {
    let rows = store.leases().await.unwrap();
    let found = rows.into_iter().find(|(name, _)| *name == NAME);
    found.map(|(_, row)| row)
}

pub(crate) async fn a_lease_is_taken_by_one_and_only_as_its_row_was_seen(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    assert_eq!(row(&one).await, None);
    let taken = one.take_lease(NAME, None, "one".into()).await.unwrap();
    assert_eq!(taken, Some(1));
    let late = two.take_lease(NAME, None, "two".into()).await.unwrap();
    assert_eq!(late, None);
    let seen = row(&two).await;
    let renewed = one.renew_leases(vec![(NAME, 1)], "one".into()).await;
    assert_eq!(renewed.unwrap(), [NAME]);
    let outrun = two.take_lease(NAME, seen, "two".into()).await.unwrap();
    assert_eq!(outrun, None, "it was renewed in between");
    let seen = row(&two).await;
    let taken = two.take_lease(NAME, seen, "two".into()).await.unwrap();
    assert_eq!(taken, Some(2));
    let renewed = one.renew_leases(vec![(NAME, 1)], "one".into()).await;
    assert!(renewed.unwrap().is_empty());
    // The old holder gives nothing away that is not its own any more.
    one.release_lease(NAME, 1, "one".into()).await.unwrap();
    assert_eq!(row(&one).await.unwrap().holder, "two");
    two.release_lease(NAME, 2, "two".into()).await.unwrap();
    let free = row(&one).await.unwrap();
    assert_eq!((free.holder.as_str(), free.fence), ("", 2));
}

pub(crate) async fn what_is_written_under_a_lost_lease_is_rolled_back(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    let stop = CancellationToken::new();
    let leases = keeper(&one, "one", &stop);
    let lease = leases.take(NAME).await;
    let under = one.under(&lease);
    under.add_user(user(1), at(0)).await.unwrap();
    // The holder may renew between the look and the step.
    while two
        .take_lease(NAME, row(&two).await, "two".into())
        .await
        .unwrap()
        .is_none()
    {}
    let refused = under.add_user(user(2), at(0)).await;
    assert!(
        matches!(refused, Err(StoreError::LeaseLost("webhooks"))),
        "{refused:?}"
    );
    let refused = one
        .write_under(&lease, |_| Box::pin(async { Ok(()) }))
        .await;
    assert!(refused.is_err_and(|error| error.is_lease_lost()));
    lease.lost().await;
    assert!(!lease.is_valid(Duration::ZERO));
    assert!(one.user(&user(1).id).await.unwrap().is_some());
    assert!(one.user(&user(2).id).await.unwrap().is_none());
    one.add_user(user(3), at(0)).await.unwrap();
    stop.cancel();
}

pub(crate) async fn one_server_alone_has_every_lease_and_no_row_of_it(home: Home) {
    let store = home.open().await;
    let lease = Leases::alone().take(NAME).await;
    assert!(lease.is_valid(Duration::MAX));
    assert_eq!((lease.name(), lease.fence()), (None, 0));
    store
        .under(&lease)
        .under(&Lease::always())
        .add_user(user(1), at(0))
        .await
        .unwrap();
    assert!(store.leases().await.unwrap().is_empty());
}

pub(crate) async fn a_lease_is_tried_for_once_and_only_as_its_row_was_seen(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    let stop = CancellationToken::new();
    let (first, second) = (keeper(&one, "one", &stop), keeper(&two, "two", &stop));
    let lease = first.take_as_seen(NAME, None).await.unwrap();
    assert_eq!((lease.fence(), lease.holder()), (1, "one"));
    assert!(second.take_as_seen(NAME, None).await.is_none());
    // Who has tried in vain does not wait for it.
    first.give_back(lease).await;
    let free = row(&two).await;
    assert_eq!(free.as_ref().unwrap().holder, "");
    let lease = first.take_as_seen(NAME, free.clone()).await.unwrap();
    assert_eq!(lease.fence(), 2);
    assert!(second.take_as_seen(NAME, free).await.is_none());
    // A row that is held can be taken, too: whoever does so knows that its holder is gone.
    let lease = loop {
        if let Some(lease) = second.take_as_seen(NAME, row(&two).await).await {
            break lease;
        }
    };
    assert_eq!((lease.fence(), lease.holder()), (3, "two"));
    let other = keeper(&two, "three", &stop).only(&[LeaseName::Plugins]);
    assert!(other.take_as_seen(NAME, row(&two).await).await.is_none());
    stop.cancel();
}

pub(crate) async fn a_server_that_stops_hands_its_work_over(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    let (stop_one, stop_two) = (CancellationToken::new(), CancellationToken::new());
    let (began, mut begins) = mpsc::channel(8);
    let work = |store: &Store, holder: &'static str, stop: &CancellationToken| {
        let (leases, stop) = (keeper(store, holder, stop), stop.clone());
        let began = began.clone();
        tokio::spawn(async move {
            let work = |lease: Lease, until: CancellationToken| {
                let began = began.clone();
                async move {
                    began.send((holder, lease.fence())).await.unwrap();
                    until.cancelled().await;
                }
            };
            leases.while_held(NAME, stop, work).await;
        })
    };
    let first = work(&one, "one", &stop_one);
    assert_eq!(begins.recv().await, Some(("one", 1)));
    let second = work(&two, "two", &stop_two);
    stop_one.cancel();
    first.await.unwrap();
    assert_eq!(begins.recv().await, Some(("two", 2)));
    stop_two.cancel();
    second.await.unwrap();
    assert_eq!(row(&one).await.unwrap().holder, "");
}

pub(crate) async fn work_that_broke_off_is_given_back(home: Home) {
    let store = home.open().await;
    let stop = CancellationToken::new();
    let leases = keeper(&store, "one", &stop);
    drop(leases.take(NAME).await);
    // It is found abandoned, and then taken anew.
    let again = leases.take(NAME).await;
    assert_eq!(again.fence(), 2);
    stop.cancel();
}

pub(crate) async fn work_that_a_server_is_not_for_is_never_taken(home: Home) {
    let store = home.open().await;
    let stop = CancellationToken::new();
    let leases = keeper(&store, "one", &stop).only(&[LeaseName::Ingest]);
    let worker = {
        let (leases, stop) = (leases.clone(), stop.clone());
        tokio::spawn(async move {
            let work = |lease: Lease, _: CancellationToken| async move {
                assert!(lease.is_always(), "this is for others");
            };
            leases.while_held(NAME, stop, work).await;
        })
    };
    // What it is for it gets, and its keeper hears of nothing else.
    let lease = leases.take(LeaseName::Ingest).await;
    assert_eq!(row(&store).await, None);
    drop(lease);
    stop.cancel();
    worker.await.unwrap();
    assert_eq!(row(&store).await, None);
}
