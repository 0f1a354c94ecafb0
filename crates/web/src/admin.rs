//! What only the operator may do.

mod door;
mod reads;
mod serverconfig;
mod settings;
mod stream;

pub(crate) use door::{Session, Setup, SignIn, session, setup, sign_in, sign_out};
pub(crate) use reads::{LogEntry, logs, prometheus, warnings};
pub(crate) use serverconfig::get as serverconfig;
pub(crate) use settings::{NewPassword, SettingsList, change, change_password, list as settings};
pub(crate) use stream::{
    AdminStatus, PastStream, StreamReport, disconnect, disconnect_by_script, status, stream,
    streams,
};
