//! The operator's Markdown as a post: a few tags, and hashtags where the text has them.

use std::collections::HashSet;

use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd};
use url::Url;

use super::hashtag::{self, Piece};
use super::text::escaped;

/// Everything a post may contain; other servers keep no more.
const TAGS: [&str; 10] = [
    "p",
    "br",
    "a",
    "strong",
    "em",
    "code",
    "ul",
    "ol",
    "li",
    "blockquote",
];

/// A rendered text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedMarkdown {
    /// Safe to show.
    pub html: String,
    /// The hashtags in it, without `#`, as typed.
    pub tags: Vec<String>,
}

/// Renders Markdown; HTML inside it is shown as typed.
///
/// Hashtags are searched for in text only: not in code, not inside links, and never in rendered output.
pub fn render(markdown: &str, directory_url: &str) -> RenderedMarkdown {
    let mut writer = HtmlWriter {
        directory_url,
        html: String::with_capacity(markdown.len() * 2),
        tags: Vec::new(),
        inside: Vec::new(),
        text: String::new(),
    };
    for event in Parser::new(markdown) {
        writer.take(event);
    }
    writer.flush();
    RenderedMarkdown {
        html: allowed().clean(&writer.html).to_string(),
        tags: hashtag::distinct(writer.tags),
    }
}

/// The final filter for what is sent.
fn allowed() -> ammonia::Builder<'static> {
    let mut allowed = ammonia::Builder::default();
    allowed
        .tags(HashSet::from(TAGS))
        .generic_attributes(HashSet::new())
        .tag_attributes([("a", HashSet::from(["href", "class", "rel", "target"]))].into())
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(None);
    allowed
}

/// The element the writer is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenElement {
    /// Text in it is not searched: a link, or one dropped because its target is not allowed.
    Link { is_open: bool },
    /// A code block, whose line breaks are kept.
    Code,
}

struct HtmlWriter<'a> {
    directory_url: &'a str,
    html: String,
    tags: Vec<String>,
    inside: Vec<OpenElement>,
    /// Text not written yet: the parser emits it in small pieces, and a hashtag may span several.
    text: String,
}

impl HtmlWriter<'_> {
    fn take(&mut self, event: Event<'_>) {
        if let Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) = &event {
            self.text.push_str(text);
            return;
        }
        self.flush();
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Code(code) => {
                self.html
                    .push_str(&format!("<code>{}</code>", escaped(&code)));
            }
            Event::SoftBreak | Event::HardBreak => self.html.push_str("<br>"),
            _ => (),
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        let opening = match tag {
            Tag::Paragraph | Tag::HtmlBlock => "<p>",
            Tag::Heading { .. } => "<p><strong>",
            Tag::BlockQuote(_) => "<blockquote>",
            Tag::CodeBlock(_) => {
                self.inside.push(OpenElement::Code);
                "<p><code>"
            }
            Tag::List(Some(_)) => "<ol>",
            Tag::List(None) => "<ul>",
            Tag::Item => "<li>",
            Tag::Emphasis => "<em>",
            Tag::Strong => "<strong>",
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                return self.begin_link(dest_url);
            }
            _ => "",
        };
        self.html.push_str(opening);
    }

    fn begin_link(&mut self, url: &CowStr<'_>) {
        let leads_out =
            Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
        let is_open = leads_out && self.inside.is_empty();
        if is_open {
            self.html.push_str(&opening(url));
        }
        self.inside.push(OpenElement::Link { is_open });
    }

    fn end(&mut self, tag: TagEnd) {
        let closing = match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => "</p>",
            TagEnd::Heading(_) => "</strong></p>",
            TagEnd::BlockQuote(_) => "</blockquote>",
            TagEnd::CodeBlock => {
                self.inside.pop();
                "</code></p>"
            }
            TagEnd::List(true) => "</ol>",
            TagEnd::List(false) => "</ul>",
            TagEnd::Item => "</li>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Link | TagEnd::Image => match self.inside.pop() {
                Some(OpenElement::Link { is_open: true }) => "</a>",
                _ => "",
            },
            _ => "",
        };
        self.html.push_str(closing);
    }

    /// Writes the collected text, turning hashtags and addresses into links where links are allowed.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        match self.inside.last() {
            Some(OpenElement::Code) => {
                let lines: Vec<String> = text.trim_end().lines().map(escaped).collect();
                self.html.push_str(&lines.join("<br>"));
            }
            Some(OpenElement::Link { .. }) => self.html.push_str(&escaped(&text)),
            None => {
                for part in text.split_inclusive(char::is_whitespace) {
                    self.word(part);
                }
            }
        }
    }

    /// Writes a word with the space after it; neither an address nor a hashtag contains one.
    fn word(&mut self, word: &str) {
        if let Some((before, url, after)) = address_in(word) {
            self.html.push_str(&escaped(before));
            let anchor = format!("{}{}</a>", opening(url), escaped(url));
            self.html.push_str(&anchor);
            self.html.push_str(&escaped(after));
            return;
        }
        for piece in hashtag::split(word) {
            match piece {
                Piece::Text(text) => self.html.push_str(&escaped(text)),
                Piece::Tag(tag) => {
                    self.html
                        .push_str(&hashtag::anchor(self.directory_url, tag));
                    self.tags.push(tag.to_owned());
                }
            }
        }
    }
}

