//! The operator's Markdown as safe HTML.

use pulldown_cmark::{Options, Parser, html};

/// Renders Markdown (including HTML inside it) and keeps only what a page may contain.
///
/// Even the operator's text goes through the allow-list: a stolen admin session must not put a script on every
/// visitor's page.
pub(crate) fn from_markdown(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut rendered = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut rendered, Parser::new_ext(markdown, options));
    allowed().clean(&rendered).to_string().trim_end().to_owned()
}

/// Keeps only the HTML that a page may contain.
pub(crate) fn cleaned(html: &str) -> String {
    allowed().clean(html).to_string()
}

/// At most so many bytes of harmless HTML, closed again where it was cut.
pub(crate) fn within(html: &str, limit: usize) -> String {
    if html.len() <= limit {
        return html.to_owned();
    }
    let end = (0..=limit).rev().find(|at| html.is_char_boundary(*at));
    cleaned(&html[..end.unwrap_or_default()])
}

fn allowed() -> ammonia::Builder<'static> {
    let mut allowed = ammonia::Builder::default();
    allowed
        .add_tags(["video", "audio", "source"])
        .add_tag_attributes(
            "video",
            [
                "src", "controls", "poster", "width", "height", "muted", "loop",
            ],
        )
        .add_tag_attributes("audio", ["src", "controls"])
        .add_tag_attributes("source", ["src", "type"])
        .add_generic_attributes(["class"])
        .link_rel(Some("noopener noreferrer nofollow"));
    allowed
}

/// Escapes text for use between tags or in a quoted attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html() {
        assert_eq!(
            from_markdown("# Hi\n\n*there*"),
            "<h1>Hi</h1>\n<p><em>there</em></p>"
        );
        assert_eq!(from_markdown(""), "");
    }

    #[test]
    fn a_text_that_is_cut_is_closed_again() {
        assert_eq!(within("<p>whole</p>", 100), "<p>whole</p>");
        let cut = within("<p>one <b>tväo</b></p>", 13);
        assert_eq!(cut, "<p>one <b>tv</b></p>");
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_written_only_allowed_markup_comes_out(text in "[ -~\n]{0,200}") {
            let html = from_markdown(&text);
            let again = allowed().clean(&html).to_string();
            proptest::prop_assert_eq!(again.trim_end(), &html);
            proptest::prop_assert!(!html.contains("<script") && !html.contains("<iframe"));
        }
    }

    #[test]
    fn scripts_never_survive() {
        for attack in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "<a href=\"data:text/html,x\">x</a>",
            "<svg onload=alert(1)></svg>",
            "<iframe src=//evil></iframe>",
            "<p style=\"position:fixed\">x</p>",
        ] {
            let html = from_markdown(attack);
            for bad in [
                "<script",
                "onerror",
                "javascript:",
                "data:",
                "onload",
                "<iframe",
                "style=",
            ] {
                assert!(!html.contains(bad), "{attack} -> {html}");
            }
        }
    }
}
