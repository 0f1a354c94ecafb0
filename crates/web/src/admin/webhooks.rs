//! Webhooks, for the operator.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use jiff::Timestamp;
use model::Secret;
use notify::{WebhookError, WebhookInput, WebhookStatus};
use serde::{Deserialize, Serialize};
use store::{Webhook, WebhookChange, WebhookDelivery, WebhookDeliveryState};
use utoipa::{IntoParams, ToSchema};

use crate::openapi::words;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// Deliveries shown unless asked otherwise.
const USUAL_DELIVERIES: u32 = 50;
/// Deliveries shown at most; a larger wish is cut.
const MAX_DELIVERIES: u32 = 500;

impl From<WebhookError> for Problem {
    fn from(error: WebhookError) -> Self {
        let text = error.to_string();
        let sentence = match error {
            WebhookError::Store(error) => return error.into(),
            // Only programs can ask for these.
            WebhookError::UnknownEvent(_) | WebhookError::NoSample(_) => None,
            WebhookError::Address(reason) => Some(sentences::WEBHOOK_ADDRESS.with([reason.into()])),
            WebhookError::NoUrl => Some(sentences::WEBHOOK_NO_URL.plain()),
            WebhookError::NoEvents => Some(sentences::WEBHOOK_NO_EVENTS.plain()),
            WebhookError::Secret => Some(sentences::WEBHOOK_SECRET.plain()),
            WebhookError::TooMany => Some(sentences::WEBHOOKS_FULL.plain()),
            WebhookError::Unknown => Some(sentences::WEBHOOK_UNKNOWN.plain()),
            WebhookError::UnknownDelivery => Some(sentences::DELIVERY_UNKNOWN.plain()),
            WebhookError::Arrived => Some(sentences::DELIVERED.plain()),
            WebhookError::Dropped => Some(sentences::DELIVERY_DROPPED.plain()),
            WebhookError::Disabled => Some(sentences::WEBHOOK_OFF.plain()),
        };
        Problem::BadRequest(text).worded_if(sentence)
    }
}

/// A webhook as the operator sees it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
pub(crate) struct WireWebhook {
    id: i64,
    url: String,
    #[schema(schema_with = words::events)]
    events: Vec<String>,
    timestamp: Timestamp,
    /// `null` until something was sent.
    #[schema(required = true)]
    last_used: Option<Timestamp>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    failing_since: Option<Timestamp>,
    waiting: i64,
    #[serde(skip_serializing_if = "is_zero")]
    dropped: i64,
    allow_internal: bool,
    /// Only in the answer to its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    secret: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl From<Webhook> for WireWebhook {
    fn from(webhook: Webhook) -> Self {
        let WebhookStatus { state, warning } = WebhookStatus::of(&webhook);
        Self {
            id: webhook.id,
            url: webhook.url,
            events: webhook.events,
            timestamp: webhook.created_at,
            last_used: webhook.last_used_at,
            state: state.as_str(),
            warning,
            failing_since: webhook.failing_since,
            waiting: webhook.waiting,
            dropped: webhook.dropped,
            allow_internal: webhook.allows_internal,
            secret: None,
        }
    }
}

/// A webhook to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookWish)]
pub(crate) struct CreateWebhookRequest {
    #[schema(value_type = String)]
    url: Option<String>,
    #[schema(schema_with = words::events, required = true)]
    events: Option<Vec<String>>,
    /// What calls are signed with; the server makes one when it is absent.
    #[schema(value_type = Option<String>)]
    secret: Option<Secret>,
    #[serde(default)]
    allow_internal: bool,
}

/// `POST /api/admin/webhooks/create`
pub(crate) async fn create(
    State(app): State<App>,
    ApiJson(body): ApiJson<CreateWebhookRequest>,
) -> Result<Response, Problem> {
    let input = WebhookInput {
        url: body.url.ok_or_else(|| missing("url"))?,
        events: body.events.ok_or_else(|| missing("events"))?,
        secret: body.secret,
        allows_internal: body.allow_internal,
    };
    let created = app.webhooks.create(input).await?;
    let webhook = WireWebhook {
        secret: Some(created.secret.expose().to_owned()),
        ..created.webhook.into()
    };
    Ok((NO_CACHE, Json(webhook)).into_response())
}

/// `GET /api/admin/webhooks`
pub(crate) async fn list(State(app): State<App>) -> Result<Response, Problem> {
    let webhooks = app.webhooks.list().await?;
    let webhooks: Vec<WireWebhook> = webhooks.into_iter().map(WireWebhook::from).collect();
    Ok((NO_CACHE, Json(webhooks)).into_response())
}

/// A webhook to be changed; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookChange)]
pub(crate) struct UpdateWebhookRequest {
    #[schema(value_type = i64)]
    id: Option<i64>,
    url: Option<String>,
    #[schema(schema_with = words::events)]
    events: Option<Vec<String>>,
    allow_internal: Option<bool>,
    enabled: Option<bool>,
}

