/** The colours of the viewer page: presets, pairs of pickers, a preview, and variables for those who write CSS. */
import './look.css';
import { createEffect, createSignal, createUniqueId, For, type JSX, on, Show } from 'solid-js';
import { Banner } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { MapEditor } from '../../design/setting/pairs.tsx';
import { toast } from '../../design/toasts.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { ColourRow } from './ColourRow.tsx';
import { READABLE, type Scheme } from './colours.ts';
import {
  advancedOf,
  createDraft,
  type Draft,
  isSameLook,
  presetOf,
  withAdvanced,
  withColour,
  withPreset,
} from './draft.ts';
import { HeaderPicture } from './HeaderPicture.tsx';
import { Preview } from './Preview.tsx';
import { COLOURS, type ColourGroup, colourIn, GROUPS, type Look, lowestContrast } from './palette.ts';
import { PRESET_NAMES, presetLook } from './presets.ts';

const SCHEMES: Scheme[] = ['light', 'dark'];

/** Colours that are hard to read, by name. */
export function poorlyReadable(look: Look): AdminKey[] {
  const isPoor = (scheme: Scheme) => (named: (typeof COLOURS)[number]) =>
    (lowestContrast(look, named, scheme) ?? READABLE) < READABLE;
  return COLOURS.filter((named) => SCHEMES.some((scheme) => isPoor(scheme)(named))).map(({ label }) => label);
}

export function LookEditor(props: EditorProps<unknown>): JSX.Element {
  const saved = () => (props.value as Look | null) ?? {};
  const state = createDraft(saved);
  const poor = () => poorlyReadable(state.draft());
  /** What was sent and has not come back yet. */
  const [sent, setSent] = createSignal<Look>();
  createEffect(
    on(
      saved,
      (look) => {
        const awaited = sent();
        if (!awaited || !isSameLook(look, awaited)) return;
        setSent(undefined);
        toast(ta('look.published'));
      },
      { defer: true },
    ),
  );
  const publish = () => {
    setSent(state.draft());
    props.onCommit(state.draft());
  };
  const reset = (variable: string) => {
    const { [variable]: _, ...rest } = state.draft();
    state.setDraft(rest);
  };

  return (
    <div class="look" id={props.id}>
      <div class="look-controls">
        <Presets state={state} disabled={props.disabled} />
        <For each={GROUPS}>
          {(group) => (
            <Group group={group}>
              <ColourHeads />
              <For each={group.colours}>
                {(named) => (
                  <ColourRow
                    named={named}
                    look={state.draft()}
                    pair={state.pair(named.variable)}
                    disabled={props.disabled}
                    onChange={(pair) => state.setDraft(withColour(state.draft(), named.variable, pair))}
                    onReset={() => reset(named.variable)}
                  />
                )}
              </For>
            </Group>
          )}
        </For>
        <HeaderPicture state={state} disabled={props.disabled} />
        <details class="look-advanced">
          <summary>{ta('look.advanced')}</summary>
          <p class="field-help">{ta('look.advanced.text')}</p>
          <MapEditor
            {...props}
            value={advancedOf(state.draft())}
            onCommit={(advanced) => state.setDraft(withAdvanced(state.draft(), advanced))}
          />
        </details>
      </div>
      <div class="look-side">
        <Preview look={state.draft()} />
        <div class="look-verdict" role="status">
          <Show when={poor().length > 0}>
            <Banner tone="warning">
              <p>
                {ta('look.poor', {
                  colours: poor()
                    .map((label) => ta(label))
                    .join(', '),
                })}
              </p>
            </Banner>
          </Show>
        </div>
        <div class="row look-actions">
          <button
            type="button"
            class="button"
            data-look="primary"
            disabled={props.disabled || !(state.isChanged() || props.invalid)}
            onClick={publish}
          >
            {ta('look.save')}
          </button>
          <button type="button" class="button" disabled={!state.isChanged()} onClick={() => state.discard()}>
            {ta('look.discard')}
          </button>
          <ResetAll state={state} disabled={props.disabled} />
        </div>
        <p class="muted small" role="status">
          {ta(state.isChanged() ? 'look.state.draft' : 'look.state.published')}
        </p>
      </div>
    </div>
  );
}

function Presets(props: { state: Draft; disabled: boolean }): JSX.Element {
  const id = createUniqueId();
  const chosen = () => presetOf(props.state.draft());
  return (
    <fieldset class="look-presets" aria-labelledby={id}>
      <h3 id={id}>{ta('look.presets')}</h3>
      <div class="look-preset-list">
        <For each={PRESET_NAMES}>
          {(name) => (
            <label class="look-preset">
              <input
                type="radio"
                name={id}
                checked={chosen() === name}
                disabled={props.disabled}
                onChange={() => props.state.setDraft(withPreset(props.state.draft(), name))}
              />
              <Sample look={presetLook(name)} />
              <span>{ta(`look.preset.${name}` as AdminKey)}</span>
            </label>
          )}
        </For>
      </div>
    </fieldset>
  );
}

/** A page in miniature, half in light and half in dark. */
function Sample(props: { look: Look }): JSX.Element {
  const of = (name: string, scheme: Scheme) => colourIn(props.look, `--theme-color-${name}`)?.[scheme] ?? 'none';
  return (
    <svg class="look-sample" viewBox="0 0 96 40" aria-hidden="true">
      <For each={SCHEMES}>
        {(scheme, index) => (
          <g transform={`translate(${index() * 48} 0)`}>
            <rect width="48" height="40" fill={of('background-main', scheme)} />
            <rect width="48" height="9" fill={of('background-header', scheme)} />
            <rect x="5" y="14" width="38" height="21" rx="3" fill={of('surface', scheme)} />
            <rect x="9" y="18" width="22" height="3" rx="1.5" fill={of('text', scheme)} />
            <rect x="9" y="23" width="16" height="2.5" rx="1.25" fill={of('text-muted', scheme)} />
            <rect x="9" y="28" width="13" height="5" rx="2" fill={of('action', scheme)} />
          </g>
        )}
      </For>
    </svg>
  );
}

/** Which of the two columns is which; every field says it for itself to those who do not see columns. */
function ColourHeads(): JSX.Element {
  return (
    <p class="colour-row colour-heads" aria-hidden="true">
      <span />
      <For each={SCHEMES}>{(scheme) => <span class="colour-cell">{ta(`look.${scheme}`)}</span>}</For>
      <span class="colour-reset" />
    </p>
  );
}

function Group(props: { group: ColourGroup; children: JSX.Element }): JSX.Element {
  const id = createUniqueId();
  return (
    <Show
      when={props.group.isFolded}
      fallback={
        <section class="look-group" aria-labelledby={id}>
          <h3 id={id}>{ta(props.group.title)}</h3>
          {props.children}
        </section>
      }
    >
      <details class="look-group">
        <summary>{ta(props.group.title)}</summary>
        {props.children}
      </details>
    </Show>
  );
}

/** Two presses, because it takes away what may have been a long evening's work. It is a draft all the same. */
function ResetAll(props: { state: Draft; disabled: boolean }): JSX.Element {
  const [asking, setAsking] = createSignal(false);
  return (
    <button
      type="button"
      class="button"
      data-look={asking() ? 'danger' : 'quiet'}
      disabled={props.disabled || Object.keys(props.state.draft()).length === 0}
      onClick={() => {
        if (asking()) props.state.setDraft({});
        setAsking(!asking());
      }}
      onBlur={() => setAsking(false)}
    >
      <Icon name="refresh" />
      {ta(asking() ? 'look.resetAll.sure' : 'look.resetAll')}
    </button>
  );
}
