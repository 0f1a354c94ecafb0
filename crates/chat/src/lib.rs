//! The room: who may say what, and who hears it. This room has no code yet.
//!
//! It will own the one conversation: the order of its lines, who is connected, names and bans, what a line may
//! contain and how it is rendered, how often anybody may speak, and the history.
//!
//! What it must not do:
//!
//! - know sockets or HTTP: `web` owns the connections and the shapes on the wire;
//! - know plugins or federation: filters reach it through a trait of its own that `server` implements, and facts
//!   leave it as `model::Event`;
//! - show a line to anybody before the store has committed it;
//! - keep a queue without a bound: a listener that does not keep up is dropped, the others do not wait.
//!
//! Doors: it may use `store` and `model`. `web` and `server` may use it.
//!
//! The tables it will need first, `users` and `tokens`, are already in the store's schema. Until there is a room,
//! `/api/config` says `chatDisabled: true`.
