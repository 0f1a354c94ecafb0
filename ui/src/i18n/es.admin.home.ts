/** Spanish, for the first page. */
import type { enAdminHome } from './en.admin.home.ts';
import type { SameKeys } from './index.ts';

export const esAdminHome: SameKeys<typeof enAdminHome> = {
  'attention.title': 'Qué necesita tu atención',
  'attention.none': 'Nada necesita tu atención.',
  'attention.disk': 'El disco está casi lleno: quedan {free}.',
  'attention.disk.full':
    'El disco está lleno: solo quedan {free}. Haz sitio antes de que el servidor ya no pueda guardar nada.',
  'attention.backup.never': 'Todavía no se ha hecho ninguna copia de seguridad.',
  'attention.backup.old': 'La última copia de seguridad se hizo {ago}.',
  'attention.backup.how': 'Cómo hacer una copia de seguridad',
  'attention.certificate': 'El certificado vence el {date} y todavía nada lo ha renovado.',
  'attention.certificate.ended': 'El certificado ha vencido; los navegadores rechazan este servidor.',
  'attention.keys': 'No hay ninguna clave de transmisión, así que nadie puede transmitir aquí.',
  'attention.url':
    'El servidor no conoce su dirección pública. La necesitan los enlaces, los códigos para insertar y el Fediverse.',
  'attention.name': 'El servidor todavía tiene el nombre con el que se instaló.',
  'attention.page': 'El texto Acerca de todavía es el de la instalación.',
  'attention.webhooks.failing': {
    one: '{count} webhook está fallando.',
    many: '{count} de webhooks están fallando.',
    other: '{count} webhooks están fallando.',
  },
  'attention.webhooks.disabled': {
    one: '{count} webhook se desactivó tras fallar demasiado tiempo.',
    many: '{count} de webhooks se desactivaron tras fallar demasiado tiempo.',
    other: '{count} webhooks se desactivaron tras fallar demasiado tiempo.',
  },
  'attention.deliveries': {
    one: 'No se puede acceder a {count} servidor del Fediverse; hay publicaciones en espera para él.',
    many: 'No se puede acceder a {count} de servidores del Fediverse; hay publicaciones en espera para ellos.',
    other: 'No se puede acceder a {count} servidores del Fediverse; hay publicaciones en espera para ellos.',
  },
  'attention.logs': {
    one: '{count} error en el registro de las últimas 24 horas.',
    many: '{count} de errores en el registro de las últimas 24 horas.',
    other: '{count} errores en el registro de las últimas 24 horas.',
  },
  wrongKey:
    'Un codificador intentó transmitir con una clave de transmisión incorrecta ({ago}). Vuelve a copiar la clave, completa.',

  'preview.title': 'Lo que ven los espectadores',
  'preview.play': 'Reproducir aquí',
  'preview.stop': 'Detener',
  'preview.picture': 'La imagen más reciente de la transmisión',
  'preview.player': 'La transmisión, sin sonido',
  'preview.text': 'La imagen más reciente; se renueva sola.',
  'preview.counts': 'Sin sonido. No cuenta como espectador.',

  'server.state': 'Este servidor',
  'server.state.disk': 'Disco',
  'server.state.disk.free': '{free} de {total} libres',
  'server.state.backup': 'Última copia de seguridad',
  'server.state.backup.never': 'Nunca',
  'server.state.plugins': 'activados: {count}',
  'server.state.plugins.off': 'desactivados: {names}',

  'home.watch.guessed':
    'Tomada de la barra de direcciones de tu navegador, porque la URL del servidor no está definida.',
  'home.watch.guessed.set': 'Definir la URL del servidor',
};
