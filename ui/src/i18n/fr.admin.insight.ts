/** French, for the admin pages about what the server measures. */
import type { enAdminInsight } from './en.admin.insight.ts';
import type { SameKeys } from './index.ts';

export const frAdminInsight: SameKeys<typeof enAdminInsight> = {
  'nav.viewers': 'Spectateurs',
  'nav.hardware': 'Matériel',
  'nav.health': 'Santé du stream',
  'nav.machines': 'Machines',

  'chart.range': '{name} : entre {low} et {high}.',
  'chart.empty': 'Rien n’a été mesuré pendant cette période.',
  'chart.table': 'Afficher sous forme de tableau',

  'viewers.numbers': 'Les spectateurs en chiffres',
  'viewers.chart': 'Spectateurs au fil du temps',
  'viewers.count': 'Spectateurs',
  'viewers.range': 'Période',
  'viewers.present': 'Regardent en ce moment',
  'viewers.present.text': 'Vous seul voyez ceci.',
  'viewers.since': 'Regarde depuis',
  'viewers.empty.title': 'Personne ne regarde',
  'viewers.empty.text': 'Quiconque ouvre le stream apparaît ici en quelques secondes.',

  'hardware.now': 'En ce moment',
  'hardware.used': 'Utilisé',
  'hardware.cpu': 'Processeur',
  'hardware.cpu.text': 'S’il reste longtemps à pleine charge, le stream saccade pour tout le monde.',
  'hardware.cpu.fine': 'large réserve',
  'hardware.cpu.busy': 'chargé ; à surveiller',
  'hardware.cpu.full': 'trop chargé : utilisez moins de qualités ou une machine plus puissante',
  'hardware.memory': 'Mémoire',
  'hardware.memory.text': 'Si elle vient à manquer, le système peut arrêter le serveur.',
  'hardware.memory.fine': 'large réserve',
  'hardware.memory.busy': 'commence à manquer',
  'hardware.memory.full': 'presque pleine : fermez d’autres programmes ou ajoutez de la mémoire',
  'hardware.disk': 'Disque',
  'hardware.disk.text': 'Quand il est plein, plus rien ne peut être enregistré : ni chat, ni paramètres.',
  'hardware.disk.fine': 'large réserve',
  'hardware.disk.busy': 'se remplit',
  'hardware.disk.full': 'presque plein : libérez bientôt de la place',
  'hardware.empty.title': 'Rien mesuré pour l’instant',
  'hardware.empty.text':
    'Les premiers chiffres apparaissent dans les deux minutes qui suivent le démarrage du serveur.',

  'machines.text': 'Les machines qui utilisent cette base de données. Chacune signale chaque seconde qu’elle est là.',
  'machines.name': 'Machine',
  'machines.roles': 'Pour',
  'machines.work': 'Fait pour toutes',
  'machines.chat': 'Dans le chat',
  'machines.version': 'Version',
  'machines.since': 'En marche depuis',
  'machines.seen': 'Vue',
  'machines.silent':
    'Sans nouvelles depuis plus de 30 secondes : {names}. Les autres reprennent le travail ; allez voir ce qui s’y est passé.',
  'machines.versions':
    'Ces machines ont des versions différentes. Cela fonctionne le temps de les mettre à jour l’une après l’autre.',
  'machines.empty.title': 'Ce serveur est seul',
  'machines.empty.text': 'Il fait partie d’un cluster quand il est démarré avec --cluster.',
  'machines.role.ingest': 'arrivée du stream',
  'machines.role.web': 'spectateurs et chat',
  'machines.role.worker': 'travail de fond',
  'machines.work.ingest': 'réception du stream',
  'machines.work.deliveries': 'envois vers le Fediverse',
  'machines.work.inbox': 'réception du Fediverse',
  'machines.work.publishing': 'publication dans le Fediverse',
  'machines.work.webhooks': 'webhooks',
  'machines.work.schedule': 'streams annoncés',
  'machines.work.engagement': 'rappels et annonces de direct',
  'machines.work.housekeeping': 'entretien',
  'machines.work.plugins': 'plugins',
  'machines.work.uploads': 'téléversements',

  'health.offline':
    'Vous n’êtes pas en direct. Ci-dessous figure ce que les lecteurs des spectateurs ont signalé en dernier.',
  'health.fine': {
    one: 'Le seul lecteur qui donne des nouvelles fonctionne sans problème.',
    many: 'Les {count} lecteurs qui donnent des nouvelles fonctionnent sans problème.',
    other: 'Les {count} lecteurs qui donnent des nouvelles fonctionnent sans problème.',
  },
  'health.stall': {
    one: 'Des saccades chez {count} spectateur sur {players}.',
    many: 'Des saccades chez {count} de spectateurs sur {players}.',
    other: 'Des saccades chez {count} spectateurs sur {players}.',
  },
  'health.stall.slow': {
    one: 'Des saccades chez {count} spectateur sur {players} : la connexion est plus lente que {speed}.',
    many: 'Des saccades chez {count} de spectateurs sur {players} : leurs connexions sont plus lentes que {speed}.',
    other: 'Des saccades chez {count} spectateurs sur {players} : leurs connexions sont plus lentes que {speed}.',
  },
  'health.stall.some': {
    one: 'Des saccades chez {count} spectateur sur {players}.',
    many: 'Des saccades chez {count} de spectateurs sur {players} ; {slow} d’entre eux ont une connexion plus lente que {speed}.',
    other:
      'Des saccades chez {count} spectateurs sur {players} ; {slow} d’entre eux ont une connexion plus lente que {speed}.',
  },
  'health.representation': '{percent} des lecteurs donnent de leurs nouvelles ; les courbes montrent ceux-là.',
  'health.seconds': '{seconds} s',
  'health.middle': 'Médiane',
  'health.low': 'Minimum',
  'health.high': 'Maximum',
  'health.trouble': 'Problèmes de lecture',
  'health.trouble.text':
    'Quelques-uns de temps en temps sont normaux. S’il y en a beaucoup à la fois, vérifiez d’abord votre propre débit montant.',
  'health.errors': 'Erreurs',
  'health.changes': 'Changements de qualité',
  'health.latency': 'Latence',
  'health.latency.text': 'De combien les spectateurs sont en retard sur vous.',
  'health.download': 'Temps de téléchargement d’un segment',
  'health.download.text':
    'Un segment dure {seconds} s. Les spectateurs qui mettent plus longtemps à le télécharger doivent attendre.',
  'health.speed': 'Vitesse de connexion des spectateurs',
  'health.speed.text': 'Les spectateurs en dessous du débit de votre stream doivent attendre.',
  'health.speed.rates': 'Votre stream a besoin de {rates}. Les spectateurs en dessous doivent attendre.',
  'health.empty.title': 'Aucun lecteur n’a encore donné de nouvelles',
  'health.empty.text': 'Pendant que l’on regarde, les lecteurs signalent ici si le stream leur arrive bien.',

  'notYet.notify': 'Notifications',
  'notYet.notify.text':
    'Ce serveur n’envoie pas encore de notifications. Les webhooks peuvent prévenir votre bot quand vous passez en direct.',
};
