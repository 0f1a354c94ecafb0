//! The `Link` header (RFC 8288 3): `<https://auth.example/>; rel="authorization_endpoint", …`.

use outbound::Url;

use super::html::{MAX_LINKS, WebLink};

/// The links of one header; stops at the first malformed piece.
pub(super) fn read(header: &str, base: &Url) -> Vec<WebLink> {
    let mut links = Vec::new();
    let mut rest = header;
    while links.len() < MAX_LINKS
        && let Some((target, after)) = split_target(rest)
    {
        let (relations, after) = split_relations(after);
        links.extend(relations.and_then(|relations| WebLink::new(relations, target, base)));
        rest = after;
    }
    links
}

fn split_target(text: &str) -> Option<(&str, &str)> {
    let start = text.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
    start.strip_prefix('<')?.split_once('>')
}

/// The value of `rel` among the parameters, and the text after the comma that ends them.
fn split_relations(parameters: &str) -> (Option<&str>, &str) {
    let mut relations = None;
    let mut rest = parameters;
    while let Some(parameter) = rest.trim_ascii_start().strip_prefix(';') {
        let end_of_name = parameter.find([';', ',', '=']);
        let (name, after) = parameter.split_at(end_of_name.unwrap_or(parameter.len()));
        let value;
        (value, rest) = match after.strip_prefix('=') {
            Some(value) => split_value(value.trim_ascii_start()),
            None => ("", after),
        };
        if relations.is_none() && name.trim().eq_ignore_ascii_case("rel") {
            relations = Some(value);
        }
    }
    let after_comma = rest.split_once(',').map_or("", |(_, after)| after);
    (relations, after_comma)
}

fn split_value(text: &str) -> (&str, &str) {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.split_once('"').unwrap_or((quoted, ""));
    }
    let end = text.find([';', ',']).unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    (value.trim(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(header: &str) -> Option<String> {
        let base = Url::parse("https://me.example/home").unwrap();
        let links = read(header, &base);
        let found = links
            .iter()
            .find(|link| link.has("authorization_endpoint"))?;
        Some(found.target.to_string())
    }

    #[test]
    fn finds_the_link_among_others() {
        for header in [
            "<https://auth.example/a>; rel=\"authorization_endpoint\"",
            "<https://auth.example/a>;rel=authorization_endpoint",
            "</x>; rel=me, <https://auth.example/a>; title=\"a, <b>; c\"; rel=\"x authorization_endpoint\"",
            "</x>, <https://auth.example/a> ; crossorigin ; REL = authorization_endpoint ; rel=me",
        ] {
            assert_eq!(
                endpoint(header).as_deref(),
                Some("https://auth.example/a"),
                "{header}"
            );
        }
        assert_eq!(
            endpoint("<auth?x>; rel=authorization_endpoint").as_deref(),
            Some("https://me.example/auth?x")
        );
    }

    #[test]
    fn broken_headers_name_nothing() {
        for header in [
            "",
            "<",
            "<>; rel=authorization_endpoint",
            "https://auth.example; rel=authorization_endpoint",
            "<https://auth.example/>",
            "<https://auth.example/>; rel=\"me\", rel=authorization_endpoint",
            "<https://auth.example/>; title=\"; rel=authorization_endpoint",
        ] {
            assert_eq!(endpoint(header), None, "{header}");
        }
    }
}
