/** One plugin: what it is and is for, what it may do, how it does, and everything of its own. */
import { createMemo, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { type Tab, Tabs } from '../../../design/Tabs.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import type { History } from '../history.ts';
import { OriginBadge, PluginIcon, StateBadge } from '../PluginList.tsx';
import { makesUsers, type OwnPage, ownPages, stateText } from '../state.ts';
import type { Plugin } from '../wire.ts';
import { Approval } from './Approval.tsx';
import { Numbers } from './Numbers.tsx';
import { Overview } from './Overview.tsx';
import { OwnPageFrame } from './OwnPageFrame.tsx';
import { People } from './People.tsx';
import { PermissionGroups } from './PermissionGroups.tsx';
import { PluginLogs } from './PluginLogs.tsx';
import { Tools } from './Tools.tsx';

export interface DetailProps {
  plugin: Plugin;
  history: History;
  onChanged: () => Promise<void>;
}

export function Detail(props: DetailProps): JSX.Element {
  return (
    <>
      <section class="card" data-slug={props.plugin.slug}>
        <div class="plugin-head">
          <PluginIcon plugin={props.plugin} />
          <div class="plugin-text">
            <div class="row">
              <Heading name={props.plugin.name} />
              <span class="muted">{props.plugin.version}</span>
              <StateBadge plugin={props.plugin} />
              <OriginBadge plugin={props.plugin} />
            </div>
            <p class="muted" dir="auto">
              {props.plugin.description}
            </p>
          </div>
          <Tools plugin={props.plugin} onChanged={props.onChanged} />
        </div>
        <p class="muted small" role="status">
          {stateText(props.plugin)}
        </p>
        <Show when={props.plugin.lastError}>
          {(error) => (
            <Banner tone="error">
              <strong>{ta('plugins.lastError')}</strong>
              <pre class="plugin-traceback" tabindex="0">
                {error()}
              </pre>
            </Banner>
          )}
        </Show>
      </section>
      <Approval plugin={props.plugin} onChanged={props.onChanged} />
      <Parts plugin={props.plugin} history={props.history} />
    </>
  );
}

/** Takes the focus, so that a screen reader begins here and not in the list that is gone. */
function Heading(props: { name: string }): JSX.Element {
  return (
    <h2 tabindex="-1" ref={(heading) => queueMicrotask(() => heading.focus())}>
      {props.name}
    </h2>
  );
}

const isSame = (one: OwnPage[], other: OwnPage[]) => JSON.stringify(one) === JSON.stringify(other);

function Parts(props: { plugin: Plugin; history: History }): JSX.Element {
  const tab = (id: string, label: AdminKey, content: () => JSX.Element): Tab => ({
    id,
    get label() {
      return ta(label);
    },
    content,
  });
  const overview = tab('overview', 'plugins.overview', () => <Overview plugin={props.plugin} />);
  const permissions = tab('permissions', 'plugins.permissions', () => <PermissionGroups plugin={props.plugin} />);
  const people = tab('people', 'plugins.people', () => <People slug={props.plugin.slug} />);
  const numbers = tab('numbers', 'plugins.numbersTab', () => <Numbers plugin={props.plugin} history={props.history} />);
  const logs = tab('logs', 'plugins.logs', () => <PluginLogs slug={props.plugin.slug} />);

  // Every answer of the server makes new entries; a page in its frame must not begin anew with each.
  const pages = createMemo(() => ownPages(props.plugin), [], { equals: isSame });
  const pageTabs = createMemo(() =>
    pages().map((page): Tab => {
      const content = () => <OwnPageFrame page={page} plugin={props.plugin} />;
      return { id: `page-${page.url.replaceAll(/\W/g, '-')}`, label: page.title, content };
    }),
  );
  const hasPeople = createMemo(() => makesUsers(props.plugin));
  const tabs = createMemo(() => [
    overview,
    permissions,
    ...(hasPeople() ? [people] : []),
    numbers,
    logs,
    ...pageTabs(),
  ]);
  return <Tabs label={props.plugin.name} tabs={tabs()} />;
}
