//! Spanish.

use super::{Notice, Plain, Texts};

pub(super) static TEXTS: Texts = Texts {
    tag: "es",
    direction: "ltr",
    not_found: Notice {
        title: "Página no encontrada",
        explanation: "En esta dirección no hay nada. Puede que el enlace sea antiguo o esté mal escrito.",
        link: "Ir a la transmisión",
    },
    failed: Notice {
        title: "Algo salió mal",
        explanation: "El servidor no pudo mostrar esta página. Inténtalo de nuevo en un momento.",
        link: "Ir a la transmisión",
    },
    no_connection: Notice {
        title: "Sin conexión",
        explanation: "No se puede acceder a la página. Comprueba tu conexión e inténtalo de nuevo.",
        link: "Intentar de nuevo",
    },
    plain: Plain {
        needs_script: "El chat y los controles del reproductor necesitan JavaScript.",
        live: "En vivo ahora",
        open_in_player: "Abrir la transmisión en un reproductor como VLC",
        offline: "No hay transmisión ahora",
        address_when_live: "Cuando empiece, esta dirección se reproduce en VLC y otros reproductores",
        mature: "Solo para adultos",
        recordings: "Grabaciones",
        no_recordings: "Todavía no hay grabaciones.",
        open_recording: "Abrir la grabación en un reproductor como VLC",
    },
};
