//! How others find the account: WebFinger, host-meta, NodeInfo and the instance's description.

use ::federation::document::webfinger::WebFingerError;
use ::federation::document::{
    host_meta as xrd, instance as description, nodeinfo as node, webfinger as finger,
};
use ::federation::profile::ActorProfile;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::Value;
use url::form_urlencoded;
use utoipa::ToSchema;

use super::answer::{CacheLifetime, absent, found, uncached};
use super::documents::profile;
use crate::problem::Problem;
use crate::state::App;

const JSON: &str = "application/json";
/// `rel` parameters that are looked at; there are four links to choose from.
const MAX_KINDS: usize = 8;

/// `GET /.well-known/webfinger`
pub(crate) async fn webfinger(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let Some(profile) = profile(&app).await? else {
        return Ok(uncached(StatusCode::NOT_FOUND));
    };
    let query = query.unwrap_or_default();
    let (mut resource, mut kinds) = (None, Vec::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "resource" => resource = resource.or(Some(value.into_owned())),
            "rel" if kinds.len() < MAX_KINDS => kinds.push(value.into_owned()),
            _ => (),
        }
    }
    let status = match finger::check(&profile, resource.as_deref()) {
        Ok(names) => {
            let body = finger::document(&profile, &names, &kinds).to_string();
            return Ok(found(finger::MEDIA_TYPE, CacheLifetime::Hour, body));
        }
        Err(WebFingerError::Malformed) => StatusCode::BAD_REQUEST,
        Err(WebFingerError::OtherHost) => StatusCode::NOT_IMPLEMENTED,
        Err(WebFingerError::UnknownUser) => StatusCode::NOT_FOUND,
    };
    Ok(uncached(status))
}

/// `GET /.well-known/host-meta`
pub(crate) async fn host_meta(State(app): State<App>) -> Result<Response, Problem> {
    let write = |profile: &ActorProfile| xrd::document(&profile.names);
    document(&app, xrd::MEDIA_TYPE, CacheLifetime::Day, write).await
}

/// `GET /.well-known/nodeinfo`
pub(crate) async fn nodeinfo_links(State(app): State<App>) -> Result<Response, Problem> {
    let write = |profile: &ActorProfile| node::discovery(&profile.names).to_string();
    document(&app, JSON, CacheLifetime::Hour, write).await
}

/// `GET /nodeinfo/2.0`
pub(crate) async fn nodeinfo(State(app): State<App>) -> Result<Response, Problem> {
    counted(&app, node::MEDIA_TYPE, node::document).await
}

/// `GET /.well-known/x-nodeinfo2`
pub(crate) async fn nodeinfo2(State(app): State<App>) -> Result<Response, Problem> {
    counted(&app, JSON, node::alternate).await
}

/// A server, as programs for microblogs want it described.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the description is made from it")]
pub(crate) struct InstanceDescription {
    /// The public address.
    uri: String,
    title: String,
    short_description: String,
    description: String,
    /// Product and version.
    version: String,
    /// The address of the logo.
    thumbnail: String,
    languages: Vec<String>,
    stats: InstanceStats,
    registrations: bool,
    approval_required: bool,
    invites_enabled: bool,
}

/// How much there is on a server.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the description is made from it")]
pub(crate) struct InstanceStats {
    user_count: u32,
    /// Public posts.
    status_count: u64,
    domain_count: u32,
}

/// `GET /api/v1/instance`
pub(crate) async fn instance(State(app): State<App>) -> Result<Response, Problem> {
    counted(&app, JSON, description::document).await
}

/// A document that says how many posts there are.
async fn counted(
    app: &App,
    media_type: &'static str,
    write: fn(&ActorProfile, u64) -> Value,
) -> Result<Response, Problem> {
    let posts = super::documents::count_posts(app).await?;
    let write = |profile: &ActorProfile| write(profile, posts).to_string();
    document(app, media_type, CacheLifetime::HalfAnHour, write).await
}

async fn document(
    app: &App,
    media_type: &'static str,
    lifetime: CacheLifetime,
    write: impl FnOnce(&ActorProfile) -> String,
) -> Result<Response, Problem> {
    Ok(match profile(app).await? {
        Some(profile) => found(media_type, lifetime, write(&profile)),
        // Without a public address the server cannot be addressed by others.
        None => absent(StatusCode::NOT_FOUND),
    })
}
