//! Sample data of the in-memory server: always the same, so that a plugin's author knows what to expect.

use plugins::host::wire::{
    Broadcaster, ChatClient, Emote, FederationInfo, MODERATOR, ServerInfo, Social, StreamNow, User,
    VideoConfig, VideoVariant,
};

/// When everything here began.
const THEN: &str = "2026-01-01T12:00:00.000000000Z";

pub(super) fn users() -> Vec<User> {
    let user = |name: &str, color, scopes: &[&str]| User {
        id: name.to_owned(),
        display_name: name.to_owned(),
        display_color: color,
        created_at: Some(THEN.to_owned()),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        is_authenticated: true,
        ..User::default()
    };
    vec![
        user("alice", 120, &[MODERATOR]),
        user("bob", 240, &[]),
        user("dev-user", 0, &[]),
    ]
}

pub(super) fn clients() -> Vec<ChatClient> {
    let users = users().into_iter().zip(1_u64..);
    let clients = users.map(|(user, id)| ChatClient {
        id,
        user_id: user.id,
        display_name: user.display_name,
        connected_at: Some(THEN.to_owned()),
        user_agent: "sample".to_owned(),
        ip_address: format!("198.51.100.{id}"),
        message_count: 0,
    });
    clients.collect()
}

pub(super) fn stream() -> StreamNow {
    StreamNow {
        online: true,
        title: "A sample stream".to_owned(),
        summary: "Made up for the author of a plugin".to_owned(),
        viewers: 3,
        started_at: Some(THEN.to_owned()),
        latency_level: Some(2),
    }
}

pub(super) fn broadcaster() -> Broadcaster {
    Broadcaster {
        remote_addr: "198.51.100.9:50122".to_owned(),
        codecs: vec!["H.264".to_owned(), "AAC".to_owned()],
        resolution: "1920x1080".to_owned(),
        framerate: Some(30.0),
        bitrates: vec![4_500],
    }
}

pub(super) fn server() -> ServerInfo {
    ServerInfo {
        name: "Workshop".to_owned(),
        url: "https://live.example.org".to_owned(),
        summary: "Made up for the author of a plugin".to_owned(),
        welcome_message: "Welcome!".to_owned(),
        version: model::product::VERSION.to_owned(),
    }
}

pub(super) fn socials() -> Vec<Social> {
    vec![Social {
        platform: "mastodon".to_owned(),
        url: "https://social.example.org/@live".to_owned(),
        icon: String::new(),
    }]
}

pub(super) fn emotes() -> Vec<Emote> {
    vec![Emote {
        name: "wave".to_owned(),
        url: "/img/emoji/wave.png".to_owned(),
    }]
}

pub(super) fn federation() -> FederationInfo {
    FederationInfo {
        enabled: true,
        username: "live".to_owned(),
        is_private: false,
    }
}

pub(super) fn tags() -> Vec<String> {
    vec!["sample".to_owned(), "plugins".to_owned()]
}

pub(super) fn video_config() -> VideoConfig {
    VideoConfig {
        latency_level: 2,
        codec: "libx264".to_owned(),
        autoplay: "off".to_owned(),
        variants: vec![VideoVariant {
            width: 1280,
            height: 720,
            framerate: 30,
            video_bitrate: 2_500,
            cpu_usage_level: 2,
            is_passthrough: false,
        }],
    }
}
