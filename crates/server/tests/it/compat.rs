//! What programs written for servers of this kind rely on, as their own tests state it.

mod admin;
mod configuration;
mod favicon;
mod federation;
mod files;
mod metrics;
mod pages;
