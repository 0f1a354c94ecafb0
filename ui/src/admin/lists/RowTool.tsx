/** A small button for one thing that can be done about a row. */
import type { JSX } from 'solid-js';
import { AdminIcon, type AdminIconName } from '../icons.tsx';

export interface RowToolProps {
  icon: AdminIconName;
  label: string;
  /** Of which row, for those who do not see what is beside it. */
  of?: string;
  /** All of that in a sentence of its own. */
  name?: string;
  disabled?: boolean;
  onPress: () => void;
}

export function RowTool(props: RowToolProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      data-tool={props.icon}
      aria-label={props.name ?? `${props.label}: ${props.of}`}
      title={props.label}
      disabled={props.disabled}
      onClick={() => props.onPress()}
    >
      <AdminIcon name={props.icon} />
    </button>
  );
}
