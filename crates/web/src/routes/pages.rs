//! Pages, files and the stream.

use crate::route::Access::{AdminAuth, AdminPage, Public};
use crate::route::{Route, get};
use crate::{
    assets, chat, favicon, header_picture, hls, install, logo, offline_picture, page, pages,
    public, thumbnails,
};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        // The process
        get(   "/healthz",                                Public,    public::healthz),
        get(   "/readyz",                                 Public,    public::readyz),
        // Pages and their parts
        get(   "/",                                       Public,    pages::viewer),
        get(   "/admin",                                  AdminAuth, pages::to_admin),
        get(   "/admin/",                                 AdminPage, pages::admin),
        get(   "/admin/{*page}",                          AdminPage, pages::admin),
        get(   "/assets/{*name}",                         Public,    assets::hashed),
        get(   "/img/{*name}",                            Public,    assets::image),
        get(   "/favicon.ico",                            Public,    favicon::get),
        get(   "/favicon.svg",                            Public,    assets::favicon_svg),
        get(   "/logo",                                   Public,    logo::get),
        get(   "/logo/external",                          Public,    logo::external),
        get(   "/icon/{name}",                            Public,    install::icon),
        get(   "/apple-touch-icon.png",                   Public,    install::touch_icon),
        get(   "/apple-touch-icon-precomposed.png",       Public,    install::touch_icon),
        get(   "/manifest.json",                          Public,    install::manifest),
        get(   "/sw.js",                                  Public,    install::service_worker),
        get(   "/offline",                                Public,    install::offline_page),
        get(   "/offline-picture",                        Public,    offline_picture::get),
        get(   "/oembed",                                 Public,    page::oembed),
        get(   "/headerpicture",                          Public,    header_picture::get),
        get(   "/thumbnail.jpg",                          Public,    thumbnails::thumbnail),
        get(   "/preview.gif",                            Public,    thumbnails::preview),
        get(   "/embed/video",                            Public,    pages::embed),
        get(   "/embed/chat",                             Public,    pages::to_embedded_chat),
        get(   "/embed/chat/",                            Public,    pages::to_embedded_chat),
        get(   "/embed/chat/readonly",                    Public,    pages::chat_to_read),
        get(   "/embed/chat/readwrite",                   Public,    pages::chat_to_write),
        get(   "/img/platformlogos/{name}",               Public,    public::platform_icon),
        get(   "/img/emoji/{*path}",                      Public,    chat::picture),
        // The stream
        get(   "/hls/{*path}",                            Public,    hls::get).media(),
        get(   "/customstyles.css",                       Public,    public::custom_styles),
        get(   "/pluginstyles.css",                       Public,    public::plugin_styles),
        get(   "/customjavascript",                       Public,    public::custom_javascript),
        get(   "/public/{*path}",                         Public,    public::file),
        get(   "/robots.txt",                             Public,    public::robots),
    ]
}
