/** German, for what viewers read about the Fediverse. */
import type { enFediverse } from './en.fediverse.ts';
import type { SameKeys } from './index.ts';

export const deFediverse: SameKeys<typeof enFediverse> = {
  'fediverse.account': 'Dein Konto',
  'fediverse.account.help': 'Bei Mastodon, GoToSocial, Misskey oder Ähnlichem, zum Beispiel @du@social.example',
  'fediverse.account.invalid': 'Schreib dein Konto mit seinem Server, zum Beispiel @du@social.example.',
  'fediverse.wait': {
    one: 'Zu viele Versuche. Warte {count} Sekunde und versuche es erneut.',
    other: 'Zu viele Versuche. Warte {count} Sekunden und versuche es erneut.',
  },

  'follow.title': '{name} folgen',
  'follow.text':
    'Folge von deinem eigenen Server im Fediverse aus und erfahre, wenn der Stream beginnt. Hier brauchst du kein Konto.',
  'follow.what':
    'Das Fediverse ist ein Netz unabhängiger Server, etwa mit Mastodon, deren Mitglieder einander folgen können.',
  'follow.go': 'Weiter auf meinem Server',
  'follow.busy': 'Dein Server wird gefragt …',
  'follow.opened': 'Bestätige es im Tab, der sich geöffnet hat.',
  'follow.open': 'Nichts zu sehen? {host} öffnen',
  'follow.blocked': 'Dein Server hat eine Seite, auf der du es bestätigst.',
  'follow.open.self': '{host} öffnen',
  'follow.address': 'Oder suche diese Adresse',
  'follow.address.help': 'Füge sie in die Suche deines Servers ein.',

  'followers.empty.title': 'Noch folgt niemand',
  'followers.empty.text': 'Mach den Anfang.',
  'followers.private.title': { one: '{count} Person folgt', other: '{count} Personen folgen' },
  'followers.private.text': 'Wer sie sind, ist nicht öffentlich.',
  'followers.failed': 'Die Follower konnten nicht geladen werden',
  'followers.more': 'Mehr anzeigen',

  'signIn.way': 'Wie du dich anmeldest',
  'signIn.way.site': 'Deine Website',
  'signIn.way.code': 'Konto im Fediverse',
  'signIn.go': 'Weiter',
  'signIn.site.text': 'Melde dich mit deiner eigenen Website an. Du bestätigst es dort und kommst dann zurück.',
  'signIn.site.help': 'Jede Website, die IndieAuth unterstützt, zum Beispiel https://du.example',
  'signIn.site.invalid': 'Bitte gib die Adresse deiner Website an, mit https.',
  'signIn.code.text': 'Melde dich mit deinem Fediverse-Konto an. Du bekommst eine private Nachricht mit einem Code.',
  'signIn.code.send': 'Code schicken',
  'signIn.code.sending': 'Wird geschickt …',
  'signIn.code.sent': 'Eine private Nachricht ist unterwegs an {account}.',
  'signIn.code': 'Code',
  'signIn.code.help': 'Sechs Ziffern, zehn Minuten gültig. Er kann einen Moment brauchen.',
  'signIn.code.short': 'Der Code hat {count} Ziffern.',
  'signIn.code.wrong': 'Dieser Code ist falsch oder nicht mehr gültig. Prüfe ihn, oder lass dir einen neuen schicken.',
  'signIn.code.verify': 'Bestätigen',
  'signIn.code.back': 'Anderes Konto',
  'signIn.done': 'Du bist angemeldet.',
};
