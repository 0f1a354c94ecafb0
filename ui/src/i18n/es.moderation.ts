/** Spanish, for what moderators read. */
import type { enModeration } from './en.moderation.ts';
import type { SameKeys } from './index.ts';

export const esModeration: SameKeys<typeof enModeration> = {
  'sanction.timeout.title': '¿Silenciar a {name}?',
  'sanction.timeout.go': 'Silenciar',
  'sanction.timeout.done': '{name} no podrá escribir por un tiempo.',
  'sanction.length': 'Cuánto tiempo',
  'sanction.minute': '1 minuto',
  'sanction.five': '5 minutos',
  'sanction.ten': '10 minutos',
  'sanction.hour': '1 hora',
  'sanction.day': '24 horas',
  'sanction.reason': 'Motivo (opcional)',
  'sanction.reason.help': 'Esta persona lo ve, y los demás moderadores también, en el registro.',
  'sanction.reason.long': 'Usa {count} caracteres como máximo.',

  'panel.held': 'En espera',
  'panel.sanctioned': 'Vetados y silenciados',
  'panel.sanctioned.none': 'No hay nadie vetado ni silenciado.',
  'panel.banned': 'Vetado desde {when}',
  'panel.timedOut': 'Silenciado hasta {when}',
  'panel.unban': 'Quitar el veto a {name}',
  'panel.lift': 'Quitar el silencio a {name}',
  'panel.log': 'Registro',
  'panel.log.none': 'Todavía no se ha hecho nada.',
  'panel.reason': 'Motivo: {reason}',
  'panel.more': 'Mostrar más',

  'log.operator': 'El administrador',
  'log.somebody': 'alguien',
  'log.hide': '{who} ocultó un mensaje de {whom}',
  'log.show': '{who} volvió a mostrar un mensaje de {whom}',
  'log.ban': '{who} vetó a {whom}',
  'log.unban': '{who} quitó el veto a {whom}',
  'log.timeout': '{who} silenció a {whom} hasta {until}',
  'log.untimeout': '{who} quitó el silencio a {whom}',
  'log.moderator': '{who} nombró moderador a {whom}',
  'log.unmoderator': '{who} retiró como moderador a {whom}',
  'log.invited': '{whom} aceptó una invitación para moderar',
  'log.delete': '{who} eliminó a {whom}',
  'log.approve': '{who} aprobó un mensaje de {whom}',
  'log.reject': '{who} rechazó un mensaje de {whom}',

  'invitation.title': 'Únete a la moderación',
  'invitation.text':
    'Te invitan a moderar el chat de {name}: ocultar mensajes, silenciar a personas y vetar a quienes no paren.',
  'invitation.signIn': 'Primero inicia sesión. Así el papel te pertenece a ti y no a este navegador.',
  'invitation.impossible':
    'En este servidor nadie puede iniciar sesión todavía. Pide a su administrador que lo permita.',
  'invitation.as': 'Has iniciado sesión como {name}.',
  'invitation.accept': 'Aceptar y moderar',
  'invitation.decline': 'Ahora no',
  'invitation.done': 'Ya puedes moderar. Tu menú del chat tiene más opciones.',
  'invitation.already': 'Ya moderas este chat.',
  'invitation.void': 'Esta invitación ya no es válida. Pide un enlace nuevo.',
};
