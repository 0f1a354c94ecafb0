//! Reads what other servers write, in all the shapes they write it.
//!
//! Pure functions: bytes become JSON under strict limits (`json.rs`), properties are read in any form (`read.rs`), IRIs
//! and hosts are compared (`iri.rs`), activities and actors become types (`received.rs`, `person.rs`, `post.rs`,
//! `stream.rs`), and text is sanitised before it is stored (`sanitise.rs`). Nothing here panics, and nothing is trusted
//! because it could be read.

#[doc(hidden)]
pub mod fuzzing;
mod iri;
mod json;
mod person;
mod post;
mod read;
mod received;
mod sanitise;
mod stream;

pub use iri::{authority, authority_of, host_of, same_host, same_iri, web_iri};
pub use json::{MAX_DEPTH, MAX_DOCUMENT_BYTES, Unreadable, parse};
pub use person::{NotAnActor, Person};
pub use post::{MAX_ATTACHMENTS, ParsedNote, visibility};
pub use read::{
    LocalizedText, has_type, id_of, is_public, list_of, shared_id_of, string_of, text_of, time_of,
    types_of,
};
pub use received::{ActivityKind, ReceivedActivity};
pub use sanitise::{
    MAX_HTML_BYTES, MAX_NAME_CHARS, MAX_URL_CHARS, html, plain, plain_text, web_url,
};
pub use stream::{StreamMetadata, is_directory};
