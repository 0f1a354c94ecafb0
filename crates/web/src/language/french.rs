//! French.

use super::{Notice, Plain, Texts};

pub(super) static TEXTS: Texts = Texts {
    tag: "fr",
    direction: "ltr",
    not_found: Notice {
        title: "Page introuvable",
        explanation: "Il n’y a rien à cette adresse. Le lien est peut-être ancien ou mal saisi.",
        link: "Aller au stream",
    },
    failed: Notice {
        title: "Une erreur s’est produite",
        explanation: "Le serveur n’a pas pu afficher cette page. Veuillez réessayer dans un instant.",
        link: "Aller au stream",
    },
    no_connection: Notice {
        title: "Pas de connexion",
        explanation: "La page est injoignable. Vérifiez votre connexion et réessayez.",
        link: "Réessayer",
    },
    plain: Plain {
        needs_script: "Le chat et les commandes du lecteur ont besoin de JavaScript.",
        live: "En direct",
        open_in_player: "Ouvrir le stream dans un lecteur comme VLC",
        offline: "Le stream est hors ligne",
        address_when_live: "Dès qu’il sera en direct, VLC et d’autres lecteurs liront cette adresse",
        mature: "Réservé aux adultes",
        recordings: "Enregistrements",
        no_recordings: "Il n’y a pas encore d’enregistrements.",
        open_recording: "Ouvrir l’enregistrement dans un lecteur comme VLC",
    },
};
