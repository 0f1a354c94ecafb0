//! The operator's decisions about followers.
