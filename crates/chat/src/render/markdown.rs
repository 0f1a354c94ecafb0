//! Markdown to HTML, with links and emoji. The output is not safe yet.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

use super::spans::{MOST_URL_BYTES, Span, emoji_at, is_url_start, run_end, without_closing_marks};
use super::{EmojiNames, GROWTH_ALLOWANCE};

/// Elements inside each other; deeper ones lose their tags and keep their text.
const MOST_DEPTH: usize = 16;
/// Raw elements whose text is left alone: links inside links are none, and code shows what was typed.
const LEFT_ALONE: [&str; 6] = ["a", "code", "pre", "script", "style", "textarea"];

/// Markdown as HTML, or `None` if it has more raw tags than `most_tags`.
pub(super) fn to_html(
    source: &str,
    options: Options,
    emoji: Option<&dyn EmojiNames>,
    most_tags: usize,
) -> Option<String> {
    let events: Vec<_> = Parser::new_ext(source, options)
        .into_offset_iter()
        .collect();
    let raw_tags: usize = events.iter().map(|(event, _)| raw_tags(event)).sum();
    if raw_tags > most_tags {
        return None;
    }
    let mut weaver = MarkdownPass {
        source,
        emoji,
        emoji_room: 4 * source.len() + GROWTH_ALLOWANCE / 2,
        span: 0..0,
        run_end: 0,
        closed: 0,
        raw_closed: 0,
        tags_kept: Vec::new(),
        out: Vec::with_capacity(events.len()),
    };
    for (index, (event, range)) in events.iter().enumerate() {
        weaver.weave(event, range, &events[index + 1..]);
    }
    let mut html = String::with_capacity(source.len() * 2);
    html::push_html(&mut html, weaver.out.into_iter());
    Some(html)
}

fn raw_tags(event: &Event<'_>) -> usize {
    match event {
        Event::Html(html) | Event::InlineHtml(html) => html.matches('<').count(),
        _ => 0,
    }
}

type Ranged<'a> = (Event<'a>, Range<usize>);

/// Replaces addresses and emoji codes in the text between tags. It reads them from the source instead of the
/// events, because emphasis splits `/_next_/`.
struct MarkdownPass<'a> {
    source: &'a str,
    emoji: Option<&'a dyn EmojiNames>,
    /// Remaining bytes for pictures; at zero, codes stay text.
    emoji_room: usize,
    /// The last address or code: events inside it belong to it.
    span: Range<usize>,
    /// The end of the characters that the last address can have, so that they are counted once.
    run_end: usize,
    /// How many elements around the text are links, pictures or code.
    closed: usize,
    /// The same for raw tags.
    raw_closed: usize,
    /// For each open element, whether its tag was written.
    tags_kept: Vec<bool>,
    out: Vec<Event<'a>>,
}

