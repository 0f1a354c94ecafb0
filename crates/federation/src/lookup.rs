//! Finding an account or a server by its name.
