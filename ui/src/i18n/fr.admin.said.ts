/** French, for what the server says to the operator. */
import type { enAdminSaid } from './en.admin.said.ts';
import type { SameKeys } from './index.ts';

export const frAdminSaid: SameKeys<typeof enAdminSaid> = {
  'said.wrong-password': 'Ce n’est pas le mot de passe d’administration.',
  'said.too-many-attempts': {
    one: 'Trop de tentatives échouées. Réessayez dans {count} seconde.',
    many: 'Trop de tentatives échouées. Réessayez dans {count} de secondes.',
    other: 'Trop de tentatives échouées. Réessayez dans {count} secondes.',
  },
  'said.sign-in-link-void': 'Ce lien a expiré ou a déjà servi. Créez-en un nouveau avec « rillcast admin session ».',
  'said.not-set-up': 'Ce serveur n’est pas encore configuré. Ouvrez le lien de configuration affiché sur sa console.',
  'said.setup-link-void':
    'Ce lien de configuration n’est plus valable. Utilisez celui affiché au dernier démarrage, ou identifiez-vous.',
  'said.password-too-short': 'Le mot de passe doit comporter au moins {least} caractères.',
  'said.password-too-long': 'Le mot de passe est trop long.',
  'said.password-failed': 'Le mot de passe n’a pas pu être enregistré. Veuillez réessayer.',
  'said.password-locked':
    'Le mot de passe d’administration est défini en dehors de ces pages : par une option, l’environnement ou le fichier de configuration.',
  'said.setting-locked': 'Ceci est défini par {source} et ne peut pas être modifié ici.',
  'said.setting-at-start': 'Ceci ne peut pas être modifié ici. Démarrez le serveur avec un autre {flag}.',
  'said.program-not-found': 'Il n’y a pas de fichier à l’emplacement {path}.',
  'said.program-not-a-file': '{path} n’est pas un fichier.',
  'said.program-not-executable': '{path} n’est pas un programme exécutable.',
  'said.program-not-checked': '{path} n’a pas pu être vérifié.',
  'said.federation-cannot-post':
    'Le Fediverse est désactivé, ou le serveur n’a pas d’adresse publique qui commence par https://.',
  'said.post-empty': 'Écrivez quelque chose ou choisissez une image.',
  'said.post-too-long': 'Utilisez au plus {most} caractères.',
  'said.post-description': 'Décrivez l’image en {most} caractères au plus.',
  'said.key-under-way': {
    one: 'La dernière nouvelle clé est encore en cours de transmission : {count} serveur n’a pas encore répondu.',
    many: 'La dernière nouvelle clé est encore en cours de transmission : {count} de serveurs n’ont pas encore répondu.',
    other: 'La dernière nouvelle clé est encore en cours de transmission : {count} serveurs n’ont pas encore répondu.',
  },
  'said.no-old-key': 'Il n’y a pas d’ancienne clé à laquelle revenir.',
  'said.deliveries-not-again':
    'Rien de tout cela ne peut être renvoyé : c’est déjà livré, en cours d’envoi ou plus enregistré.',
  'said.account-name-former':
    'Votre compte s’est déjà appelé {name}. Certains serveurs l’ignorent pour toujours s’il reprend ce nom.',
  'said.follower-unknown': 'Cet abonné n’existe plus.',
  'said.UNREACHABLE': 'Ce serveur est injoignable ou n’a pas répondu comme prévu.',
  'said.OWN_SERVER': 'C’est votre propre serveur.',
  'said.BLOCKED_DOMAIN': 'Vous avez bloqué ce serveur.',
  'said.ALREADY_FEATURED': 'Vous recommandez déjà ce serveur.',
  'said.TOO_MANY': 'Vous recommandez déjà autant de serveurs que possible.',
  'said.NOT_FEDERATED': 'Ce serveur ne participe pas au Fediverse, ou l’a désactivé.',
  'said.UNSUPPORTED_SOFTWARE': 'Le logiciel de ce serveur n’annonce pas aux autres quand il est en direct.',
  'said.UNSUPPORTED_FEATURED_STREAMS': 'Ce serveur est trop ancien pour annoncer aux autres quand il est en direct.',
  'said.UNUSABLE_ACCOUNT': 'Le compte de ce serveur est inutilisable.',
  'said.UNKNOWN': 'Vous ne recommandez pas ce serveur.',
  'said.FEDERATION_OFF': 'Le Fediverse est désactivé sur ce serveur.',
  'said.ip-address-invalid': '{address} n’est pas une adresse IP comme 203.0.113.7.',
  'said.ip-already-banned': '{address} est déjà banni, ou la liste est pleine.',
  'said.invitations-full': 'Il y a {count} invitations ouvertes. Retirez-en d’abord une.',
  'said.invitation-gone': 'Cette invitation a été acceptée, a expiré ou n’a jamais existé.',
  'said.token-needs-name': 'Donnez un nom au jeton.',
  'said.token-needs-permission': 'Choisissez au moins une autorisation.',
  'said.tokens-full': 'Il y a déjà {most} jetons d’accès. Révoquez-en un qui ne sert plus.',
  'said.token-unknown': 'Ce jeton d’accès n’existe plus.',
  'said.webhook-url-invalid': 'Saisissez une adresse complète qui commence par https:// ou http://.',
  'said.webhook-address-refused': 'Cette adresse ne peut pas être utilisée : {reason}',
  'said.webhook-needs-event': 'Choisissez au moins un événement.',
  'said.webhook-secret-too-long': 'Le secret est trop long.',
  'said.webhooks-full': 'Il y a déjà autant de webhooks que possible.',
  'said.webhook-unknown': 'Ce webhook n’existe plus.',
  'said.delivery-unknown': 'Cet envoi n’existe plus.',
  'said.delivery-arrived': 'Cet envoi est déjà arrivé.',
  'said.delivery-dropped':
    'Cet envoi a été abandonné parce que trop d’autres attendaient, et son texte n’a pas été conservé.',
  'said.webhook-off': 'Le webhook est désactivé. Activez-le d’abord.',
  'said.plugin-unknown': 'Il n’y a pas de plugin « {plugin} ».',
  'said.plugin-installed': 'Le plugin « {plugin} » est déjà installé. Retirez-le d’abord.',
  'said.plugin-included':
    'Le plugin « {plugin} » est fourni avec le serveur et ne peut pas être retiré. Désactivez-le plutôt.',
  'said.plugin-second-gate':
    'Un seul plugin peut gérer l’identification sur ce serveur. Désactivez d’abord « {plugin} ».',
  'said.plugin-not-enabled': 'Le plugin « {plugin} » n’est pas activé.',
  'said.plugin-unapproved':
    'Le plugin « {plugin} » demande plus que ce que vous avez approuvé ({permissions}). Approuvez cela d’abord.',
  'said.plugins-elsewhere':
    'Les plugins s’exécutent sur une autre machine, qui ne répond pas pour l’instant. Réessayez dans quelques secondes.',
  'said.plugin-nothing-new': 'Le plugin « {plugin} » ne demande rien de nouveau.',
  'said.plugin-file-missing':
    'Le fichier de « {plugin} » manque dans le dossier des plugins. Remettez-le en place, ou retirez le plugin.',
  'said.plugin-not-loaded': 'Le plugin n’a pas pu être chargé : {reason}',
  'said.plugin-no-settings': 'Le plugin « {plugin} » n’a pas de paramètres.',
  'said.emoji-name': 'Le nom d’un emoji comporte de 1 à {most} caractères : lettres de A à Z, chiffres, _ et -.',
  'said.emoji-pack-name': 'Le nom d’un pack comporte de 1 à {most} caractères : lettres de A à Z, chiffres, _ et -.',
  'said.emoji-taken': 'Il y a déjà un emoji de ce nom : {emoji}',
  'said.emoji-full': 'Il y a déjà {most} emojis. Supprimez-en d’abord.',
  'said.emoji-unknown': 'Cet emoji n’existe plus.',
  'said.emoji-built-in':
    'Cet emoji fait partie du serveur et ne peut pas être supprimé. Importez-en un du même nom pour le masquer.',
  'said.emoji-folder-unusable': 'Le dossier des emojis est inutilisable : {reason}',
  'said.emoji-too-large': 'L’image dépasse {megabytes} Mo.',
  'said.emoji-empty': 'L’image est vide.',
  'said.emoji-document':
    'C’est un document SVG, HTML ou XML, qui peut exécuter des scripts. Importez une image PNG, JPEG, GIF ou WebP.',
  'said.emoji-format': 'Ce n’est pas une image PNG, JPEG, GIF ou WebP.',
  'said.emoji-stowaway':
    'Une page web, un script ou une archive se dissimule dans l’image. Enregistrez-la de nouveau avec un autre programme.',
  'said.emoji-pixels':
    'L’image fait {width} × {height} pixels : c’est trop grand. Un emoji n’a pas besoin de plus de {most} pixels de côté.',
  'said.emoji-animation-size':
    'L’animation ou le GIF fait {width} × {height} pixels. Chaque côté peut en avoir {most} au plus ; les images fixes peuvent être plus grandes en PNG.',
  'said.emoji-animation-frames': 'L’animation comporte plus de {most} images.',
  'said.emoji-animation-weight': 'L’animation prendrait plus de 1 Mo. Utilisez moins d’images ou de couleurs.',
  'said.emoji-damaged': 'L’image est endommagée ou tronquée.',
  'said.plugin-no-gate': 'Le plugin « {plugin} » ne gère pas l’identification.',
  'said.plugin-file-occupied': 'Le fichier {file} contient un autre plugin. Renommez d’abord ce fichier.',
  'said.plugins-folder-unusable': 'Le dossier des plugins est inutilisable : {reason}',
  'said.package-empty': 'Le fichier est vide.',
  'said.package-not-zip': 'Le fichier n’est pas une archive ZIP lisible ({reason}).',
  'said.package-entries': 'Le paquet contient {files} fichiers et dossiers ; {most} au plus sont autorisés.',
  'said.package-unpacked': 'Une fois décompressé, le paquet dépasse {megabytes} Mo.',
  'said.package-entry': 'Le paquet contient une entrée non autorisée : « {name} » ({reason}).',
  'said.package-no-manifest': 'Le paquet ne contient pas de plugin.manifest.json.',
  'said.package-manifest': 'Le manifeste du plugin est incorrect. {path} : {reason}',
  'said.package-no-code': 'Le paquet ne contient pas de plugin.py : le code du plugin manque.',
  'said.package-foreign-code':
    'Le paquet contient {file}, que ce serveur n’exécute pas. Les plugins sont écrits en Python, dans plugin.py.',
  'said.package-two-codes': 'Le paquet contient {file} en plus de plugin.py. Un seul fichier de code est autorisé.',
  'said.package-unreadable': 'Le paquet est illisible : {reason}',
  'said.picture-too-large': 'L’image dépasse {megabytes} Mo.',
  'said.picture-format': 'Ce n’est pas une image PNG, JPEG, GIF, WebP ou SVG.',
  'said.picture-unreadable': 'Le fichier n’est pas une image lisible.',
  'said.post-picture-format': 'Ce n’est pas une image PNG, JPEG, GIF ou WebP.',
  'said.post-picture-damaged': 'L’image est endommagée. Enregistrez-la de nouveau avec un autre programme.',
  'said.favicon-format': 'Le favicon doit être une image PNG ou ICO.',
  'said.favicon-too-large': 'Le fichier dépasse {kilobytes} Ko.',
  'said.no-file-sent': 'Aucun fichier n’est arrivé. Veuillez le choisir de nouveau.',
  'said.not-live': 'Aucun stream n’est en direct.',
  'said.stream-unknown': 'Ce stream n’existe pas.',
  'said.chat-export-off':
    'L’historique du chat ne peut pas être téléchargé tant que les paramètres du chat ne l’autorisent pas.',
  'said.measure-while-live': 'Un stream est en direct et saccaderait. Mesurez quand il sera terminé.',
  'said.measure-busy': 'Une mesure est déjà en cours.',
  'said.ffmpeg-not-started': 'Impossible de démarrer ffmpeg ({why}). Installez-le ou indiquez où il se trouve.',
  'said.encoder-refused': 'Il ne fonctionne pas ici : {complaint}',
  'said.encoder-too-slow': {
    one: 'Il n’a pas encodé une seconde d’une image de test en {count} seconde.',
    many: 'Il n’a pas encodé une seconde d’une image de test en {count} de secondes.',
    other: 'Il n’a pas encodé une seconde d’une image de test en {count} secondes.',
  },
  'said.measure-failed': 'ffmpeg ne peut pas encoder ces qualités ici : {complaint}',
  'said.measure-too-slow':
    'Cette machine n’a pas encodé {length} s de vidéo en {seconds} s : elle est beaucoup trop lente. Retirez une qualité, ou réduisez sa taille, sa fréquence d’images ou son effort.',
  'said.quality-without-picture': 'ce stream n’a pas de vidéo',
  'said.quality-same-as': 'pour ce stream, elle est identique à la qualité {number} ; retirez l’une des deux',
  'said.quality-one-too-many':
    'au plus {most} qualités sont encodées à la fois ; retirez-en d’autres plus haut dans la liste',
  'said.ffmpeg-gave-up': 'ffmpeg a abandonné : {complaint}',
  'said.ffmpeg-bad-output': 'Ce que ffmpeg a écrit est inutilisable : {reason}',
  'said.ffmpeg-silent': 'ffmpeg ne répond pas.',
  'said.ffmpeg-no-sound':
    'ffmpeg ne peut pas encoder l’audio qu’il reçoit. Choisissez un autre codec audio dans votre encodeur, comme AAC.',
  'said.ffmpeg-bad-sound': 'L’audio que ffmpeg a écrit est inutilisable : {reason}',
  'said.ffmpeg-too-slow':
    'Cette machine est trop lente pour ces qualités. Retirez-en une, ou réduisez sa taille, sa fréquence d’images ou son effort.',
  'said.keyframe-interval':
    'Les images clés arrivent toutes les {seconds} s. Réglez {wanted} s dans votre encodeur (dans OBS : Sortie, Intervalle d’images-clés).',
  'said.dropped-frames':
    '{percent} % des images de la dernière minute manquent. Réduisez le débit, ou la charge de la machine de l’encodeur.',
  'said.jitter': 'Les images arrivent irrégulièrement ({milliseconds} ms). La connexion à ce serveur est instable.',
  'said.starving':
    'Seuls {now} kbit/s arrivent au lieu des {usual} kbit/s habituels. Le débit montant est trop faible, ou autre chose l’utilise.',
  'said.malformed': {
    one: '{count} image n’a pas pu être lue et a été écartée.',
    many: '{count} d’images n’ont pas pu être lues et ont été écartées.',
    other: '{count} images n’ont pas pu être lues et ont été écartées.',
  },
  'said.further-tracks':
    'L’encodeur envoie plus d’une piste ({video} piste(s) vidéo et {audio} piste(s) audio en trop) ; celles en trop sont écartées.',
  'said.hevc-picture':
    'Beaucoup de navigateurs ne lisent le HEVC que si la machine le décode matériellement, et certains pas du tout. Le H.264 est lu partout.',
  'said.mp3-sound': 'Chrome et Edge ne lisent pas l’audio MP3 dans un stream. Choisissez AAC dans votre encodeur.',
  'said.no-audio': 'Le stream n’a pas d’audio.',
  'said.no-video': 'Le stream n’a pas de vidéo.',
  'said.setting-empty': 'Remplissez ce champ ; il ne peut pas rester vide.',
  'said.setting-empty/name': 'Saisissez un nom.',
  'said.setting-single-line': 'Utilisez une seule ligne, sans caractères de contrôle.',
  'said.setting-too-long': 'Utilisez au plus {most} caractères ; il y en a {count}.',
  'said.setting-out-of-range': 'Saisissez un nombre de {least} à {most}.',
  'said.setting-too-many': 'Utilisez au plus {most} entrées ; il y en a {count}.',
  'said.setting-not-a-url': 'Saisissez une adresse complète, comme https://live.example.org.',
  'said.setting-private-address':
    '{address} est une adresse privée que personne ne peut atteindre de l’extérieur. Laissez ce champ vide ou saisissez le nom public.',
  'said.setting-url-query': 'Retirez tout à partir du premier «  ? » ou « # ».',
  'said.setting-url-path': 'Retirez « {path} » : le serveur ne répond qu’à la racine de son hôte.',
  'said.setting-url-credentials': 'Retirez le nom d’utilisateur et le mot de passe.',
  'said.setting-link-scheme':
    'Saisissez une adresse complète, comme https://live.example.org, mailto:moi@example.org, ou une qui commence par matrix: ou xmpp:.',
  'said.setting-css-name': '« {name} » n’est pas le nom d’une variable CSS comme --theme-color-action.',
  'said.setting-css-value': '{name} : « {value} » n’est pas une valeur CSS simple.',
  'said.setting-needs-stream-key': 'Gardez au moins une clé de stream.',
  'said.setting-stream-key-form':
    'Une clé de stream comporte de {least} à {most} lettres, chiffres ou signes simples. Les espaces et les signes « / », «  ? » et « " » sont exclus.',
  'said.setting-stream-key-twice': 'Cette clé de stream est déjà dans la liste.',
  'said.setting-not-a-host': '« {host} » n’est pas un nom d’hôte comme example.org.',
  'said.setting-name-reserved':
    '« {name} » est déjà pris : ce nom a un autre sens à cet endroit. Choisissez-en un autre.',
  'said.setting-name-form': 'Utilisez uniquement des lettres, des chiffres et _.',
  'said.setting-not-a-colour': '« {colour} » n’est ni le nom d’une couleur ni un code comme #5a67d8.',
  'said.setting-action-empty': 'Saisissez une adresse ou un texte.',
};
