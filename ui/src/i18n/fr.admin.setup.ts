/** French: the first run. */
import type { enAdminSetup } from './en.admin.setup.ts';
import type { SameKeys } from './index.ts';

export const frAdminSetup: SameKeys<typeof enAdminSetup> = {
  'setup.checking': 'Vérification de votre lien…',
  'setup.steps': 'Étapes de la configuration',
  'setup.step.account': 'Nom et mot de passe',
  'setup.step.address': 'Adresse',
  'setup.step.stream': 'Premier stream',
  'setup.next': 'Suite : votre premier stream',
  'setup.back': 'Retour',
  'setup.later': 'Faire cela plus tard',
  'setup.finish': 'Aller aux pages d’administration',

  'setup.address.title': 'Les spectateurs peuvent-ils vous joindre ?',
  'setup.address.lead': 'Trois vérifications, faites depuis ce navigateur. Rien ici ne vous empêche de continuer.',
  'check.title': 'Vérifications',
  'check.again': 'Vérifier à nouveau',
  'check.running': 'Vérification…',
  'check.verdict.checking': 'vérification en cours',
  'check.verdict.good': 'tout va bien',
  'check.verdict.warning': 'à regarder de plus près',
  'check.verdict.bad': 'ne fonctionne pas',
  'check.address.title': 'Adresse publique',
  'check.address.same': 'Vous avez ouvert cette page à l’adresse {url}, et c’est bien l’URL du serveur.',
  'check.address.other':
    '{url} répond. Vous avez ouvert cette page à l’adresse {here} ; les spectateurs utilisent l’URL du serveur.',
  'check.address.none':
    'Aucune URL du serveur n’est définie. Les liens dans les publications et les intégrations en ont besoin.',
  'check.address.none.advice':
    'Saisissez l’adresse qui figure dans la barre de ce navigateur, si c’est celle de vos spectateurs.',
  'check.address.local':
    'Aucune URL du serveur n’est définie, et cette page est ouverte à une adresse qui ne fonctionne qu’à proximité du serveur.',
  'check.address.local.advice':
    'Pour un stream dans votre propre réseau, c’est suffisant. Pour le public, il vous faut un domaine qui pointe vers ce serveur ; saisissez-le ci-dessus.',
  'check.address.scheme': 'L’URL du serveur est {url}, mais vous êtes à l’adresse {here}.',
  'check.address.scheme.advice':
    'Faites-les correspondre : utilisez https dans l’URL du serveur si cette page l’utilise.',
  'check.address.unreachable': '{url} ne répond pas.',
  'check.address.unreachable.advice':
    'Vérifiez que le domaine pointe vers ce serveur, que le routeur ou le pare-feu laisse passer les ports 80 et 443, et que le proxy est en marche.',
  'check.address.another': '{url} répond, mais ce n’est pas ce serveur.',
  'check.address.another.advice': 'Vérifiez vers où pointe le domaine, et que le proxy transmet tout à ce serveur.',
  'check.address.onlyHere':
    '{url} répond à ce navigateur, mais le serveur n’a pas pu joindre cette adresse : {reason}.',
  'check.address.onlyHere.advice':
    'Beaucoup de routeurs domestiques ne laissent pas un serveur s’appeler lui-même. Ouvrez l’adresse sur un téléphone en données mobiles : si elle y répond, tout va bien.',
  'check.https.unproven': 'L’URL du serveur commence par https, mais rien de ce serveur n’y a encore répondu.',
  'check.https.unproven.advice': 'Corrigez d’abord l’adresse publique, puis vérifiez à nouveau.',
  'check.encryption.title': 'Chiffrement (https)',
  'check.https.good':
    'Les spectateurs arrivent par https. Leurs navigateurs font confiance à la connexion, et tout fonctionne.',
  'check.https.local': 'Non chiffré. Sur votre propre machine ou dans votre réseau, c’est suffisant.',
  'check.https.missing':
    'Non chiffré. Les navigateurs affichent « non sécurisé », les mots de passe circulent en clair, et ni le Fediverse ni l’identification ne fonctionnent.',
  'check.https.advice':
    'Placez devant le serveur un proxy comme Caddy, qui obtient lui-même un certificat, ou démarrez le serveur avec --tls-cert et --tls-key.',
  'check.socket.title': 'Connexion du chat (WebSocket)',
  'check.socket.good': 'Une connexion à {url} s’est ouverte. Le chat est instantané.',
  'check.socket.off': 'Le chat est désactivé : il n’y a rien à vérifier.',
  'check.socket.bad': 'Aucune connexion à {url} n’a pu s’ouvrir. Le chat passe par une voie plus lente.',
  'check.socket.advice':
    'Le plus souvent, un proxy supprime l’en-tête Upgrade. Voici les lignes dont nginx a besoin ; Caddy n’en demande aucune.',
  'check.socket.lines': 'Lignes pour nginx',

  'setup.phone.title': 'Regardez sur votre téléphone',
  'setup.phone.text': 'Pointez son appareil photo ici, ou ouvrez la page dans un autre onglet.',
  'setup.phone.machine':
    'Cette adresse ne fonctionne que sur cette machine. Saisissez-en une ci-dessus qu’un téléphone comprend : le domaine, ou l’adresse du serveur dans votre réseau.',
  'setup.phone.local': 'Le téléphone doit être dans le même réseau que le serveur.',
  'setup.phone.code': 'Code QR de {url}',

  'setup.stream.title': 'Votre premier stream',
  'setup.stream.lead': 'Saisissez deux valeurs dans votre encodeur et commencez. L’image apparaît ci-dessous.',
  'setup.obs.title': 'OBS Studio en cinq étapes',
  'setup.obs.other': 'Les autres programmes nomment ces champs de la même façon : serveur (ou URL) et clé de stream.',
  'setup.obs.1': 'Ouvrez Paramètres, en bas à droite.',
  'setup.obs.2': 'Choisissez Stream à gauche, et Personnalisé… comme service.',
  'setup.obs.3': 'Serveur : {server}. Collez la clé de stream ci-dessus dans le champ juste en dessous.',
  'setup.obs.4': 'Choisissez Sortie : débit 4500 kbps, intervalle d’images-clés 2 s (en mode Avancé).',
  'setup.obs.5': 'Appuyez sur OK, puis sur Commencer le streaming.',
  'setup.waiting': 'En attente de votre stream…',
  'setup.waiting.text': 'Commencez à streamer : vous verrez ici ce que voient vos spectateurs.',
  'setup.arrived': 'Votre stream est arrivé',
  'setup.picture': 'Votre stream tel que le voient les spectateurs',
  'setup.bitrate': 'Débit reçu',
};
