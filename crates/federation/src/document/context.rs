//! What the terms of our documents mean, for servers that process JSON-LD.
//!
//! We do not process it. The values are constants and ignored on input; the first entry is always the exact string that
//! servers look for. The terms are those other servers write, so a strict processor finds the same meaning.

use serde_json::{Value, json};

/// The context that everything has.
pub const ACTIVITY_STREAMS: &str = "https://www.w3.org/ns/activitystreams";

/// For activities without terms of their own.
pub fn plain() -> Value {
    json!(ACTIVITY_STREAMS)
}

/// For the actor and activities that embed it. `http://schema.org#` is formally wrong but what others expect.
pub fn actor() -> Value {
    json!([
        ACTIVITY_STREAMS,
        "https://w3id.org/security/v1",
        {
            "webfinger": "https://purl.archive.org/socialweb/webfinger#webfinger",
            "implements": "https://w3id.org/fep/844e#implements",
        },
        {
            "manuallyApprovesFollowers": "as:manuallyApprovesFollowers",
            "Hashtag": "as:Hashtag",
            "sensitive": "as:sensitive",
            "movedTo": { "@id": "as:movedTo", "@type": "@id" },
            "alsoKnownAs": { "@id": "as:alsoKnownAs", "@type": "@id" },
            "toot": "http://joinmastodon.org/ns#",
            "discoverable": "toot:discoverable",
            "schema": "http://schema.org#",
            "PropertyValue": "schema:PropertyValue",
            "value": "schema:value",
        }
    ])
}

/// For posts.
pub fn note() -> Value {
    json!([
        ACTIVITY_STREAMS,
        {
            "Hashtag": "as:Hashtag",
            "sensitive": "as:sensitive",
            "gts": "https://gotosocial.org/ns#",
            "interactionPolicy": { "@id": "gts:interactionPolicy", "@type": "@id" },
            "canQuote": { "@id": "gts:canQuote", "@type": "@id" },
            "automaticApproval": { "@id": "gts:automaticApproval", "@type": "@id" },
            "manualApproval": { "@id": "gts:manualApproval", "@type": "@id" },
        }
    ])
}

/// For answers to quote requests (FEP-044f).
pub fn quote() -> Value {
    json!([
        ACTIVITY_STREAMS,
        {
            "QuoteRequest": "https://w3id.org/fep/044f#QuoteRequest",
            "QuoteAuthorization": "https://w3id.org/fep/044f#QuoteAuthorization",
            "gts": "https://gotosocial.org/ns#",
            "interactingObject": { "@id": "gts:interactingObject", "@type": "@id" },
            "interactionTarget": { "@id": "gts:interactionTarget", "@type": "@id" },
        }
    ])
}
