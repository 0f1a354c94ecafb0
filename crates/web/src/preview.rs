//! The page for programs that show link previews and for search engines: what everybody gets, without the script.

use axum::response::{Html, IntoResponse, Response};
use http::header;

use crate::language::{Language, Texts};
use crate::state::PageTexts;

/// Nothing runs, and nothing is framed.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' https: data:; media-src 'self' https:; \
     frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

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

/// The viewer page without anything to run: the same tags and the same content. Takes the links to its style sheets.
pub(crate) fn page(texts: &PageTexts, styles: &str, language: Language) -> Response {
    let (head, body) = (&texts.head, &texts.body);
    let Texts { tag, direction, .. } = language.texts();
    let page = format!(
        "<!doctype html>\n<html lang=\"{tag}\" dir=\"{direction}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"/favicon.ico\">\n{head}{styles}\n</head>\n<body>\n{body}</body>\n</html>\n"
    );
    // A cache must not serve this page to people.
    let headers = [
        (header::CACHE_CONTROL, "private, max-age=10"),
        (header::VARY, "user-agent, accept-language"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    (headers, Html(page)).into_response()
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
