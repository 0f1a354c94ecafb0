//! What only the operator may do.

mod door;
mod reads;
mod serverconfig;
mod settings;

pub(crate) use door::{session, setup, sign_in, sign_out};
pub(crate) use reads::{logs, prometheus, status, warnings};
pub(crate) use serverconfig::get as serverconfig;
pub(crate) use settings::{change, change_password, list as settings};
