// What an operator fills in over the months, all of it at once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LOGO = join(fileURLToPath(import.meta.url), '..', '..', '..', '..', 'ui', 'public', 'img', 'logo.png');

const SETTINGS = {
  serversummary: 'Slow television from a small river: walks, weather, and now and then a guest.',
  streamtitle: 'Friday walk to the old mill, with a long title that has to be cut somewhere on a small screen',
  tags: ['slowtv', 'nature', 'music'],
  nsfw: true,
  offlinemessage: 'Back on **Friday at 20:00**. Bring tea.',
  pagecontent:
    '## What happens here\n\nEvery Friday we walk along the river and show what we find.\n\n- no talking before the first bend\n- questions at the bridge\n\nMore on [our site](https://brook.example/).\n\n| Day | What |\n|---|---|\n| Friday | the walk |\n| Sunday | the rest |',
  socialhandles: [
    { platform: 'github', url: 'https://github.com/brook' },
    { platform: 'mastodon', url: 'https://social.example/@brook' },
  ],
  externalactions: [
    { title: 'Map of the walk', url: 'https://brook.example/map', description: 'Where we are', color: '#0a7a5c' },
    { title: 'Shop', url: 'https://brook.example/shop', openExternally: true },
    { title: 'Rules', html: '<p>Be kind.</p>' },
  ],
  welcomemessage: 'Welcome to **Brook Radio**! Be kind, and tell us what you see.',
  'chat/joinmessagesenabled': false,
  'chat/suggestedusernames': ['otter', 'heron'],
  'chat/forbiddenwords': ['coins'],
  serverurl: 'https://stream.brook.example',
  'federation/username': 'brook',
  'federation/enable': true,
  'federation/blockdomains': ['spam.example'],
  'video/streamoutputvariants': [{ name: 'Source', videoPassthrough: true }],
};

/** Fills in everything; what a server refuses is told, and does not keep the rest from being filled. */
export async function furnish(world) {
  const { api } = world;
  const refused = [];
  const post = async (path, document) => {
    const answer = await api.post(path, document);
    if (answer.status >= 400) refused.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return answer;
  };
  for (const [path, value] of Object.entries(SETTINGS)) await post(`/api/admin/config/${path}`, { value });
  const picture = `data:image/png;base64,${(await readFile(LOGO)).toString('base64')}`;
  for (const path of ['offlinepicture', 'headerpicture', 'logo']) {
    await post(`/api/admin/config/${path}`, { value: picture });
  }
  await post('/api/admin/schedule/event', {
    name: 'The long night of the otters',
    description: 'Until the sun comes up.',
    start: new Date(Date.now() + 3 * 24 * 3600 * 1000).toISOString().slice(0, 16),
    timezone: 'Europe/Berlin',
    durationMinutes: 120,
  });
  await post('/api/admin/accesstokens/create', { name: 'Poll bot', scopes: ['CAN_SEND_MESSAGES', 'HAS_ADMIN_ACCESS'] });
  await post('/api/admin/webhooks/create', {
    url: 'https://hooks.example/a/rather/long/path?with=query',
    events: ['CHAT', 'STREAM_STARTED'],
  });
  await post('/api/admin/chat/invitations/create', {});
  await post('/api/admin/chat/users/ipbans/create', { value: '192.0.2.7', notes: 'advertising' });
  await post('/api/admin/emoji/upload', { name: 'otter.png', data: picture });
  await post('/api/admin/federation/send', { value: 'The **river** is high #weather' });
  world.refused = refused;
}
