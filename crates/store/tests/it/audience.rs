use std::time::Duration;

use model::MessageId;
use store::{
    AudienceSample, AudienceStep, MAX_INCIDENTS, MAX_REFERRERS, MINUTES_KEPT, MessageKind,
    NewMessage, OTHER_REFERRERS, SampledStream, StreamIncident, StreamReferrer,
};

use crate::chat::{line, person, post};
use crate::support::{Home, at};

/// A minute with so many viewers, at a full minute.
fn minute(number: i64, viewers: u32) -> AudienceSample {
    AudienceSample {
        // 1,700,000,040 is a full minute.
        began_at: at(40 + number * 60),
        measured_ms: 60_000,
        viewer_ms: i64::from(viewers) * 60_000,
        peak_viewers: viewers + 1,
        chat_client_ms: 120_000,
        peak_chat_clients: 3,
        messages: 5,
    }
}

pub(crate) async fn what_is_measured_is_told_in_every_step(home: Home) {
    let store = home.open().await;
    assert_eq!(store.audience_since().await.unwrap(), None);
    for number in 0..20 {
        let viewers = if number < 10 { 10 } else { 20 };
        let sample = minute(number, viewers);
        store.record_audience(sample, None).await.unwrap();
    }
    let (from, to) = (at(40), at(40 + 20 * 60));
    let minutes = store
        .audience(AudienceStep::Minute, from, to)
        .await
        .unwrap();
    assert_eq!(minutes.len(), 20);
    assert_eq!((minutes[0].at, minutes[0].viewers), (from, 10.0));
    assert_eq!(
        (minutes[19].peak_viewers, minutes[19].chat_clients),
        (21, 2.0)
    );
    let days = store.audience(AudienceStep::Day, from, to).await.unwrap();
    assert_eq!(days.len(), 1, "the period in which the time begins is told");
    assert_eq!(
        (days[0].viewers, days[0].peak_viewers, days[0].messages),
        (15.0, 21, 100)
    );
    // Half a minute is added to its minute instead of beginning another one.
    let half = AudienceSample {
        measured_ms: 30_000,
        viewer_ms: 40 * 30_000,
        ..minute(0, 0)
    };
    store.record_audience(half, None).await.unwrap();
    let first = store
        .audience(AudienceStep::Minute, from, from)
        .await
        .unwrap();
    assert_eq!((first.len(), first[0].viewers), (1, 20.0));
    assert_eq!(
        home.open().await.audience_since().await.unwrap(),
        Some(from)
    );
}

pub(crate) async fn fine_periods_go_and_coarse_ones_stay(home: Home) {
    let store = home.open().await;
    store.record_audience(minute(0, 7), None).await.unwrap();
    let early = at(40) + MINUTES_KEPT;
    assert_eq!(store.prune_audience(early).await.unwrap(), 0);
    let later = early + Duration::from_secs(3600);
    assert_eq!(store.prune_audience(later).await.unwrap(), 1);
    let told = async |step| store.audience(step, at(0), at(3600)).await.unwrap().len();
    assert_eq!(told(AudienceStep::Minute).await, 0);
    assert_eq!(told(AudienceStep::Quarter).await, 1);
    assert_eq!(told(AudienceStep::Hour).await, 1);
    let choose = |from, to| AudienceStep::choose(from, to, later);
    assert_eq!(choose(at(0), at(3600)), AudienceStep::Quarter);
    assert_eq!(
        choose(later - Duration::from_secs(3600), later),
        AudienceStep::Minute
    );
    let week = Duration::from_secs(7 * 24 * 3600);
    assert_eq!(choose(later - week, later), AudienceStep::Quarter);
    assert_eq!(choose(at(0), later), AudienceStep::Hour);
    assert_eq!(choose(later - week * 52, later), AudienceStep::Day);
}

pub(crate) async fn a_broadcast_is_known_as_a_whole(home: Home) {
    let store = home.open().await;
    let begun = store.begin_stream("a".into(), at(0), "First".into());
    begun.await.unwrap();
    let begun = store.begin_stream("b".into(), at(9), "Second".into());
    begun.await.unwrap();
    for (number, chatters) in [(0, 4), (1, 3)] {
        let id = "a".to_owned();
        let stream = Some(SampledStream { id, chatters });
        let sample = minute(number, 10 + 10 * u32::try_from(number).unwrap());
        store.record_audience(sample, stream).await.unwrap();
    }
    let totals = store.stream_totals("a").await.unwrap().unwrap();
    assert_eq!(totals.average_viewers, 15.0);
    assert_eq!(totals.watch_time, Duration::from_secs(30 * 60));
    assert_eq!((totals.messages, totals.chatters), (10, 4));
    assert_eq!(store.stream_totals("b").await.unwrap(), None);
    let listed = store.streams_with_totals(10).await.unwrap();
    let known: Vec<_> = listed
        .iter()
        .map(|(stream, totals)| (stream.id.as_str(), totals.is_some()))
        .collect();
    assert_eq!(known, [("b", false), ("a", true)]);
    let first = store.stream("a").await.unwrap().unwrap();
    assert_eq!(first.title, "First");
    assert_eq!(store.stream("c").await.unwrap(), None);
}

