/** French, for the menu, the search and the help page. */
import type { enAdminMenu } from './en.admin.menu.ts';
import type { SameKeys } from './index.ts';

export const frAdminMenu: SameKeys<typeof enAdminMenu> = {
  'nav.close': 'Fermer',
  'nav.audience': 'Abonnés et publications',
  'nav.social': 'Fediverse',
  'nav.help': 'Aide',

  'find.open': 'Rechercher',
  'find.title': 'Rechercher',
  'find.label': 'Rechercher des pages et des paramètres',
  'find.results': 'Pages et paramètres',
  'find.nothing': 'Rien trouvé. Essayez un autre mot.',
  'find.count': { one: '{count} résultat', many: '{count} de résultats', other: '{count} résultats' },

  'about.home':
    'Vue d’ensemble : ce qui demande attention, aperçu en direct, réglage d’OBS, clé de stream, code d’intégration',
  'about.viewer-info': 'Chiffres d’audience, courbes et qui regarde en ce moment',
  'about.chat/messages': 'Lire, masquer et rechercher les messages du chat ; messages retenus ; journal de modération',
  'about.chat/users': 'Participants du chat, utilisateurs, modérateurs, bannissements, adresses bannies, ban',
  'about.chat/emojis': 'Importer des emojis personnalisés et des émotes',
  'about.federation/followers': 'Abonnés du Fediverse, followers, demandes et blocages',
  'about.federation/posts': 'Écrire à vos abonnés ; ce que vous avez publié ; posts',
  'about.federation/servers': 'D’autres streams en direct que vous recommandez sur votre page',
  'about.config/general': 'Nom, résumé, logo, texte À propos, tags, liens, streams annoncés',
  'about.config/appearance': 'Couleurs, CSS et scripts de la page des spectateurs ; thème',
  'about.config/server': 'Adresse publique, clés de stream, vie privée, mot de passe d’administration',
  'about.config/video': 'Qualités, transcodage, encodeur, latence, lecture automatique',
  'about.config-chat': 'Qui peut écrire, protection contre le spam, filtre de mots, mode lent',
  'about.config-federation':
    'Fediverse, Mastodon, ActivityPub : compte, publications au début du direct, serveurs bloqués',
  'about.hardware-info': 'Processeur, mémoire et disque du serveur : CPU, RAM, stockage',
  'about.machines': 'Les machines du cluster : nœuds, rôles, charge, versions',
  'about.stream-health':
    'Comment le stream arrive chez les spectateurs : mise en mémoire tampon, erreurs, bande passante, vitesse de transcodage',
  'about.logs': 'Ce que le serveur a fait : avertissements, erreurs, logs de débogage',
  'about.federation/inbox':
    'Mentions J’aime, partages, boosts, réponses, citations et signalements du Fediverse ; boîte de réception',
  'about.federation/deliveries': 'Publications en route vers d’autres serveurs, échecs, nouvelles tentatives',
  'about.streams': 'Historique de vos streams',
  'about.webhooks': 'Prévenir des bots et des services des événements',
  'about.access-tokens': 'Accès à l’API pour les bots et les overlays',
  'about.external-actions': 'Boutons sous le lecteur',
  'about.plugins': 'Installer, configurer, activer et désactiver des extensions',
  'about.help': 'Documentation, API, mot de passe perdu, sauvegardes',
  'about.config-notify': 'Notifications push du navigateur, Discord',

  'help.find': 'Trouver un paramètre',
  'help.find.text': 'Appuyez sur {keys} sur n’importe quelle page, ou utilisez la recherche en haut du menu.',
  'help.live': 'Passer en direct',
  'help.live.text': 'L’accueil donne le serveur et la clé de stream pour OBS et les autres encodeurs.',
  'help.live.open': 'Ouvrir l’accueil',
  'help.console': 'Sur la console du serveur',
  'help.console.password': 'Choisir un nouveau mot de passe d’administration',
  'help.console.session': 'Afficher un lien qui vous identifie',
  'help.console.backup': 'Sauvegarder toutes les données dans un fichier',
  'help.console.all': 'Toutes les commandes et options',
  'help.api': 'Pour les programmes',
  'help.api.text': 'Chaque route du serveur, avec ce qu’elle reçoit et ce qu’elle répond.',
  'help.api.open': 'Documentation de l’API',

  'setting.schedule/enabled.label': 'Afficher les streams annoncés',
  'setting.schedule/enabled.help': 'Les visiteurs voient les streams que vous avez annoncés.',
  'setting.schedule/showcountdown.label': 'Compte à rebours jusqu’au prochain stream',
  'setting.schedule/showcountdown.help': 'Les pages et d’autres programmes montrent le temps qu’il reste.',
  'setting.schedule/chatopenminutes.label': 'Ouvrir le chat en avance',
  'setting.schedule/chatopenminutes.help': 'Les spectateurs peuvent discuter avant le début d’un stream annoncé.',
  'setting.schedule/remindermessage.label': 'Message à l’ouverture du chat',
  'setting.schedule/remindermessage.help':
    'Envoyé à toutes les personnes présentes dans le chat. Le Markdown fonctionne ; laissez ce champ vide pour ne rien envoyer.',
  'schedule.title': 'Streams annoncés',
  'schedule.text': 'Annoncez des streams par l’API ou un plugin ; choisissez ici ce que les visiteurs en voient.',
  'schedule.open.never': 'Pas avant le début du stream',
  'schedule.open.minutes': {
    one: '{count} minute avant',
    many: '{count} de minutes avant',
    other: '{count} minutes avant',
  },
};
