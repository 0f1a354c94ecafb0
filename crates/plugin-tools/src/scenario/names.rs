//! Event names in test files. A mistyped event would reach nobody, and a test that expects no effect would pass.

use model::typo::nearest;
use plugins::dispatch::{BUILT_IN, EventListener, is_built_in};
use plugins::manifest::Slug;

/// A remark about an event named in a step, or an error if no such event exists.
///
/// Plugins may emit anything prefixed with their slug, so a name of that form is never rejected.
pub(super) fn check(name: &str, listener: &EventListener) -> Result<Option<String>, String> {
    if is_built_in(name) || listener.wants(name) {
        return Ok(None);
    }
    let heard = listener.registration.subscriptions.notify.iter();
    let heard = heard.map(|one| one.event.as_str());
    let meant = nearest(name, BUILT_IN.into_iter().chain(heard))
        .map(|known| format!(": did you mean {known:?}?"));
    match (can_be_emitted(name), meant) {
        (true, None) => Ok(None),
        (true, Some(meant)) => Ok(Some(format!(
            "the plugin does not listen to {name:?}{meant}"
        ))),
        (false, Some(meant)) => Err(format!("there is no event {name:?}{meant}")),
        (false, None) => Err(format!("there is no event {name:?}: {}", instead(name))),
    }
}

/// Whether it may be an event of another plugin: prefixed with a slug, and not built in.
fn can_be_emitted(name: &str) -> bool {
    let Some((slug, word)) = name.split_once('.') else {
        return false;
    };
    let mut of_server = BUILT_IN.into_iter().filter_map(|one| one.split_once('.'));
    let is_of_server = of_server.any(|(first, _)| first == slug);
    Slug::parse(slug).is_some() && !word.is_empty() && !is_of_server
}

/// Suggests what exists instead.
fn instead(name: &str) -> String {
    let first = name.split('.').next();
    let all = BUILT_IN.into_iter();
    let alike: Vec<&str> = all.filter(|one| one.split('.').next() == first).collect();
    match alike.is_empty() {
        true => "events of plugins have the plugin's slug and a dot in front".to_owned(),
        false => format!("there are {}", alike.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn listener() -> EventListener {
        let wanted = json!({"subscriptions": {"notify": [
            {"event": "tick"}, {"event": "scores.milestone"}, {"event": "timer.done"},
        ]}});
        EventListener {
            slug: "tried".into(),
            registration: Arc::new(serde_json::from_value(wanted).unwrap()),
        }
    }

    #[test]
    fn events_of_the_server_and_of_plugins_can_happen() {
        let listener = listener();
        for name in BUILT_IN.into_iter().chain([
            "scores.milestone",
            // From a plugin named like a group of events.
            "timer.done",
            "unheard.of",
            "shop.orders.created",
        ]) {
            assert_eq!(check(name, &listener), Ok(None), "{name}");
        }
    }

    #[test]
    fn what_nobody_can_emit_is_refused_with_what_may_have_been_meant() {
        let listener = listener();
        for (name, meant) in [
            ("chat.mesage.received", "chat.message.received"),
            ("stream_started", "stream.started"),
            ("Stream.Started", "stream.started"),
            ("timer.fired", "timer.fire"),
            ("tik", "tick"),
            ("milestone", "slug and a dot"),
            ("chat.message", "there are chat.message.received, "),
            ("unheard.", "slug and a dot"),
            ("", "slug and a dot"),
        ] {
            let why = check(name, &listener).unwrap_err();
            assert!(why.contains(meant), "{name}: {why}");
        }
    }

    #[test]
    fn an_event_of_a_plugin_that_is_nearly_one_of_those_it_hears_is_odd() {
        for (name, meant) in [
            ("scores.milestones", "scores.milestone"),
            ("steam.started", "stream.started"),
        ] {
            let odd = check(name, &listener()).unwrap().unwrap();
            assert!(odd.contains(&format!("did you mean {meant:?}?")), "{odd}");
        }
    }
}
