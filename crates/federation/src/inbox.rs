//! What others send: checked without the network, stored, answered, then believed or dropped.

mod limits;

pub(crate) use limits::Limits;
