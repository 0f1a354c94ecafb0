//! Title, description and preview tags of the page.

use model::settings::table::{
    DISABLE_SEARCH_INDEXING, NAME, NSFW, SERVER_URL, STREAM_TITLE, SUMMARY, TAGS,
};
use url::form_urlencoded::byte_serialize;

use crate::html::escaped;
use crate::install::theme_colors;
use crate::pages::actor_link;
use crate::state::PageKey;

/// What a page is about, in plain text; addresses are below the server's own.
#[derive(Debug, Default)]
pub(super) struct Subject {
    pub(super) window_title: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
    /// As OpenGraph calls it.
    pub(super) kind: &'static str,
    /// The page's path.
    pub(super) path: String,
    /// The path of a picture of it.
    pub(super) image: String,
    /// The path of a picture for cards with a player.
    pub(super) card_image: String,
    /// The path of the player; empty if nothing is played there.
    pub(super) player: String,
    /// Search engines leave it out.
    pub(super) is_hidden: bool,
    /// Further tags, as HTML.
    pub(super) more: String,
}

/// The tags of the viewer page, for everybody alike.
pub(super) fn render(key: &PageKey) -> String {
    let settings = &key.settings;
    let name = settings.text(&NAME);
    let (title, window_title) = match settings.text(&STREAM_TITLE) {
        "" => (name.to_owned(), name.to_owned()),
        title => (title.to_owned(), format!("{title} · {name}")),
    };
    let image = match key.is_online {
        true => "/thumbnail.jpg",
        false => "/logo/external",
    };
    let subject = Subject {
        window_title,
        title,
        description: settings.text(&SUMMARY).to_owned(),
        tags: settings.get(&TAGS).clone(),
        kind: "website",
        path: "/".into(),
        image: image.into(),
        card_image: "/logo/external".into(),
        player: "/embed/video".into(),
        is_hidden: false,
        more: String::new(),
    };
    render_subject(key, &subject)
}

/// The tags of OpenGraph and Twitter Cards, and what browsers install the page with.
pub(super) fn render_subject(key: &PageKey, subject: &Subject) -> String {
    let settings = &key.settings;
    let base = escaped(&key.base);
    let name = escaped(settings.text(&NAME));
    let summary = escaped(&subject.description);
    let (title, window_title) = (escaped(&subject.title), escaped(&subject.window_title));
    let tags = escaped(&subject.tags.join(", "));
    let Subject { kind, path, .. } = subject;
    let mut more = String::new();
    if !settings.text(&SERVER_URL).is_empty() {
        more.push_str(&format!("<link rel=\"canonical\" href=\"{base}{path}\">\n"));
    }
    if *settings.get(&DISABLE_SEARCH_INDEXING) || subject.is_hidden {
        more.push_str("<meta name=\"robots\" content=\"noindex\">\n");
    }
    if *settings.get(&NSFW) {
        more.push_str("<meta name=\"rating\" content=\"adult\">\n");
    }
    more.push_str(&subject.more);
    let (light, dark) = theme_colors(settings);
    let (image, card_image) = (&subject.image, &subject.card_image);
    let player = player_tags(key, subject);
    let card = match player.open_graph.is_empty() {
        true => "summary",
        false => "player",
    };
    let PlayerTags {
        open_graph,
        twitter,
        oembed,
    } = player;
    let actor = actor_link(settings);
    format!(
        "<title>{window_title}</title>\n\
         <meta name=\"description\" content=\"{summary}\">\n\
         <meta name=\"keywords\" content=\"{tags}\">\n\
         <meta property=\"og:type\" content=\"{kind}\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:site_name\" content=\"{name}\">\n\
         <meta property=\"og:description\" content=\"{summary}\">\n\
         <meta property=\"og:url\" content=\"{base}{path}\">\n\
         <meta property=\"og:image\" content=\"{base}{image}\">\n\
         {open_graph}\
         <meta property=\"twitter:card\" content=\"{card}\">\n\
         <meta property=\"twitter:title\" content=\"{title}\">\n\
         <meta property=\"twitter:description\" content=\"{summary}\">\n\
         <meta property=\"twitter:url\" content=\"{base}{path}\">\n\
         <meta property=\"twitter:image\" content=\"{base}{card_image}\">\n\
         {twitter}{oembed}\
         <link rel=\"manifest\" href=\"/manifest.json\">\n\
         <link rel=\"apple-touch-icon\" href=\"/apple-touch-icon.png\">\n\
         <meta name=\"theme-color\" media=\"(prefers-color-scheme: light)\" content=\"{light}\">\n\
         <meta name=\"theme-color\" media=\"(prefers-color-scheme: dark)\" content=\"{dark}\">\n\
         {more}{actor}"
    )
}

/// What says where the player is; empty on pages without one.
#[derive(Debug, Default)]
struct PlayerTags {
    open_graph: String,
    twitter: String,
    oembed: String,
}

fn player_tags(key: &PageKey, subject: &Subject) -> PlayerTags {
    let Subject { path, player, .. } = subject;
    if player.is_empty() {
        return PlayerTags::default();
    }
    let base = escaped(&key.base);
    let name = escaped(key.settings.text(&NAME));
    let address: String = byte_serialize(format!("{}{path}", key.base).as_bytes()).collect();
    PlayerTags {
        open_graph: format!(
            "<meta property=\"og:video\" content=\"{base}{player}\">\n\
             <meta property=\"og:video:secure_url\" content=\"{base}{player}\">\n\
             <meta property=\"og:video:type\" content=\"text/html\">\n\
             <meta property=\"og:video:width\" content=\"640\">\n\
             <meta property=\"og:video:height\" content=\"360\">\n"
        ),
        twitter: format!(
            "<meta property=\"twitter:player\" content=\"{base}{player}\">\n\
             <meta property=\"twitter:player:width\" content=\"640\">\n\
             <meta property=\"twitter:player:height\" content=\"360\">\n"
        ),
        oembed: format!(
            "<link rel=\"alternate\" type=\"application/json+oembed\" href=\"{base}/oembed?url={address}&amp;format=json\" title=\"{name}\">\n"
        ),
    }
}
