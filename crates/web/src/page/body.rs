//! The content of the page for readers without scripts.

use model::settings::table::{NAME, NSFW, SOCIAL_HANDLES, STREAM_TITLE, SUMMARY, TAGS};
use model::social::platform_name;

use crate::html::escaped;
use crate::language::{Plain, Texts};
use crate::state::PageKey;

/// Takes the operator's texts as harmless HTML.
pub(super) fn render(key: &PageKey, about: &str, offline: &str) -> String {
    let settings = &key.settings;
    let name = escaped(settings.text(&NAME));
    let summary = match settings.text(&SUMMARY) {
        "" => String::new(),
        summary => format!("<p class=\"muted\" dir=\"auto\">{}</p>\n", escaped(summary)),
    };
    let stream = match key.is_online {
        true => live(key),
        false => without_stream(key, offline),
    };
    let about = contained(about);
    let Texts {
        tag,
        direction,
        plain: Plain { needs_script, .. },
        ..
    } = key.language.texts();
    format!(
        "<main class=\"plain-page\" lang=\"{tag}\" dir=\"{direction}\">\n\
         <header><img class=\"logo\" src=\"/logo\" alt=\"\" width=\"72\" height=\"72\">\n\
         <div><h1>{name}</h1>\n{summary}</div></header>\n\
         {stream}{}{}<div class=\"prose\" dir=\"auto\">\n{about}\n</div>\n\
         <p class=\"muted\">{needs_script}</p>\n</main>\n",
        tags(key),
        links(key),
    )
}

/// Browsers that play HLS by themselves show the stream even here.
fn live(key: &PageKey) -> String {
    let Plain {
        live: now,
        open_in_player: open,
        ..
    } = key.language.texts().plain;
    let title = match key.settings.text(&STREAM_TITLE) {
        "" => now.to_owned(),
        title => format!("{now}: {}", escaped(title)),
    };
    format!(
        "<h2>{title}</h2>\n\
         <video class=\"plain-picture\" controls preload=\"none\" poster=\"/thumbnail.jpg\" src=\"/hls/stream.m3u8\" \
         width=\"1280\" height=\"720\"><img src=\"/thumbnail.jpg\" alt=\"\"></video>\n\
         <p><a href=\"/hls/stream.m3u8\">{open}</a></p>\n"
    )
}

fn without_stream(key: &PageKey, offline: &str) -> String {
    let Plain {
        offline: title,
        address_when_live: address,
        ..
    } = key.language.texts().plain;
    format!(
        "<h2>{title}</h2>\n<div class=\"prose\" dir=\"auto\">{}</div>\n\
         <p>{address}: <a href=\"/hls/stream.m3u8\">/hls/stream.m3u8</a></p>\n",
        contained(offline)
    )
}

fn tags(key: &PageKey) -> String {
    let tags = key.settings.get(&TAGS);
    let mut items = String::new();
    if *key.settings.get(&NSFW) {
        let mature = key.language.texts().plain.mature;
        items.push_str(&format!("<li class=\"tag tag-warning\">{mature}</li>"));
    }
    for tag in tags {
        items.push_str(&format!(
            "<li class=\"tag\" dir=\"auto\">#{}</li>",
            escaped(tag)
        ));
    }
    list(&items)
}

/// `rel="me"` is how other sites verify that a profile is the operator's.
fn links(key: &PageKey) -> String {
    let handles = key.settings.get(&SOCIAL_HANDLES).iter();
    let items: String = handles
        .map(|handle| {
            let (url, platform) = (escaped(&handle.url), platform_name(&handle.platform));
            let platform = escaped(platform);
            format!("<li><a href=\"{url}\" rel=\"me noopener nofollow\">{platform}</a></li>")
        })
        .collect();
    list(&items)
}

fn list(items: &str) -> String {
    match items.is_empty() {
        true => String::new(),
        false => format!("<ul class=\"plain-list\">{items}</ul>\n"),
    }
}

/// HTML that cannot end the `noscript` element it is in. With scripts on, a browser looks for the end tag everywhere,
/// also in the value of an attribute, where harmless HTML may contain it.
fn contained(html: &str) -> String {
    const END: &str = "</noscript";
    let mut safe = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        safe.push_str(before);
        let start = tag.get(..END.len());
        let is_end = start.is_some_and(|start| start.eq_ignore_ascii_case(END));
        safe.push_str(if is_end { "&lt;" } else { "<" });
        rest = &tag[1..];
    }
    safe.push_str(rest);
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::from_markdown;

    #[test]
    fn nothing_the_operator_writes_ends_the_part_for_readers_without_scripts() {
        for attack in [
            "<a href=\"/\" title=\"</noscript><script>alert(1)</script>\">x</a>",
            "<img alt='</NoScript><img src=x onerror=alert(1)>'>",
            "</noscript><script>alert(1)</script>",
        ] {
            let html = contained(&from_markdown(attack));
            let lower = html.to_ascii_lowercase();
            assert!(!lower.contains("</noscript"), "{html}");
        }
        assert_eq!(contained("<p>a < b</p> ä<"), "<p>a < b</p> ä<");
        assert_eq!(contained("x</NOSCRIPT>"), "x&lt;/NOSCRIPT>");
    }
}