/// `POST /api/admin/webhooks/update`
pub(crate) async fn update(
    State(app): State<App>,
    ApiJson(body): ApiJson<UpdateWebhookRequest>,
) -> Result<Response, Problem> {
    let id = body.id.ok_or_else(|| missing("id"))?;
    let change = WebhookChange {
        url: body.url,
        events: body.events,
        allows_internal: body.allow_internal,
        is_enabled: body.enabled,
    };
    let webhook = app.webhooks.update(id, change).await?;
    Ok((NO_CACHE, Json(WireWebhook::from(webhook))).into_response())
}

/// Something by its number.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ById)]
pub(crate) struct ById {
    #[schema(value_type = i64)]
    id: Option<i64>,
}

impl ById {
    fn number(&self) -> Result<i64, Problem> {
        self.id.ok_or_else(|| missing("id"))
    }
}

/// `POST /api/admin/webhooks/delete`
pub(crate) async fn delete(
    State(app): State<App>,
    ApiJson(body): ApiJson<ById>,
) -> Result<Response, Problem> {
    app.webhooks.delete(body.number()?).await?;
    Ok(done("deleted webhook"))
}

/// A webhook to be tried.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = WebhookTrial)]
pub(crate) struct WebhookTestRequest {
    #[schema(value_type = i64)]
    id: Option<i64>,
    event: Option<String>,
}

/// A test that is on its way.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookTrialSent)]
pub(crate) struct WebhookTestResponse {
    success: bool,
    message: &'static str,
    delivery_id: i64,
}

/// `POST /api/admin/webhooks/test`
pub(crate) async fn test(
    State(app): State<App>,
    ApiJson(body): ApiJson<WebhookTestRequest>,
) -> Result<Json<WebhookTestResponse>, Problem> {
    let id = body.id.ok_or_else(|| missing("id"))?;
    let event = body.event.as_deref().filter(|name| !name.is_empty());
    let delivery_id = app.webhooks.send_test(id, event).await?;
    Ok(Json(WebhookTestResponse {
        success: true,
        message: "the test is on its way; see the deliveries for the result",
        delivery_id,
    }))
}

/// A delivery as the operator sees it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDelivery)]
pub(crate) struct WireDelivery {
    id: i64,
    delivery_key: String,
    webhook_id: i64,
    #[serde(rename = "type")]
    kind: String,
    state: &'static str,
    attempts: i64,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_attempt_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_attempt_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    duration_ms: Option<i64>,
    is_test: bool,
}

impl From<WebhookDelivery> for WireDelivery {
    fn from(delivery: WebhookDelivery) -> Self {
        let is_waiting = delivery.state == WebhookDeliveryState::Waiting;
        Self {
            id: delivery.id,
            delivery_key: delivery.key,
            webhook_id: delivery.webhook_id,
            kind: delivery.kind,
            state: delivery.state.as_str(),
            attempts: delivery.attempts,
            created_at: delivery.created_at,
            next_attempt_at: is_waiting.then_some(delivery.next_at),
            last_attempt_at: delivery.last_at,
            status: delivery.status,
            response: delivery.response,
            error: delivery.error,
            duration_ms: delivery.duration_ms,
            is_test: delivery.is_test,
        }
    }
}

/// Which deliveries are asked for; an empty value counts as none.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookDeliveriesQuery {
    webhook_id: Option<String>,
    limit: Option<String>,
}

/// `GET /api/admin/webhooks/deliveries`
pub(crate) async fn deliveries(
    State(app): State<App>,
    query: Result<Query<WebhookDeliveriesQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(which) = query.map_err(|_| bad_query("the query"))?;
    let webhook = number(which.webhook_id.as_deref(), "webhookId")?;
    let limit = number(which.limit.as_deref(), "limit")?.unwrap_or(USUAL_DELIVERIES);
    let limit = limit.min(MAX_DELIVERIES);
    let found = app.webhooks.deliveries(webhook, limit).await?;
    let found: Vec<WireDelivery> = found.into_iter().map(WireDelivery::from).collect();
    Ok((NO_CACHE, Json(found)).into_response())
}

/// `POST /api/admin/webhooks/deliveries/retry`
pub(crate) async fn retry(
    State(app): State<App>,
    ApiJson(body): ApiJson<ById>,
) -> Result<Response, Problem> {
    app.webhooks.retry(body.number()?).await?;
    Ok(done("it is being sent again"))
}

fn number<N: std::str::FromStr>(text: Option<&str>, name: &str) -> Result<Option<N>, Problem> {
    let given = text.filter(|text| !text.is_empty());
    given
        .map(|text| text.parse().map_err(|_| bad_query(&format!("\"{name}\""))))
        .transpose()
}

fn bad_query(what: &str) -> Problem {
    Problem::BadRequest(format!("{what} must be a number"))
}

fn missing(name: &str) -> Problem {
    Problem::BadRequest(format!("the body has no \"{name}\""))
}
