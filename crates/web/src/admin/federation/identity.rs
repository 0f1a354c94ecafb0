//! The key the stream's account signs with.

use axum::extract::State;
use axum::response::Response;

use crate::app::App;
use crate::problem::{Problem, done};

/// `POST /api/admin/federation/rotate-key`
pub(crate) async fn rotate_key(State(app): State<App>) -> Result<Response, Problem> {
    app.federation.rotate_key().await?;
    Ok(done("the account has a new key"))
}
