//! The id of a key: where to fetch it, and who may own it.

use outbound::{Url, host_header};

use super::problem::SignatureProblem;

/// Longest name of a key; a longer one is refused. Real ones have a hundred letters.
const MAX_KEY_ID_BYTES: usize = 2048;

/// An https URL that identifies a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyId {
    text: String,
    document: Url,
    host: String,
}

impl KeyId {
    /// Parses the key id a request states.
    ///
    /// # Errors
    /// When it is not an https URL.
    pub fn parse(text: &str) -> Result<Self, SignatureProblem> {
        if text.len() > MAX_KEY_ID_BYTES {
            return Err(SignatureProblem::KeyId("it is too long"));
        }
        let mut document =
            Url::parse(text).map_err(|_| SignatureProblem::KeyId("it is not a URL"))?;
        if document.scheme() != "https" {
            return Err(SignatureProblem::KeyId("it is not an https URL"));
        }
        document.set_fragment(None);
        let host = host_header(&document);
        Ok(Self {
            text: text.to_owned(),
            document,
            host,
        })
    }

    /// The id exactly as stated.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The address of the document with the key: the id without its fragment.
    #[must_use]
    pub fn document(&self) -> &Url {
        &self.document
    }

    /// The host, with the port unless it is 443.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_where_the_document_is_and_on_which_host() {
        let id = KeyId::parse("https://Remote.Example:8443/users/alice#main-key").unwrap();
        assert_eq!(
            id.as_str(),
            "https://Remote.Example:8443/users/alice#main-key"
        );
        assert_eq!(
            id.document().as_str(),
            "https://remote.example:8443/users/alice"
        );
        assert_eq!(id.host(), "remote.example:8443");
        assert_eq!(
            KeyId::parse("https://a.example:443/k").unwrap().host(),
            "a.example"
        );
    }

    // Case 31 of docs/federation-cases.md.
    #[test]
    fn only_https_urls_name_keys() {
        let long = format!("https://a.example/{}", "a".repeat(MAX_KEY_ID_BYTES));
        for text in [
            "",
            "main-key",
            "http://remote.example/users/alice#main-key",
            "acct:alice@remote.example",
            "did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
            "https://",
            "//remote.example/users/alice",
            &long,
        ] {
            assert!(KeyId::parse(text).is_err(), "{text}");
        }
    }
}
