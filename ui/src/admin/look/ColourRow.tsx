/** One named colour: a picker for light and one for dark, how readable it is, and the way back. */
import { createUniqueId, For, type JSX, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { decimal } from '../../i18n/format.ts';
import { hexOf, type Pair, READABLE, type Scheme, shownRatio } from './colours.ts';
import { type Look, lowestContrast, type NamedColour } from './palette.ts';

const SCHEMES: Scheme[] = ['light', 'dark'];

export interface ColourRowProps {
  named: NamedColour;
  look: Look;
  /** Undefined where the variable has a value of another kind. */
  pair: Pair | undefined;
  disabled: boolean;
  onChange: (pair: Pair) => void;
  onReset: () => void;
}

export function ColourRow(props: ColourRowProps): JSX.Element {
  const id = createUniqueId();
  const label = () => ta(props.named.label);
  const isSet = () => props.look[props.named.variable] !== undefined;
  return (
    <fieldset class="colour-row" data-variable={props.named.variable} aria-labelledby={`${id}-name`}>
      <span class="colour-name" id={`${id}-name`} title={props.named.variable}>
        {label()}
      </span>
      <Show
        when={props.pair}
        fallback={
          <span class="colour-custom muted small">
            {ta('look.custom', { value: props.look[props.named.variable] ?? '' })}
          </span>
        }
      >
        {(pair) => (
          <For each={SCHEMES}>
            {(scheme) => (
              <ColourCell
                label={`${label()}: ${ta(`look.${scheme}`)}`}
                scheme={ta(`look.${scheme}`)}
                value={pair()[scheme]}
                disabled={props.disabled}
                ratio={lowestContrast(props.look, props.named, scheme)}
                onChange={(hex) => props.onChange({ ...pair(), [scheme]: hex })}
              />
            )}
          </For>
        )}
      </Show>
      <button
        type="button"
        class="icon-button colour-reset"
        aria-label={`${ta('look.reset')}: ${label()}`}
        title={ta('look.reset')}
        disabled={props.disabled || !isSet()}
        onClick={() => props.onReset()}
      >
        <Icon name="refresh" />
      </button>
    </fieldset>
  );
}

interface ColourCellProps {
  label: string;
  scheme: string;
  value: string;
  disabled: boolean;
  ratio: number | undefined;
  onChange: (hex: string) => void;
}

function ColourCell(props: ColourCellProps): JSX.Element {
  const id = createUniqueId();
  const isPoor = () => props.ratio !== undefined && props.ratio < READABLE;
  return (
    <span class="colour-cell" data-poor={isPoor() ? 'true' : undefined}>
      <span class="colour-scheme" aria-hidden="true">
        {props.scheme}
      </span>
      <input
        class="colour-well"
        type="color"
        aria-label={props.label}
        aria-describedby={`${id}-ratio`}
        value={props.value}
        disabled={props.disabled}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
      <input
        class="input colour-code"
        aria-label={ta('look.code', { label: props.label })}
        value={props.value}
        disabled={props.disabled}
        maxLength={7}
        spellcheck={false}
        autocomplete="off"
        onChange={(event) => {
          const hex = hexOf(event.currentTarget.value);
          if (hex) props.onChange(hex);
          else event.currentTarget.value = props.value;
        }}
      />
      <span class="colour-ratio" id={`${id}-ratio`}>
        <Show when={props.ratio}>
          {(ratio) => (
            <>
              <Show when={isPoor()}>
                <Icon name="alert" />
              </Show>
              <span title={ta(isPoor() ? 'look.contrast.poor' : 'look.contrast.good')}>
                {ta('look.contrast', { ratio: decimal(shownRatio(ratio())) })}
              </span>
              <Show when={isPoor()}>
                <span class="visually-hidden">{ta('look.contrast.poor')}</span>
              </Show>
            </>
          )}
        </Show>
      </span>
    </span>
  );
}
