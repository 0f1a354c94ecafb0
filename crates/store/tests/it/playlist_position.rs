//! Where the playlists of a broadcast stand, as one server writes it and another one reads it.

use store::{LeaseName, PlaylistPosition};

use crate::support::{Home, at};

fn position(stream_id: &str, msn: u64) -> PlaylistPosition {
    PlaylistPosition {
        stream_id: stream_id.into(),
        msn,
        parts: 3,
        discontinuities: 7,
        end_us: 12_345_678,
        end_date: at(90),
        latency_level: 2,
    }
}

pub(crate) async fn where_a_broadcast_stands_is_known_to_the_next_server(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    assert_eq!(two.playlist_position("a".into()).await.unwrap(), None);
    for msn in [1_700_000_000, 1_700_000_001] {
        one.note_playlist_position(position("a", msn))
            .await
            .unwrap();
    }
    let known = two.playlist_position("a".into()).await.unwrap();
    assert_eq!(known, Some(position("a", 1_700_000_001)));
    one.note_playlist_position(position("b", 5)).await.unwrap();
    assert_eq!(two.playlist_position("a".into()).await.unwrap(), None);
    let known = two.playlist_position("b".into()).await.unwrap();
    assert_eq!(known, Some(position("b", 5)));
}

pub(crate) async fn a_server_that_lost_the_stream_does_not_say_where_it_stands(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    let stop = tokio_util::sync::CancellationToken::new();
    let leases = crate::leases::keeper(&one, "one", &stop);
    let lease = leases.take_as_seen(LeaseName::Ingest, None).await.unwrap();
    let under = one.under(&lease);
    under
        .note_playlist_position(position("a", 5))
        .await
        .unwrap();
    loop {
        let rows = two.leases().await.unwrap();
        let seen = rows
            .into_iter()
            .find(|(name, _)| *name == LeaseName::Ingest);
        let seen = seen.map(|(_, row)| row);
        // The holder may renew between the look and the step.
        let taken = two.take_lease(LeaseName::Ingest, seen, "two".into()).await;
        if taken.unwrap().is_some() {
            break;
        }
    }
    let late = under.note_playlist_position(position("a", 6)).await;
    assert!(late.is_err_and(|error| error.is_lease_lost()));
    let known = two.playlist_position("a".into()).await.unwrap();
    assert_eq!(known, Some(position("a", 5)));
    stop.cancel();
}
