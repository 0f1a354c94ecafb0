//! What others read of the account: the actor, its collections, and everything it published.

use ::federation::document::activity::tombstone;
use ::federation::document::actor as person;
use ::federation::document::collection::{self, CollectionPart, Members};
use ::federation::negotiate::ResourceKind;
use ::federation::profile::ActorProfile;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, StatusCode, Uri, header};
use model::settings::table::federation::PRIVATE;
use serde::Deserialize;
use serde_json::Value;

use super::answer::{CacheLifetime, absent, document, page_instead};
use crate::problem::Problem;
use crate::state::App;

/// What a picture of a post carries: it never changes, and opened by itself it must not run anything.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const SANDBOX: &str = "sandbox; default-src 'none'";

/// The account; `None` while the server has no public address.
pub(super) async fn profile(app: &App) -> Result<Option<ActorProfile>, Problem> {
    let profile = app.federation.profile().await;
    profile.map_err(|error| {
        model::stranger_line!(error, "account", %error, "cannot show the Fediverse account");
        Problem::Internal
    })
}

/// The number of publicly visible posts; a private account has none.
pub(super) async fn count_posts(app: &App) -> Result<u64, Problem> {
    if *app.settings.now().get(&PRIVATE) {
        return Ok(0);
    }
    let posts = app.store.federation().count_posts().await?;
    Ok(u64::try_from(posts).unwrap_or_default())
}

/// `GET /federation/user/{username}`
pub(crate) async fn actor(
    State(app): State<App>,
    Path(username): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(page) = page_instead(&headers, ResourceKind::Actor) {
        return Ok(page);
    }
    let Some(profile) = known(&app, &username).await? else {
        return Ok(absent(StatusCode::NOT_FOUND));
    };
    let shown = match username == profile.names.username() {
        true => person::document(&profile),
        false => person::moved(&profile, &username),
    };
    Ok(document(
        StatusCode::OK,
        CacheLifetime::ThreeMinutes,
        &shown,
    ))
}

/// Which part of a collection is requested.
#[derive(Debug, Deserialize)]
pub(crate) struct CollectionQuery {
    page: Option<String>,
}

/// `GET /federation/user/{username}/outbox`
pub(crate) async fn outbox(
    State(app): State<App>,
    Path(username): Path<String>,
    Query(query): Query<CollectionQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(page) = page_instead(&headers, ResourceKind::Object) {
        return Ok(page);
    }
    let Some(profile) = known(&app, &username).await? else {
        return Ok(absent(StatusCode::NOT_FOUND));
    };
    let id = profile.names.under(&username).outbox();
    let shown = match CollectionPart::parse(query.page.as_deref()) {
        None => return Ok(absent(StatusCode::BAD_REQUEST)),
        Some(CollectionPart::Head) => {
            collection::head(&id, count_posts(&app).await?, Members::Listed)
        }
        Some(CollectionPart::Page(page)) if profile.is_private => {
            collection::posts_page(&id, page, 0, Vec::new())
        }
        Some(CollectionPart::Page(page)) => {
            let (posts, total) = app.store.federation().outbox_page(page).await?;
            let posts = posts
                .iter()
                .filter_map(|post| serde_json::from_str::<Value>(post).ok());
            collection::posts_page(
                &id,
                page,
                u64::try_from(total).unwrap_or_default(),
                posts.collect(),
            )
        }
    };
    Ok(document(StatusCode::OK, CacheLifetime::Minute, &shown))
}

/// `GET /federation/user/{username}/followers`
pub(crate) async fn followers(
    State(app): State<App>,
    Path(username): Path<String>,
    Query(query): Query<CollectionQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(page) = page_instead(&headers, ResourceKind::Object) {
        return Ok(page);
    }
    let Some(profile) = known(&app, &username).await? else {
        return Ok(absent(StatusCode::NOT_FOUND));
    };
    let id = profile.names.under(&username).followers();
    let part = CollectionPart::parse(query.page.as_deref());
    let page = match part {
        None => return Ok(absent(StatusCode::BAD_REQUEST)),
        Some(CollectionPart::Head) => 1,
        Some(CollectionPart::Page(page)) => page,
    };
    let (names, total) = app.store.federation().follower_iris_page(page).await?;
    let total = u64::try_from(total).unwrap_or_default();
    let shown = match part {
        // The number of followers is public; who they are is not.
        Some(CollectionPart::Page(page)) if profile.is_private => {
            collection::names_page(&id, page, total, &[])
        }
        _ if profile.is_private => collection::head(&id, total, Members::Hidden),
        Some(CollectionPart::Page(page)) => collection::names_page(&id, page, total, &names),
        _ => collection::head(&id, total, Members::Listed),
    };
    Ok(document(StatusCode::OK, CacheLifetime::Minute, &shown))
}

/// `GET /federation/user/{username}/following`: the account follows nobody, and there is no list.
pub(crate) async fn following() -> Response {
    absent(StatusCode::NOT_FOUND)
}

/// `GET /tags/{tag}`: the target of hashtags while the operator has configured no directory for them.
pub(crate) async fn hashtag() -> Redirect {
    Redirect::temporary("/")
}

/// `GET /federation/` and `GET /federation/user/`: browsers are redirected to the stream, others get 404.
pub(crate) async fn nothing(headers: HeaderMap) -> Response {
    page_instead(&headers, ResourceKind::Actor).unwrap_or_else(|| absent(StatusCode::NOT_FOUND))
}

/// `GET /federation/{id}`: any published object that is stored.
pub(crate) async fn object(
    State(app): State<App>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(page) = page_instead(&headers, ResourceKind::Object) {
        return Ok(page);
    }
    let Some(profile) = profile(&app).await?.filter(|profile| !profile.is_private) else {
        return Ok(absent(StatusCode::NOT_FOUND));
    };
    let iri = format!("{}{}", profile.names.base(), uri.path());
    let Some(stored) = app.store.federation().object(&iri).await? else {
        return Ok(absent(StatusCode::NOT_FOUND));
    };
    // A followers-only post stays one when the account becomes public.
    if !stored.is_public {
        return Ok(absent(StatusCode::NOT_FOUND));
    }
    if let Some(deleted) = stored.deleted_at {
        return Ok(document(
            StatusCode::GONE,
            CacheLifetime::ThreeMinutes,
            &tombstone(&iri, deleted),
        ));
    }
    let Ok(shown) = serde_json::from_str::<Value>(&stored.json) else {
        model::stranger_line!(error, "stored_object", iri, "a stored object is not JSON");
        return Err(Problem::Internal);
    };
    Ok(document(
        StatusCode::OK,
        CacheLifetime::ThreeMinutes,
        &shown,
    ))
}

/// `GET /federation/media/{name}`: the image of a post, whatever the `Accept` header says.
pub(crate) async fn media(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let Some(file) = app.store.federation().media(&name).await? else {
        return Ok(absent(StatusCode::NOT_FOUND));
    };
    let headers = [
        (header::CONTENT_TYPE, file.content_type.as_str()),
        (header::CACHE_CONTROL, IMMUTABLE),
        (header::CONTENT_SECURITY_POLICY, SANDBOX),
    ];
    Ok((headers, file.bytes).into_response())
}

/// The account, if this is its name or a former one.
async fn known(app: &App, username: &str) -> Result<Option<ActorProfile>, Problem> {
    let profile = profile(app).await?;
    Ok(profile.filter(|profile| profile.answers_to(username)))
}
