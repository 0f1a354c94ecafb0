/** What every page about the Fediverse begins with while it is off. */
import '../integrations/integrations.css';
import './federation.css';
import { type JSX, Show } from 'solid-js';
import { Banner } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { useSettings } from '../settings.tsx';

export function useIsOff(): () => boolean {
  const settings = useSettings();
  return () => settings.find('federation/enable')?.value === false;
}

export function Frame(props: { children: JSX.Element }): JSX.Element {
  const isOff = useIsOff();
  return (
    <>
      <Show when={isOff()}>
        <Banner>
          <p>{ta('fedi.off')}</p>
          <div class="row">
            <Link class="button" data-size="small" href="/admin/config-federation">
              {ta('fedi.off.open')}
            </Link>
          </div>
        </Banner>
      </Show>
      {props.children}
    </>
  );
}
