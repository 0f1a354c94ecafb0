//! What the pages of recordings say without their script.

use model::settings::table::{NAME, SUMMARY};
use serde_json::json;

use super::head::{self, Subject};
use crate::html::escaped;
use crate::language::{Plain, Texts};
use crate::state::{PageKey, PageTexts};

/// Limit (operators): characters of a recording's text in previews of links; the rest is left out there.
const MAX_DESCRIPTION_CHARS: usize = 300;

/// A recording, as its page describes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct DescribedVideo {
    pub(crate) id: String,
    /// May be empty.
    pub(crate) title: String,
    pub(crate) summary: String,
    pub(crate) tags: Vec<String>,
    /// When the stream began, as RFC 3339 has it.
    pub(crate) started_at: String,
    pub(crate) seconds: u64,
    /// Whether there is a picture of it.
    pub(crate) has_poster: bool,
    /// Whether search engines may list it.
    pub(crate) is_listed: bool,
}

impl DescribedVideo {
    fn path(&self) -> String {
        format!("/videos/{}", self.id)
    }

    fn poster(&self) -> String {
        match self.has_poster {
            true => format!("/hls/videos/{}/poster.jpg", self.id),
            false => "/logo/external".into(),
        }
    }

    /// What it is called, or else the server.
    fn title<'a>(&'a self, key: &'a PageKey) -> &'a str {
        match self.title.as_str() {
            "" => key.settings.text(&NAME),
            title => title,
        }
    }

    fn description(&self) -> String {
        self.summary.chars().take(MAX_DESCRIPTION_CHARS).collect()
    }
}

/// The texts of a recording's page.
pub(crate) fn video_texts(key: &PageKey, video: &DescribedVideo) -> PageTexts {
    let title = video.title(key).to_owned();
    let subject = Subject {
        window_title: match video.title.is_empty() {
            true => title.clone(),
            false => format!("{title} · {}", key.settings.text(&NAME)),
        },
        title,
        description: video.description(),
        tags: video.tags.clone(),
        kind: "video.other",
        path: video.path(),
        image: video.poster(),
        card_image: video.poster(),
        player: format!("/embed/video/{}", video.id),
        is_hidden: !video.is_listed,
        more: release(video) + &structured(key, video),
    };
    PageTexts {
        head: head::render_subject(key, &subject),
        body: video_body(key, video),
    }
}

/// The texts of the list's page, with the newest recordings.
pub(crate) fn list_texts(key: &PageKey, newest: &[DescribedVideo]) -> PageTexts {
    let title = key.language.texts().plain.recordings;
    let name = key.settings.text(&NAME);
    let subject = Subject {
        window_title: format!("{title} · {name}"),
        title: format!("{title} · {name}"),
        description: key.settings.text(&SUMMARY).to_owned(),
        kind: "website",
        path: "/videos".into(),
        image: "/logo/external".into(),
        card_image: "/logo/external".into(),
        ..Subject::default()
    };
    PageTexts {
        head: head::render_subject(key, &subject),
        body: list_body(key, newest),
    }
}

fn release(video: &DescribedVideo) -> String {
    let (seconds, date) = (video.seconds, escaped(&video.started_at));
    format!(
        "<meta property=\"video:duration\" content=\"{seconds}\">\n\
         <meta property=\"video:release_date\" content=\"{date}\">\n"
    )
}

/// What search engines read (<https://schema.org/VideoObject>).
fn structured(key: &PageKey, video: &DescribedVideo) -> String {
    let (base, id) = (&key.base, &video.id);
    let title = video.title(key);
    let description = match video.summary.as_str() {
        "" => title.to_owned(),
        _ => video.description(),
    };
    let (hours, minutes) = (video.seconds / 3600, video.seconds / 60 % 60);
    let document = json!({
        "@context": "https://schema.org",
        "@type": "VideoObject",
        "name": title,
        "description": description,
        "thumbnailUrl": [format!("{base}{}", video.poster())],
        "uploadDate": video.started_at,
        "duration": format!("PT{hours}H{minutes}M{}S", video.seconds % 60),
        "contentUrl": format!("{base}/hls/videos/{id}/stream.m3u8"),
        "embedUrl": format!("{base}/embed/video/{id}"),
    });
    // `<` is the only character that could end the element early. It is data, which no browser runs.
    let text = document.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/ld+json\">{text}</script>\n")
}

fn video_body(key: &PageKey, video: &DescribedVideo) -> String {
    let Texts {
        tag,
        direction,
        plain,
        ..
    } = key.language.texts();
    let Plain {
        needs_script,
        open_recording,
        recordings,
        ..
    } = plain;
    let name = escaped(key.settings.text(&NAME));
    let title = escaped(video.title(key));
    let summary = match video.summary.as_str() {
        "" => String::new(),
        summary => format!("<p class=\"prose\" dir=\"auto\">{}</p>\n", escaped(summary)),
    };
    let items: String = video
        .tags
        .iter()
        .map(|tag| format!("<li class=\"tag\" dir=\"auto\">#{}</li>", escaped(tag)))
        .collect();
    let tags = match items.is_empty() {
        true => String::new(),
        false => format!("<ul class=\"plain-list\">{items}</ul>\n"),
    };
    let (playlist, poster) = (
        format!("/hls/videos/{}/stream.m3u8", video.id),
        video.poster(),
    );
    format!(
        "<main class=\"plain-page\" lang=\"{tag}\" dir=\"{direction}\">\n\
         <header><img class=\"logo\" src=\"/logo\" alt=\"\" width=\"72\" height=\"72\">\n\
         <div><p class=\"muted\"><a href=\"/\">{name}</a></p>\n<h1 dir=\"auto\">{title}</h1></div></header>\n\
         <video class=\"plain-picture\" controls preload=\"none\" poster=\"{poster}\" src=\"{playlist}\" \
         width=\"1280\" height=\"720\"><img src=\"{poster}\" alt=\"\"></video>\n\
         <p><a href=\"{playlist}\">{open_recording}</a></p>\n\
         {summary}{tags}<p><a href=\"/videos\">{recordings}</a></p>\n\
         <p class=\"muted\">{needs_script}</p>\n</main>\n"
    )
}

