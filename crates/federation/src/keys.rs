//! The keys of others: fetched once, kept for a day, asked for again when they changed.
