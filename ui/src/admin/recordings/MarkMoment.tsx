/** Marks the moment that is live, so that it can be found again and named later. */
import { createSignal, type JSX } from 'solid-js';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { announced } from '../chat/actions.ts';
import { markMoment } from './chapters.ts';
import { writeTime } from './times.ts';

export function MarkMoment(): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const mark = async () => {
    setBusy(true);
    await announced(
      markMoment().then(({ at }) => toast(ta('recordings.mark.done', { time: writeTime(Math.round(at)) }))),
    );
    setBusy(false);
  };
  return (
    <button
      type="button"
      class="button"
      data-look="quiet"
      data-size="small"
      disabled={busy()}
      title={ta('recordings.mark.help')}
      onClick={() => void mark()}
    >
      {ta('recordings.mark')}
    </button>
  );
}
