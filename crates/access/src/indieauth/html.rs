//! Reads the `<link>` elements of a page without building the document.
//!
//! The tokenizer follows the same rules as browsers (html5ever), so both see the same elements. Only the head counts:
//! the body of a page may contain what others wrote.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::{Attribute, TokenizerResult};
use outbound::Url;

/// Links kept of one page or header; further ones are ignored.
pub(super) const MAX_LINKS: usize = 100;
/// Bytes given to the tokenizer at once.
const CHUNK_BYTES: usize = 4 * 1024;
/// The longest tag or comment; a page with a longer one is read up to there. Attributes of a tag are compared with each
/// other, so a long one costs more than its length.
const MAX_TAG_BYTES: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct WebLink {
    relations: String,
    pub(super) target: Url,
}

impl WebLink {
    /// `None` when the target is empty or not a valid address.
    pub(super) fn new(relations: &str, target: &str, base: &Url) -> Option<Self> {
        let target = target.trim();
        if target.is_empty() {
            return None;
        }
        Some(Self {
            relations: relations.to_owned(),
            target: base.join(target).ok()?,
        })
    }

    pub(super) fn has(&self, relation: &str) -> bool {
        let mut relations = self.relations.split_ascii_whitespace();
        relations.any(|one| one.eq_ignore_ascii_case(relation))
    }
}

/// The links in the head of a page.
pub(super) fn links(page: &str, address: &Url) -> Vec<WebLink> {
    let head = HeadSink {
        address,
        base: RefCell::default(),
        links: RefCell::default(),
        templates: Cell::new(0),
        has_news: Cell::new(false),
    };
    let tokenizer = Tokenizer::new(head, TokenizerOpts::default());
    let (mut rest, mut silent_bytes) = (page, 0);
    while !rest.is_empty() && silent_bytes < MAX_TAG_BYTES {
        let end = rest.floor_char_boundary(CHUNK_BYTES.min(rest.len()));
        let (chunk, after) = rest.split_at(end);
        let input = BufferQueue::default();
        input.push_back(StrTendril::from(chunk));
        if let TokenizerResult::Script(StopParsing) = tokenizer.feed(&input) {
            break;
        }
        silent_bytes = match tokenizer.sink.has_news.take() {
            true => 0,
            false => silent_bytes + chunk.len(),
        };
        rest = after;
    }
    // An unfinished tag does not count, so the tokenizer is not asked to finish.
    tokenizer.sink.links.take()
}

/// Ignores everything that follows.
struct StopParsing;

/// Collects the links of a page's head.
struct HeadSink<'a> {
    address: &'a Url,
    base: RefCell<Option<Url>>,
    links: RefCell<Vec<WebLink>>,
    /// Number of open templates; what is inside them is not part of the page.
    templates: Cell<usize>,
    has_news: Cell<bool>,
}

impl TokenSink for HeadSink<'_> {
    type Handle = StopParsing;

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<StopParsing> {
        self.has_news.set(true);
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.begin(&tag),
            Token::TagToken(tag) => self.end(&tag),
            _ => TokenSinkResult::Continue,
        }
    }
}

