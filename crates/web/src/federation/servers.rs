//! The operator's featured servers, for everybody: as a list for the page, and as a playlist for players.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use model::settings::table::federation::ENABLED;
use serde::Serialize;
use store::federation::{FollowStatus, Server};
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Servers the operator features.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeaturedServers)]
pub(crate) struct Servers {
    servers: Vec<FeaturedServer>,
}

/// A featured server; its texts are its own, without markup.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeaturedServer {
    id: i64,
    /// Where it is, as the operator typed it.
    iri: String,
    /// The name of its account.
    name: String,
    display_name: String,
    summary: String,
    logo_url: String,
    is_online: bool,
    stream_title: String,
    stream_description: String,
    tags: Vec<String>,
    thumbnail_url: String,
}

impl From<Server> for FeaturedServer {
    fn from(server: Server) -> Self {
        Self {
            id: server.id,
            iri: server.iri,
            name: server.profile.username,
            display_name: server.profile.display_name,
            summary: server.profile.summary,
            logo_url: server.profile.logo_url.unwrap_or_default(),
            is_online: server.is_online,
            stream_title: server.stream_title,
            stream_description: server.stream_description,
            tags: server.stream_tags,
            thumbnail_url: server.thumbnail_url.unwrap_or_default(),
        }
    }
}

/// Those that agreed to be featured, in the operator's order.
async fn shown(app: &App) -> Result<Vec<Server>, Problem> {
    if !*app.settings.now().get(&ENABLED) {
        return Ok(Vec::new());
    }
    let mut servers = app.store.federation().servers().await?;
    servers.retain(|server| server.follow_status == FollowStatus::Accepted);
    Ok(servers)
}

/// `GET /api/federation/servers`
pub(crate) async fn servers(State(app): State<App>) -> Result<Response, Problem> {
    let shown = shown(&app).await?;
    let servers = shown.into_iter().map(FeaturedServer::from).collect();
    Ok((NO_CACHE, Json(Servers { servers })).into_response())
}

/// `GET /api/federation/servers.m3u`: those that are live, for players that read playlists.
pub(crate) async fn playlist(State(app): State<App>) -> Result<Response, Problem> {
    let text = playlist_of(&shown(&app).await?);
    let headers = [
        (header::CONTENT_TYPE, "audio/x-mpegurl; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, text).into_response())
}

fn playlist_of(servers: &[Server]) -> String {
    let mut text = String::from("#EXTM3U\n");
    for server in servers.iter().filter(|server| server.is_online) {
        let name = match server.profile.display_name.as_str() {
            "" => &server.iri,
            name => name,
        };
        let title = match server.stream_title.as_str() {
            "" => one_line(name),
            title => format!("{} - {}", one_line(name), one_line(title)),
        };
        let logo = server.profile.logo_url.as_deref().unwrap_or_default();
        let logo = one_line(logo).replace('"', "%22");
        // Servers of this kind all serve their stream there.
        let stream = format!("{}/hls/stream.m3u8", server.iri);
        text.push_str(&format!(
            "#EXTINF:-1 tvg-logo=\"{logo}\",{title}\n{stream}\n"
        ));
    }
    text
}

/// Texts of others must not begin a line of their own.
fn one_line(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use store::federation::ServerProfile;

    use super::*;

    fn server(display_name: &str, title: &str, is_online: bool) -> Server {
        Server {
            id: 1,
            iri: "https://studio.example".into(),
            is_unsolicited: false,
            actor_iri: "https://studio.example/federation/user/live".into(),
            inbox: None,
            follow_id: None,
            followed_as: None,
            profile: ServerProfile {
                display_name: display_name.into(),
                logo_url: Some("https://studio.example/\"><x".into()),
                ..ServerProfile::default()
            },
            follow_status: FollowStatus::Accepted,
            is_online,
            stream_title: title.into(),
            stream_description: String::new(),
            stream_tags: Vec::new(),
            thumbnail_url: None,
            moved_to: None,
            priority: 1,
            added_at: Timestamp::UNIX_EPOCH,
            followed_at: None,
            accepted_at: None,
            rejected_at: None,
            last_seen_online: None,
            last_status_update: None,
        }
    }

    #[test]
    fn a_playlist_has_those_that_are_live_and_no_line_of_their_own_making() {
        let hostile = "A\nhttps://evil.example/\r\n#EXT-X";
        let servers = [
            server("The studio", "", true),
            server("Over", "", false),
            server("", hostile, true),
        ];
        let text = playlist_of(&servers);
        let lines: Vec<&str> = text.lines().collect();
        let logo = "tvg-logo=\"https://studio.example/%22><x\"";
        assert_eq!(
            lines,
            [
                "#EXTM3U",
                &format!("#EXTINF:-1 {logo},The studio"),
                "https://studio.example/hls/stream.m3u8",
                &format!("#EXTINF:-1 {logo},https://studio.example - Ahttps://evil.example/#EXT-X"),
                "https://studio.example/hls/stream.m3u8",
            ]
        );
    }
}
