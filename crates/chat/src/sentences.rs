//! Everything the room itself says to people. What filters of plugins say is not here: only their authors know it.

model::sentences! {
    // To one person, in answer to what they sent.
    WRITING_TOO_FAST = "writing-too-fast",
        "You are writing too fast. Nothing you send in the next ten seconds will be shown.";
    SENT_TOO_MUCH = "sent-too-much", "You sent too much at once, so the connection was closed.";
    MESSAGE_TOO_LONG = "message-too-long", "That message is too long: at most {most} characters.";
    FRAME_TOO_LONG = "frame-too-long", "That message is too long.";
    NOT_STORED = "message-not-stored", "Something went wrong. Please try again.";
    BOTS_LISTEN = "bots-only-listen",
        "Bots can only listen here. Send messages through the integrations API.";
    CHAT_OFF = "chat-off", "The chat is turned off.";
    CHAT_CLOSED = "chat-closed", "The chat is closed.";
    CHAT_PAUSED = "chat-paused", "The chat is paused. Only moderators can write for now.";
    TOO_NEW = "account-too-new",
        "New accounts cannot write yet. Please try again in a few minutes.";
    SIGN_IN_TO_WRITE = "sign-in-to-write", "Only people who are signed in can write.";
    RETURNING_ONLY = "returning-chatters-only", "Only returning chatters can write right now.";
    BLOCKED_WORD = "blocked-word", "Your message contains a blocked word: “{word}”.";
    NO_LINKS = "links-not-allowed", "Links are not allowed here.";
    REPEATED = "repeated-message", "That message was sent a moment ago.";
    SLOW_MODE = "slow-mode", "Slow mode is on: please wait {seconds} seconds.";
    FIRST_HELD = "first-message-held",
        "Your first message will be shown once a moderator has approved it.";
    FIRST_WAITS = "first-message-waiting", "Your first message is still waiting for a moderator.";
    COPY_HELD = "copied-message-held",
        "Others wrote the same, so a moderator looks at your message first.";
    COPY_WAITS = "copied-message-waiting", "Your last message is still waiting for a moderator.";

    // Timeouts. `length` is in English; `seconds` is there for other languages.
    TIMEOUT_BEGINS = "timeout-begins",
        "A moderator has timed you out for {length}. Reason: {reason}";
    TIMEOUT_LASTS = "timeout-lasts", "A moderator has timed you out for a while.";
    TIMEOUT_LASTS_BECAUSE = "timeout-lasts-because",
        "A moderator has timed you out for a while. Reason: {reason}";

    // About a name that was asked for.
    NAME_EMPTY = "name-needs-letter", "A name needs at least one letter.";
    NAME_FORBIDDEN = "name-not-allowed", "That name is not allowed here.";
    NAME_FOUL = "name-blocked-word", "That name contains a blocked word.";
    NAME_OF_SERVER = "name-of-server", "That name belongs to this server.";
    NAME_LOST = "name-of-server-now",
        "Your name belongs to this server now. Choose another name to write.";
    RENAMED_TOO_SOON = "renamed-too-soon",
        "You changed your name a moment ago. Please wait a little.";
    NAME_TAKEN = "name-taken", "That name is already taken.";
    NO_RENAMES = "rename-not-possible", "You cannot change your name right now.";

    // To everybody.
    STREAM_STARTS = "stream-starting", "The stream is starting.";
    STREAM_ENDS = "stream-ended", "The stream has ended. Thank you for watching!";
    TITLE_CHANGED = "stream-title-changed", "The stream is now called {title}.";
    PAUSE_ENDS = "chat-pause-ends", "The chat is no longer paused.";
    SLOW_MODE_BEGINS = "slow-mode-begins", "Slow mode is on: one message every {seconds} seconds.";
    SLOW_MODE_ENDS = "slow-mode-ends", "Slow mode is off.";
    ESTABLISHED_BEGINS = "established-chatters-begins",
        "Newcomers can write 15 minutes after their first visit.";
    NEWCOMERS_WELCOME = "newcomers-welcome", "Newcomers can write again.";
    REMOVED = "chatter-removed", "{name} was removed from the chat.";
    SIGNED_IN = "chatter-signed-in", "{name} has signed in as {known}.";
}
