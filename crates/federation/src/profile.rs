//! What documents say of the stream, at one moment.

use jiff::Timestamp;
use model::product;
use model::settings::table::{
    NAME, NSFW, SOCIAL_HANDLES, STREAM_TITLE, SUMMARY, TAGS, chat, federation,
};
use model::settings::{Layers, SocialHandle};
use model::social::platform_name;

use crate::document::hashtag;
use crate::names::Names;

/// A snapshot of settings and identity; documents are pure functions of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Every address.
    pub names: Names,
    /// Names the account had before, the latest first; never the one it has.
    pub former_usernames: Vec<String>,
    /// The server's name.
    pub name: String,
    /// A few words about it; may be empty.
    pub summary: String,
    /// What is on; may be empty.
    pub stream_title: String,
    /// The operator's topics as typed.
    pub raw_tags: Vec<String>,
    /// The same as hashtags: normalised, none empty, none twice.
    pub tags: Vec<String>,
    /// Links elsewhere: the platform as people call it, and the address.
    pub links: Vec<(String, String)>,
    /// Not for everybody.
    pub is_sensitive: bool,
    /// Followers are let in one by one, and posts are for them only.
    pub is_private: bool,
    /// Others may quote.
    pub allows_quotes: bool,
    /// What a go-live post says, in Markdown; empty means none is sent.
    pub live_message: String,
    /// Whether people can talk beside the stream.
    pub has_chat: bool,
    /// Where hashtags lead.
    pub directory_url: String,
    /// Our namespace without its `#`.
    pub namespace: String,
    /// Changes with the logo; empty for the built-in one.
    pub logo_version: String,
    /// When the account came to be.
    pub published: Timestamp,
    /// The public half of its key.
    pub public_key_pem: String,
}

/// What a profile needs beside the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Particulars {
    /// Names the account had before, the latest first.
    pub former_usernames: Vec<String>,
    /// Changes with the logo.
    pub logo_version: String,
    /// When the account came to be.
    pub published: Timestamp,
    /// The public half of its key.
    pub public_key_pem: String,
}

impl Profile {
    /// Puts it together; `None` while the server has no public address.
    pub fn new(settings: &Layers, more: Particulars) -> Option<Self> {
        let names = Names::of(settings)?;
        let or = |text: &str, instead: &str| match text {
            "" => instead.to_owned(),
            text => text.to_owned(),
        };
        let raw_tags = settings.get(&TAGS).clone();
        Some(Self {
            former_usernames: more
                .former_usernames
                .into_iter()
                .filter(|former| former != names.username())
                .collect(),
            name: settings.get(&NAME).clone(),
            summary: settings.get(&SUMMARY).clone(),
            stream_title: settings.get(&STREAM_TITLE).clone(),
            tags: hashtag::normalised(&raw_tags),
            raw_tags,
            links: settings.get(&SOCIAL_HANDLES).iter().map(link).collect(),
            is_sensitive: *settings.get(&NSFW),
            is_private: *settings.get(&federation::PRIVATE),
            allows_quotes: *settings.get(&federation::ENABLE_QUOTES),
            live_message: settings.get(&federation::LIVE_MESSAGE).clone(),
            has_chat: !*settings.get(&chat::DISABLED),
            directory_url: or(settings.text(&federation::DIRECTORY_URL), names.base()),
            namespace: or(settings.text(&federation::NAMESPACE), product::NAMESPACE),
            logo_version: more.logo_version,
            published: more.published,
            public_key_pem: more.public_key_pem,
            names,
        })
    }

    /// Is this the account, under its present name or a former one?
    pub fn answers_to(&self, username: &str) -> bool {
        self.names.username() == username || self.former_usernames.iter().any(|one| one == username)
    }
}

fn link(handle: &SocialHandle) -> (String, String) {
    let name = platform_name(&handle.platform);
    (name.to_owned(), handle.url.clone())
}
