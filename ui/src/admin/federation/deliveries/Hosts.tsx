/** Servers that deliveries do not reach right now. */
import { For, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { Time } from '../../../design/Time.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { timeUntil } from '../../../i18n/format.admin.ts';
import { number } from '../../../i18n/format.ts';
import { DataTable } from '../../lists/DataTable.tsx';
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
        <DataTable
          label={ta('hosts.title')}
          multiline
          rows={failing()}
          data={({ host }) => ({ 'data-host': host })}
          columns={[
            { label: ta('hosts.host'), cell: ({ host }) => host },
            {
              label: ta('deliveries.state'),
              cell: (host) => (
                <span class="badge" data-tone={TONES[host.state]}>
                  {ta(`hosts.state.${host.state}` as AdminKey)}
                </span>
              ),
            },
            { label: ta('queue.waiting'), cell: ({ waiting }) => number(waiting) },
            {
              label: ta('hosts.error'),
              wide: true,
              cell: (host) => (
                <div class="delivery-answer">
                  <span>{host.lastError ?? '–'}</span>
                  <Show when={host.until}>
                    {(until) => (
                      <Time
                        class="muted"
                        at={until()}
                        text={ta('hosts.until', { when: timeUntil(until(), hosts.at()) })}
                      />
                    )}
                  </Show>
                </div>
              ),
            },
          ]}
          actions={(host) => (
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
          )}
        />
      </section>
    </Show>
  );
}
