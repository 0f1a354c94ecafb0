//! Other servers say that they stream, or no longer do.

use store::federation::StreamNews as StoredNews;

use super::case::{Case, Handled, Stop, ignored};
use crate::wire::{StreamNews, authority, web_iri};

pub(super) async fn offer(case: &Case<'_>) -> Handled {
    let news = StreamNews::read(&case.activity.json, &case.namespaces());
    if news.is_live != Some(true) {
        return ignored("an offer that does not say that a stream is live");
    }
    let home = speaking_for(case).await?;
    let (actor, effects) = (case.actor.to_owned(), case.effects());
    let tables = &case.shared.tables;
    tables
        .note_offer(home, actor, as_stored(news), effects, case.now)
        .await?;
    Ok(())
}

pub(super) async fn leave(case: &Case<'_>) -> Handled {
    let home = speaking_for(case).await?;
    let tables = &case.shared.tables;
    tables.note_leave(home, case.effects(), case.now).await?;
    Ok(())
}

/// The server the sender may speak for: its own, unless the operator features another account there.
async fn speaking_for(case: &Case<'_>) -> Result<String, Stop> {
    let Some(home) = home_of(case.actor) else {
        return ignored("the sender has no server");
    };
    let known = case.shared.tables.server_by_iri(&home).await?;
    let is_another =
        known.is_some_and(|known| !known.is_unsolicited && known.actor_iri != case.actor);
    match is_another {
        true => ignored("another account speaks for that server"),
        false => Ok(home),
    }
}

/// `https://remote.example` of an actor there.
pub(super) fn home_of(actor: &str) -> Option<String> {
    let url = web_iri(actor)?;
    Some(format!("{}://{}", url.scheme(), authority(&url)))
}

pub(super) fn as_stored(news: StreamNews) -> StoredNews {
    StoredNews {
        title: news.title,
        description: news.description,
        server_name: news.server_name,
        logo_url: news.logo_url,
        thumbnail_url: news.thumbnail_url,
        tags: Some(news.tags).filter(|tags| !tags.is_empty()),
    }
}
