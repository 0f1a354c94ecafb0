/** Servers that deliveries do not reach right now. */
import { For, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { timeUntil } from '../../../i18n/format.admin.ts';
import { dateTime, number } from '../../../i18n/format.ts';
import { createPolled } from '../../polled.ts';
import type { RemoteHost } from '../wire.ts';

const INTERVAL_MS = 10_000;
const TONES = { well: undefined, held: 'warning', refusing: 'error', unavailable: 'error', gone: 'error' } as const;

const refusal = ({ host, lastError }: RemoteHost) =>
  lastError ? ta('hosts.refusing', { host, reason: lastError }) : ta('hosts.refusing.silent', { host });

export function Hosts(props: { chosen: string; onChoose: (host: string) => void }): JSX.Element {
  const hosts = createPolled<RemoteHost[]>('/api/admin/federation/hosts', INTERVAL_MS);
  const failing = () => hosts.value()?.filter((host) => host.state !== 'well' || host.failures > 0) ?? [];
  const refusing = () => failing().filter((host) => host.state === 'refusing');
  return (
    <Show when={failing().length > 0}>
      <Show when={refusing().length > 0}>
        <Banner tone="warning">
          <For each={refusing()}>{(host) => <p class="refusal">{refusal(host)}</p>}</For>
        </Banner>
      </Show>
      <section class="card">
        <header>
          <h2>{ta('hosts.title')}</h2>
          <p class="muted small">{ta('hosts.text')}</p>
        </header>
        <div class="table-frame">
          <table class="table people-table deliveries" aria-label={ta('hosts.title')}>
            <thead>
              <tr>
                <th scope="col">{ta('hosts.host')}</th>
                <th scope="col">{ta('deliveries.state')}</th>
                <th scope="col">{ta('queue.waiting')}</th>
                <th scope="col">{ta('hosts.error')}</th>
                <th scope="col">
                  <span class="visually-hidden">{ta('people.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              <For each={failing()}>
                {(host) => (
                  <tr data-host={host.host}>
                    <td data-label={ta('hosts.host')}>{host.host}</td>
                    <td data-label={ta('deliveries.state')}>
                      <span class="badge" data-tone={TONES[host.state]}>
                        {ta(`hosts.state.${host.state}` as AdminKey)}
                      </span>
                    </td>
                    <td data-label={ta('queue.waiting')}>{number(host.waiting)}</td>
                    <td class="people-wide" data-label={ta('hosts.error')}>
                      <div class="delivery-answer">
                        <span>{host.lastError ?? '–'}</span>
                        <Show when={host.until}>
                          {(until) => (
                            <time class="muted" datetime={until()} title={dateTime(until())}>
                              {ta('hosts.until', { when: timeUntil(until(), hosts.at()) })}
                            </time>
                          )}
                        </Show>
                      </div>
                    </td>
                    <td class="people-actions">
                      <button
                        type="button"
                        class="button"
                        data-size="small"
                        aria-label={`${ta('hosts.show')}: ${host.host}`}
                        aria-pressed={props.chosen === host.host}
                        onClick={() => props.onChoose(props.chosen === host.host ? '' : host.host)}
                      >
                        {ta('hosts.show')}
                      </button>
                    </td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </div>
      </section>
    </Show>
  );
}