impl HeadSink<'_> {
    fn begin(&self, tag: &Tag) -> TokenSinkResult<StopParsing> {
        match &*tag.name {
            "body" => return TokenSinkResult::Script(StopParsing),
            "template" => self.templates.set(self.templates.get() + 1),
            "base" | "link" if self.templates.get() > 0 => {}
            "base" => self.set_base(tag),
            "link" => self.add_link(tag),
            // Elements whose content is always text.
            "script" => return TokenSinkResult::RawData(RawKind::ScriptData),
            "title" | "textarea" => return TokenSinkResult::RawData(RawKind::Rcdata),
            "style" | "noscript" | "iframe" | "xmp" | "noframes" | "noembed" => {
                return TokenSinkResult::RawData(RawKind::Rawtext);
            }
            "plaintext" => return TokenSinkResult::Plaintext,
            _ => {}
        }
        match self.links.borrow().len() < MAX_LINKS {
            true => TokenSinkResult::Continue,
            false => TokenSinkResult::Script(StopParsing),
        }
    }

    fn end(&self, tag: &Tag) -> TokenSinkResult<StopParsing> {
        match &*tag.name {
            "head" => TokenSinkResult::Script(StopParsing),
            "template" => {
                self.templates.set(self.templates.get().saturating_sub(1));
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn set_base(&self, tag: &Tag) {
        let mut base = self.base.borrow_mut();
        if base.is_none() {
            *base = value(tag, "href").and_then(|href| self.address.join(href).ok());
        }
    }

    fn add_link(&self, tag: &Tag) {
        let (Some(relations), Some(target)) = (value(tag, "rel"), value(tag, "href")) else {
            return;
        };
        let base = self.base.borrow();
        let link = WebLink::new(relations, target, base.as_ref().unwrap_or(self.address));
        self.links.borrow_mut().extend(link);
    }
}

/// The value of an attribute; the tokenizer keeps the first of duplicates.
fn value<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    let named = |attribute: &&Attribute| &*attribute.name.local == name;
    tag.attrs.iter().find(named).map(|one| &*one.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(page: &str) -> Option<String> {
        let address = Url::parse("https://me.example/home/page").unwrap();
        let links = links(page, &address);
        let found = links
            .iter()
            .find(|link| link.has("authorization_endpoint"))?;
        Some(found.target.to_string())
    }

    #[test]
    fn finds_the_link_however_it_is_written() {
        for page in [
            "<link rel=\"authorization_endpoint\" href=\"https://auth.example/a\">",
            "<link href='https://auth.example/a' rel='authorization_endpoint'/>",
            "<LINK REL=authorization_endpoint HREF=https://auth.example/a>",
            "<html><head><link\n rel = \"me Authorization_Endpoint x\"\n href = \"https://auth.example/a\"\n>",
            "<link crossorigin rel=authorization_endpoint data-x='a>b' href=\" https://auth.example/a \">",
            "<link rel=authorization_endpoint href=''><link rel=authorization_endpoint href=https://auth.example/a>",
            "<meta content=it's><link rel=authorization_endpoint href=https://auth.example/a><meta content='x'>",
            "< link><a<b <!-- x --><!doctype html><link rel=authorization_endpoint href=https://auth.example/a>",
            "<script>if (a<b) '<body>'</script><link rel=authorization_endpoint href=https://auth.example/a>",
        ] {
            assert_eq!(
                endpoint(page).as_deref(),
                Some("https://auth.example/a"),
                "{page}"
            );
        }
    }

    #[test]
    fn addresses_may_be_relative_and_escaped() {
        let link =
            |href: &str| endpoint(&format!("<link rel=authorization_endpoint href='{href}'>"));
        assert_eq!(
            link("auth").as_deref(),
            Some("https://me.example/home/auth")
        );
        assert_eq!(link("/auth").as_deref(), Some("https://me.example/auth"));
        for and in ["&amp;", "&#x26;", "&#38;", "&"] {
            assert_eq!(
                link(&format!("//auth.example/?a=1{and}b=2")).as_deref(),
                Some("https://auth.example/?a=1&b=2")
            );
        }
        let page =
            "<base href='/deep/er/'><base href='/no/'><link rel=authorization_endpoint href=auth>";
        assert_eq!(
            endpoint(page).as_deref(),
            Some("https://me.example/deep/er/auth")
        );
    }

    #[test]
    fn what_others_may_have_written_is_not_believed() {
        let link = "<link rel=authorization_endpoint href=https://evil.example/>";
        for page in [
            format!("<body>{link}"),
            format!("<head></head>{link}"),
            format!("<!-- {link} -->"),
            format!("<!-- {link}"),
            format!("<title>{link}</title>"),
            format!("<script>{link}</script>"),
            format!("<SCRIPT>'</scrip>{link}"),
            // Neither of these ends a script.
            format!("<script>'</scriptx>{link}'</script>"),
            format!("<script><!--<script></script>{link}--></script>"),
            format!("<template>{link}</template>"),
            format!("<style></stylex>{link}</style>"),
            format!("<textarea>{link}</textarea>"),
            format!("<noscript>{link}</noscript>"),
            format!("<meta content=\"{link}\">"),
            format!("<meta content='{link}"),
            "<a rel=authorization_endpoint href=https://evil.example/>".to_owned(),
            "<linkx rel=authorization_endpoint href=https://evil.example/>".to_owned(),
            "<link rel=no_authorization_endpoint href=https://evil.example/>".to_owned(),
        ] {
            assert_eq!(endpoint(&page), None, "{page}");
        }
    }

    #[test]
    fn long_and_broken_pages_take_little_time_and_memory() {
        for piece in [
            "<",
            "<a ",
            "<a =",
            "<!--",
            "<script>",
            "</",
            "<link rel=x href=y>",
            "<a b='",
            "ä<ä",
            "<title></",
            "<!--x",
        ] {
            let page = piece.repeat((1 << 18) / piece.len());
            let address = Url::parse("https://me.example/").unwrap();
            assert!(links(&page, &address).len() <= MAX_LINKS);
        }
    }

    #[test]
    fn a_tag_with_very_many_attributes_is_not_read_to_its_end() {
        let attributes: String = (0..200_000).map(|number| format!("a{number} ")).collect();
        let page = format!("<x {attributes}><link rel=authorization_endpoint href=/a>");
        assert_eq!(endpoint(&page), None);
    }

    #[test]
    fn no_cut_of_a_page_breaks_the_reader() {
        let page = "<!doctype html><hä><link rel='ä' href=\"ö/é\" / =x><base href=é><script></ScRipt><link é=";
        for (cut, _) in page.char_indices() {
            endpoint(&page[..cut]);
            endpoint(&page[cut..]);
        }
    }
}
