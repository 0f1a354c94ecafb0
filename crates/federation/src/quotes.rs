//! Who may quote a post, and taking that back.
