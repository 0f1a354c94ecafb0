/** The plugins of this server: all of them, or the one the address names. */
import '../integrations/integrations.css';
import './plugins.css';
import { createMemo, type JSX, Match, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link, pathname, routeBelow } from '../../router.tsx';
import { Confirm } from '../chat/Confirm.tsx';
import { createPolled, type PolledValue } from '../polled.ts';
import { BrokenFiles } from './BrokenFiles.tsx';
import { Detail } from './detail/Detail.tsx';
import { createHistory, type History, INTERVAL_MS } from './history.ts';
import { PluginList } from './PluginList.tsx';
import { PLUGINS } from './requests.ts';
import { createSwitching } from './switching.ts';
import { UploadCard } from './UploadCard.tsx';
import type { Plugin } from './wire.ts';

const BASE = '/admin/plugins';

export function Plugins(): JSX.Element {
  const plugins = createPolled<Plugin[]>(PLUGINS, INTERVAL_MS, { key: 'slug' });
  const history = createHistory(plugins);
  const slug = createMemo(() => (pathname().startsWith(`${BASE}/`) ? routeBelow(BASE, pathname()) : ''));
  return (
    <Show when={slug()} keyed fallback={<AllPlugins plugins={plugins} />}>
      {(chosen) => <SinglePlugin slug={chosen} plugins={plugins} history={history(chosen)} />}
    </Show>
  );
}

function AllPlugins(props: { plugins: PolledValue<Plugin[]> }): JSX.Element {
  const switching = createSwitching(() => props.plugins.refresh());
  const added = () => props.plugins.value()?.filter((plugin) => !plugin.included);
  const included = () => props.plugins.value()?.filter((plugin) => plugin.included) ?? [];
  return (
    <>
      <UploadCard onAdded={props.plugins.refresh} />
      <BrokenFiles />
      <section class="card">
        <h2>{ta('plugins.installed')}</h2>
        <Switch fallback={<Skeleton lines={5} />}>
          <Match when={added()?.length}>
            <PluginList plugins={added() ?? []} switching={switching} />
          </Match>
          <Match when={added()}>
            <EmptyState title={ta('plugins.empty.title')}>
              <p>{ta(included().length > 0 ? 'plugins.empty.included' : 'plugins.empty.text')}</p>
            </EmptyState>
          </Match>
          <Match when={props.plugins.failing()}>
            <LoadError title={ta('error.load')} onRetry={() => void props.plugins.refresh()} />
          </Match>
        </Switch>
      </section>
      <Show when={included().length > 0}>
        <section class="card">
          <header>
            <h2>{ta('plugins.includedOnes')}</h2>
            <p class="muted small">{ta('plugins.includedOnes.text')}</p>
          </header>
          <PluginList plugins={included()} switching={switching} />
        </section>
      </Show>
      <Confirm question={switching.question()} onClose={() => switching.setQuestion(undefined)} />
    </>
  );
}

function SinglePlugin(props: { slug: string; plugins: PolledValue<Plugin[]>; history: History }): JSX.Element {
  const found = () => props.plugins.value()?.find((plugin) => plugin.slug === props.slug);
  return (
    <>
      <p>
        <Link class="button" data-look="quiet" data-size="small" href={BASE}>
          {ta('plugins.back')}
        </Link>
      </p>
      <Switch
        fallback={
          <section class="card">
            <Skeleton lines={6} />
          </section>
        }
      >
        <Match when={found()}>
          {(plugin) => <Detail plugin={plugin()} history={props.history} onChanged={props.plugins.refresh} />}
        </Match>
        <Match when={props.plugins.value()}>
          <section class="card">
            <EmptyState title={ta('plugins.missing.title')}>
              <p>{ta('plugins.missing.text', { slug: props.slug })}</p>
            </EmptyState>
          </section>
        </Match>
        <Match when={props.plugins.failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void props.plugins.refresh()} />
        </Match>
      </Switch>
    </>
  );
}
