//! Iterates over HTML as the allow-list writes it: every tag is `<name a="b">` or `</name>`, and `<` and `>` appear
//! nowhere else. It cannot parse anything else.

/// One piece of HTML; texts and values are still escaped.
#[derive(Debug)]
pub(super) enum Token<'a> {
    Text(&'a str),
    Open {
        name: &'a str,
        attributes: Vec<(&'a str, &'a str)>,
    },
    Close(&'a str),
}

impl<'a> Token<'a> {
    /// The value of an attribute, still escaped.
    pub(super) fn attribute(&self, wanted: &str) -> Option<&'a str> {
        let Token::Open { attributes, .. } = self else {
            return None;
        };
        let found = attributes.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| *value)
    }
}

/// The pieces in order.
pub(super) fn tokens(html: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(inside) = rest.strip_prefix('<') else {
            let (text, following) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            rest = following;
            return Some(Token::Text(text));
        };
        let (tag, following) = inside.split_once('>').unwrap_or((inside, ""));
        rest = following;
        Some(match tag.strip_prefix('/') {
            Some(name) => Token::Close(name),
            None => open(tag),
        })
    })
}

fn open(tag: &str) -> Token<'_> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    while let Some((attribute, quoted)) = rest.split_once("=\"") {
        let (value, following) = quoted.split_once('"').unwrap_or((quoted, ""));
        attributes.push((attribute.trim_start(), value));
        rest = following;
    }
    Token::Open { name, attributes }
}

/// Text for use between tags, exactly as the allow-list writes it there.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\u{a0}' => safe.push_str("&nbsp;"),
            other => safe.push(other),
        }
    }
    safe
}

/// Undoes the allow-list's escaping in one pass, so that `&amp;lt;` becomes `&lt;`.
pub(super) fn unescaped(text: &str) -> String {
    const ENTITIES: [(&str, char); 5] = [
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&nbsp;", '\u{a0}'),
    ];
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = ENTITIES.iter().find(|(escape, _)| rest.starts_with(escape));
        let (length, c) = entity.map_or((1, '&'), |(escape, c)| (escape.len(), *c));
        plain.push(c);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain
}
