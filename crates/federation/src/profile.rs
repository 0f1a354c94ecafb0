//! What documents say about the stream at one moment.

use jiff::Timestamp;
use model::product;
use model::settings::table::{
    NAME, NSFW, SOCIAL_HANDLES, STREAM_TITLE, SUMMARY, TAGS, chat, federation,
};
use model::settings::{Layers, SocialHandle};
use model::social::platform_name;
use store::FileFacts;

use crate::document::hashtag;
use crate::names::Names;

/// A snapshot of settings and identity; documents are pure functions of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorProfile {
    pub names: Names,
    /// Former names of the account, most recent first; never the present one.
    pub former_usernames: Vec<String>,
    pub name: String,
    /// A short description; may be empty.
    pub summary: String,
    /// The title of the stream; may be empty.
    pub stream_title: String,
    /// The operator's topics as typed.
    pub raw_tags: Vec<String>,
    /// The same as hashtags: normalised, none empty, none twice.
    pub tags: Vec<String>,
    /// Links elsewhere: the platform's name and the address.
    pub links: Vec<(String, String)>,
    /// Not suitable for everybody.
    pub is_sensitive: bool,
    /// Followers need approval, and posts are for followers only.
    pub is_private: bool,
    /// Others may quote posts.
    pub allows_quotes: bool,
    /// The text of a go-live post, in Markdown; if empty, none is sent.
    pub live_message: String,
    /// Whether there is a chat beside the stream.
    pub has_chat: bool,
    pub directory_url: String,
    /// Our namespace without its `#`.
    pub namespace: String,
    pub logo: Logo,
    /// When the account was created.
    pub published: Timestamp,
    /// The public half of its key.
    pub public_key_pem: String,
}

/// The server's logo, as served to clients that show previews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    pub media_type: String,
    /// Changes with the logo; empty for the built-in one.
    pub version: String,
}

impl Logo {
    /// The operator's logo, or the built-in one.
    pub fn of(uploaded: Option<&FileFacts>) -> Self {
        // Many clients that show previews cannot draw SVG, and are given the built-in logo instead.
        let media_type = match uploaded {
            Some(facts) if facts.content_type != "image/svg+xml" => &facts.content_type,
            _ => "image/png",
        };
        let version = uploaded.map(|facts| format!("{:x}", facts.changed_at.as_millisecond()));
        Self {
            media_type: media_type.to_owned(),
            version: version.unwrap_or_default(),
        }
    }
}

/// What a profile needs besides the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountFacts {
    /// Former names of the account, most recent first.
    pub former_usernames: Vec<String>,
    pub logo: Logo,
    /// When the account was created.
    pub published: Timestamp,
    /// The public half of its key.
    pub public_key_pem: String,
}

impl ActorProfile {
    /// Builds the profile; `None` while the server has no public address.
    pub fn new(settings: &Layers, more: AccountFacts) -> Option<Self> {
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
            logo: more.logo,
            published: more.published,
            public_key_pem: more.public_key_pem,
            names,
        })
    }

    /// The account under the name by which others know what it did: a former one if `actor` is that, otherwise the
    /// present one. An activity is undone by the name that performed it.
    pub fn speaking_as(&self, actor: &str) -> Self {
        let known = self.names.username_in(actor);
        let known = known.filter(|username| self.answers_to(username));
        let names = known.map_or_else(|| self.names.clone(), |known| self.names.under(known));
        Self {
            names,
            ..self.clone()
        }
    }

    /// The former name that signs activities of `speaker`; `None` for the present one.
    pub fn signer_of(&self, speaker: &ActorProfile) -> Option<String> {
        let username = speaker.names.username();
        (username != self.names.username()).then(|| username.to_owned())
    }

    /// Whether this is the account, under its present name or a former one.
    pub fn answers_to(&self, username: &str) -> bool {
        self.names.username() == username || self.former_usernames.iter().any(|one| one == username)
    }
}

fn link(handle: &SocialHandle) -> (String, String) {
    let name = platform_name(&handle.platform);
    (name.to_owned(), handle.url.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logo_is_what_those_who_show_previews_get() {
        let uploaded = |content_type: &str| FileFacts {
            content_type: content_type.into(),
            changed_at: Timestamp::from_millisecond(255).unwrap(),
        };
        let logo = |facts: Option<&FileFacts>| {
            let Logo {
                media_type,
                version,
            } = Logo::of(facts);
            (media_type, version)
        };
        let pair = |media_type: &str, version: &str| (media_type.to_owned(), version.to_owned());
        assert_eq!(logo(None), pair("image/png", ""));
        assert_eq!(
            logo(Some(&uploaded("image/jpeg"))),
            pair("image/jpeg", "ff")
        );
        assert_eq!(
            logo(Some(&uploaded("image/svg+xml"))),
            pair("image/png", "ff")
        );
    }
}
