/** French, for what moderators read. */
import type { enModeration } from './en.moderation.ts';
import type { SameKeys } from './index.ts';

export const frModeration: SameKeys<typeof enModeration> = {
  'sanction.timeout.title': 'Suspendre {name} ?',
  'sanction.timeout.go': 'Suspendre',
  'sanction.timeout.done': '{name} ne peut plus écrire pendant un moment.',
  'sanction.length': 'Durée',
  'sanction.minute': '1 minute',
  'sanction.five': '5 minutes',
  'sanction.ten': '10 minutes',
  'sanction.hour': '1 heure',
  'sanction.day': '24 heures',
  'sanction.reason': 'Motif (facultatif)',
  'sanction.reason.help': 'Cette personne le voit, et les autres modérateurs aussi, dans le journal.',
  'sanction.reason.long': 'Utilisez au plus {count} caractères.',

  'panel.held': 'En attente',
  'panel.sanctioned': 'Bannis et suspendus',
  'panel.sanctioned.none': 'Personne n’est banni ni suspendu.',
  'panel.banned': 'Banni depuis le {when}',
  'panel.timedOut': 'Suspendu jusqu’au {when}',
  'panel.unban': 'Lever le bannissement de {name}',
  'panel.lift': 'Lever la suspension de {name}',
  'panel.log': 'Journal',
  'panel.log.none': 'Rien n’a encore été fait.',
  'panel.reason': 'Motif : {reason}',
  'panel.more': 'En afficher plus',

  'log.operator': 'L’administrateur',
  'log.somebody': 'quelqu’un',
  'log.hide': '{who} a masqué un message de {whom}',
  'log.show': '{who} a réaffiché un message de {whom}',
  'log.ban': '{who} a banni {whom}',
  'log.unban': '{who} a levé le bannissement de {whom}',
  'log.timeout': '{who} a suspendu {whom} jusqu’au {until}',
  'log.untimeout': '{who} a levé la suspension de {whom}',
  'log.moderator': '{who} a nommé {whom} modérateur',
  'log.unmoderator': '{who} a retiré à {whom} le rôle de modérateur',
  'log.invited': '{whom} a accepté une invitation à modérer',
  'log.delete': '{who} a supprimé {whom}',
  'log.approve': '{who} a approuvé un message de {whom}',
  'log.reject': '{who} a refusé un message de {whom}',

  'invitation.title': 'Devenir modérateur',
  'invitation.text':
    'Vous êtes invité à modérer le chat de {name} : masquer des messages, suspendre des personnes et bannir celles qui ne s’arrêtent pas.',
  'invitation.signIn': 'Identifiez-vous d’abord. Le rôle vous appartiendra alors, et non à ce navigateur.',
  'invitation.impossible':
    'Personne ne peut encore s’identifier sur ce serveur. Demandez à son administrateur de le permettre.',
  'invitation.as': 'Vous êtes identifié en tant que {name}.',
  'invitation.accept': 'Devenir modérateur',
  'invitation.decline': 'Pas maintenant',
  'invitation.done': 'Vous êtes maintenant modérateur. Votre menu dans le chat a plus d’entrées.',
  'invitation.already': 'Vous êtes déjà modérateur ici.',
  'invitation.void': 'Cette invitation n’est plus valable. Demandez un nouveau lien.',
};
