//! The HTML pages: static shells with a nonce, boot data and a policy.

use std::collections::BTreeSet;
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
use model::settings::table::SERVER_URL;
use model::settings::table::federation::ENABLED;
use model::settings::table::page::EXTERNAL_ACTIONS;
use serde_json::{Value, json};

use crate::admin::AdminSession;
use crate::chat::viewer as viewer_of;
use crate::html::escaped;
use crate::language::Language;
use crate::plugins::buttons;
use crate::state::{App, PageTexts};
use crate::{admin as operator, assets, page, preview, public, referrer};

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
    if is_player(&headers) {
        return Redirect::temporary("/hls/stream.m3u8").into_response();
    }
    let texts = page::texts(&app, &client, Language::of(&headers));
    let visit = Visit {
        client: &client,
        uri: &uri,
        headers: &headers,
    };
    viewer_page(&app, &visit, &texts, None).await
}

/// Who asks for a page.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a> {
    pub(crate) client: &'a ClientInfo,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
}

/// Whether it is a program that plays instead of browsing.
pub(crate) fn is_player(headers: &HeaderMap) -> bool {
    let agent = text(headers, header::USER_AGENT).to_ascii_lowercase();
    PLAYERS.iter().any(|player| agent.contains(player))
}

/// The viewer page with these texts, or what programs that read pages get of it. `video` is what its script shows
/// instead of the stream.
pub(crate) async fn viewer_page(
    app: &App,
    visit: &Visit<'_>,
    texts: &PageTexts,
    video: Option<Value>,
) -> Response {
    let Visit {
        client,
        uri,
        headers,
    } = *visit;
    let agent = text(headers, header::USER_AGENT).to_ascii_lowercase();
    if preview::is_reader(&agent) {
        let styles = viewer_styles().unwrap_or_default() + &operator_styles(app);
        return preview::page(texts, &styles, Language::of(headers));
    }
    referrer::count(app, client, headers);
    let head = head(app, texts) + &public::custom_javascript_elements(app);
    let framed = framed_sites(app).await;
    let viewer = viewer_of(app, uri, headers).await;
    let shell = Shell {
        html: VIEWER.as_deref(),
        head: &head,
        plain: &texts.body,
        frames: Frames::OwnOnly,
    };
    let mut boot = boot(app, viewer.as_ref()).await;
    if let Some(video) = video {
        boot["video"] = video;
    }
    let mut page = shell.render(&boot);
    let varies = HeaderValue::from_static("user-agent, accept-language");
    page.headers_mut().append(header::VARY, varies);
    allow_frames(page, &framed)
}

/// The player alone with a recording, for other sites.
pub(crate) async fn embedded_video(
    app: &App,
    visit: &Visit<'_>,
    texts: &PageTexts,
    video: Value,
) -> Response {
    // Here this is the page the player is embedded in.
    referrer::count(app, visit.client, visit.headers);
    let head = head(app, texts);
    let mut boot = boot(app, None).await;
    boot["video"] = video;
    Shell::for_frames(EMBED.as_deref(), &head).render(&boot)
}

/// The sites that the viewer page may frame: those of the action buttons, including every site they redirect to.
async fn framed_sites(app: &App) -> String {
    let settings = app.settings.now();
    let actions = settings.get(&EXTERNAL_ACTIONS).iter();
    let framed = actions.filter(|action| !action.open_externally);
    let mut addresses: Vec<String> = framed.map(|action| action.url.clone()).collect();
    let added = buttons(app).await.into_iter();
    let framed = added.filter(|action| action.open_externally != Some(true));
    addresses.extend(framed.filter_map(|action| action.url));
    let mut sites = BTreeSet::new();
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
    let head = framed_head(&app, &client);
    Shell::for_frames(EMBED.as_deref(), &head).render(&boot(&app, None).await)
}

/// `/embed/chat` → `/embed/chat/readonly`
pub(crate) async fn to_embedded_chat() -> Response {
    Redirect::temporary("/embed/chat/readonly").into_response()
}

