//! The key the stream signs with, and the names it had.
