// Plugins of the repository on a server: one that works, and one that is not switched on.
import { exampleOf } from '../../plugins/lib/packages.mjs';
import { pluginAdminOf } from '../../plugins/lib/plugin-admin.mjs';

export async function install({ server, cookie }) {
  const plugins = pluginAdminOf(server, { cookie });
  await plugins.install('song-wishes', exampleOf('song-wishes'));
  await plugins.upload(exampleOf('word-shield'));
}
