//! What a listener is told privately: who they are, how long they have to wait before they can write, and what is
//! pinned.

use std::sync::Arc;
use std::time::Duration;

use model::chat::ChatUser;
use model::settings::Layers;
use model::settings::table::chat::SLOW_MODE_SECONDS;
use store::User;

use crate::member::Member;
use crate::pins::PinnedLine;
use crate::room::RoomShared;

/// What a client needs to know about its own user; sent when it connects, and with every change.
#[derive(Clone, Debug, PartialEq)]
pub struct ListenerState {
    pub user: Arc<ChatUser>,
    /// How much of a moderator's timeout is left, in seconds.
    pub muted_seconds: Option<u64>,
    /// What the moderator wrote about it.
    pub muted_reason: Option<String>,
    /// How long slow mode still delays their next line, in seconds.
    pub slow_mode_seconds: Option<u64>,
    /// The line that stands above the chat.
    pub pinned: Option<Arc<PinnedLine>>,
}

impl RoomShared {
    /// The state of a connected person at this moment.
    pub(crate) fn state_of(&self, member: &Member) -> ListenerState {
        let profile = member.now();
        let interval = slow_mode(&self.settings.now(), &profile.user);
        let wait = member.limiter().slow_wait(self.clock.uptime(), interval);
        let muted_seconds = self.muted_for(&profile.user).map(seconds_to_wait);
        ListenerState {
            user: Arc::clone(&profile.public),
            muted_seconds,
            muted_reason: muted_seconds.and_then(|_| profile.user.muted_reason.clone()),
            slow_mode_seconds: wait.map(seconds_to_wait),
            pinned: self.pinned.load_full(),
        }
    }

    /// How much of a person's timeout is left; `None` if they have none.
    pub(crate) fn muted_for(&self, user: &User) -> Option<Duration> {
        let left = user.muted_until?.duration_since(self.clock.now());
        // One that is over is negative, which is no duration.
        Duration::try_from(left).ok().filter(|left| !left.is_zero())
    }
}

/// The time between two lines of this person.
pub(crate) fn slow_mode(settings: &Layers, user: &User) -> Duration {
    if user.is_moderator {
        Duration::ZERO
    } else {
        Duration::from_secs((*settings.get(&SLOW_MODE_SECONDS)).into())
    }
}

/// Whole seconds to wait, so that it is never too early.
pub(crate) fn seconds_to_wait(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}
