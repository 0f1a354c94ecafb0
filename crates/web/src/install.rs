//! What browsers need to install the page as an app: a manifest, icons, a service worker and a page for the time
//! without a connection.

mod icons;
mod manifest;
mod service_worker;
mod theme;

pub(crate) use icons::{get as icon, touch as touch_icon};
pub(crate) use manifest::get as manifest;
pub(crate) use service_worker::{get as service_worker, offline_page};
pub(crate) use theme::colors as theme_colors;
