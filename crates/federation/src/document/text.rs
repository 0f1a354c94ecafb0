//! Plain text as HTML.

/// Escapes text for use between tags or inside a double-quoted attribute.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A paragraph with a line break for every new line; `None` for blank text.
pub fn paragraph(text: &str) -> Option<String> {
    let lines: Vec<String> = text.trim().lines().map(escaped).collect();
    let text = lines.join("<br>");
    (!text.is_empty()).then(|| format!("<p>{text}</p>"))
}

/// A link whose text is its own address.
pub fn link(url: &str) -> String {
    let url = escaped(url);
    format!("<a href=\"{url}\" rel=\"nofollow noopener noreferrer\" target=\"_blank\">{url}</a>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        assert_eq!(
            escaped("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;'"
        );
        assert_eq!(
            paragraph(" a <b>\nc "),
            Some("<p>a &lt;b&gt;<br>c</p>".into())
        );
        assert_eq!(paragraph(" \n "), None);
    }
}
