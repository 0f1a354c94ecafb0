/**
 * Shows setup, sign-in or the admin pages. Signing in does not change the address, so whoever lost the session is back
 * where they were afterwards.
 */
import { createSignal, type JSX, Match, onCleanup, onMount, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../design/Feedback.tsx';
import { Toasts } from '../design/toasts.tsx';
import { ta } from '../i18n/admin.ts';
import { pathname, routeBelow, useHistory } from '../router.tsx';
import type { AdminBoot } from '../wire.ts';
import { setInCluster } from './cluster.ts';
import { Layout } from './Layout.tsx';
import { lazyPage } from './LazyPage.tsx';
import { FinishSetup, LinkLogin, Login } from './pages/Login.tsx';
import { Setup } from './pages/Setup.tsx';
import { SignInFrame } from './SignInFrame.tsx';
import { explain, loadSession, session, setSession } from './session.ts';
import { stepOf } from './setup/steps.ts';

export const BASE = '/admin';

const Wizard = lazyPage(async () => (await import('./setup/Wizard.tsx')).Wizard);

export function Admin(props: { boot?: AdminBoot }): JSX.Element {
  const [failure, setFailure] = createSignal('');
  useHistory();
  setInCluster(props.boot?.cluster === true);

  const load = () => {
    setFailure('');
    loadSession().catch((problem) => setFailure(explain(problem)));
  };

  onMount(() => {
    if (props.boot) setSession(props.boot.session);
    else load();
  });

  const route = () => routeBelow(BASE, pathname());
  const [hash, setHash] = createSignal(location.hash);
  const token = () => {
    // A new address without a new page changes one of the two.
    pathname();
    hash();
    return location.hash.slice(1);
  };
  const followHash = () => setHash(location.hash);
  window.addEventListener('hashchange', followHash);
  onCleanup(() => window.removeEventListener('hashchange', followHash));

  return (
    <>
      <Switch>
        <Match when={failure()}>
          <SignInFrame title={ta('error.title')}>
            <LoadError title={ta('error.load')} text={failure()} onRetry={load} />
          </SignInFrame>
        </Match>
        <Match when={!session()}>
          <SignInFrame title={ta('common.loading')}>
            <Skeleton />
          </SignInFrame>
        </Match>
        <Match when={session()?.authenticated && stepOf(route())}>{(step) => <Wizard step={step()} />}</Match>
        <Match when={route() === 'setup' && (token() || !session()?.setupRequired)}>
          <Setup token={token()} open={session()?.setupRequired === true} />
        </Match>
        <Match when={route() === 'session' && token()}>
          <LinkLogin token={token()} />
        </Match>
        <Match when={session()?.authenticated}>
          <Layout route={route()} version={props.boot?.version} />
        </Match>
        <Match when={session()?.setupRequired}>
          <FinishSetup />
        </Match>
        <Match when={true}>
          <Login />
        </Match>
      </Switch>
      <Toasts />
    </>
  );
}