fn list_body(key: &PageKey, newest: &[DescribedVideo]) -> String {
    let Texts {
        tag,
        direction,
        plain,
        ..
    } = key.language.texts();
    let Plain {
        needs_script,
        recordings,
        no_recordings,
        ..
    } = plain;
    let name = escaped(key.settings.text(&NAME));
    let items: String = newest
        .iter()
        .map(|video| {
            let (path, title) = (video.path(), escaped(video.title(key)));
            let day = escaped(video.started_at.get(..10).unwrap_or_default());
            format!(
                "<li><a href=\"{path}\" dir=\"auto\">{title}</a> <span class=\"muted\">{day}</span></li>\n"
            )
        })
        .collect();
    let list = match items.is_empty() {
        true => format!("<p>{no_recordings}</p>\n"),
        false => format!("<ul>\n{items}</ul>\n"),
    };
    format!(
        "<main class=\"plain-page\" lang=\"{tag}\" dir=\"{direction}\">\n\
         <header><img class=\"logo\" src=\"/logo\" alt=\"\" width=\"72\" height=\"72\">\n\
         <div><p class=\"muted\"><a href=\"/\">{name}</a></p>\n<h1>{recordings}</h1></div></header>\n\
         {list}<p class=\"muted\">{needs_script}</p>\n</main>\n"
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use model::settings::{ExternalSettings, Layers};

    use super::*;
    use crate::language::Language;

    fn key() -> PageKey {
        let (layers, _) = Layers::compose(&BTreeMap::new(), &ExternalSettings::default());
        PageKey {
            settings: Arc::new(layers),
            base: "https://live.example".into(),
            is_online: false,
            language: Language::English,
        }
    }

    fn video(title: &str) -> DescribedVideo {
        DescribedVideo {
            id: "0123456789abcdef".into(),
            title: title.into(),
            started_at: "2026-03-01T20:00:00Z".into(),
            seconds: 3723,
            has_poster: true,
            is_listed: true,
            ..DescribedVideo::default()
        }
    }

    #[test]
    fn what_a_recording_is_called_cannot_leave_its_place_in_the_page() {
        let attack = "</script><script>alert(1)</script>\"><img src=x onerror=alert(1)></noscript>";
        let attacker = DescribedVideo {
            summary: attack.into(),
            tags: vec![attack.into()],
            ..video(attack)
        };
        let PageTexts { head, body } = video_texts(&key(), &attacker);
        let listed = list_texts(&key(), &[attacker]).body;
        for text in [&head, &body, &listed] {
            assert!(
                !text.contains("<script>") && !text.contains("<img src=x"),
                "{text}"
            );
            assert!(!text.contains("</noscript"), "{text}");
        }
        assert_eq!(head.matches("</script>").count(), 1, "{head}");
    }

    #[test]
    fn search_engines_read_what_a_recording_is_and_leave_unlisted_ones_out() {
        let head = video_texts(&key(), &video("Cooking")).head;
        for part in [
            "<title>Cooking · ",
            "property=\"og:type\" content=\"video.other\"",
            "property=\"og:url\" content=\"https://live.example/videos/0123456789abcdef\"",
            "property=\"og:video\" content=\"https://live.example/embed/video/0123456789abcdef\"",
            "/oembed?url=https%3A%2F%2Flive.example%2Fvideos%2F0123456789abcdef&amp;format=json",
            "\"duration\":\"PT1H2M3S\"",
            "\"thumbnailUrl\":[\"https://live.example/hls/videos/0123456789abcdef/poster.jpg\"]",
            "property=\"video:duration\" content=\"3723\"",
        ] {
            assert!(head.contains(part), "{part}: {head}");
        }
        assert!(!head.contains("noindex"));
        let unlisted = DescribedVideo {
            is_listed: false,
            ..video("Cooking")
        };
        assert!(video_texts(&key(), &unlisted).head.contains("noindex"));
    }

    #[test]
    fn the_list_of_recordings_says_so_when_there_are_none() {
        let empty = list_texts(&key(), &[]);
        assert!(empty.body.contains("There are no recordings yet."));
        assert!(!empty.head.contains("og:video"), "nothing is played there");
        let one = list_texts(&key(), &[video("Cooking")]).body;
        assert!(one.contains("<a href=\"/videos/0123456789abcdef\" dir=\"auto\">Cooking</a>"));
        assert!(one.contains("2026-03-01"));
    }
}
