//! Announces in the chat what people in the Fediverse did: follows, likes and boosts.

use std::sync::Arc;
use std::time::Duration;

use chat::Room;
use model::Event;
use model::fediverse::RemoteActor;
use model::settings::table::chat::DISABLED;
use model::settings::table::federation::SHOW_ENGAGEMENT;
use store::{Card, Lease, LeaseName, MessageKind, Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::wiring::Components;

/// How far the log has been read for the chat.
const CURSOR: &str = "chat_engagement";
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// Lines within [`WINDOW`]; what happens beyond that is not told in the chat, where people would no longer hear each other.
/// Bots and webhooks hear of it all the same.
const MAX_LINES: u32 = 20;
/// See [`MAX_LINES`].
const WINDOW: Duration = Duration::from_secs(60);
/// The log is looked at this often even if nobody says that it has grown.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Where to begin, read before anybody can reach the server: all that happens from then on is announced. `None` if the
/// database fails, which is asked again later.
pub(crate) async fn place(components: &Components) -> Option<i64> {
    let place = stored_place(components).await;
    place
        .inspect_err(
            |error| tracing::warn!(%error, "cannot announce Fediverse activity in the chat"),
        )
        .ok()
}

/// Runs until the server stops, while it is the one that does this.
pub(crate) async fn tell(
    components: Arc<Components>,
    chat: Room,
    seq: Option<i64>,
    stop: CancellationToken,
) {
    let work = |lease: Lease, until| {
        // Among several servers others have announced things since then.
        let seq = seq.filter(|_| lease.is_always());
        follow(Arc::clone(&components), chat.clone(), seq, lease, until)
    };
    let leases = &components.leases;
    leases.while_held(LeaseName::Engagement, stop, work).await;
}

async fn follow(
    components: Arc<Components>,
    chat: Room,
    mut seq: Option<i64>,
    lease: Lease,
    stop: CancellationToken,
) {
    let store = components.store.under(&lease);
    let mut wakeups = components.store.event_wakeups();
    let mut limit = EngagementLimit::default();
    while !stop.is_cancelled() {
        wakeups.mark_unchanged();
        let pause = match read_on(&components, &store, &chat, &mut seq, &mut limit).await {
            Ok(()) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "cannot announce Fediverse activity in the chat");
                DATABASE_PAUSE
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = wakeups.changed(), if pause == LOOK_EVERY => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// How much was announced lately.
#[derive(Debug, Default)]
struct EngagementLimit {
    since: Duration,
    lines: u32,
}

impl EngagementLimit {
    /// Counts a line and says whether it is allowed.
    fn admits(&mut self, now: Duration) -> bool {
        if now >= self.since + WINDOW {
            *self = Self {
                since: now,
                lines: 0,
            };
        }
        let is_admitted = self.lines < MAX_LINES;
        self.lines += u32::from(is_admitted);
        is_admitted
    }
}

/// On the first run, nothing that happened before is announced.
async fn stored_place(components: &Components) -> Result<i64, StoreError> {
    match components.store.cursor(CURSOR).await? {
        Some(seq) => Ok(seq),
        None => Ok(components.store.event_bounds().await?.1),
    }
}

async fn read_on(
    components: &Components,
    store: &Store,
    chat: &Room,
    place: &mut Option<i64>,
    limit: &mut EngagementLimit,
) -> Result<(), StoreError> {
    let mut seq = match *place {
        Some(seq) => seq,
        None => stored_place(components).await?,
    };
    loop {
        *place = Some(seq);
        let facts = components.store.events_after(seq).await?;
        let Some(last) = facts.last().map(|fact| fact.seq) else {
            return Ok(());
        };
        for fact in &facts {
            let Some((kind, actor, words)) = describe(&fact.event) else {
                continue;
            };
            // Stored before the line is said: after a crash in between it is never announced, which is better than
            // twice.
            store
                .advance_cursor(CURSOR, fact.seq, components.clock.now())
                .await?;
            *place = Some(fact.seq);
            let settings = components.settings.now();
            let is_wanted = *settings.get(&SHOW_ENGAGEMENT) && !*settings.get(&DISABLED);
            if is_wanted && limit.admits(components.clock.uptime()) {
                let line = format!("{} {words}", spoken(actor));
                chat.say_engagement(kind, line, card(actor)).await?;
            }
        }
        seq = last;
    }
}

/// The chat line for an event. Somebody who still waits for the operator's approval is not a follower yet.
fn describe(event: &Event) -> Option<(MessageKind, &RemoteActor, &'static str)> {
    let told = match event {
        Event::FediverseFollowed {
            actor,
            is_pending: false,
        } => (MessageKind::Follow, actor, "followed this stream."),
        Event::FediverseLiked {
            actor,
            is_live_notification,
            ..
        } => {
            let words = match is_live_notification {
                true => "liked that this stream went live.",
                false => "liked a post of this stream.",
            };
            (MessageKind::Like, actor, words)
        }
        Event::FediverseReposted {
            actor,
            is_live_notification,
            ..
        } => {
            let words = match is_live_notification {
                true => "told their followers that this stream went live.",
                false => "shared a post of this stream.",
            };
            (MessageKind::Repost, actor, words)
        }
        _ => return None,
    };
    Some(told)
}

/// Escapes a name: the line is rendered as the operator's Markdown, which may do everything.
fn spoken(actor: &RemoteActor) -> String {
    let is_address = actor.name.contains("://") || actor.name.contains("www.");
    let name = match is_address || actor.name.is_empty() {
        true => &actor.handle,
        false => &actor.name,
    };
    let mut spoken = String::with_capacity(name.len());
    for sign in name.chars() {
        match sign {
            '<' => spoken.push_str("&lt;"),
            '>' => spoken.push_str("&gt;"),
            '&' => spoken.push_str("&amp;"),
            sign if sign.is_ascii_punctuation() => spoken.extend(['\\', sign]),
            sign => spoken.push(sign),
        }
    }
    spoken
}

fn card(actor: &RemoteActor) -> Card {
    Card {
        title: actor.handle.trim_start_matches('@').to_owned(),
        // The image is on a server of a stranger's choice, which would see the address of everybody in the chat.
        image: None,
        link: actor.iri.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn somebody(name: &str) -> RemoteActor {
        RemoteActor {
            iri: "https://a.example/users/alice".into(),
            name: name.into(),
            handle: "@alice@a.example".into(),
            url: None,
            image: None,
        }
    }

    #[test]
    fn a_name_cannot_become_markup() {
        let spoken = |name: &str| spoken(&somebody(name));
        assert_eq!(spoken("Alice *B*"), "Alice \\*B\\*");
        assert_eq!(spoken("<img src=x>"), "&lt;img src\\=x&gt;");
        assert_eq!(spoken("[a](https://b.example)"), "\\@alice\\@a\\.example");
        assert_eq!(spoken("`&#60;`"), "\\`&amp;\\#60\\;\\`");
    }

    #[test]
    fn a_crowd_from_elsewhere_does_not_drown_the_chat() {
        let mut limit = EngagementLimit::default();
        let now = Duration::from_secs(1000);
        let told = (0..500).filter(|_| limit.admits(now)).count();
        assert_eq!(told, 20);
        assert!(!limit.admits(now + WINDOW - Duration::from_secs(1)));
        assert!(limit.admits(now + WINDOW));
    }

    #[test]
    fn who_waits_for_consent_is_not_announced() {
        let followed = |is_pending| Event::FediverseFollowed {
            actor: somebody("Alice"),
            is_pending,
        };
        assert!(describe(&followed(true)).is_none());
        assert!(describe(&followed(false)).is_some());
        assert!(describe(&Event::SetupCompleted).is_none());
    }
}
