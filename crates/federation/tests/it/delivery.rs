//! Deliveries against scripted inboxes over TLS.

mod answers;
mod lanes;
mod order;
mod restart;
mod rotation;
mod signatures;
