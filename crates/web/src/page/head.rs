//! Title, description and preview tags of the page.

use model::settings::table::{
    DISABLE_SEARCH_INDEXING, NAME, NSFW, SERVER_URL, STREAM_TITLE, SUMMARY, TAGS,
};
use url::form_urlencoded::byte_serialize;

use crate::html::escaped;
use crate::install::theme_colors;
use crate::pages::actor_link;
use crate::state::PageKey;

/// The tags of OpenGraph and Twitter Cards, for everybody alike, and what browsers install the page with.
pub(super) fn render(key: &PageKey) -> String {
    let settings = &key.settings;
    let base = escaped(&key.base);
    let name = escaped(settings.text(&NAME));
    let summary = escaped(settings.text(&SUMMARY));
    let stream_title = escaped(settings.text(&STREAM_TITLE));
    let (title, window_title) = match stream_title.is_empty() {
        true => (name.clone(), name.clone()),
        false => (stream_title.clone(), format!("{stream_title} · {name}")),
    };
    let tags = escaped(&settings.get(&TAGS).join(", "));
    let image = match key.is_online {
        true => "thumbnail.jpg",
        false => "logo/external",
    };
    let mut more = String::new();
    if !settings.text(&SERVER_URL).is_empty() {
        more.push_str(&format!("<link rel=\"canonical\" href=\"{base}/\">\n"));
    }
    if *settings.get(&DISABLE_SEARCH_INDEXING) {
        more.push_str("<meta name=\"robots\" content=\"noindex\">\n");
    }
    if *settings.get(&NSFW) {
        more.push_str("<meta name=\"rating\" content=\"adult\">\n");
    }
    let (light, dark) = theme_colors(settings);
    let oembed: String = byte_serialize(format!("{}/", key.base).as_bytes()).collect();
    let actor = actor_link(settings);
    format!(
        "<title>{window_title}</title>\n\
         <meta name=\"description\" content=\"{summary}\">\n\
         <meta name=\"keywords\" content=\"{tags}\">\n\
         <meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:site_name\" content=\"{name}\">\n\
         <meta property=\"og:description\" content=\"{summary}\">\n\
         <meta property=\"og:url\" content=\"{base}/\">\n\
         <meta property=\"og:image\" content=\"{base}/{image}\">\n\
         <meta property=\"og:video\" content=\"{base}/embed/video\">\n\
         <meta property=\"og:video:secure_url\" content=\"{base}/embed/video\">\n\
         <meta property=\"og:video:type\" content=\"text/html\">\n\
         <meta property=\"og:video:width\" content=\"640\">\n\
         <meta property=\"og:video:height\" content=\"360\">\n\
         <meta property=\"twitter:card\" content=\"player\">\n\
         <meta property=\"twitter:title\" content=\"{title}\">\n\
         <meta property=\"twitter:description\" content=\"{summary}\">\n\
         <meta property=\"twitter:url\" content=\"{base}/\">\n\
         <meta property=\"twitter:image\" content=\"{base}/logo/external\">\n\
         <meta property=\"twitter:player\" content=\"{base}/embed/video\">\n\
         <meta property=\"twitter:player:width\" content=\"640\">\n\
         <meta property=\"twitter:player:height\" content=\"360\">\n\
         <link rel=\"alternate\" type=\"application/json+oembed\" href=\"{base}/oembed?url={oembed}&amp;format=json\" title=\"{name}\">\n\
         <link rel=\"manifest\" href=\"/manifest.json\">\n\
         <link rel=\"apple-touch-icon\" href=\"/apple-touch-icon.png\">\n\
         <meta name=\"theme-color\" media=\"(prefers-color-scheme: light)\" content=\"{light}\">\n\
         <meta name=\"theme-color\" media=\"(prefers-color-scheme: dark)\" content=\"{dark}\">\n\
         {more}{actor}"
    )
}
