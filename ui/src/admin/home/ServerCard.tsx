/** How the server itself is doing: room on its disk, the last backup, the plugins. */
import { type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { fileSize } from '../../i18n/format.admin.ts';
import { number, relativeTime } from '../../i18n/format.ts';
import { Link } from '../../router.tsx';
import type { Plugin } from '../plugins/wire.ts';
import type { Upkeep } from './wire.ts';

export function ServerCard(props: { upkeep: Upkeep; plugins?: Plugin[] }): JSX.Element {
  const now = () => new Date().toISOString();
  const off = () => props.plugins?.filter((plugin) => !plugin.enabled && !plugin.included) ?? [];
  const names = () =>
    off()
      .map((plugin) => plugin.name)
      .join(', ');
  return (
    <section class="card server-card">
      <h2>{ta('server.state')}</h2>
      <dl class="server-facts">
        <Show when={props.upkeep.disk}>
          {(disk) => (
            <div>
              <dt>{ta('server.state.disk')}</dt>
              <dd>
                {ta('server.state.disk.free', {
                  free: fileSize(disk().freeBytes),
                  total: fileSize(disk().totalBytes),
                })}
              </dd>
            </div>
          )}
        </Show>
        <Show when={props.upkeep.canBackUp}>
          <div>
            <dt>{ta('server.state.backup')}</dt>
            <dd>
              <Show when={props.upkeep.lastBackupAt} fallback={ta('server.state.backup.never')}>
                {(time) => <time datetime={time()}>{relativeTime(time(), now())}</time>}
              </Show>
            </dd>
          </div>
        </Show>
        <Show when={props.plugins}>
          {(all) => (
            <div>
              <dt>
                <Link href="/admin/plugins">{ta('nav.plugins')}</Link>
              </dt>
              <dd>
                {ta('server.state.plugins', { count: number(all().filter((plugin) => plugin.enabled).length) })}
                <Show when={off().length > 0}>
                  <span class="muted"> · {ta('server.state.plugins.off', { names: names() })}</span>
                </Show>
              </dd>
            </div>
          )}
        </Show>
      </dl>
    </section>
  );
}
