/** French, for the log. */
import type { enAdminLogs } from './en.admin.logs.ts';
import type { SameKeys } from './index.ts';

export const frAdminLogs: SameKeys<typeof enAdminLogs> = {
  'logs.download': 'Télécharger',

  'log.a broadcaster publishes': 'Un encodeur s’est connecté.',
  'log.a broadcaster was refused': 'Un encodeur a été refusé.',
  'log.a second publisher was refused': 'Un second encodeur a été refusé : quelqu’un streame déjà.',
  'log.live': 'Le stream est en direct.',
  'log.offline': 'Le stream est terminé.',
  'log.the publisher is gone, waiting for it to come back': 'L’encodeur a disparu. En attente de son retour.',
  'log.the publisher is gone before anything could be shown':
    'L’encodeur est parti avant que quoi que ce soit puisse être affiché.',
  'log.ready': 'Le serveur est prêt.',
  'log.stopping': 'Le serveur s’arrête.',
  'log.stopped': 'Le serveur s’est arrêté.',
  'log.setting changed': 'Un paramètre a été modifié.',
  'log.wrong admin password': 'Quelqu’un a saisi un mot de passe d’administration erroné.',
  'log.admin password changed': 'Le mot de passe d’administration a été changé.',
  'log.access token made': 'Un jeton d’accès a été créé.',
  'log.access token revoked': 'Un jeton d’accès a été révoqué.',
  'log.webhook not delivered, given up': 'Un webhook n’a pas pu être livré ; le serveur a abandonné.',
  'log.broadcast ended by the operator': 'Vous avez mis fin au stream.',

  'logfact.yes': 'oui',
  'logfact.no': 'non',
  'logfact.peer': 'de',
  'logfact.key': 'clé de stream',
  'logfact.encoder': 'encodeur',
  'logfact.is_tls': 'chiffré',
  'logfact.reason': 'motif',
  'logfact.grace': 'secondes pour revenir',
  'logfact.error': 'erreur',
  'logfact.setting': 'paramètre',
  'logfact.plugin': 'plugin',
  'logfact.version': 'version',
  'logfact.host': 'serveur',
};
