//! `docs/sentences.json`: what the server says to people, by its codes, for translators and for authors of clients.

use std::collections::BTreeSet;

use federation::featured::FeatureError;
use model::sentence::SentenceKind;
use serde_json::{Map, Value, json};

fn tables() -> [(&'static str, &'static [&'static SentenceKind]); 6] {
    [
        ("chat", chat::sentences::ALL),
        ("emoji", chat::emoji::sentences::ALL),
        ("encoders", media::transcoder::sentences::ALL),
        ("errors", web::sentences::ALL),
        ("findings", media::stream::sentences::ALL),
        ("settings", model::settings::sentences::ALL),
    ]
}

#[test]
fn the_list_of_sentences_is_that_of_the_code() {
    let listed = include_str!("../../../../docs/sentences.json");
    let listed: Value = serde_json::from_str(listed).expect("the list is JSON");
    let tables = tables().map(|(name, table)| {
        let sentences = table.iter().map(|kind| {
            let code = kind.code.to_owned();
            (code, json!(kind.english))
        });
        (name.to_owned(), Value::Object(sentences.collect()))
    });
    let expected = Value::Object(tables.into_iter().collect::<Map<String, Value>>());
    let text = serde_json::to_string_pretty(&expected).expect("it is plain data");
    assert_eq!(listed, expected, "docs/sentences.json has to be:\n{text}");
}

#[test]
fn a_code_means_one_sentence_and_is_plain() {
    let mut seen = BTreeSet::new();
    for kind in tables().iter().flat_map(|(_, table)| table.iter()) {
        assert!(seen.insert(kind.code), "{} is there twice", kind.code);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(kind.code.chars().all(is_plain), "{}", kind.code);
        let gaps: Vec<&str> = kind.gaps().collect();
        let once: BTreeSet<&str> = gaps.iter().copied().collect();
        assert_eq!(gaps.len(), once.len(), "{}", kind.english);
    }
}

#[test]
fn every_reason_why_a_server_is_not_featured_has_a_sentence() {
    for error in [
        FeatureError::Own,
        FeatureError::Blocked,
        FeatureError::Known,
        FeatureError::TooMany,
        FeatureError::NotFederated,
        FeatureError::OtherSoftware("peertube".into()),
        FeatureError::Unsupported,
        FeatureError::Account,
        FeatureError::Unknown,
    ] {
        let code = error.code();
        let is_listed = web::sentences::ALL.iter().any(|kind| kind.code == code);
        assert!(is_listed, "{code}");
    }
}
