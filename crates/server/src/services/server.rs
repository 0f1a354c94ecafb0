//! The server itself for plugins: its description, its video settings, and what it sends out.

use std::sync::Arc;

use federation::publishing::NewPost;
use http::{HeaderMap, HeaderValue, header};
use model::product;
use model::settings::table::chat::WELCOME_MESSAGE;
use model::settings::table::federation::{ENABLED, PLUGIN_POSTS, PRIVATE, USERNAME};
use model::settings::table::notices::DISCORD;
use model::settings::table::page::AUTOPLAY;
use model::settings::table::video::{CODEC, OUTPUT_VARIANTS};
use model::settings::table::{
    LATENCY_LEVEL, NAME, SERVER_URL, SOCIAL_HANDLES, STREAM_TITLE, SUMMARY, TAGS,
};
use model::settings::{AnySetting, VideoVariant as StoredVariant};
use outbound::{FetchBudget, Policy, Url};
use plugins::host::wire::{
    Broadcaster, Emote, FederationInfo, MaybeRaw, ServerInfo, Social, StreamNow, VideoConfig,
    VideoConfigChange, VideoVariant, time,
};
use serde_json::{Value, json};

use super::{Services, failed};

impl Services {
    pub(super) fn stream_now(&self) -> StreamNow {
        let status = self.live.status().borrow().clone();
        let settings = self.settings.now();
        let started = status.last_connect.filter(|_| status.is_online);
        StreamNow {
            online: status.is_online,
            title: settings.get(&STREAM_TITLE).clone(),
            summary: settings.get(&SUMMARY).clone(),
            viewers: status.viewers,
            started_at: started.map(time),
            latency_level: Some(*settings.get(&LATENCY_LEVEL)),
        }
    }

    pub(super) fn publisher(&self) -> Broadcaster {
        let report = self.live.report();
        let Some(publisher) = report.publisher else {
            return Broadcaster::default();
        };
        let (video, audio) = (report.tracks.video.as_ref(), report.tracks.audio.as_ref());
        let names = [
            video.map(|track| track.config.name()),
            audio.map(|track| track.config.name()),
        ];
        Broadcaster {
            remote_addr: publisher.peer.to_string(),
            codecs: names.into_iter().flatten().map(str::to_owned).collect(),
            resolution: video.map_or_else(String::new, |track| {
                format!("{}x{}", track.config.width(), track.config.height())
            }),
            framerate: video.map(|track| (1e9 / track.frame_us.max(1.0)).round() / 1000.0),
            bitrates: report
                .inbound
                .last()
                .map(|last| last.kbps)
                .into_iter()
                .collect(),
        }
    }

    pub(super) fn about(&self) -> ServerInfo {
        let settings = self.settings.now();
        ServerInfo {
            name: settings.get(&NAME).clone(),
            url: settings.get(&SERVER_URL).clone(),
            summary: settings.get(&SUMMARY).clone(),
            welcome_message: settings.get(&WELCOME_MESSAGE).clone(),
            version: product::VERSION.to_owned(),
        }
    }

    pub(super) fn accounts(&self) -> Vec<MaybeRaw<Social>> {
        let settings = self.settings.now();
        let handles = settings.get(&SOCIAL_HANDLES).iter();
        let socials = handles.map(|handle| Social {
            platform: handle.platform.clone(),
            url: handle.url.clone(),
            icon: String::new(),
        });
        socials.map(MaybeRaw::from).collect()
    }

    pub(super) fn emotes(&self) -> Vec<Emote> {
        let list = self.chat.emoji().list();
        let emotes = list.iter().map(|emoji| Emote {
            name: emoji.name.clone(),
            url: emoji.url(),
        });
        emotes.collect()
    }

    pub(super) fn fediverse(&self) -> FederationInfo {
        let settings = self.settings.now();
        FederationInfo {
            enabled: *settings.get(&ENABLED),
            username: settings.get(&USERNAME).clone(),
            is_private: *settings.get(&PRIVATE),
        }
    }

    /// The server's handle in the Fediverse, if it has one.
    pub(super) fn handle(&self) -> String {
        let settings = self.settings.now();
        let host = Url::parse(settings.get(&SERVER_URL).as_str()).ok();
        let host = host.and_then(|url| url.host_str().map(str::to_owned));
        match host {
            Some(host) => format!("@{}@{host}", settings.get(&USERNAME)),
            None => settings.get(&NAME).clone(),
        }
    }

    pub(super) fn tags(&self) -> Vec<String> {
        self.settings.now().get(&TAGS).clone()
    }

