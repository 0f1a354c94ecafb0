/** Spanish: the first run. */
import type { enAdminSetup } from './en.admin.setup.ts';
import type { SameKeys } from './index.ts';

export const esAdminSetup: SameKeys<typeof enAdminSetup> = {
  'setup.checking': 'Comprobando tu enlace…',
  'setup.steps': 'Pasos de la configuración',
  'setup.step.account': 'Nombre y contraseña',
  'setup.step.address': 'Dirección',
  'setup.step.stream': 'Primera transmisión',
  'setup.next': 'Siguiente: tu primera transmisión',
  'setup.back': 'Atrás',
  'setup.later': 'Hacer esto más tarde',
  'setup.finish': 'Ir a las páginas de administración',

  'setup.address.title': '¿Pueden llegar a ti los espectadores?',
  'setup.address.lead': 'Tres comprobaciones, hechas desde este navegador. Nada de esto te impide continuar.',
  'check.title': 'Comprobaciones',
  'check.again': 'Comprobar de nuevo',
  'check.running': 'Comprobando…',
  'check.verdict.checking': 'en comprobación',
  'check.verdict.good': 'correcto',
  'check.verdict.warning': 'conviene mirarlo',
  'check.verdict.bad': 'no funciona',
  'check.address.title': 'Dirección pública',
  'check.address.same': 'Abriste esta página en {url}, y esa es la URL del servidor.',
  'check.address.other': '{url} responde. Abriste esta página en {here}; los espectadores usan la URL del servidor.',
  'check.address.none':
    'No hay ninguna URL del servidor. Los enlaces de las publicaciones y lo que se inserta en otras páginas la necesitan.',
  'check.address.none.advice':
    'Escribe la dirección de la barra de este navegador, si es la que usarán tus espectadores.',
  'check.address.local':
    'No hay ninguna URL del servidor, y esta página está abierta en una dirección que solo funciona cerca del servidor.',
  'check.address.local.advice':
    'Para transmitir en tu propia red, está bien. Para el público necesitas un dominio que apunte a este servidor; escríbelo arriba.',
  'check.address.scheme': 'La URL del servidor es {url}, pero estás en {here}.',
  'check.address.scheme.advice': 'Haz que coincidan: usa https en la URL del servidor si esta página lo tiene.',
  'check.address.unreachable': '{url} no responde.',
  'check.address.unreachable.advice':
    'Comprueba que el dominio apunta a este servidor, que el router o el cortafuegos deja pasar los puertos 80 y 443, y que el proxy está en marcha.',
  'check.address.another': '{url} responde, pero no es este servidor.',
  'check.address.another.advice': 'Comprueba adónde apunta el dominio y que el proxy lo reenvía todo a este servidor.',
  'check.address.onlyHere': '{url} responde a este navegador, pero el servidor no pudo acceder a ella: {reason}.',
  'check.address.onlyHere.advice':
    'Muchos routers domésticos no dejan que un servidor se llame a sí mismo. Abre la dirección en un teléfono con datos móviles: si allí responde, todo está bien.',
  'check.https.unproven':
    'La URL del servidor empieza por https, pero allí todavía no ha respondido nada de este servidor.',
  'check.https.unproven.advice': 'Arregla primero la dirección pública y luego comprueba de nuevo.',
  'check.encryption.title': 'Cifrado (https)',
  'check.https.good': 'Los espectadores llegan por https. Sus navegadores confían en la conexión y todo funciona.',
  'check.https.local': 'Sin cifrar. En tu propio equipo o red, está bien.',
  'check.https.missing':
    'Sin cifrar. Los navegadores dicen «no es seguro», las contraseñas viajan a la vista, y el Fediverse y el inicio de sesión no funcionan.',
  'check.https.advice':
    'Pon delante un proxy como Caddy, que obtiene un certificado por sí solo, o arranca el servidor con --tls-cert y --tls-key.',
  'check.socket.title': 'Conexión del chat (WebSocket)',
  'check.socket.good': 'Se abrió una conexión con {url}. El chat es instantáneo.',
  'check.socket.off': 'El chat está desactivado, así que no hay nada que comprobar.',
  'check.socket.bad': 'No se pudo abrir ninguna conexión con {url}. El chat usa una vía más lenta.',
  'check.socket.advice':
    'Lo más frecuente es que un proxy descarte la cabecera Upgrade. Estas son las líneas que necesita nginx; Caddy no necesita ninguna.',
  'check.socket.lines': 'Líneas para nginx',

  'setup.phone.title': 'Míralo en tu teléfono',
  'setup.phone.text': 'Apunta su cámara aquí o abre la página en otra pestaña.',
  'setup.phone.machine':
    'Esta dirección solo funciona en este equipo. Escribe arriba una que un teléfono entienda: el dominio o la dirección del servidor en tu red.',
  'setup.phone.local': 'El teléfono tiene que estar en la misma red que el servidor.',
  'setup.phone.code': 'Código QR de {url}',

  'setup.stream.title': 'Tu primera transmisión',
  'setup.stream.lead': 'Escribe dos valores en tu codificador y empieza. La imagen aparecerá abajo.',
  'setup.obs.title': 'OBS Studio en cinco pasos',
  'setup.obs.other': 'Otros programas llaman igual a los campos: servidor (o URL) y clave de transmisión.',
  'setup.obs.1': 'Abre Ajustes, abajo a la derecha.',
  'setup.obs.2': 'Elige Emisión a la izquierda y Personalizado… como servicio.',
  'setup.obs.3': 'Servidor: {server}. Copia la clave de transmisión de arriba en el campo que está debajo.',
  'setup.obs.4': 'Elige Salida: tasa de bits 4500 kbps, intervalo de fotogramas clave 2 s (en el modo Avanzado).',
  'setup.obs.5': 'Pulsa Aceptar y luego Iniciar transmisión.',
  'setup.waiting': 'Esperando tu transmisión…',
  'setup.waiting.text': 'Empieza a transmitir y aquí verás lo que ven tus espectadores.',
  'setup.arrived': 'Tu transmisión ha llegado',
  'setup.picture': 'Tu transmisión como la ven los espectadores',
  'setup.bitrate': 'Llega',
};
