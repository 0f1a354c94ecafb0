/** Takes files: dropped on it, or picked by pressing it. */
import './drop-zone.css';
import { createSignal, createUniqueId, type JSX } from 'solid-js';
import { Icon } from '../design/Icon.tsx';

export interface DropZoneProps {
  /** On the button. */
  choose: string;
  /** Beside it. */
  hint: string;
  /** What the browser offers to pick; what is dropped is not held back. */
  accept: string;
  disabled?: boolean;
  onFiles: (files: File[]) => void;
}

export function DropZone(props: DropZoneProps): JSX.Element {
  const id = createUniqueId();
  const [isOver, setOver] = createSignal(false);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!props.disabled) props.onFiles([...(event.dataTransfer?.files ?? [])]);
  };
  const pick = (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])];
    // Picking the same file again must count as a change.
    input.value = '';
    props.onFiles(files);
  };

  return (
    <label
      class="drop-zone"
      data-over={isOver() ? 'true' : undefined}
      for={id}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!props.disabled);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" />
      <span class="button" data-size="small">
        {props.choose}
      </span>
      <span class="muted small">{props.hint}</span>
      <input
        id={id}
        class="visually-hidden"
        type="file"
        multiple
        accept={props.accept}
        aria-label={props.choose}
        disabled={props.disabled}
        onChange={(event) => pick(event.currentTarget)}
      />
    </label>
  );
}
