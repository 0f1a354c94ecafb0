//! One-time codes that prove who somebody is in the Fediverse, for signing in to the chat.
