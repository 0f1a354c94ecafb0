//! Reading what other servers write, in all the shapes they write it.
