//! The page for programs that show link previews: a few tags and no script.

use axum::response::{Html, IntoResponse, Response};
use http::header;
use http_server::client::ClientInfo;
use model::settings::table::{NAME, SERVER_URL, STREAM_TITLE, SUMMARY, TAGS};

use crate::html::escaped;
use crate::pages::actor_link;
use crate::state::App;

/// Programs that read pages instead of showing them, by what they call themselves in lower case.
const READERS: [&str; 21] = [
    "mastodon",
    "pleroma",
    "applebot",
    "whatsapp",
    "matrix",
    "synapse",
    "element",
    "rocket.chat",
    "duckduckbot",
    // Bots in general.
    "bot/",
    "bot;",
    "bot ",
    "bot)",
    "crawler",
    "spider",
    "facebookexternalhit",
    "embedly",
    "slack-imgproxy",
    "skypeuripreview",
    "misskey",
    "akkoma",
];

/// Takes the user agent in lower case.
pub(crate) fn is_reader(agent: &str) -> bool {
    // A phone manufacturer.
    let agent = agent.replace("cubot", "");
    agent.ends_with("bot") || READERS.iter().any(|reader| agent.contains(reader))
}

/// The OpenGraph and Twitter Card tags.
pub(crate) fn page(app: &App, client: &ClientInfo) -> Response {
    let settings = app.settings.now();
    let base = escaped(&base(settings.text(&SERVER_URL), client));
    let name = escaped(settings.text(&NAME));
    let summary = escaped(settings.text(&SUMMARY));
    let title = match settings.text(&STREAM_TITLE) {
        "" => name.clone(),
        title => escaped(title),
    };
    let tags = escaped(&settings.get(&TAGS).join(", "));
    let image = match app.live.status.borrow().is_online {
        true => "thumbnail.jpg",
        false => "logo/external",
    };
    let actor = actor_link(&settings);
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
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
         {actor}</head>\n<body>\n<h1>{name}</h1>\n<p>{summary}</p>\n</body>\n</html>\n"
    );
    // A cache must not serve this page to people.
    let headers = [
        (header::CACHE_CONTROL, "private, max-age=10"),
        (header::VARY, "user-agent"),
    ];
    (headers, Html(page)).into_response()
}

/// The public address, or else the name the request used.
fn base(server_url: &str, client: &ClientInfo) -> String {
    if !server_url.is_empty() {
        return server_url.to_owned();
    }
    let scheme = if client.is_secure { "https" } else { "http" };
    let host = client.hosts.last().map_or("localhost", String::as_str);
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_people() {
        for reader in [
            "http.rb/5.1.1 (mastodon/4.2.0; +https://mastodon.example/)",
            "mozilla/5.0 (compatible; googlebot/2.1; +http://www.google.com/bot.html)",
            "twitterbot/1.0",
            "telegrambot (like twitterbot)",
            "whatsapp/2.23.20.0",
            "synapse (bot; +https://github.com/matrix-org/synapse)",
            "facebookexternalhit/1.1",
            "discordbot",
        ] {
            assert!(is_reader(reader), "{reader}");
        }
        for person in [
            "mozilla/5.0 (x11; linux x86_64; rv:140.0) gecko/20100101 firefox/140.0",
            "mozilla/5.0 (iphone; cpu iphone os 18_0 like mac os x) applewebkit/605.1.15 safari/604.1",
            "mozilla/5.0 (linux; android 13; cubot x50) applewebkit/537.36 chrome/130.0.0.0",
            "curl/8.5.0",
            "",
        ] {
            assert!(!is_reader(person), "{person}");
        }
    }
}
