//! Browser notifications, which do not exist yet.

use crate::problem::Problem;

/// `POST /api/notifications/register`
pub(crate) async fn register_for_notifications() -> Problem {
    Problem::BadRequest("browser notifications are not available on this server".into())
}
