//! Documents of other servers, fetched with our signature and believed only where they come from.