fn opening(url: &str) -> String {
    format!(
        "<a href=\"{}\" rel=\"nofollow noopener noreferrer\" target=\"_blank\">",
        escaped(url)
    )
}

/// The text before a web address in a word, the address, and the punctuation after it.
fn address_in(word: &str) -> Option<(&str, &str, &str)> {
    let start = word.find("https://").or_else(|| word.find("http://"))?;
    let (before, rest) = word.split_at(start);
    let is_quoted = before
        .chars()
        .all(|c| matches!(c, '(' | '[' | '"' | '\'' | '<'));
    let end = rest.trim_end_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '"' | '\'' | '>'
            )
    });
    let url = Url::parse(end).ok().filter(Url::has_host)?;
    (is_quoted && url.username().is_empty()).then(|| (before, end, &rest[end.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(markdown: &str) -> String {
        render(markdown, "https://d.example").html
    }

    #[test]
    fn a_post_has_few_tags() {
        assert_eq!(
            html("# Hi\n\n*a* **b** `c`\nd\n\n- e\n\n1. f\n\n> g"),
            "<p><strong>Hi</strong></p><p><em>a</em> <strong>b</strong> <code>c</code><br>d</p>\
             <ul><li>e</li></ul><ol><li>f</li></ol><blockquote><p>g</p></blockquote>"
        );
        assert_eq!(
            html("```\na <b>\n#c\n```"),
            "<p><code>a &lt;b&gt;<br>#c</code></p>"
        );
        assert_eq!(html(""), "");
    }

    #[test]
    fn hashtags_are_links_in_text_and_nowhere_else() {
        let rendered = render(
            "#a #ab [#c](https://x.example/#d) `#e` https://y.example/#f #日本 #A",
            "https://d.example",
        );
        assert_eq!(rendered.tags, ["a", "ab", "日本"]);
        assert!(rendered.html.contains(
            "<a class=\"mention hashtag\" rel=\"tag\" href=\"https://d.example/tags/ab\">#ab</a>"
        ));
        assert!(rendered.html.contains("https://x.example/#d"));
        assert!(rendered.html.contains(">https://y.example/#f</a>"));
        assert!(rendered.html.contains("<code>#e</code>"));
    }

    #[test]
    fn addresses_become_links_without_the_punctuation_around_them() {
        assert_eq!(
            html("see (https://x.example/a)."),
            "<p>see (<a href=\"https://x.example/a\" rel=\"nofollow noopener noreferrer\" target=\"_blank\">\
             https://x.example/a</a>).</p>"
        );
        assert_eq!(html("xhttps://x.example"), "<p>xhttps://x.example</p>");
    }

    #[test]
    fn html_and_bad_links_are_text() {
        assert_eq!(html("<b>x</b> &"), "<p>&lt;b&gt;x&lt;/b&gt; &amp;</p>");
        assert_eq!(html("[x](javascript:alert(1))"), "<p>x</p>");
        assert!(!html("<script>alert(1)</script>").contains("<script"));
        assert_eq!(
            html("![alt](https://x.example/a.png)"),
            "<p><a href=\"https://x.example/a.png\" \
            rel=\"nofollow noopener noreferrer\" target=\"_blank\">alt</a></p>"
        );
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_typed_only_these_tags_come_out(text in "[ -~\n日é]{0,120}") {
            let rendered = render(&text, "https://d.example");
            for part in rendered.html.split('<').skip(1) {
                let name = part.trim_start_matches('/').split([' ', '>']).next().unwrap();
                proptest::prop_assert!(TAGS.contains(&name), "{}", rendered.html);
            }
            proptest::prop_assert_eq!(allowed().clean(&rendered.html).to_string(), rendered.html);
        }
    }
}
