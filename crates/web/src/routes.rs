//! Every route of the server: method, path, access rule, limits, handler.

use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use http::{Method, StatusCode};
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;

use crate::app::App;
use crate::route::{Access, Route, RouteRow, routers};
use crate::{admin, assets, chat, client, headers, hls, logo, pages, public};

/// A handler that has not answered by then is given up; rows for media wait as long as they need.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(30);

/// The table.
#[rustfmt::skip]
fn routes() -> Vec<Route> {
    use Access::{Admin, AdminDoor, AdminPage, ChatUser, Moderator, Public};
    let get = Method::GET;
    let post = Method::POST;
    let delete = Method::DELETE;
    vec![
        // The process
        Route::new(get.clone(),  "/healthz",                         Public,    public::healthz),
        Route::new(get.clone(),  "/readyz",                          Public,    public::readyz),
        // Pages and their parts
        Route::new(get.clone(),  "/",                                Public,    pages::viewer),
        Route::new(get.clone(),  "/admin",                           AdminDoor, pages::to_admin),
        Route::new(get.clone(),  "/admin/",                          AdminPage, pages::admin),
        Route::new(get.clone(),  "/admin/{*page}",                   AdminPage, pages::admin),
        Route::new(get.clone(),  "/assets/{*name}",                  Public,    assets::hashed),
        Route::new(get.clone(),  "/img/{*name}",                     Public,    assets::image),
        Route::new(get.clone(),  "/favicon.ico",                     Public,    assets::favicon),
        Route::new(get.clone(),  "/favicon.svg",                     Public,    assets::favicon_svg),
        Route::new(get.clone(),  "/logo",                            Public,    logo::get),
        Route::new(get.clone(),  "/thumbnail.jpg",                   Public,    logo::get),
        Route::new(get.clone(),  "/preview.gif",                     Public,    logo::get),
        Route::new(get.clone(),  "/embed/video",                     Public,    pages::embed),
        Route::new(get.clone(),  "/embed/chat",                      Public,    pages::to_embedded_chat),
        Route::new(get.clone(),  "/embed/chat/",                     Public,    pages::to_embedded_chat),
        Route::new(get.clone(),  "/embed/chat/readonly",             Public,    pages::chat_to_read),
        Route::new(get.clone(),  "/embed/chat/readwrite",            Public,    pages::chat_to_write),
        Route::new(get.clone(),  "/img/emoji/{*path}",               Public,    chat::picture),
        // The stream
        Route::new(get.clone(),  "/hls/{*path}",                     Public,    hls::get).media(),
        Route::new(get.clone(),  "/customstyles.css",                Public,    public::custom_styles),
        Route::new(get.clone(),  "/robots.txt",                      Public,    public::robots),
        // Public API
        Route::new(get.clone(),  "/api/status",                      Public,    public::status),
        Route::new(get.clone(),  "/api/config",                      Public,    public::config),
        Route::new(get.clone(),  "/api/ping",                        Public,    public::ping),
        Route::new(get.clone(),  "/api/video/variants",              Public,    public::variants),
        Route::new(get.clone(),  "/api/socialplatforms",             Public,    public::social_platforms),
        // Chat
        Route::new(get.clone(),  "/ws",                              Public,    chat::socket),
        Route::new(post.clone(), "/api/chat/register",               Public,    chat::register),
        Route::new(get.clone(),  "/api/chat",                        ChatUser,  chat::history),
        Route::new(get.clone(),  "/api/chat/events",                 ChatUser,  chat::listen_to_events),
        Route::new(post.clone(), "/api/chat/events",                 ChatUser,  chat::say_by_post),
        Route::new(post.clone(), "/api/auth/indieauth",              ChatUser,  chat::begin_sign_in),
        Route::new(get.clone(),  "/api/auth/indieauth/callback",     Public,    chat::finish_sign_in),
        Route::new(get.clone(),  "/api/emoji",                       Public,    chat::emoji),
        Route::new(post.clone(), "/api/chat/messagevisibility",      Moderator, chat::set_visibility_by_moderator),
        Route::new(post.clone(), "/api/chat/users/setenabled",       Moderator, chat::set_enabled_by_moderator),
        Route::new(post.clone(), "/api/chat/users/timeout",          Moderator, chat::timeout_by_moderator),
        Route::new(get.clone(),  "/api/chat/held",                   Moderator, chat::held_for_moderator),
        Route::new(post.clone(), "/api/chat/held",                   Moderator, chat::release_by_moderator),
        Route::new(get.clone(),  "/api/moderation/chat/user/{id}",   Moderator, chat::user_details),
        // Admin API
        Route::new(get.clone(),  "/api/admin/chat/messages",         Admin,     chat::messages),
        Route::new(get.clone(),  "/api/admin/chat/clients",          Admin,     chat::clients),
        Route::new(get.clone(),  "/api/admin/chat/held",             Admin,     chat::held),
        Route::new(post.clone(), "/api/admin/chat/held",             Admin,     chat::release),
        Route::new(get.clone(),  "/api/admin/chat/log",              Admin,     chat::log),
        Route::new(get.clone(),  "/api/admin/chat/connection",       Admin,     chat::connection_report),
        Route::new(post.clone(), "/api/admin/chat/messagevisibility", Admin,    chat::set_visibility),
        Route::new(post.clone(), "/api/admin/chat/users/setenabled", Admin,     chat::set_enabled),
        Route::new(post.clone(), "/api/admin/chat/users/timeout",    Admin,     chat::timeout),
        Route::new(post.clone(), "/api/admin/chat/users/setmoderator", Admin,   chat::set_moderator),
        Route::new(get.clone(),  "/api/admin/chat/users/disabled",   Admin,     chat::users_banned),
        Route::new(get.clone(),  "/api/admin/chat/users/moderators", Admin,     chat::moderators),
        Route::new(get.clone(),  "/api/admin/chat/users/ipbans",     Admin,     chat::address_bans),
        Route::new(post.clone(), "/api/admin/chat/users/ipbans/create", Admin,  chat::ban_address),
        Route::new(post.clone(), "/api/admin/chat/users/ipbans/remove", Admin,  chat::unban_address),
        Route::new(get.clone(),  "/api/admin/users",                 Admin,     chat::users),
        Route::new(post.clone(), "/api/admin/users/delete",          Admin,     chat::delete_user),
        Route::new(post.clone(), "/api/admin/emoji/upload",          Admin,     chat::upload_emoji).body_bytes(3 * 1024 * 1024),
        Route::new(post.clone(), "/api/admin/emoji/delete",          Admin,     chat::delete_emoji),
        Route::new(get.clone(),  "/api/admin/session",               AdminDoor, admin::session),
        Route::new(post.clone(), "/api/admin/session",               AdminDoor, admin::sign_in),
        Route::new(delete,       "/api/admin/session",               AdminDoor, admin::sign_out),
        Route::new(post.clone(), "/api/admin/setup",                 AdminDoor, admin::setup),
        Route::new(get.clone(),  "/api/admin/status",                Admin,     admin::status),
        Route::new(get.clone(),  "/api/admin/stream",                Admin,     admin::stream),
        Route::new(get.clone(),  "/api/admin/streams",               Admin,     admin::streams),
        Route::new(get.clone(),  "/api/admin/disconnect",            Admin,     admin::disconnect_by_script),
        Route::new(post.clone(), "/api/admin/disconnect",            Admin,     admin::disconnect),
        Route::new(get.clone(),  "/api/admin/serverconfig",          Admin,     admin::serverconfig),
        Route::new(get.clone(),  "/api/admin/settings",              Admin,     admin::settings),
        Route::new(get.clone(),  "/api/admin/logs",                  Admin,     admin::logs),
        Route::new(get.clone(),  "/api/admin/logs/warnings",         Admin,     admin::warnings),
        Route::new(get,          "/api/admin/prometheus",            Admin,     admin::prometheus),
        Route::new(post.clone(), "/api/admin/config/adminpass",      Admin,     admin::change_password),
        Route::new(post.clone(), "/api/admin/config/logo",           Admin,     logo::post).body_bytes(logo::MAX_UPLOAD_BYTES),
        Route::new(post,         "/api/admin/config/{*path}",        Admin,     admin::change).body_bytes(512 * 1024),
    ]
}

/// The table without its handlers, for tests and documentation.
pub fn table() -> Vec<RouteRow> {
    routes().into_iter().map(|route| route.row).collect()
}

/// The whole HTTP surface.
pub fn build(app: &App) -> Router {
    let identified = app.clone();
    let dressed = app.clone();
    let (usual, media) = routers(routes(), app);
    usual
        .fallback(public::not_found)
        .layer(TimeoutLayer::with_status_code(
            StatusCode::SERVICE_UNAVAILABLE,
            HANDLER_TIMEOUT,
        ))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(CatchPanicLayer::custom(headers::after_panic))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            headers::dress(dressed.clone(), request, next)
        }))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            client::identify(identified.clone(), request, next)
        }))
        .merge(media)
        .with_state(app.clone())
}
