//! What the viewer page says without its script: to programs that show previews of links, to search engines, and to
//! people without JavaScript. The page with the script and the one for programs ([`crate::preview`]) say the same.

mod body;
mod error;
mod head;
mod message;
mod oembed;
mod video;

use std::sync::Arc;

use http_server::client::ClientInfo;
use model::settings::Layers;
use model::settings::table::SERVER_URL;

pub(crate) use error::add_error_page;
pub(crate) use message::MessagePage;
pub(crate) use oembed::get as oembed;
pub(crate) use video::{DescribedVideo, list_texts, video_texts};

use crate::language::Language;
use crate::state::{App, PageKey, PageTexts};

/// Limit (clients): length of a `Host` header that is repeated in the page's addresses; for a longer one they say
/// `localhost`.
const MAX_HOST_BYTES: usize = 255;

/// The texts for a reader of this language.
pub(crate) fn texts(app: &App, client: &ClientInfo, language: Language) -> Arc<PageTexts> {
    app.page_texts
        .get_or_render(key(app, client, language), |key| {
            let rendered = app.texts.of(&key.settings);
            PageTexts {
                head: head::render(key),
                body: body::render(key, &rendered.about, &rendered.offline),
            }
        })
}

/// Everything that the texts of pages depend on.
pub(crate) fn key(app: &App, client: &ClientInfo, language: Language) -> PageKey {
    let settings = app.settings.now();
    PageKey {
        base: base(&settings, client),
        is_online: app.live.status.borrow().is_online,
        language,
        settings,
    }
}

/// The public address, or else the name the request used; without a slash at the end.
pub(crate) fn base(settings: &Layers, client: &ClientInfo) -> String {
    let server_url = settings.text(&SERVER_URL);
    if !server_url.is_empty() {
        return server_url.trim_end_matches('/').to_owned();
    }
    let scheme = if client.is_secure { "https" } else { "http" };
    let host = client.hosts.last().map(String::as_str);
    let host = host.filter(|host| is_host(host)).unwrap_or("localhost");
    format!("{scheme}://{host}")
}

/// A name or address with a port, perhaps. Anybody may send anything.
fn is_host(host: &str) -> bool {
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    !host.is_empty() && host.len() <= MAX_HOST_BYTES && host.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_a_host_is_repeated_in_the_page() {
        for good in ["live.example", "127.0.0.1:8080", "[::1]:8080", "my_box"] {
            assert!(is_host(good), "{good}");
        }
        let long = "a".repeat(MAX_HOST_BYTES + 1);
        for bad in ["", "a/b", "a b", "\"><script>", "a@b", "ä.example", &long] {
            assert!(!is_host(bad), "{bad}");
        }
    }
}
