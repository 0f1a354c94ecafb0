//! The HTML pages: static shells with a nonce, boot data and a policy.

use std::sync::LazyLock;

use ::federation::names::Names;
use ::plugins::host::wire::User;
use axum::Extension;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Redirect, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use http_server::client::{ClientInfo, text};
use model::product;
use model::settings::Layers;
use model::settings::table::federation::ENABLED;
use model::settings::table::page::EXTERNAL_ACTIONS;
use model::settings::table::{NAME, SERVER_URL, STREAM_TITLE, SUMMARY};
use serde_json::{Value, json};

use crate::admin::AdminSession;
use crate::chat::viewer as viewer_of;
use crate::html::escaped;
use crate::plugins::contributing;
use crate::state::App;
use crate::{admin as operator, assets, preview, public, referrer};

static VIEWER: LazyLock<Option<String>> = LazyLock::new(|| assets::shell("index.html"));
static EMBED: LazyLock<Option<String>> = LazyLock::new(|| assets::shell("embed.html"));
static CHAT: LazyLock<Option<String>> = LazyLock::new(|| assets::shell("chat.html"));
static ADMIN: LazyLock<Option<String>> = LazyLock::new(|| assets::shell("admin.html"));

/// Which sites may frame a page.
enum Frames {
    Everybody,
    OwnOnly,
    Nobody,
}

/// Programs that play instead of browsing, by what they call themselves.
const PLAYERS: [&str; 4] = ["mpv", "player", "vlc", "applecoremedia"];

/// `/`
pub(crate) async fn viewer(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let agent = text(&headers, header::USER_AGENT).to_ascii_lowercase();
    if PLAYERS.iter().any(|player| agent.contains(player)) {
        return Redirect::temporary("/hls/stream.m3u8").into_response();
    }
    if preview::is_reader(&agent) {
        return preview::page(&app, &client);
    }
    referrer::count(&app, &client, &headers);
    let head = head(&app) + &public::custom_javascript_elements(&app);
    let framed = framed_sites(&app).await;
    let viewer = viewer_of(&app, &uri, &headers).await;
    let page = render(
        VIEWER.as_deref(),
        &boot(&app, viewer.as_ref()).await,
        &head,
        &Frames::OwnOnly,
    );
    allow_frames(page, &framed)
}

/// The sites that the viewer page may frame: those of the action buttons, including every site they redirect to.
async fn framed_sites(app: &App) -> String {
    let settings = app.settings.now();
    let actions = settings.get(&EXTERNAL_ACTIONS).iter();
    let framed = actions.filter(|action| !action.open_externally);
    let mut addresses: Vec<String> = framed.map(|action| action.url.clone()).collect();
    for plugin in contributing(app) {
        let added = plugin.runtime_actions().await;
        let actions = plugin.manifest().actions.iter().chain(&added);
        let framed = actions.filter(|action| action.open_externally != Some(true));
        addresses.extend(framed.filter_map(|action| action.url.clone()));
    }
    let mut sites = std::collections::BTreeSet::new();
    // Plugin pages are on this site and need no mention.
    for url in addresses.iter().filter_map(|url| url::Url::parse(url).ok()) {
        sites.insert("https:".to_owned());
        if url.scheme() == "http" {
            sites.insert(url.origin().ascii_serialization());
        }
    }
    sites.into_iter().collect::<Vec<_>>().join(" ")
}