/// `/embed/chat/readonly`: the chat without input, for overlays.
pub(crate) async fn chat_to_read(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
) -> Response {
    chat(&app, &client, "readonly").await
}

/// `/embed/chat/readwrite`: the chat alone.
pub(crate) async fn chat_to_write(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
) -> Response {
    chat(&app, &client, "readwrite").await
}

async fn chat(app: &App, client: &ClientInfo, kind: &str) -> Response {
    let mut boot = boot(app, None).await;
    boot["chat"] = json!(kind);
    let head = framed_head(app, client);
    Shell::for_frames(CHAT.as_deref(), &head).render(&boot)
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
    let mut boot = json!({ "session": session, "version": product::VERSION });
    if app.cluster.is_some() {
        boot["cluster"] = true.into();
    }
    let shell = Shell {
        html: ADMIN.as_deref(),
        head: "",
        plain: "",
        frames: Frames::Nobody,
    };
    let mut response = shell.render(&boot);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Links to the admin style sheets, for server-rendered operator pages.
pub(crate) fn admin_styles() -> String {
    styles_of(ADMIN.as_deref().unwrap_or_default())
}

/// Links to the viewer page's style sheets, for server-rendered pages; `None` if this build has no pages.
pub(crate) fn viewer_styles() -> Option<String> {
    VIEWER.as_deref().map(styles_of)
}

/// The hashed files that the viewer page needs at once, each once.
pub(crate) fn viewer_assets() -> BTreeSet<&'static str> {
    let shell = VIEWER.as_deref().unwrap_or_default();
    let addresses = shell.split('"').filter(|part| part.starts_with("/assets/"));
    addresses.collect()
}

fn styles_of(shell: &str) -> String {
    let lines = shell.lines();
    lines
        .filter(|line| line.contains("rel=\"stylesheet\""))
        .collect()
}

/// Link to the operator's own style sheet, which comes after ours.
pub(crate) fn operator_styles(app: &App) -> String {
    let version = public::custom_styles_version(app);
    format!("<link rel=\"stylesheet\" href=\"/customstyles.css?v={version}\">")
}

/// Title, description, preview tags, and the styles of plugins and the operator.
fn head(app: &App, texts: &PageTexts) -> String {
    // Without a public address the server cannot be addressed by others.
    let endpoint = match app.settings.now().text(&SERVER_URL).is_empty() {
        true => String::new(),
        false => format!(
            "<link rel=\"authorization_endpoint\" href=\"{}\">\n",
            operator::IDENTITY_ENDPOINT
        ),
    };
    let tags = &texts.head;
    let plugins = public::plugin_styles_element(app);
    format!("{tags}{endpoint}{plugins}{}", operator_styles(app))
}

/// The same for pages in frames on other sites.
fn framed_head(app: &App, client: &ClientInfo) -> String {
    head(app, &page::texts(app, client, Language::default()))
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

/// A page before it is completed.
struct Shell<'a> {
    html: Option<&'a str>,
    head: &'a str,
    /// The content for readers without scripts.
    plain: &'a str,
    frames: Frames,
}

impl<'a> Shell<'a> {
    fn for_frames(html: Option<&'a str>, head: &'a str) -> Self {
        Self {
            html,
            head,
            plain: "",
            frames: Frames::Everybody,
        }
    }

    fn render(&self, boot: &Value) -> Response {
        let Some(html) = self.html else {
            return not_built();
        };
        let nonce = nonce();
        // `<` is the only character that could end the script element early.
        let boot = boot.to_string().replace('<', "\\u003c");
        // Replace the nonce first: text from an operator must never receive it.
        let page = html.replace("__NONCE__", &nonce);
        // Then the boot data: it contains no `<`, so it cannot contain the other placeholders.
        let page = page.replacen("__BOOT__", &boot, 1);
        // The head is escaped and does not contain the last one.
        let page = page.replacen("<!--__HEAD__-->", self.head, 1).replacen(
            "<!--__PLAIN__-->",
            self.plain,
            1,
        );
        answer(page, &nonce, &self.frames)
    }
}

fn answer(page: String, nonce: &str, frames: &Frames) -> Response {
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
