//! What documents say of the stream, at one moment.