fn allow_frames(mut page: Response, sites: &str) -> Response {
    let headers = page.headers_mut();
    let policy = headers.get(header::CONTENT_SECURITY_POLICY);
    let policy = policy.and_then(|policy| policy.to_str().ok());
    if let (Some(policy), false) = (policy, sites.is_empty())
        && let Ok(policy) = HeaderValue::from_str(&format!("{policy}; frame-src 'self' {sites}"))
    {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    page
}

/// `/embed/video`: the player alone, for other sites.
pub(crate) async fn embed(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
) -> Response {
    // Here this is the page the player is embedded in.
    referrer::count(&app, &client, &headers);
    render(
        EMBED.as_deref(),
        &boot(&app, None).await,
        &head(&app),
        &Frames::Everybody,
    )
}

/// `/embed/chat` → `/embed/chat/readonly`
pub(crate) async fn to_embedded_chat() -> Response {
    Redirect::temporary("/embed/chat/readonly").into_response()
}

/// `/embed/chat/readonly`: the chat without input, for overlays.
pub(crate) async fn chat_to_read(State(app): State<App>) -> Response {
    chat(&app, "readonly").await
}

/// `/embed/chat/readwrite`: the chat alone.
pub(crate) async fn chat_to_write(State(app): State<App>) -> Response {
    chat(&app, "readwrite").await
}

async fn chat(app: &App, kind: &str) -> Response {
    let mut boot = boot(app, None).await;
    boot["chat"] = json!(kind);
    render(CHAT.as_deref(), &boot, &head(app), &Frames::Everybody)
}

async fn boot(app: &App, viewer: Option<&User>) -> Value {
    let config = public::config_document(app, viewer).await;
    json!({ "config": config, "status": public::status_document(app) })
}

/// `/admin` → `/admin/`
pub(crate) async fn to_admin() -> Response {
    (
        StatusCode::MOVED_PERMANENTLY,
        [(header::LOCATION, "/admin/")],
        Redirect::permanent("/admin/").into_response().into_body(),
    )
        .into_response()
}

/// Everything below `/admin/`, for the operator.
pub(crate) async fn admin(State(app): State<App>) -> Response {
    admin_shell(&app, true)
}

/// The same page for everybody else; it asks for the password.
pub(crate) fn admin_for_strangers(app: &App) -> Response {
    admin_shell(app, false)
}

fn admin_shell(app: &App, authenticated: bool) -> Response {
    let session = AdminSession::new(app, authenticated);
    let boot = json!({ "session": session, "version": product::VERSION });
    let mut response = render(ADMIN.as_deref(), &boot, "", &Frames::Nobody);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Links to the admin style sheets, for server-rendered operator pages.
pub(crate) fn admin_styles() -> String {
    let lines = ADMIN.as_deref().unwrap_or_default().lines();
    lines
        .filter(|line| line.contains("rel=\"stylesheet\""))
        .collect()
}

/// Title, description and preview tags of the viewer page.
fn head(app: &App) -> String {
    let settings = app.settings.now();
    let name = escaped(settings.text(&NAME));
    let stream_title = escaped(settings.text(&STREAM_TITLE));
    let summary = escaped(settings.text(&SUMMARY));
    let base = escaped(settings.text(&SERVER_URL));
    let title = if stream_title.is_empty() {
        name.clone()
    } else {
        format!("{stream_title} · {name}")
    };
    let styles = public::custom_styles_version(app);
    let plugins = public::plugin_styles_element(app);
    // Without a public address the server cannot be addressed by others.
    let endpoint = match base.is_empty() {
        true => String::new(),
        false => format!(
            "<link rel=\"authorization_endpoint\" href=\"{}\">\n",
            operator::IDENTITY_ENDPOINT
        ),
    };
    let actor = actor_link(&settings);
    format!(
        "<title>{title}</title>\n\
         <meta name=\"description\" content=\"{summary}\">\n\
         <meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:site_name\" content=\"{name}\">\n\
         <meta property=\"og:description\" content=\"{summary}\">\n\
         <meta property=\"og:url\" content=\"{base}/\">\n\
         <meta property=\"og:image\" content=\"{base}/logo\">\n\
         {endpoint}{actor}{plugins}\
         <link rel=\"stylesheet\" href=\"/customstyles.css?v={styles}\">"
    )
}

/// Link to the stream's account, for Fediverse software that was given the page's address.
pub(crate) fn actor_link(settings: &Layers) -> String {
    let names = Names::of(settings).filter(|_| *settings.get(&ENABLED));
    names.map_or_else(String::new, |names| {
        format!(
            "<link rel=\"alternate\" type=\"application/activity+json\" href=\"{}\">\n",
            escaped(&names.actor())
        )
    })
}

fn render(shell: Option<&str>, boot: &Value, head: &str, frames: &Frames) -> Response {
    let Some(shell) = shell else {
        return not_built();
    };
    let nonce = nonce();
    // `<` is the only character that could end the script element early.
    let boot = boot.to_string().replace('<', "\\u003c");
    // Replace the nonce first: text from an operator must never receive it.
    let page = shell.replace("__NONCE__", &nonce);
    // Then the boot data: it contains no `<`, so it cannot contain the other placeholder.
    let page = page
        .replacen("__BOOT__", &boot, 1)
        .replacen("<!--__HEAD__-->", head, 1);
    let ancestors = match frames {
        Frames::Everybody => "*",
        Frames::OwnOnly => "'self'",
        Frames::Nobody => "'none'",
    };
    // Frames with plugin content on the viewer page have their own base URL.
    let base = match frames {
        Frames::OwnOnly => "'self'",
        Frames::Everybody | Frames::Nobody => "'none'",
    };
    let policy = format!(
        "default-src 'self'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data: https:; media-src 'self' blob:; connect-src 'self' ws: wss:; worker-src 'self' blob:; \
         object-src 'none'; base-uri {base}; form-action 'self'; frame-ancestors {ancestors}"
    );
    let mut response = Html(page).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

pub(crate) fn nonce() -> String {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes)
        .expect("the system's random generator does not fail once the process runs");
    STANDARD_NO_PAD.encode(bytes)
}

fn not_built() -> Response {
    let text = "This build of Rillcast has no pages: build it with `make build`.\n";
    (StatusCode::NOT_FOUND, text).into_response()
}
