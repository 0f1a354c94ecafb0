//! Signatures over HTTP requests: two schemes, made and checked without any IO.
