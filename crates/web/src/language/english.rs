//! English.

use super::{Notice, Plain, Texts};

pub(super) static TEXTS: Texts = Texts {
    tag: "en",
    direction: "ltr",
    not_found: Notice {
        title: "Page not found",
        explanation: "There is nothing at this address. The link may be old or mistyped.",
        link: "Go to the stream",
    },
    failed: Notice {
        title: "Something went wrong",
        explanation: "The server could not show this page. Please try again in a moment.",
        link: "Go to the stream",
    },
    no_connection: Notice {
        title: "No connection",
        explanation: "The page cannot be reached. Check your connection and try again.",
        link: "Try again",
    },
    plain: Plain {
        needs_script: "Chat and the player's controls need JavaScript.",
        live: "Live now",
        open_in_player: "Open the stream in a player such as VLC",
        offline: "The stream is offline",
        address_when_live: "Once it is live, this address plays in VLC and other players",
        mature: "Not safe for work",
        recordings: "Recordings",
        no_recordings: "There are no recordings yet.",
        open_recording: "Open the recording in a player such as VLC",
    },
};
