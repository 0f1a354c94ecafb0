//! RTMP over real sockets, against other implementations, and against everything that broke other servers.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod ffmpeg;
mod hostile;
mod oracle;
mod publish;
mod support;
