/** French, for what viewers read about the Fediverse. */
import type { enFediverse } from './en.fediverse.ts';
import type { SameKeys } from './index.ts';

export const frFediverse: SameKeys<typeof enFediverse> = {
  'fediverse.account': 'Votre compte',
  'fediverse.account.help': 'Sur Mastodon, GoToSocial, Misskey ou similaire, par exemple @vous@social.example',
  'fediverse.account.invalid': 'Saisissez votre compte avec son serveur, par exemple @vous@social.example.',
  'fediverse.wait': {
    one: 'Trop de tentatives. Attendez {count} seconde, puis réessayez.',
    many: 'Trop de tentatives. Attendez {count} de secondes, puis réessayez.',
    other: 'Trop de tentatives. Attendez {count} secondes, puis réessayez.',
  },

  'follow.title': 'Suivre {name}',
  'follow.text':
    'Suivez ce stream depuis votre propre serveur du Fediverse et soyez prévenu quand il commence. Aucun compte n’est nécessaire ici.',
  'follow.what':
    'Le Fediverse est un réseau de serveurs indépendants, comme ceux de Mastodon, dont les membres peuvent se suivre les uns les autres.',
  'follow.go': 'Continuer sur mon serveur',
  'follow.busy': 'Demande à votre serveur…',
  'follow.opened': 'Confirmez dans l’onglet qui vient de s’ouvrir.',
  'follow.open': 'Rien ne s’est ouvert ? Ouvrir {host}',
  'follow.blocked': 'Confirmez sur votre propre serveur.',
  'follow.open.self': 'Ouvrir {host}',
  'follow.address': 'Ou recherchez cette adresse',
  'follow.address.help': 'Collez-la dans le champ de recherche de votre serveur.',

  'followers.empty.title': 'Pas encore d’abonnés',
  'followers.empty.text': 'Soyez le premier.',
  'followers.private.title': {
    one: '{count} personne suit ce stream',
    many: '{count} de personnes suivent ce stream',
    other: '{count} personnes suivent ce stream',
  },
  'followers.private.text': 'La liste des abonnés n’est pas publique.',
  'followers.failed': 'Impossible de charger les abonnés',
  'followers.more': 'En afficher plus',

  'signIn.way': 'Comment vous identifier',
  'signIn.way.site': 'Votre site',
  'signIn.way.code': 'Compte du Fediverse',
  'signIn.go': 'Continuer',
  'signIn.site.text': 'Identifiez-vous avec votre propre site. Vous y êtes envoyé pour confirmer, puis ramené ici.',
  'signIn.site.help': 'Tout site qui prend en charge IndieAuth, par exemple https://vous.example',
  'signIn.site.invalid': 'Saisissez l’adresse de votre site, avec https.',
  'signIn.code.text':
    'Confirmez votre identité avec votre compte du Fediverse. Vous recevrez un code par message privé.',
  'signIn.code.send': 'M’envoyer un code',
  'signIn.code.sending': 'Envoi…',
  'signIn.code.sent': 'Un message privé est en route vers {account}.',
  'signIn.code': 'Code',
  'signIn.code.help': 'Six chiffres, valables dix minutes. Il peut mettre un moment à arriver.',
  'signIn.code.short': 'Le code comporte {count} chiffres.',
  'signIn.code.wrong': 'Ce code est faux ou n’est plus valable. Vérifiez-le ou demandez-en un nouveau.',
  'signIn.code.verify': 'Confirmer',
  'signIn.code.back': 'Utiliser un autre compte',
  'signIn.done': 'Vous êtes identifié.',
};
