/** English, the source of the keys: what viewers read about the Fediverse, fetched with the parts that show it. */
import type { Catalogue } from './index.ts';

export const enFediverse = {
  'fediverse.account': 'Your account',
  'fediverse.account.help': 'On Mastodon, GoToSocial, Misskey or the like, such as @you@social.example',
  'fediverse.account.invalid': 'Write your account with its server, such as @you@social.example.',
  'fediverse.wait': {
    one: 'Too many tries. Wait {count} second and try again.',
    other: 'Too many tries. Wait {count} seconds and try again.',
  },

  'follow.title': 'Follow {name}',
  'follow.text':
    'Follow from your own server in the Fediverse, and hear when the stream starts. No account is needed here.',
  'follow.go': 'Continue on my server',
  'follow.busy': 'Asking your server…',
  'follow.opened': 'Confirm it in the tab that has opened.',
  'follow.open': 'Nothing there? Open {host}',
  'follow.blocked': 'Your server has a page to confirm it.',
  'follow.open.self': 'Open {host}',
  'follow.address': 'Or look for this address',
  'follow.address.help': 'Paste it into the search of your server.',

  'followers.empty.title': 'Nobody follows yet',
  'followers.empty.text': 'Be the first.',
  'followers.private.title': { one: '{count} person follows', other: '{count} people follow' },
  'followers.private.text': 'Who they are is not public.',
  'followers.failed': 'The followers could not be loaded',
  'followers.more': 'Show more',

  'signIn.way': 'How to authenticate',
  'signIn.way.site': 'Your site',
  'signIn.way.code': 'Fediverse account',
  'signIn.go': 'Continue',
  'signIn.site.text': 'Show with your own site who you are. You are sent there to confirm, and then come back.',
  'signIn.site.help': 'Any site that supports IndieAuth, for example https://you.example',
  'signIn.site.invalid': 'Please enter the address of your site, with https.',
  'signIn.code.text': 'Show with your account in the Fediverse who you are. You get a private message with a code.',
  'signIn.code.send': 'Send me a code',
  'signIn.code.sending': 'Sending…',
  'signIn.code.sent': 'A private message is on its way to {account}.',
  'signIn.code': 'Code',
  'signIn.code.help': 'Six digits, valid for ten minutes. It can take a moment to arrive.',
  'signIn.code.short': 'The code has {count} digits.',
  'signIn.code.wrong': 'This code is wrong or no longer valid. Check it, or ask for another one.',
  'signIn.code.verify': 'Confirm',
  'signIn.code.back': 'Another account',
  'signIn.done': 'You are authenticated.',
} satisfies Catalogue;
