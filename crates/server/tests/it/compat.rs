//! What programs written for servers of this kind rely on, according to their own tests.

mod admin;
mod configuration;
mod favicon;
mod federation;
mod files;
mod metrics;
mod pages;