    pub(super) fn video(&self) -> VideoConfig {
        let settings = self.settings.now();
        let variants = settings.get(&OUTPUT_VARIANTS).iter();
        VideoConfig {
            latency_level: *settings.get(&LATENCY_LEVEL),
            codec: settings.get(&CODEC).clone(),
            autoplay: settings.get(&AUTOPLAY).clone(),
            variants: variants.map(shown).collect(),
        }
    }

    pub(super) async fn write_video_config(
        &self,
        slug: &str,
        change: &VideoConfigChange,
    ) -> Result<(), String> {
        let known = self.settings.now().get(&OUTPUT_VARIANTS).clone();
        let variants = change.variants.as_ref().map(|variants| {
            let variants = variants.iter().enumerate();
            let stored = variants.map(|(place, wanted)| stored(wanted, known.get(place)));
            json!(stored.collect::<Vec<_>>())
        });
        let changes: [(&'static dyn AnySetting, Option<Value>); 4] = [
            (&LATENCY_LEVEL, change.latency_level.map(Value::from)),
            (&CODEC, change.codec.clone().map(Value::from)),
            (&AUTOPLAY, change.autoplay.clone().map(Value::from)),
            (&OUTPUT_VARIANTS, variants),
        ];
        for (setting, value) in changes {
            if let Some(value) = value {
                model::stranger_line!(
                    info, "plugin_setting", about slug, plugin = slug, setting = setting.meta().key,
                    "set by a plugin"
                );
                let set = self.settings.set(setting, value, self.clock.now()).await;
                set.map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    pub(super) async fn upload(
        &self,
        slug: &str,
        name: &str,
        bytes: &[u8],
    ) -> Result<String, String> {
        let uploads = Arc::clone(&self.uploads);
        let (owner, file, bytes) = (slug.to_owned(), name.to_owned(), bytes.to_vec());
        tokio::task::spawn_blocking(move || uploads.keep(&owner, &file, &bytes))
            .await
            .map_err(failed)??;
        let settings = self.settings.now();
        let server = settings.get(&SERVER_URL).trim_end_matches('/');
        // Names may contain characters with a meaning in URLs.
        let base = format!(
            "{}/public/plugins/{slug}/",
            if server.is_empty() {
                "http://x"
            } else {
                server
            }
        );
        let mut url = Url::parse(&base).map_err(failed)?;
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().push(name);
        }
        Ok(match server.is_empty() {
            true => url.path().to_owned(),
            false => url.to_string(),
        })
    }

    pub(super) async fn notify_discord(&self, text: &str) -> Result<(), String> {
        let notice = self.settings.now().get(&DISCORD).clone();
        let Ok(url) = Url::parse(&notice.webhook) else {
            return Ok(());
        };
        let mut headers = HeaderMap::new();
        let json_type = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json_type);
        let body = json!({ "content": text }).to_string().into();
        let (policy, budget) = (Policy::webhook(), FetchBudget::new(1));
        let sent = self
            .outbound
            .post(&url, &policy, headers, body, &budget)
            .await;
        let accepted = sent.and_then(outbound::Response::require_success);
        accepted.map(drop).map_err(|error| error.to_string())
    }

    pub(super) async fn fediverse_post(&self, slug: &str, text: &str) -> Result<String, String> {
        if !*self.settings.now().get(&PLUGIN_POSTS) {
            return Err("the operator does not allow plugins to post".into());
        }
        tracing::info!(plugin = slug, "a plugin posts to the Fediverse");
        let new = NewPost {
            text: text.to_owned(),
            picture: None,
        };
        let posted = self.federation.outbox().post(new).await;
        posted.map_err(|error| error.to_string())
    }
}

fn shown(variant: &StoredVariant) -> VideoVariant {
    VideoVariant {
        width: variant.scaled_width,
        height: variant.scaled_height,
        framerate: variant.framerate,
        video_bitrate: variant.video_bitrate,
        cpu_usage_level: variant.cpu_usage_level,
        is_passthrough: variant.video_passthrough,
    }
}

/// Plugins cannot change the sound and the name of a quality: both stay as they were.
fn stored(wanted: &VideoVariant, known: Option<&StoredVariant>) -> StoredVariant {
    StoredVariant {
        video_passthrough: wanted.is_passthrough,
        video_bitrate: wanted.video_bitrate,
        scaled_width: wanted.width,
        scaled_height: wanted.height,
        framerate: wanted.framerate,
        cpu_usage_level: wanted.cpu_usage_level,
        ..known.cloned().unwrap_or_default()
    }
}
