//! The vectors, and every habit of other servers that we put up with.
