//! Announced streams: what visitors read, what calendars subscribe to, what the operator changes.

mod admin;
mod calendar;
mod public;
mod wire;

pub(crate) use admin::{
    DeleteEventRequest, Overview, Preview, RecurrenceDates, SaveEventRequest, delete, overview,
    preview, save,
};
pub(crate) use public::{calendar, list};
pub(crate) use wire::{NextEvent, ScheduleConfig, WireEvent};