impl<'a> MarkdownPass<'a> {
    fn weave(&mut self, event: &Event<'a>, range: &Range<usize>, following: &[Ranged<'a>]) {
        if self.span.start < range.start && range.end <= self.span.end {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(*tag),
            Event::Text(text) => self.text(text, range, following),
            Event::InlineHtml(html) => {
                self.note_raw(html);
                self.out.push(event.clone());
            }
            other => self.out.push(other.clone()),
        }
    }

    fn start(&mut self, tag: &Tag<'a>) {
        if matches!(
            tag,
            Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)
        ) {
            self.closed += 1;
        }
        let is_kept = self.tags_kept.len() < MOST_DEPTH;
        self.tags_kept.push(is_kept);
        if is_kept {
            self.out.push(Event::Start(tag.clone()));
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock => {
                self.closed = self.closed.saturating_sub(1);
            }
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableCell => {
                self.raw_closed = 0;
            }
            _ => {}
        }
        if self.tags_kept.pop() == Some(true) {
            self.out.push(Event::End(tag));
        }
    }

    fn note_raw(&mut self, html: &str) {
        let inside = html.trim_start_matches('<');
        let name = inside.trim_start_matches('/');
        let is_letter = |c: char| c.is_ascii_alphanumeric();
        let name = &name[..name.find(|c| !is_letter(c)).unwrap_or(name.len())];
        if !LEFT_ALONE
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
        {
            return;
        }
        self.raw_closed = if inside.starts_with('/') {
            self.raw_closed.saturating_sub(1)
        } else {
            self.raw_closed + 1
        };
    }

    fn text(&mut self, text: &CowStr<'a>, range: &Range<usize>, following: &[Ranged<'a>]) {
        let is_closed = self.closed > 0 || self.raw_closed > 0;
        if is_closed || !is_as_typed(self.source, text, range) {
            self.out.push(Event::Text(text.clone()));
            return;
        }
        let mut at = self.span.end.clamp(range.start, range.end);
        let mut written = at;
        while let Some(step) = self.source[at..range.end].find([':', 'h', 'H']) {
            at += step;
            let Some((end, span)) = self.span_at(at, range.end, following) else {
                at += 1;
                continue;
            };
            self.write(written..at);
            self.write_span(at..end, span);
            written = end.min(range.end);
            at = written;
        }
        self.write(written..range.end);
    }

    fn span_at(
        &mut self,
        start: usize,
        cursor: usize,
        following: &[Ranged<'a>],
    ) -> Option<(usize, Span)> {
        if self.source[start..].starts_with(':') {
            let (end, html) = emoji_at(self.source, start, self.emoji?)?;
            let is_whole = self.reach(start..end, cursor, following) == end;
            return (is_whole && html.len() <= self.emoji_room).then_some((end, Span::Emoji(html)));
        }
        if !is_url_start(self.source, start) {
            return None;
        }
        if start >= self.run_end {
            self.run_end = run_end(self.source, start);
        }
        let mut end = self.run_end;
        // Punctuation is trimmed twice: without it, the address may end inside an element.
        for _ in 0..2 {
            end = self.reach(start..end, cursor, following);
            end = start + without_closing_marks(&self.source[start..end]).len();
        }
        let is_address = is_url_start(&self.source[..end], start) && end - start <= MOST_URL_BYTES;
        is_address.then_some((end, Span::Link))
    }

    /// How far a span can extend that starts in a text ending at `cursor`: it contains whole elements only, and stays
    /// inside those around it.
    fn reach(&self, span: Range<usize>, cursor: usize, following: &[Ranged<'a>]) -> usize {
        let mut cursor = cursor;
        for (event, range) in following {
            if cursor >= span.end {
                break;
            }
            match event {
                Event::End(_) if range.start <= span.start => return cursor,
                Event::Text(text) if is_as_typed(self.source, text, range) => {}
                _ if range.end > span.end => return range.start.clamp(span.start, span.end),
                _ => {}
            }
            cursor = cursor.max(range.end);
        }
        span.end.min(cursor)
    }

    fn write(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.out.push(Event::Text(self.source[range].into()));
        }
    }

    fn write_span(&mut self, range: Range<usize>, span: Span) {
        self.span = range.clone();
        match span {
            Span::Emoji(html) => {
                self.emoji_room -= html.len();
                self.out.push(Event::InlineHtml(html.into()));
            }
            Span::Link => {
                let url = &self.source[range];
                self.out.push(Event::Start(Tag::Link {
                    link_type: LinkType::Autolink,
                    dest_url: url.into(),
                    title: "".into(),
                    id: "".into(),
                }));
                self.out.push(Event::Text(url.into()));
                self.out.push(Event::End(TagEnd::Link));
            }
        }
    }
}

/// Whether a text appears verbatim in the source, unlike the text of an entity.
fn is_as_typed(source: &str, text: &str, range: &Range<usize>) -> bool {
    source.get(range.clone()) == Some(text)
}