pub(crate) async fn a_broadcast_keeps_the_last_title_it_had(home: Home) {
    let store = home.open().await;
    let begun = store.begin_stream("a".into(), at(0), "Warming up".into());
    begun.await.unwrap();
    for (peak, title) in [(3, "Playing"), (2, "The last boss"), (1, "")] {
        let noted = store.note_stream("a".into(), peak, title.into());
        noted.await.unwrap();
    }
    store.end_stream("a".into(), at(9), 0).await.unwrap();
    let stream = store.stream("a").await.unwrap().unwrap();
    assert_eq!(
        (stream.title.as_str(), stream.peak_viewers),
        ("The last boss", 3)
    );
}

pub(crate) async fn incidents_of_a_broadcast_have_an_end(home: Home) {
    let store = home.open().await;
    let incident = |number: i64| StreamIncident {
        at: at(number),
        code: "publisher-lost".into(),
        message: "x".repeat(1000),
    };
    for number in 0..MAX_INCIDENTS {
        let noted = store.note_incident("a".into(), incident(number));
        assert!(noted.await.unwrap());
    }
    let noted = store.note_incident("a".into(), incident(1000));
    assert!(!noted.await.unwrap());
    let kept = store.incidents("a").await.unwrap();
    assert_eq!(kept.len() as i64, MAX_INCIDENTS);
    assert_eq!((kept[0].at, kept[0].message.len()), (at(0), 500));
    assert!(store.incidents("b").await.unwrap().is_empty());
}

pub(crate) async fn further_hosts_are_counted_together(home: Home) {
    let store = home.open().await;
    let visits = |from: i64, to: i64| {
        let hosts: Vec<StreamReferrer> = (from..to)
            .map(|number| StreamReferrer {
                host: format!("host-{number:03}.example"),
                visits: 2,
            })
            .collect();
        hosts
    };
    let noted = store.note_referrers("a".into(), visits(0, MAX_REFERRERS));
    noted.await.unwrap();
    // Ten known hosts once more, and fifteen new ones.
    let noted = store.note_referrers("a".into(), visits(MAX_REFERRERS - 10, MAX_REFERRERS + 15));
    noted.await.unwrap();
    let kept = store.referrers("a").await.unwrap();
    assert_eq!(kept.len() as i64, MAX_REFERRERS + 1);
    assert_eq!(
        (kept[0].host.as_str(), kept[0].visits),
        (OTHER_REFERRERS, 30)
    );
    assert_eq!(kept.iter().filter(|one| one.visits == 4).count(), 10);
}

pub(crate) async fn the_lines_of_a_time_are_read_in_pieces_without_held_ones(home: Home) {
    let store = home.open().await;
    for number in 0..6 {
        let message = NewMessage {
            id: MessageId::parse(format!("line-{number}")).unwrap(),
            kind: MessageKind::System,
            user_id: None,
            body: format!("<p>{number}</p>"),
            raw_body: format!("{number}"),
            reply: None,
            card: None,
            is_held: number == 2,
            at: at(i64::from(number)),
        };
        store.post_message(message, None, |_| ()).await.unwrap();
    }
    let mut texts = Vec::new();
    let mut after = 0;
    loop {
        let piece = store.messages_between(at(1), at(4), after, 2);
        let piece = piece.await.unwrap();
        let Some(last) = piece.last() else { break };
        after = last.seq;
        texts.extend(piece.into_iter().map(|message| message.text));
    }
    assert_eq!(texts, ["1", "3", "4"]);
}

pub(crate) async fn lines_and_their_authors_are_counted_without_held_ones(home: Home) {
    let store = home.open().await;
    let (ada, bea) = (person(&store, "ada").await, person(&store, "bea").await);
    let eve = person(&store, "eve").await;
    for message in [
        line(&ada, "one", 1),
        line(&ada, "two", 2),
        line(&bea, "three", 3),
        NewMessage {
            is_held: true,
            ..line(&eve, "held", 3)
        },
        line(&eve, "later", 9),
    ] {
        post(&store, message).await;
    }
    assert_eq!(store.count_lines(at(1), at(9)).await.unwrap(), 3);
    let mut authors = store.authors(at(1), at(9)).await.unwrap();
    authors.sort();
    assert_eq!(authors, ["ada", "bea"]);
    assert_eq!(store.authors(at(3), at(10)).await.unwrap().len(), 2);
}
