/** Spanish, for the log. */
import type { enAdminLogs } from './en.admin.logs.ts';
import type { SameKeys } from './index.ts';

export const esAdminLogs: SameKeys<typeof enAdminLogs> = {
  'logs.download': 'Descargar',

  'log.a broadcaster publishes': 'Se conectó un codificador.',
  'log.a broadcaster was refused': 'Se rechazó un codificador.',
  'log.a second publisher was refused': 'Se rechazó un segundo codificador: alguien ya está transmitiendo.',
  'log.live': 'La transmisión está en vivo.',
  'log.offline': 'La transmisión ha terminado.',
  'log.the publisher is gone, waiting for it to come back': 'El codificador se fue. Esperando a que vuelva.',
  'log.the publisher is gone before anything could be shown':
    'El codificador se fue antes de que se pudiera mostrar algo.',
  'log.ready': 'El servidor está listo.',
  'log.stopping': 'El servidor se está deteniendo.',
  'log.stopped': 'El servidor se ha detenido.',
  'log.setting changed': 'Se cambió un ajuste.',
  'log.wrong admin password': 'Alguien escribió una contraseña de administración incorrecta.',
  'log.admin password changed': 'Se cambió la contraseña de administración.',
  'log.access token made': 'Se creó un token de acceso.',
  'log.access token revoked': 'Se revocó un token de acceso.',
  'log.webhook not delivered, given up': 'No se pudo entregar un webhook; el servidor lo ha abandonado.',
  'log.broadcast ended by the operator': 'Terminaste la transmisión.',

  'logfact.yes': 'sí',
  'logfact.no': 'no',
  'logfact.peer': 'desde',
  'logfact.key': 'clave de transmisión',
  'logfact.encoder': 'codificador',
  'logfact.is_tls': 'cifrado',
  'logfact.reason': 'motivo',
  'logfact.grace': 'segundos para volver',
  'logfact.error': 'error',
  'logfact.setting': 'ajuste',
  'logfact.plugin': 'plugin',
  'logfact.version': 'versión',
  'logfact.host': 'servidor',
};
