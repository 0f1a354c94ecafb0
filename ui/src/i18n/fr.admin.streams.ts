/** French, for the admin pages about past streams and their charts. */
import type { enAdminStreams } from './en.admin.streams.ts';
import type { SameKeys } from './index.ts';

export const frAdminStreams: SameKeys<typeof enAdminStreams> = {
  'chart.read': 'Lire les valeurs : {title}',
  'chart.read.help': 'Les touches fléchées passent d’un moment à l’autre.',

  'viewers.range.1h': '1 heure',
  'viewers.range.24h': '24 heures',
  'viewers.range.7d': '7 jours',
  'viewers.range.30d': '30 jours',
  'viewers.range.all': 'Depuis le début',
  'viewers.average': 'Moyenne',
  'viewers.most': 'Pic',
  'viewers.chart.text': 'Les interruptions sont des moments où il n’y avait pas de stream et personne dans le chat.',
  'viewers.clients': 'Connexions au chat',

  'streams.more': 'Afficher les streams plus anciens',
  'streams.back': '← Tous les streams passés',
  'streams.missing.title': 'Ce stream n’existe pas',
  'streams.missing.text': 'L’adresse est peut-être mal saisie, ou elle appartient à un autre serveur.',
  'streams.average': 'Spectateurs en moyenne',
  'streams.watchTime': 'Temps de visionnage',
  'streams.messages': 'Messages du chat',
  'streams.chatters': 'Participants',
  'streams.uncounted': 'Ce stream date d’avant que le serveur ne compte cela.',
  'streams.chat.chart': 'Messages du chat au fil du temps',
  'streams.export.list': 'Télécharger la liste',
  'streams.export.viewers': 'Télécharger les spectateurs',
  'streams.export.chat': 'Télécharger l’historique du chat',
  'streams.export.chat.off':
    'L’historique du chat ne peut pas être téléchargé ; les paramètres du chat peuvent l’autoriser.',
  'streams.export.chat.text': 'Il ne contient que les messages qui n’ont pas encore été supprimés.',

  'streams.incidents': 'Incidents',
  'streams.incidents.none': 'Aucun incident',
  'streams.incidents.none.text': 'La connexion a tenu et le serveur a suivi.',
  'streams.incident': 'Ce qui s’est passé',
  'streams.incident.publisher-lost': 'La connexion à votre encodeur a été perdue',
  'streams.incident.publisher-returned': 'Votre encodeur est revenu',
  'streams.incident.server-restarted': 'Le serveur a été redémarré',
  'streams.incident.encoder-restarted': 'Le transcodage a dû être redémarré',
  'streams.incident.encoder-behind': 'Le transcodage n’a pas suivi',
  'streams.incident.keyframe-interval': 'Les images clés étaient trop espacées',
  'streams.incident.dropped-frames': 'Des images manquaient',
  'streams.incident.jitter': 'Les images arrivaient irrégulièrement',
  'streams.incident.starving': 'Il arrivait bien moins que d’habitude',
  'streams.incident.malformed': 'Certaines images n’ont pas pu être lues',
  'streams.incident.mp3-sound': 'Le son était en MP3, que Chrome et Edge ne lisent pas',

  'streams.referrers': 'D’où venaient les visiteurs',
  'streams.referrers.text': 'Visites de la page et des lecteurs intégrés pendant le stream, par site.',
  'streams.referrers.none': 'Aucune visite comptée',
  'streams.referrers.none.text':
    'Personne n’a ouvert la page pendant ce stream, ou il date d’avant que le serveur ne compte.',
  'streams.referrer': 'Site',
  'streams.referrer.unknown': 'Accès direct ou inconnu',
  'streams.referrer.others': 'Autres sites',
  'streams.visits': 'Visites',

  'setting.chat/logexport.label': 'Autoriser le téléchargement de l’historique du chat',
  'setting.chat/logexport.help':
    'Vous pouvez enregistrer le chat d’un stream dans un fichier tant que ses messages sont conservés. Si vous le faites, dites-le aux participants.',
};
