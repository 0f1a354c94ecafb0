//! Other servers the operator shows beside the stream.
