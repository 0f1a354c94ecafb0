//! The public list of followers.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use model::settings::table::federation::{ENABLED, PRIVATE};
use serde::{Deserialize, Serialize};
use store::federation::FollowerFilter;
use utoipa::{IntoParams, ToSchema};

use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Entries of a list unless asked otherwise.
const USUAL_LIMIT: u32 = 50;
/// Entries of a list at most; a larger wish is cut.
pub(crate) const MAX_LIMIT: u32 = 500;

/// Which part of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
pub(crate) struct PageQuery {
    /// How many to leave out at the beginning.
    #[param(value_type = Option<u32>, maximum = 2_147_483_647)]
    offset: Option<String>,
    /// How many there should be.
    #[param(value_type = Option<u32>, maximum = 2_147_483_647)]
    limit: Option<String>,
}

impl PageQuery {
    /// Where the part begins and how long it may be.
    pub(crate) fn read(part: Result<Query<Self>, QueryRejection>) -> Result<(u32, u32), Problem> {
        let Query(part) = part.map_err(|error| Problem::BadRequest(error.body_text()))?;
        let offset = number(part.offset, "offset")?.unwrap_or(0);
        let limit = number(part.limit, "limit")?.filter(|limit| *limit > 0);
        Ok((offset, limit.unwrap_or(USUAL_LIMIT).min(MAX_LIMIT)))
    }
}

fn number(text: Option<String>, name: &str) -> Result<Option<u32>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse::<u32>().ok();
    match number.filter(|number| i32::try_from(*number).is_ok()) {
        Some(number) => Ok(Some(number)),
        None => Err(Problem::BadRequest(format!(
            "\"{name}\" must be a number from 0 to {}",
            i32::MAX
        ))),
    }
}

/// Who follows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Followers {
    total: i64,
    results: Vec<Follower>,
}

impl Followers {
    pub(crate) fn new((found, total): (Vec<store::federation::Follower>, i64)) -> Self {
        Self {
            total,
            results: found.into_iter().map(Follower::from).collect(),
        }
    }
}

/// Somebody who follows.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Follower {
    /// The address of their account, which is how it is named elsewhere in this API.
    link: String,
    name: String,
    /// `alice@remote.example`
    username: String,
    image: String,
    /// When they asked to follow.
    timestamp: Timestamp,
    /// Blocked since.
    #[schema(required = true)]
    disabled_at: Option<Timestamp>,
}

impl From<store::federation::Follower> for Follower {
    fn from(follower: store::federation::Follower) -> Self {
        let profile = follower.profile;
        let username = profile.handle.trim_start_matches('@').to_owned();
        Self {
            link: follower.iri,
            name: profile.name,
            username,
            image: profile.image.unwrap_or_default(),
            timestamp: follower.created_at,
            disabled_at: follower.disabled_at,
        }
    }
}

/// `GET /api/followers`: in private mode, as everywhere else, only how many there are.
pub(crate) async fn followers(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let settings = app.settings.now();
    let (is_on, is_private) = (*settings.get(&ENABLED), *settings.get(&PRIVATE));
    let mut found = match is_on {
        true => {
            let tables = app.store.federation();
            let page = tables.followers_page(FollowerFilter::Accepted, offset, limit);
            Followers::new(page.await?)
        }
        false => Followers::new((Vec::new(), 0)),
    };
    if is_private {
        found.results.clear();
    }
    Ok((NO_CACHE, Json(found)).into_response())
}
