//! German.

use super::{Notice, Plain, Texts};

pub(super) static TEXTS: Texts = Texts {
    tag: "de",
    direction: "ltr",
    not_found: Notice {
        title: "Seite nicht gefunden",
        explanation: "Unter dieser Adresse gibt es nichts. Vielleicht ist der Link alt oder falsch geschrieben.",
        link: "Zum Stream",
    },
    failed: Notice {
        title: "Etwas ist schiefgegangen",
        explanation: "Der Server konnte diese Seite nicht anzeigen. Bitte versuche es gleich noch einmal.",
        link: "Zum Stream",
    },
    no_connection: Notice {
        title: "Keine Verbindung",
        explanation: "Die Seite ist nicht erreichbar. Prüfe deine Verbindung und versuche es noch einmal.",
        link: "Noch einmal versuchen",
    },
    plain: Plain {
        needs_script: "Chat und Player-Einstellungen brauchen JavaScript.",
        live: "Jetzt live",
        open_in_player: "Den Stream in einem Player wie VLC öffnen",
        offline: "Der Stream ist offline",
        address_when_live: "Sobald er läuft, spielen VLC und andere Player diese Adresse ab",
        mature: "Nicht jugendfrei",
        recordings: "Aufzeichnungen",
        no_recordings: "Es gibt noch keine Aufzeichnungen.",
        open_recording: "Die Aufzeichnung in einem Player wie VLC öffnen",
    },
};
