//! The `<link>` elements of a page, read without building the page.
//!
//! One pass over the text that never looks back. Only the head counts: the body of a page may hold what others wrote.

use outbound::Url;

/// Links kept of one page or header; further ones are ignored.
pub(super) const MAX_LINKS: usize = 100;

/// Elements whose content is text, whatever it looks like.
const RAW: [&str; 9] = [
    "script", "style", "title", "textarea", "noscript", "template", "iframe", "xmp", "noframes",
];

/// A link and what it is for.
#[derive(Debug)]
pub(super) struct Link {
    relations: String,
    pub(super) target: Url,
}

impl Link {
    /// `None` when the target is empty or no address.
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
pub(super) fn links(page: &str, address: &Url) -> Vec<Link> {
    let mut links = Vec::new();
    let mut base = None;
    let mut rest = page;
    while links.len() < MAX_LINKS
        && let Some(tag) = next_tag(&mut rest)
    {
        let is = |name: &str| tag.name.eq_ignore_ascii_case(name);
        if is("body") || is("/head") {
            break;
        }
        if let Some(raw) = RAW.into_iter().find(|raw| is(raw)) {
            skip_past_end_of(raw, &mut rest);
        } else if is("base") && base.is_none() {
            base = tag.value("href").and_then(|href| address.join(&href).ok());
        } else if is("link")
            && let (Some(relations), Some(target)) = (tag.value("rel"), tag.value("href"))
        {
            let base = base.as_ref().unwrap_or(address);
            links.extend(Link::new(&relations, &target, base));
        }
    }
    links
}

#[derive(Debug)]
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
}

/// The next tag; `rest` is what follows it.
fn next_tag<'a>(rest: &mut &'a str) -> Option<Tag<'a>> {
    loop {
        let (_, after) = rest.split_once('<')?;
        if let Some(comment) = after.strip_prefix("!--") {
            *rest = comment.split_once("-->")?.1;
            continue;
        }
        let is_name = |c: char| c.is_ascii_alphabetic() || c == '/';
        if !after.starts_with(is_name) {
            *rest = after;
            continue;
        }
        let end_of_name =
            after[1..].find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
        let (name, inside) = after.split_at(end_of_name? + 1);
        let length = end_of_tag(inside)?;
        *rest = &inside[length + 1..];
        return Some(Tag {
            name,
            attributes: &inside[..length],
        });
    }
}

/// Where the `>` is that is not inside quotes.
fn end_of_tag(inside: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in inside.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn skip_past_end_of(name: &str, rest: &mut &str) {
    while let Some((_, after)) = rest.split_once("</") {
        *rest = after;
        let start = after.as_bytes().get(..name.len());
        if start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes())) {
            return;
        }
    }
    *rest = "";
}

impl Tag<'_> {
    /// The value of the first attribute of this name.
    fn value(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            // An attribute's name has at least one character, which may even be `=`.
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let ends = |c: char| c.is_ascii_whitespace() || c == '=' || c == '/';
            let length = rest[first..].find(ends).map_or(rest.len(), |at| at + first);
            let name = &rest[..length];
            let value;
            (value, rest) = split_value(&rest[length..]);
            if name.eq_ignore_ascii_case(wanted) {
                return Some(unescaped(value));
            }
        }
    }
}

/// The value that follows an attribute's name, empty if there is none, and the rest.
fn split_value(after_name: &str) -> (&str, &str) {
    let trimmed = after_name.trim_ascii_start();
    let Some(value) = trimmed.strip_prefix('=') else {
        return ("", after_name);
    };
    let value = value.trim_ascii_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    let end = value.find(|c: char| c.is_ascii_whitespace());
    value.split_at(end.unwrap_or(value.len()))
}

/// The references that occur in addresses; other ones stay as they are.
fn unescaped(value: &str) -> String {
    let mut text = value.to_owned();
    for (reference, character) in [
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x2F;", "/"),
        ("&#38;", "&"),
        ("&amp;", "&"),
    ] {
        text = text.replace(reference, character);
    }
    text
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
        assert_eq!(
            link("//auth.example/?a=1&amp;b=2").as_deref(),
            Some("https://auth.example/?a=1&b=2")
        );
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
        ] {
            let page = piece.repeat((1 << 20) / piece.len());
            let address = Url::parse("https://me.example/").unwrap();
            assert!(links(&page, &address).len() <= MAX_LINKS);
        }
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
