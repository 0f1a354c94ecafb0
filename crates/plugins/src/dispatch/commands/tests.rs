use super::super::fake::{command, commanding as listener};
use super::*;
use crate::host::wire::User;

fn line(body: &str) -> ChatMessage {
    ChatMessage {
        id: "m-4".into(),
        body: body.into(),
        timestamp: "2026-03-02T19:04:05Z".into(),
        ..ChatMessage::default()
    }
}

fn by(id: &str, scopes: &[&str], body: &str) -> ChatMessage {
    let user = User {
        id: id.into(),
        scopes: scopes.iter().map(|scope| (*scope).into()).collect(),
        ..User::default()
    };
    ChatMessage {
        user: Some(user),
        ..line(body)
    }
}

fn found(command: &ChatCommand, message: &ChatMessage) -> Option<EventDelivery> {
    let plugin = listener("bell", vec![command.clone()]);
    Commands::default().find(&plugin, message)
}

#[test]
fn a_command_is_delivered_with_its_words() {
    let mut ring = command("ring");
    ring.aliases = vec!["r".into()];
    let delivery = found(&ring, &line("!r  Ana now")).unwrap();
    assert_eq!(&*delivery.event, "chat.command");
    assert_eq!(
        &*delivery.envelope,
        r#"{"eventType":"chat.command","payload":{"message":{"id":"m-4","body":"!r  Ana now","timestamp":"2026-03-02T19:04:05Z"},"command":"ring","invokedAs":"r","args":["Ana","now"],"argString":"Ana now"}}"#
    );
}

#[test]
fn a_line_is_a_command_when_its_first_word_is_one() {
    let mut ring = command("ring");
    ring.aliases = vec!["läute".into()];
    for (body, is_one) in [
        ("!ring", true),
        ("!RING", true),
        ("! ring", true),
        ("!ring\tAna", true),
        ("!LÄUTE", true),
        ("!rings", false),
        ("ring", false),
        (" !ring", false),
        ("!", false),
        ("!   ", false),
        ("", false),
        ("?ring", false),
        ("say !ring", false),
    ] {
        assert_eq!(found(&ring, &line(body)).is_some(), is_one, "{body:?}");
    }
}

#[test]
fn case_counts_where_the_plugin_says_so() {
    let mut ring = command("Ring");
    ring.case_sensitive = true;
    assert!(found(&ring, &line("!Ring")).is_some());
    assert!(found(&ring, &line("!ring")).is_none());
}

#[test]
fn a_prefix_may_be_any_text() {
    let mut ring = command("ring");
    ring.prefix = "hey bot, ".into();
    assert!(found(&ring, &line("hey bot, ring")).is_some());
    assert!(found(&ring, &line("!ring")).is_none());
}

#[test]
fn a_name_goes_before_the_alias_of_another() {
    let mut first = command("first");
    first.aliases = vec!["second".into()];
    let plugin = listener("bell", vec![first, command("second")]);
    let delivery = Commands::default().find(&plugin, &line("!second")).unwrap();
    assert!(delivery.envelope.contains(r#""command":"second""#));
}

#[test]
fn commands_for_moderators_are_for_moderators() {
    let mut kick = command("kick");
    kick.mod_only = true;
    assert!(found(&kick, &by("u", &["MODERATOR"], "!kick")).is_some());
    assert!(found(&kick, &by("u", &[], "!kick")).is_none());
    assert!(found(&kick, &line("!kick")).is_none());
}

#[test]
fn a_cooldown_is_counted_in_the_time_of_messages_for_each_user() {
    let mut ring = command("ring");
    ring.cooldown_ms = 5000;
    let plugin = listener("bell", vec![ring]);
    let mut commands = Commands::default();
    let mut ring = |mut message: ChatMessage, second: &str| {
        message.timestamp = format!("2026-03-02T19:04:{second}Z");
        commands.find(&plugin, &message).is_some()
    };
    assert!(ring(by("ana", &[], "!ring"), "00"));
    assert!(!ring(by("ana", &[], "!ring"), "04.999"));
    assert!(ring(by("ben", &[], "!ring"), "04.999"));
    assert!(ring(by("ana", &[], "!ring"), "05"));
    assert!(
        !ring(by("ana", &[], "!ring"), "09"),
        "a refused use does not start it anew, an accepted one does"
    );
}

#[test]
fn without_a_user_the_connection_counts_and_without_that_everybody_is_one() {
    let message = |client_id| ChatMessage {
        client_id,
        ..line("!ring")
    };
    assert_eq!(who(&message(Some(7))), "client:7");
    assert_eq!(who(&message(Some(0))), "anonymous");
    assert_eq!(who(&message(None)), "anonymous");
    assert_eq!(who(&by("u", &[], "")), "u");
}

#[test]
fn a_time_nobody_can_read_skips_the_cooldown() {
    let mut ring = command("ring");
    ring.cooldown_ms = 5000;
    let plugin = listener("bell", vec![ring]);
    let mut commands = Commands::default();
    let mut message = line("!ring");
    message.timestamp = "soon".into();
    assert!(commands.find(&plugin, &message).is_some());
    assert!(commands.find(&plugin, &message).is_some());
}

#[test]
fn cooldowns_that_are_over_are_forgotten_and_there_is_room_for_so_many() {
    let mut commands = Commands::default();
    let usage = |who: usize| CommandUse {
        slug: "bell".into(),
        command: "ring".into(),
        who: who.to_string(),
    };
    let start = Timestamp::UNIX_EPOCH;
    for who in 0..=MAX_COOLDOWNS {
        let later = u64::try_from(who).unwrap();
        assert!(commands.begin(usage(who), start, 1_000_000 + later));
    }
    assert_eq!(commands.until.len(), MAX_COOLDOWNS);
    assert!(
        !commands.until.contains_key(&usage(0)),
        "the one that ends first makes room"
    );
    let late = start + SignedDuration::from_secs(1_000_000);
    assert!(commands.begin(usage(1), late, 1));
    assert_eq!(commands.until.len(), 1);
}

#[test]
fn the_longest_cooldown_ends_at_the_end_of_time() {
    let mut forever = command("once");
    forever.cooldown_ms = u64::MAX;
    let plugin = listener("bell", vec![forever]);
    let mut commands = Commands::default();
    assert!(commands.find(&plugin, &line("!once")).is_some());
    assert!(commands.find(&plugin, &line("!once")).is_none());
}
