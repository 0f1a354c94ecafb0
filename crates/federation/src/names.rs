//! Every address the stream has in the Fediverse.
