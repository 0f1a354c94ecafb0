//! The formats of media, parsed and written: RTMP, FLV, codec headers, CMAF.
//!
//! The path of a frame, and the order to read this crate in:
//!
//! 1. [`rtmp`]: `wire` turns a publisher's bytes into messages, `session` runs the protocol;
//! 2. [`flv`] reads the tags inside the messages, [`codec`] their codec headers;
//! 3. [`timeline`] puts frames on one time line, whatever the publisher's clock does;
//! 4. [`cmaf`] writes them into init segments and fragments.
//!
//! Everything here is a function or a value of its input, which a stranger may have sent: total, bounded by named
//! limits, and fuzzed ([`fuzzing`], [`codec::fuzz`]). It must not:
//!
//! - do IO, read a clock, start a task or write a line of the log: `media` does that around it;
//! - depend on tokio, directly or through another crate: whoever works on a parser compiles this crate alone;
//! - know what a broadcast, a playlist or a viewer is.
//!
//! It may use `model`. `media` may use it.

#![forbid(unsafe_code)]

pub mod cmaf;
pub mod codec;
pub mod flv;
#[doc(hidden)]
pub mod fuzzing;
pub mod rtmp;
pub mod timeline;
