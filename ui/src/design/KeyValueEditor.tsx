/** Rows of a name and a value. Incomplete rows stay on the page and are not reported. */
import { createEffect, createUniqueId, For, type JSX, on, Show } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { Icon } from './Icon.tsx';
import { PlatformIcon } from './PlatformIcon.tsx';

export interface Pair {
  key: string;
  value: string;
}

export interface KeyOption {
  value: string;
  label: string;
  /** The address of a platform's sign, shown beside the choice. */
  icon?: string;
}

export interface KeyValueEditorProps {
  pairs: Pair[];
  disabled?: boolean;
  describedBy?: string;
  label: string;
  /** `only` makes the name a choice; otherwise the options are suggestions. */
  keys: { options: KeyOption[]; only: boolean; label: string };
  valueLabel: string;
  /** Offer a colour well beside the value. */
  colours?: boolean;
  addLabel: string;
  removeLabel: string;
  emptyText: string;
  onChange: (pairs: Pair[]) => void;
}

const completeOnly = (rows: Pair[]): Pair[] =>
  rows
    .map((row) => ({ key: row.key.trim(), value: row.value.trim() }))
    .filter((row) => row.key !== '' && row.value !== '');

const same = (left: Pair[], right: Pair[]) => JSON.stringify(left) === JSON.stringify(right);

export function KeyValueEditor(props: KeyValueEditorProps): JSX.Element {
  const listId = createUniqueId();
  const [rows, setRows] = createStore<Pair[]>(props.pairs.map((pair) => ({ ...pair })));

  createEffect(
    on(
      () => props.pairs,
      (pairs) => {
        // After a save this is what is shown already; replacing the rows would take the focus away.
        if (!same(pairs, completeOnly(unwrap(rows)))) setRows(pairs.map((pair) => ({ ...pair })));
      },
      { defer: true },
    ),
  );

  const commit = () => {
    const complete = completeOnly(unwrap(rows));
    if (!same(complete, props.pairs)) props.onChange(complete);
  };

  const remove = (position: number) => {
    setRows(rows.filter((_, index) => index !== position));
    commit();
  };

  return (
    <fieldset class="pairs" aria-label={props.label} aria-describedby={props.describedBy}>
      <Show when={!props.keys.only}>
        <datalist id={listId}>
          <For each={props.keys.options}>{(option) => <option value={option.value}>{option.label}</option>}</For>
        </datalist>
      </Show>
      <For each={rows} fallback={<p class="muted small">{props.emptyText}</p>}>
        {(row, position) => (
          <Row
            row={row}
            editor={props}
            listId={listId}
            onEdit={(change) => setRows(position(), change)}
            onCommit={commit}
            onRemove={() => remove(position())}
          />
        )}
      </For>
      <Show when={!props.disabled}>
        <button
          type="button"
          class="button"
          data-size="small"
          onClick={() => setRows(rows.length, { key: '', value: '' })}
        >
          <Icon name="plus" />
          {props.addLabel}
        </button>
      </Show>
    </fieldset>
  );
}

interface RowProps {
  row: Pair;
  editor: KeyValueEditorProps;
  listId: string;
  onEdit: (change: Partial<Pair>) => void;
  onCommit: () => void;
  onRemove: () => void;
}

function Row(props: RowProps): JSX.Element {
  return (
    <div class="pair">
      <Show when={props.editor.keys.only} fallback={<KeyInput {...props} />}>
        <KeySelect {...props} />
      </Show>
      <Show when={props.editor.keys.options.some((option) => option.icon)}>
        <PlatformIcon src={props.editor.keys.options.find((option) => option.value === props.row.key)?.icon} />
      </Show>
      <Show when={props.editor.colours}>
        <input
          class="colour-well"
          type="color"
          aria-label={`${props.editor.valueLabel}: ${props.row.key}`}
          value={/^#[0-9a-f]{6}$/i.test(props.row.value) ? props.row.value : '#000000'}
          disabled={props.editor.disabled}
          onInput={(event) => props.onEdit({ value: event.currentTarget.value })}
          onChange={() => props.onCommit()}
        />
      </Show>
      <input
        class="input"
        aria-label={props.editor.valueLabel}
        placeholder={props.editor.valueLabel}
        value={props.row.value}
        disabled={props.editor.disabled}
        onInput={(event) => props.onEdit({ value: event.currentTarget.value })}
        onBlur={() => props.onCommit()}
        onKeyDown={(event) => event.key === 'Enter' && props.onCommit()}
      />
      <button
        type="button"
        class="icon-button"
        aria-label={`${props.editor.removeLabel}: ${props.row.key}`}
        title={props.editor.removeLabel}
        disabled={props.editor.disabled}
        onClick={() => props.onRemove()}
      >
        <Icon name="trash" />
      </button>
    </div>
  );
}

function KeyInput(props: RowProps): JSX.Element {
  return (
    <input
      class="input"
      data-code="true"
      list={props.listId}
      aria-label={props.editor.keys.label}
      placeholder={props.editor.keys.label}
      value={props.row.key}
      disabled={props.editor.disabled}
      onInput={(event) => props.onEdit({ key: event.currentTarget.value })}
      onBlur={() => props.onCommit()}
    />
  );
}

function KeySelect(props: RowProps): JSX.Element {
  /** A platform this list does not know is kept, not lost. */
  const options = () => {
    const options = props.editor.keys.options;
    const { key } = props.row;
    return key === '' || options.some((option) => option.value === key)
      ? options
      : [...options, { value: key, label: key }];
  };
  return (
    <select
      class="select"
      aria-label={props.editor.keys.label}
      disabled={props.editor.disabled}
      onChange={(event) => {
        props.onEdit({ key: event.currentTarget.value });
        props.onCommit();
      }}
    >
      <option value="" disabled selected={props.row.key === ''}>
        {props.editor.keys.label}
      </option>
      <For each={options()}>
        {(option) => (
          <option value={option.value} selected={option.value === props.row.key}>
            {option.label}
          </option>
        )}
      </For>
    </select>
  );
}
