/** Spanish, for what viewers read about the Fediverse. */
import type { enFediverse } from './en.fediverse.ts';
import type { SameKeys } from './index.ts';

export const esFediverse: SameKeys<typeof enFediverse> = {
  'fediverse.account': 'Tu cuenta',
  'fediverse.account.help': 'En Mastodon, GoToSocial, Misskey o similares, como @tu@social.example',
  'fediverse.account.invalid': 'Escribe tu cuenta con su servidor, como @tu@social.example.',
  'fediverse.wait': {
    one: 'Demasiados intentos. Espera {count} segundo e inténtalo de nuevo.',
    many: 'Demasiados intentos. Espera {count} de segundos e inténtalo de nuevo.',
    other: 'Demasiados intentos. Espera {count} segundos e inténtalo de nuevo.',
  },

  'follow.title': 'Seguir a {name}',
  'follow.text':
    'Sigue desde tu propio servidor del Fediverse y entérate cuando empiece la transmisión. Aquí no necesitas cuenta.',
  'follow.what':
    'El Fediverse es una red de servidores independientes, como los de Mastodon, cuyos miembros pueden seguirse entre sí.',
  'follow.go': 'Continuar en mi servidor',
  'follow.busy': 'Preguntando a tu servidor…',
  'follow.opened': 'Confirma en la pestaña que se acaba de abrir.',
  'follow.open': '¿No aparece nada? Abre {host}',
  'follow.blocked': 'Confirma en tu propio servidor.',
  'follow.open.self': 'Abrir {host}',
  'follow.address': 'O busca esta dirección',
  'follow.address.help': 'Pégala en el buscador de tu servidor.',

  'followers.empty.title': 'Nadie sigue todavía',
  'followers.empty.text': 'Sé la primera persona.',
  'followers.private.title': {
    one: '{count} persona sigue',
    many: '{count} de personas siguen',
    other: '{count} personas siguen',
  },
  'followers.private.text': 'Quiénes son no es público.',
  'followers.failed': 'No se pudieron cargar los seguidores',
  'followers.more': 'Mostrar más',

  'signIn.way': 'Cómo iniciar sesión',
  'signIn.way.site': 'Tu sitio',
  'signIn.way.code': 'Cuenta del Fediverse',
  'signIn.go': 'Continuar',
  'signIn.site.text': 'Inicia sesión con tu propio sitio. Te enviaremos allí a confirmar y luego volverás aquí.',
  'signIn.site.help': 'Cualquier sitio compatible con IndieAuth, por ejemplo https://tu.example',
  'signIn.site.invalid': 'Escribe la dirección de tu sitio, con https.',
  'signIn.code.text': 'Verifica tu identidad con tu cuenta del Fediverse. Recibirás un mensaje privado con un código.',
  'signIn.code.send': 'Envíame un código',
  'signIn.code.sending': 'Enviando…',
  'signIn.code.sent': 'Un mensaje privado va de camino a {account}.',
  'signIn.code': 'Código',
  'signIn.code.help': 'Seis dígitos, válidos durante diez minutos. Puede tardar un momento en llegar.',
  'signIn.code.short': 'El código tiene {count} dígitos.',
  'signIn.code.wrong': 'Este código es incorrecto o ya no es válido. Revísalo o pide uno nuevo.',
  'signIn.code.verify': 'Confirmar',
  'signIn.code.back': 'Usar otra cuenta',
  'signIn.done': 'Has iniciado sesión.',
};
