//! RTMP without IO: [`wire`] turns bytes into messages, [`session`] messages into events and answers.
//!
//! Whoever has a socket gives the bytes and sends what is answered; who may publish is decided there, too.

pub mod session;
pub mod wire;
