/** English, the source of the keys: what viewers read about the Fediverse, fetched with the parts that show it. */
import type { Catalogue } from './index.ts';

export const enFediverse = {
  'fediverse.account': 'Your account',
  'fediverse.account.help': 'On Mastodon, GoToSocial, Misskey or similar, such as @you@social.example',
  'fediverse.account.invalid': 'Enter your account with its server, such as @you@social.example.',
  'fediverse.wait': {
    one: 'Too many attempts. Wait {count} second and try again.',
    other: 'Too many attempts. Wait {count} seconds and try again.',
  },

  'follow.title': 'Follow {name}',
  'follow.text': 'Follow from your own Fediverse server and hear when the stream starts. You need no account here.',
  'follow.what':
    'The Fediverse is a network of independent servers, such as those of Mastodon, whose people can follow each other.',
  'follow.go': 'Continue on my server',
  'follow.busy': 'Asking your server…',
  'follow.opened': 'Confirm in the tab that just opened.',
  'follow.open': 'Nothing there? Open {host}',
  'follow.blocked': 'Confirm on your own server.',
  'follow.open.self': 'Open {host}',
  'follow.address': 'Or search for this address',
  'follow.address.help': 'Paste it into the search box of your server.',

  'followers.empty.title': 'Nobody follows yet',
  'followers.empty.text': 'Be the first.',
  'followers.private.title': { one: '{count} person follows', other: '{count} people follow' },
  'followers.private.text': 'Who they are is not public.',
  'followers.failed': 'The followers could not be loaded',
  'followers.more': 'Show more',

  'signIn.way': 'How to sign in',
  'signIn.way.site': 'Your site',
  'signIn.way.code': 'Fediverse account',
  'signIn.go': 'Continue',
  'signIn.site.text': 'Sign in with your own site. You are sent there to confirm, and then brought back.',
  'signIn.site.help': 'Any site that supports IndieAuth, for example https://you.example',
  'signIn.site.invalid': 'Enter the address of your site, with https.',
  'signIn.code.text': 'Verify with your Fediverse account. You get a private message with a code.',
  'signIn.code.send': 'Send me a code',
  'signIn.code.sending': 'Sending…',
  'signIn.code.sent': 'A private message is on its way to {account}.',
  'signIn.code': 'Code',
  'signIn.code.help': 'Six digits, valid for ten minutes. It can take a moment to arrive.',
  'signIn.code.short': 'The code has {count} digits.',
  'signIn.code.wrong': 'This code is wrong or no longer valid. Check it, or request a new one.',
  'signIn.code.verify': 'Confirm',
  'signIn.code.back': 'Use another account',
  'signIn.done': 'You are signed in.',
} satisfies Catalogue;
