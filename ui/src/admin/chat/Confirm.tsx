/** Asks before something that others notice or that cannot be taken back. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { Dialog } from '../../design/Dialog.tsx';
import { Banner } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';

export interface Question {
  title: string;
  text: string;
  /** What follows from it, one by one. */
  points?: string[];
  /** What is easily overlooked and cannot be mended. */
  warning?: string;
  /** On the button that does it. */
  action: string;
  /** For what takes nothing away. */
  look?: 'primary';
  /** One of several ways to do it; `run` is told which. */
  choice?: Choice;
  /** Rejects with an error whose message is for the operator. */
  run: (choice: number) => Promise<void>;
}

export interface Choice {
  label: string;
  options: readonly { value: number; label: string }[];
  /** Chosen unless another one is. */
  usual: number;
}

export function Confirm(props: { question?: Question; onClose: () => void }): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal('');
  const [picked, setPicked] = createSignal<number>();
  const chosen = () => picked() ?? props.question?.choice?.usual ?? 0;

  const close = () => {
    setError('');
    setPicked(undefined);
    props.onClose();
  };
  const run = async () => {
    setBusy(true);
    setError('');
    try {
      await props.question?.run(chosen());
      close();
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open={props.question !== undefined} title={props.question?.title ?? ''} onClose={close}>
      <p>{props.question?.text}</p>
      <Show when={props.question?.points?.length}>
        <ul class="points">
          <For each={props.question?.points}>{(point) => <li>{point}</li>}</For>
        </ul>
      </Show>
      <Show when={props.question?.warning}>
        <Banner tone="warning">{props.question?.warning}</Banner>
      </Show>
      <Show when={props.question?.choice}>
        {(choice) => (
          <fieldset class="segments" aria-label={choice().label}>
            <For each={choice().options}>
              {({ value, label }) => (
                <button type="button" aria-pressed={chosen() === value} onClick={() => setPicked(value)}>
                  {label}
                </button>
              )}
            </For>
          </fieldset>
        )}
      </Show>
      <Show when={error()}>
        <Banner tone="error">{error()}</Banner>
      </Show>
      <div class="dialog-actions">
        <button type="button" class="button" data-look="quiet" onClick={close}>
          {ta('common.cancel')}
        </button>
        <button
          type="button"
          class="button"
          data-look={props.question?.look ?? 'danger'}
          disabled={busy()}
          aria-busy={busy()}
          onClick={() => void run()}
        >
          {props.question?.action}
        </button>
      </div>
    </Dialog>
  );
}
