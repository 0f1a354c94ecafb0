//! The bodies of the fuzz targets.

use std::sync::Arc;

use ::chat::{ChatEvent, ChatEventKind, ClientMessage};
use jiff::Timestamp;
use model::chat::ChatUser;
use model::{MessageId, UserId};

use crate::chat::{encode, read};
use crate::cmcd;

/// A frame of the chat's socket: what is read of it is never more than was sent, and what is made of it for others is
/// one document on one line that says the same.
pub fn chat_frame(data: &[u8]) {
    let Ok(frame) = std::str::from_utf8(data) else {
        return;
    };
    let said = read(frame);
    assert!(said.len() <= 2);
    for said in said {
        match said {
            ClientMessage::Line { body, reply_to } => {
                assert!(body.len() <= frame.len());
                assert!(reply_to.is_none_or(|id| id.len() <= frame.len()));
                assert_said_again(&body);
            }
            ClientMessage::Rename(name) => assert!(name.len() <= frame.len()),
            ClientMessage::Recolor(_) | ClientMessage::Nothing => {}
        }
    }
}

fn assert_said_again(body: &str) {
    let user = ChatUser {
        id: UserId::parse("u").expect("an id"),
        display_name: body.to_owned(),
        display_color: 0,
        created_at: Timestamp::UNIX_EPOCH,
        previous_names: vec![],
        name_changed_at: None,
        is_bot: false,
        is_authenticated: false,
        is_moderator: false,
    };
    let frame = encode(&ChatEvent {
        id: MessageId::parse("m").expect("an id"),
        at: Timestamp::UNIX_EPOCH,
        kind: ChatEventKind::Line {
            user: Arc::new(user),
            body: body.to_owned(),
            reply: None,
        },
    });
    assert!(!frame.contains(&b'\n'));
    let again: serde_json::Value = serde_json::from_slice(&frame).expect("our own JSON");
    assert_eq!(again["body"], body);
    assert_eq!(again["user"]["displayName"], body);
}

/// A player's report, in whichever notation: what comes out is bounded, whatever went in.
pub fn cmcd(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut reports = cmcd::from_json(data).unwrap_or_default();
    assert!(reports.len() <= cmcd::MAX_REPORTS);
    let lines = cmcd::from_lines(&text);
    assert!(lines.len() <= cmcd::MAX_REPORTS.min(text.lines().count()));
    reports.extend(lines);
    reports.extend(cmcd::from_list(&text));
    for report in reports {
        let numbers = [
            report.throughput_kbps,
            report.latency_seconds,
            report.download_seconds,
        ];
        for number in numbers.into_iter().flatten() {
            assert!((0.0..=1e9).contains(&number), "{number}");
        }
        // A key can come many times, with a list each time.
        assert!(report.errors as usize <= data.len());
        assert!(report.quality_changes <= 1);
    }
}
