//! `GET /api/admin/prometheus`: our own metrics, and the gauges that existing dashboards expect.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use model::product;
use model::settings::table::SERVER_URL;
use url::Url;

use crate::problem::Problem;
use crate::state::App;

pub(crate) async fn prometheus(State(app): State<App>) -> Result<Response, Problem> {
    let mut text = (app.facts.metrics)();
    text.push_str(&known_gauges(&app).await?);
    let headers = [(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    )];
    Ok((headers, text).into_response())
}

/// Computed on request, so that they exist from the start and are never stale.
async fn known_gauges(app: &App) -> Result<String, Problem> {
    let counts = app.store.chat_counts().await?;
    let clients = app.chat.room.connections().await.len();
    let clients = clients + app.chat_clients_elsewhere() as usize;
    let cpu = app.readings.hardware();
    let cpu = cpu.last().map_or(0.0, |sample| sample.value.cpu);
    let errors = app.readings.health(None, app.clock.uptime()).errors;
    let viewers = app.live.status.borrow().viewers;
    let host = Url::parse(app.settings.now().text(&SERVER_URL));
    let host = host.ok().and_then(|url| url.host_str().map(str::to_owned));
    let labels = labels(&host.unwrap_or_else(|| "unknown".into()));
    let gauges = [
        (
            "owncast_instance_active_viewer_count",
            "Viewers right now.",
            f64::from(viewers),
        ),
        (
            "owncast_instance_active_chat_client_count",
            "Chat connections.",
            clients as f64,
        ),
        (
            "owncast_instance_total_chat_users",
            "Chat users.",
            counts.users as f64,
        ),
        (
            "owncast_instance_current_chat_message_count",
            "Visible chat messages.",
            counts.visible_lines as f64,
        ),
        (
            "owncast_instance_playback_error_count",
            "Errors that players report.",
            errors as f64,
        ),
        ("owncast_instance_cpu_usage", "CPU usage in percent.", cpu),
        (
            "total_chat_message_count",
            "Stored chat messages.",
            counts.lines as f64,
        ),
    ];
    let lines = gauges.map(|(name, help, value)| {
        format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name}{labels} {value}\n")
    });
    Ok(lines.concat())
}

fn labels(host: &str) -> String {
    // The host of a parsed URL contains no quotes.
    format!("{{version=\"{}\",host=\"{host}\"}}", product::VERSION)
}
