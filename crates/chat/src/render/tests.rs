mod hostile;

use super::*;
use crate::fuzzing::FewEmoji;

fn rendered(text: &str) -> String {
    line(text, &FewEmoji).unwrap_or_default()
}

const AWAY: &str = r#"rel="nofollow noreferrer noopener" target="_blank""#;
const PARTY: &str =
    r#"<img src="/img/emoji/pack/party.png" class="emoji" alt=":party:" title=":party:">"#;

#[test]
fn plain_text_appears_as_it_was_written() {
    let link = |url: &str| format!(r#"<a href="{url}" {AWAY}>{url}</a>"#);
    let shown = |text: &str| format!("<p>{text}</p>");
    for (text, html) in [
        ("a<b and c>d", shown("a&lt;b and c&gt;d")),
        ("1. one", shown("1. one")),
        ("# head", shown("# head")),
        (
            "*star* _line_ **two** `code`",
            shown("*star* _line_ **two** `code`"),
        ),
        (
            "<strong>x</strong> &amp; &lt;",
            shown("&lt;strong&gt;x&lt;/strong&gt; &amp;amp; &amp;lt;"),
        ),
        (
            "[a](https://host.example/)",
            shown(&format!("[a]({})", link("https://host.example/"))),
        ),
        (
            "see http://host, then :party:",
            shown(&format!("see {}, then {PARTY}", link("http://host"))),
        ),
        (":PARTY::unknown:", shown(&format!("{PARTY}:unknown:"))),
        ("one\ntwo\r\nthree", shown("one<br>two<br>three")),
        ("  x\u{202e} ", shown("x")),
    ] {
        let rendered = plain_line(text, &FewEmoji);
        assert_eq!(rendered.as_deref(), Some(html.as_str()), "{text}");
    }
    assert_eq!(plain_line(" \u{200b}\n", &FewEmoji), None);
}

#[test]
fn of_a_run_longer_than_an_address_only_the_end_is_looked_at_as_one() {
    let long = format!("http://{}", "a".repeat(2_048));
    assert_eq!(plain_line(&long, &FewEmoji), Some(format!("<p>{long}</p>")));
    let many = "-http://a".repeat(20_000);
    let html = plain_line(&many, &FewEmoji).unwrap();
    assert!(html.starts_with("<p>-http://a-http://a") && html.contains("<a "));
}

#[test]
fn plain_text_keeps_the_promises_of_a_line_whatever_is_in_it() {
    let many = [
        ":party:".repeat(500),
        "http://a ".repeat(2_000),
        format!("http://{}", "a\"'<>&".repeat(2_000)),
        "<script>alert(1)</script>\"onload=x".repeat(100),
        "&".repeat(64 * 1024),
        "http://x/\"onclick=\"y".to_owned(),
    ];
    for text in many {
        let html = plain_line(&text, &FewEmoji).unwrap();
        assert_eq!(settled(&LINE, &html).as_deref().unwrap_or(&html), html);
        assert!(html.len() <= MOST_GROWTH * text.len() + GROWTH_ALLOWANCE);
        crate::fuzzing::judge_line(&html);
    }
}

#[test]
fn a_line_is_rendered_as_clients_expect_it() {
    let link = |url: &str| format!(r#"<a href="{url}" {AWAY}>{url}</a>"#);
    for (text, html) in [
        ("hello", "<p>hello</p>".to_owned()),
        (
            "go to http://host now",
            format!("<p>go to {} now</p>", link("http://host")),
        ),
        ("_x_", "<p><em>x</em></p>".to_owned()),
        ("**x**", "<p><strong>x</strong></p>".to_owned()),
        ("## heading", "heading".to_owned()),
        (
            "above\n\n## heading\nbelow",
            "<p>above</p>\nheading\n<p>below</p>".to_owned(),
        ),
        (
            "an <iframe src=\"http://host\"></iframe>",
            "<p>an </p>".to_owned(),
        ),
        (
            "<img src=\"https://host/a.png\"> test ![](https://host/b.png)",
            "<p> test </p>".to_owned(),
        ),
        (
            "![](/img/emoji/x.gif)",
            r#"<p><img src="/img/emoji/x.gif"></p>"#.to_owned(),
        ),
        ("one\ntwo", "<p>one\ntwo</p>".to_owned()),
        ("  hello \n ", "<p>hello</p>".to_owned()),
        (
            "hello **all** :party:",
            format!("<p>hello <strong>all</strong> {PARTY}</p>"),
        ),
        (":PARTY:", format!("<p>{PARTY}</p>")),
        (":unknown:", "<p>:unknown:</p>".to_owned()),
        ("@ada hi", "<p>@ada hi</p>".to_owned()),
        ("- one\n- two", "one\ntwo".to_owned()),
        ("> quoted", "<p>quoted</p>".to_owned()),
        (
            "a < b & c > d \"e\"",
            "<p>a &lt; b &amp; c &gt; d \"e\"</p>".to_owned(),
        ),
        ("I <3 you", "<p>I &lt;3 you</p>".to_owned()),
        ("`a < b`", "<p><code>a &lt; b</code></p>".to_owned()),
        (
            "```rust\nlet a;\n```",
            "<pre><code>let a;\n</code></pre>".to_owned(),
        ),
        ("a  \nb", "<p>a<br>\nb</p>".to_owned()),
        (
            "<b>bold</b> <em>em</em>",
            "<p>bold <em>em</em></p>".to_owned(),
        ),
        (
            "[mail](mailto:a@b.example) [here](/about) [there](//host/x)",
            format!(
                r#"<p><a href="mailto:a@b.example" rel="nofollow noreferrer">mail</a> <a href="/about" rel="nofollow noreferrer">here</a> <a href="//host/x" {AWAY}>there</a></p>"#
            ),
        ),
        ("[x](javascript:alert(1))", "<p>x</p>".to_owned()),
        ("[x](http://[bad)", "<p>x</p>".to_owned()),
        (
            r#"<img class="emoji" alt="party" width="600px" src="/img/emoji/party.gif">"#,
            r#"<img src="/img/emoji/party.gif" class="emoji" alt="party">"#.to_owned(),
        ),
    ] {
        assert_eq!(rendered(text), html, "{text:?}");
    }
}

#[test]
fn addresses_become_links_where_they_end() {
    for (text, url, after) in [
        ("https://host/a", "https://host/a", ""),
        ("https://host.", "https://host", "."),
        ("https://host/a?b=c,", "https://host/a?b=c", ","),
        ("https://host/(a)", "https://host/(a)", ""),
        ("https://host/a)", "https://host/a", ")"),
        ("https://host/_next_/b", "https://host/_next_/b", ""),
        ("https://host/?v=_abc_", "https://host/?v=_abc_", ""),
        ("https://host/_a_b_", "https://host/", "<em>a_b</em>"),
        ("https://host_", "https://host", "_"),
        ("https://host/*a*b", "https://host/*a*b", ""),
        ("https://host/a_b_c", "https://host/a_b_c", ""),
        ("https://host/:party:", "https://host/:party", ":"),
        ("HTTPS://Host", "HTTPS://Host", ""),
        ("http://127.0.0.1:8080/x#y", "http://127.0.0.1:8080/x#y", ""),
    ] {
        let html = format!(r#"<p><a href="{url}" {AWAY}>{url}</a>{after}</p>"#);
        assert_eq!(rendered(text), html, "{text}");
    }
    let inside = format!(r#"<a href="http://host" {AWAY}>http://host</a>"#);
    assert_eq!(
        rendered("**http://host**"),
        format!("<p><strong>{inside}</strong></p>")
    );
    assert_eq!(rendered("(http://host)"), format!("<p>({inside})</p>"));
    assert_eq!(rendered("<http://host>"), format!("<p>{inside}</p>"));
    assert_eq!(
        rendered("*a http://host*"),
        format!("<p><em>a {inside}</em></p>")
    );
    let query = "http://host/?a=1&b=2";
    let escaped = query.replace('&', "&amp;");
    assert_eq!(
        rendered(query),
        format!(r#"<p><a href="{escaped}" {AWAY}>{escaped}</a></p>"#)
    );
}

#[test]
fn what_only_looks_like_an_address_stays_text() {
    for text in [
        "http://",
        "http://.",
        "xhttp://host",
        "ftp://host",
        "http:/host",
        "javascript:alert(1)",
    ] {
        assert_eq!(rendered(text), format!("<p>{text}</p>"));
    }
}

#[test]
fn emoji_and_addresses_are_left_alone_in_code_and_targets() {
    for (text, html) in [
        (
            "`:party: http://host`",
            "<p><code>:party: http://host</code></p>".to_owned(),
        ),
        (
            "```\n:party:\n```",
            "<pre><code>:party:\n</code></pre>".to_owned(),
        ),
        (
            "x <code>:party:</code>",
            "<p>x <code>:party:</code></p>".to_owned(),
        ),
        (
            "[a](/:party:)",
            r#"<p><a href="/:party:" rel="nofollow noreferrer">a</a></p>"#.to_owned(),
        ),
        (
            "[http://a](/b)",
            r#"<p><a href="/b" rel="nofollow noreferrer">http://a</a></p>"#.to_owned(),
        ),
        (
            r#"x <a href="/b">http://a</a>"#,
            r#"<p>x <a href="/b" rel="nofollow noreferrer">http://a</a></p>"#.to_owned(),
        ),
        (
            "![:party:](/img/emoji/x.gif)",
            r#"<p><img src="/img/emoji/x.gif" alt=":party:"></p>"#.to_owned(),
        ),
        ("10:party:30", format!("<p>10{PARTY}30</p>")),
        (":party::party:", format!("<p>{PARTY}{PARTY}</p>")),
        (
            ":_x_:",
            r#"<p><img src="/img/emoji/_x_.gif" class="emoji" alt=":_x_:" title=":_x_:"></p>"#
                .to_owned(),
        ),
        ("*:party:*", format!("<p><em>{PARTY}</em></p>")),
        ("\\:party\\:", "<p>:party:</p>".to_owned()),
    ] {
        assert_eq!(rendered(text), html, "{text}");
    }
}

#[test]
fn nothing_comes_of_a_line_that_shows_nothing() {
    for text in [
        "",
        "  \n",
        "<script>alert(1)</script>",
        "![](https://host/a.png)",
        "<p></p>",
        "[](http://host)",
        "\u{200b}\u{200d}",
        "\u{3164}",
        "&nbsp;",
        "<!-- x -->",
        "\0",
        ":evil:",
        "***",
        "<br>",
    ] {
        assert_eq!(line(text, &FewEmoji), None, "{text:?}");
    }
}

#[test]
fn the_operators_text_keeps_more() {
    for (text, html) in [
        ("abc", "<p>abc</p>"),
        (
            "# Hi\n\n- a\n- b",
            "<h1>Hi</h1>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>",
        ),
        (
            "![a](https://host/a.png)",
            r#"<p><img src="https://host/a.png" alt="a"></p>"#,
        ),
        ("![a](/logo)", r#"<p><img src="/logo" alt="a"></p>"#),
        ("![a](http://host/a.png) b", "<p> b</p>"),
        (
            "<span class=\"x\" onclick=\"y\">z</span>",
            r#"<p><span class="x">z</span></p>"#,
        ),
        ("a ~~b~~ :party:", "<p>a <del>b</del> :party:</p>"),
        (
            "|a|\n|-|\n|b|",
            "<table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td>b</td></tr>\n</tbody></table>",
        ),
        ("<script>alert(1)</script>", ""),
    ] {
        assert_eq!(trusted(text, false), html, "{text}");
    }
    assert!(trusted("see http://host", false).contains(AWAY));
}

#[test]
fn raw_html_is_passed_through_untouched_where_the_operator_says_so() {
    for text in [
        "<div onclick=\"x()\"><script>y</script></div>",
        "<p>a <img src=x onerror=y></p>",
    ] {
        assert_eq!(trusted(text, true), text);
    }
    assert_eq!(
        trusted("a <b>b</b> **c**\n", true),
        "<p>a <b>b</b> <strong>c</strong></p>"
    );
    assert_eq!(
        trusted("http://host", true),
        r#"<p><a href="http://host">http://host</a></p>"#
    );
}

#[test]
fn an_excerpt_is_plain_short_and_on_one_line() {
    let long = "word ".repeat(30);
    for (text, plain) in [
        ("hello **all** :party:!", "hello all :party:!".to_owned()),
        ("one\ntwo\n\nthree  \nfour", "one two three four".to_owned()),
        ("a < b & \"c\" &lt;d&gt;", "a < b & \"c\" <d>".to_owned()),
        ("see http://host", "see http://host".to_owned()),
        (&long, format!("{}…", "word ".repeat(20).trim_end())),
        (&"é".repeat(100), "é".repeat(100)),
        (&"é".repeat(101), format!("{}…", "é".repeat(99))),
    ] {
        assert_eq!(excerpt(&rendered(text)), plain);
    }
    assert_eq!(excerpt("<script>x</script><div>a</div><div>b"), "ab");
    assert_eq!(excerpt(""), "");
}
