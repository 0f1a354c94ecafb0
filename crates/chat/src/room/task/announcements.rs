//! Announcements by the room itself.

use model::sentence::Sentence;

use crate::event::ChatEventKind;
use crate::render::escaped;
use crate::sentences;

/// The text is the sentence in English, with what matters in bold.
fn action(text: &str, sentence: Sentence) -> ChatEventKind {
    ChatEventKind::Action {
        user: None,
        body: format!("<p>{text}</p>"),
        notice: None,
        sentence: Some(sentence),
    }
}

pub(super) fn stream_starts() -> ChatEventKind {
    let text = "The stream is <strong>starting</strong>.";
    action(text, sentences::STREAM_STARTS.plain())
}

pub(super) fn stream_ends() -> ChatEventKind {
    let text = "The stream has <strong>ended</strong>. Thank you for watching!";
    action(text, sentences::STREAM_ENDS.plain())
}

pub(super) fn title_changed(title: &str) -> ChatEventKind {
    let text = format!(
        "The stream is now called <strong>{}</strong>.",
        escaped(title)
    );
    action(&text, sentences::TITLE_CHANGED.with([title.into()]))
}

/// The same in plain words.
fn plain(sentence: Sentence) -> ChatEventKind {
    action(&escaped(&sentence.english()), sentence)
}

pub(super) fn paused(is_paused: bool) -> ChatEventKind {
    plain(match is_paused {
        true => sentences::CHAT_PAUSED.plain(),
        false => sentences::PAUSE_ENDS.plain(),
    })
}

/// Zero seconds are its end.
pub(super) fn slow_mode(seconds: u32) -> ChatEventKind {
    plain(match seconds {
        0 => sentences::SLOW_MODE_ENDS.plain(),
        _ => sentences::SLOW_MODE_BEGINS.with([u64::from(seconds).into()]),
    })
}

pub(super) fn for_known() -> ChatEventKind {
    plain(sentences::RETURNING_ONLY.plain())
}

pub(super) fn for_established() -> ChatEventKind {
    plain(sentences::ESTABLISHED_BEGINS.plain())
}

pub(super) fn for_signed_in() -> ChatEventKind {
    plain(sentences::SIGN_IN_TO_WRITE.plain())
}

pub(super) fn for_newcomers() -> ChatEventKind {
    plain(sentences::NEWCOMERS_WELCOME.plain())
}

pub(super) fn removed(name: &str) -> ChatEventKind {
    let text = format!(
        "<strong>{}</strong> was removed from the chat.",
        escaped(name)
    );
    action(&text, sentences::REMOVED.with([name.into()]))
}

pub(super) fn signed_in(name: &str, known: &str) -> ChatEventKind {
    let text = format!(
        "<strong>{}</strong> has signed in as <strong>{}</strong>.",
        escaped(name),
        escaped(known)
    );
    let sentence = sentences::SIGNED_IN.with([name.into(), known.into()]);
    action(&text, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_says_the_same_in_bold_as_its_sentence() {
        let all = [
            stream_starts(),
            stream_ends(),
            title_changed("Noon"),
            removed("Ada"),
            signed_in("otter", "Ada"),
            paused(true),
            slow_mode(30),
            for_newcomers(),
        ];
        for kind in all {
            let ChatEventKind::Action { body, sentence, .. } = kind else {
                panic!("an announcement is an action");
            };
            let plain = body.replace("<strong>", "").replace("</strong>", "");
            let english = sentence.expect("it has one").english();
            assert_eq!(plain, format!("<p>{english}</p>"));
        }
    }
}
