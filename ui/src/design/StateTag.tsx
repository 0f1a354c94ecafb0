import type { JSX } from 'solid-js';
import { t } from '../i18n/index.ts';
import type { StreamState } from '../wire.ts';

const WORDS = { live: 'common.live', waiting: 'common.waiting', offline: 'common.offline' } as const;

export function StateTag(props: { state: StreamState }): JSX.Element {
  return (
    <span class="state-tag" classList={{ 'is-live': props.state === 'live', 'is-waiting': props.state === 'waiting' }}>
      {t(WORDS[props.state])}
    </span>
  );
}
