/** The machines of the cluster: who is there, what each does, and how busy it is. */
import { type JSX, Show } from 'solid-js';
import { Banner } from '../../design/Feedback.tsx';
import { Time } from '../../design/Time.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { list } from '../../i18n/format.admin.ts';
import { duration, number, relativeTime } from '../../i18n/format.ts';
import { type Column, DataTable } from '../lists/DataTable.tsx';
import { ListView } from '../lists/ListView.tsx';
import { listOfPolled } from '../lists/source.ts';
import { createPolled } from '../polled.ts';
import type { Machine } from './wire.ts';

const INTERVAL_MS = 5_000;
/** A machine says each second that it is there, and writes it down every ten. */
const SILENT_AFTER_MS = 30_000;

/** When any of them was last heard of; their clocks agree, and that of this browser may not. */
const newest = (machines: Machine[]): string =>
  machines.reduce(
    (latest, { lastSeen }) => (Date.parse(lastSeen) > Date.parse(latest) ? lastSeen : latest),
    '1970-01-01T00:00:00Z',
  );

export const isSilent = (machine: Machine, machines: Machine[]): boolean =>
  Date.parse(newest(machines)) - Date.parse(machine.lastSeen) > SILENT_AFTER_MS;

/** In words; what a later version of another machine says stays as it is. */
function named(prefix: string, words: string[]): string {
  const texts = words.map((word) => {
    const key = `${prefix}.${word}`;
    const text = ta(key as AdminKey);
    return text === key ? word : text;
  });
  return texts.length === 0 ? '–' : list(texts);
}

export function Machines(): JSX.Element {
  const machines = createPolled<Machine[]>('/api/admin/nodes', INTERVAL_MS);
  const all = listOfPolled(machines, (answer) => answer);
  const silent = () => (all.entries() ?? []).filter((one) => isSilent(one, all.entries() ?? []));
  const versions = () => new Set((all.entries() ?? []).map(({ version }) => version)).size;

  const columns: Column<Machine>[] = [
    { label: ta('machines.name'), heading: true, cell: (one) => one.name, title: (one) => one.id },
    { label: ta('machines.roles'), cell: (one) => named('machines.role', one.roles) },
    { label: ta('machines.work'), wide: true, cell: (one) => named('machines.work', one.holds) },
    { label: ta('viewers.count'), cell: (one) => number(one.viewers) },
    { label: ta('machines.chat'), cell: (one) => number(one.chatClients) },
    { label: ta('machines.version'), cell: (one) => one.version },
    {
      label: ta('machines.since'),
      cell: (one) => <Time at={one.since} text={duration(one.since, newest(all.entries() ?? []))} />,
    },
    {
      label: ta('machines.seen'),
      cell: (one) => <Time at={one.lastSeen} text={relativeTime(one.lastSeen, newest(all.entries() ?? []))} />,
    },
  ];

  return (
    <section class="card">
      <p class="muted small">{ta('machines.text')}</p>
      <Show when={silent().length}>
        <Banner tone="warning">{ta('machines.silent', { names: list(silent().map(({ name }) => name)) })}</Banner>
      </Show>
      <Show when={versions() > 1}>
        <Banner>{ta('machines.versions')}</Banner>
      </Show>
      <ListView
        list={all}
        empty={{ icon: 'server', title: ta('machines.empty.title'), text: ta('machines.empty.text') }}
      >
        <DataTable
          rows={all.entries() ?? []}
          columns={columns}
          data={(one) => ({ 'data-id': one.id })}
          label={ta('nav.machines')}
        />
      </ListView>
    </section>
  );
}
