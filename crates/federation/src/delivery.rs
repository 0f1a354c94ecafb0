//! What is to be sent goes out: durable, signed when it leaves, tried again, and never in anybody's way.
