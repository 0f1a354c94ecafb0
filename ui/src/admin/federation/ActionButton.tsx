/** A button that asks the server for something, waits for it, and says how it went. */
import { createSignal, type JSX } from 'solid-js';
import { announced } from '../chat/actions.ts';
import { AdminIcon, type AdminIconName } from '../icons.tsx';

export interface ActionButtonProps {
  label: string;
  icon?: AdminIconName;
  look?: 'primary' | 'danger';
  /** Of what, for those who do not see what is beside it. */
  of: string;
  /** Told when it went well. */
  done?: string;
  run: () => Promise<unknown>;
  /** After it, well or not. */
  onDone?: () => Promise<void> | void;
}

export function ActionButton(props: ActionButtonProps): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const press = async () => {
    setBusy(true);
    await announced(
      props.run().then(() => {}),
      props.done,
    );
    await props.onDone?.();
    setBusy(false);
  };
  return (
    <button
      type="button"
      class="button"
      data-size="small"
      data-look={props.look}
      disabled={busy()}
      aria-busy={busy()}
      aria-label={`${props.label}: ${props.of}`}
      onClick={() => void press()}
    >
      {props.icon && <AdminIcon name={props.icon} />}
      {props.label}
    </button>
  );
}
