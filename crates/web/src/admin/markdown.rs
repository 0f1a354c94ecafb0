//! Drafts of the operator's Markdown as they will look where they are shown.

use axum::Json;
use axum::extract::State;
use http_server::json::ApiJson;
use model::settings::table::federation::DIRECTORY_URL;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::html::from_markdown;
use crate::problem::Problem;
use crate::state::App;

/// A text that is being written.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct MarkdownDraft {
    /// In Markdown.
    text: String,
    /// Where it will be shown, which decides what markup is kept: `page`, `chat` or `post`.
    #[schema(pattern = "^(page|chat|post)$")]
    place: String,
}

/// The text as it will be shown.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RenderedDraft {
    /// Safe to show.
    html: String,
}

/// `POST /api/admin/markdown`
pub(crate) async fn render(
    State(app): State<App>,
    ApiJson(draft): ApiJson<MarkdownDraft>,
) -> Result<Json<RenderedDraft>, Problem> {
    let MarkdownDraft { text, place } = draft;
    let html = match place.as_str() {
        "page" => off_the_runtime(move || from_markdown(&text)).await,
        "chat" => app.chat.room.rendered_system_text(text).await,
        "post" => {
            let directory = app.settings.now().text(&DIRECTORY_URL).to_owned();
            let post = move || ::federation::document::markdown::render(&text, &directory).html;
            off_the_runtime(post).await
        }
        _ => {
            let why = "place must be page, chat or post";
            return Err(Problem::BadRequest(why.into()));
        }
    };
    Ok(Json(RenderedDraft { html }))
}

/// A long text takes tens of milliseconds.
async fn off_the_runtime(work: impl FnOnce() -> String + Send + 'static) -> String {
    tokio::task::spawn_blocking(work).await.unwrap_or_default()
}
