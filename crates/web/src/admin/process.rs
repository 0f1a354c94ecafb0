//! The process itself, as existing admin tools ask for it.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::may_be_led;
use crate::problem::{Problem, done};
use crate::state::App;

/// What this server can do about its own version.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateOptions {
    supports_update: bool,
    can_restart: bool,
}

/// `GET /api/admin/update/options`
pub(crate) async fn update_options() -> Json<UpdateOptions> {
    Json(UpdateOptions {
        supports_update: false,
        can_restart: false,
    })
}

/// `GET /api/admin/update/start`: a server that fetches and runs programs by itself is one step from running anybody's.
pub(crate) async fn start_update() -> Problem {
    Problem::BadRequest(
        "this server does not update itself: install the new version the way you installed this one"
            .into(),
    )
}

/// `GET /api/admin/yp/reset`: no directory has given us a key, so there is none to forget.
pub(crate) async fn reset_directory() -> Response {
    done("there was nothing to reset")
}

/// `POST /api/admin/update/forcequit`: ends the process in good order; whatever watches over it may start it again.
pub(crate) async fn quit(State(app): State<App>) -> Response {
    tracing::warn!("the operator asked the process to end");
    // Requests under way, including this one, are answered before the process ends.
    app.facts.quit.cancel();
    done("the server is stopping")
}

/// `GET /api/admin/update/forcequit`: the same for existing scripts. A link somebody else made must not end the
/// process, so neither a session cookie nor a password that a browser has kept is enough here.
pub(crate) async fn quit_by_script(
    app: State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !headers.contains_key(header::AUTHORIZATION) || may_be_led(&headers) {
        return Err(Problem::BadRequest(
            "use POST, or HTTP Basic authentication from a script; from a browser it needs the header X-Rillcast-CSRF: 1"
                .into(),
        ));
    }
    Ok(quit(app).await)
}
