import type { JSX } from 'solid-js';
import { t } from '../i18n/index.ts';

export function StateTag(props: { online: boolean }): JSX.Element {
  return (
    <span class="state-tag" classList={{ 'is-live': props.online }}>
      {props.online ? t('common.live') : t('common.offline')}
    </span>
  );
}
