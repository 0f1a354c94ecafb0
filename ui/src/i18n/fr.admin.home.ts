/** French, for the first page. */
import type { enAdminHome } from './en.admin.home.ts';
import type { SameKeys } from './index.ts';

export const frAdminHome: SameKeys<typeof enAdminHome> = {
  'attention.title': 'Ce qui demande votre attention',
  'attention.none': 'Rien ne demande votre attention.',
  'attention.disk': 'Le disque est presque plein : il reste {free}.',
  'attention.disk.full':
    'Le disque est plein : il ne reste que {free}. Faites de la place avant que le serveur ne puisse plus rien enregistrer.',
  'attention.backup.never': 'Aucune sauvegarde n’a encore été faite.',
  'attention.backup.old': 'Dernière sauvegarde : {ago}.',
  'attention.backup.how': 'Comment sauvegarder',
  'attention.certificate': 'Le certificat expire le {date}, et rien ne l’a encore renouvelé.',
  'attention.certificate.ended': 'Le certificat a expiré ; les navigateurs refusent ce serveur.',
  'attention.keys': 'Il n’y a pas de clé de stream : personne ne peut streamer ici.',
  'attention.url':
    'Le serveur ne connaît pas son adresse publique. Les liens, les codes d’intégration et le Fediverse en ont besoin.',
  'attention.name': 'Le serveur porte encore le nom de son installation.',
  'attention.page': 'Le texte À propos est encore celui de l’installation.',
  'attention.webhooks.failing': {
    one: '{count} webhook échoue.',
    many: '{count} de webhooks échouent.',
    other: '{count} webhooks échouent.',
  },
  'attention.webhooks.disabled': {
    one: '{count} webhook a été désactivé après avoir échoué trop longtemps.',
    many: '{count} de webhooks ont été désactivés après avoir échoué trop longtemps.',
    other: '{count} webhooks ont été désactivés après avoir échoué trop longtemps.',
  },
  'attention.deliveries': {
    one: '{count} serveur du Fediverse est injoignable ; des publications l’attendent.',
    many: '{count} de serveurs du Fediverse sont injoignables ; des publications les attendent.',
    other: '{count} serveurs du Fediverse sont injoignables ; des publications les attendent.',
  },
  'attention.logs': {
    one: '{count} erreur dans le journal des dernières 24 heures.',
    many: '{count} d’erreurs dans le journal des dernières 24 heures.',
    other: '{count} erreurs dans le journal des dernières 24 heures.',
  },

  wrongKey:
    'Un encodeur a essayé de streamer avec une mauvaise clé de stream ({ago}). Copiez de nouveau la clé, en entier.',

  'preview.title': 'Ce que voient les spectateurs',
  'preview.play': 'Lire ici',
  'preview.stop': 'Arrêter',
  'preview.picture': 'L’image la plus récente du stream',
  'preview.player': 'Le stream, sans le son',
  'preview.text': 'L’image la plus récente ; elle se renouvelle toute seule.',
  'preview.counts': 'Son coupé. Cette lecture ne compte pas comme un spectateur.',

  'server.state': 'Ce serveur',
  'server.state.disk': 'Disque',
  'server.state.disk.free': '{free} libres sur {total}',
  'server.state.backup': 'Dernière sauvegarde',
  'server.state.backup.never': 'Jamais',
  'server.state.plugins': '{count} activés',
  'server.state.plugins.off': 'désactivés : {names}',

  'home.watch.guessed': 'Repris de la barre d’adresse de votre navigateur, car l’URL du serveur n’est pas définie.',
  'home.watch.guessed.set': 'Définir l’URL du serveur',
};
