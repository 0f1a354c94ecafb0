/** Ends the stream from here; asked twice, because every viewer notices. */
import { createSignal, type JSX } from 'solid-js';
import { api } from '../../api.ts';
import { Dialog } from '../../design/Dialog.tsx';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { explain } from '../session.ts';

export function Disconnect(): JSX.Element {
  const [asking, setAsking] = createSignal(false);
  const [busy, setBusy] = createSignal(false);

  const disconnect = async () => {
    setBusy(true);
    try {
      await api.post('/api/admin/disconnect', {});
      toast(ta('live.disconnect.done'));
    } catch (problem) {
      toast(explain(problem));
    } finally {
      setBusy(false);
      setAsking(false);
    }
  };

  return (
    <>
      <button type="button" class="button" data-look="danger" data-size="small" onClick={() => setAsking(true)}>
        {ta('live.disconnect')}
      </button>
      <Dialog open={asking()} title={ta('live.disconnect.title')} onClose={() => setAsking(false)}>
        <p>{ta('live.disconnect.text')}</p>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => setAsking(false)}>
            {ta('common.cancel')}
          </button>
          <button type="button" class="button" data-look="danger" disabled={busy()} onClick={() => void disconnect()}>
            {ta('live.disconnect.confirm')}
          </button>
        </div>
      </Dialog>
    </>
  );
}
