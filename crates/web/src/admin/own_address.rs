//! Whether the server can be reached at the address the operator has set.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use model::settings::table::SERVER_URL;
use serde::Serialize;
use utoipa::ToSchema;

use crate::public::NO_CACHE;
use crate::state::{AddressAnswer, App};

/// What was found at the server's public address.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AddressCheck)]
pub(crate) struct AddressCheck {
    /// `reached`, `another` (something else answered), `silent` (nothing did), `unasked` (a private address, which the
    /// server does not ask) or `unset`.
    outcome: &'static str,
    /// Why nothing answered, in English; empty otherwise.
    reason: String,
}

/// `POST /api/admin/address/check`
pub(crate) async fn check_address(State(app): State<App>) -> Response {
    let address = app.settings.now().text(&SERVER_URL).to_owned();
    let found = match address.as_str() {
        "" => None,
        address => Some(app.facts.own_address.ask(address).await),
    };
    let (outcome, reason) = match found {
        None => ("unset", String::new()),
        Some(AddressAnswer::Reached) => ("reached", String::new()),
        Some(AddressAnswer::Another) => ("another", String::new()),
        Some(AddressAnswer::Silent(reason)) => ("silent", reason),
        Some(AddressAnswer::Unasked) => ("unasked", String::new()),
    };
    (NO_CACHE, Json(AddressCheck { outcome, reason })).into_response()
}
