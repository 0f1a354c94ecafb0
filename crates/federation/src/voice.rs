//! Deciding that something is to be said: posts, heartbeats, news of the profile.
