/** The look being edited: a draft on top of what is saved, so that nobody watches the operator try out colours. */
import { createEffect, createSignal, on } from 'solid-js';
import { cssOf, isSame, type Pair } from './colours.ts';
import { COLOURS, colourIn, hasPickers, type Look } from './palette.ts';
import { PRESET_NAMES, PRESET_VARIABLES, type PresetName, presetLook } from './presets.ts';

const sorted = (look: Look): string => JSON.stringify(Object.entries(look).sort());

export const isSameLook = (one: Look, other: Look): boolean => sorted(one) === sorted(other);

/** The look with one colour changed; what is as it comes is not set at all. */
export function withColour(look: Look, variable: string, pair: Pair): Look {
  const standard = COLOURS.find((one) => one.variable === variable)?.standard;
  const { [variable]: _, ...rest } = look;
  return standard && isSame(standard, pair) ? rest : { ...rest, [variable]: cssOf(pair) };
}

/** The look with a preset in place of the colours that presets set; everything else stays. */
export function withPreset(look: Look, name: PresetName): Look {
  const others = Object.entries(look).filter(([variable]) => !PRESET_VARIABLES.has(variable));
  return { ...Object.fromEntries(others), ...presetLook(name) };
}

/** The preset that the look is, as far as presets go; undefined once a colour of it was changed. */
export function presetOf(look: Look): PresetName | undefined {
  const set = Object.entries(look).filter(([variable]) => PRESET_VARIABLES.has(variable));
  return PRESET_NAMES.find((name) => isSameLook(Object.fromEntries(set), presetLook(name)));
}

/** What has no pickers, for those who write CSS. */
export const advancedOf = (look: Look): Look =>
  Object.fromEntries(Object.entries(look).filter(([variable, value]) => !hasPickers(variable, value)));

/** The look with other advanced variables. */
export function withAdvanced(look: Look, advanced: Look): Look {
  const picked = Object.entries(look).filter(([variable, value]) => hasPickers(variable, value));
  return { ...Object.fromEntries(picked), ...advanced };
}

export function createDraft(saved: () => Look) {
  const [draft, setDraft] = createSignal<Look>(saved());
  createEffect(
    on(
      saved,
      (look, before) => {
        // A change made elsewhere must not throw away what is being tried out here.
        if (!before || isSameLook(draft(), before)) setDraft(look);
      },
      { defer: true },
    ),
  );
  return {
    draft,
    setDraft,
    isChanged: () => !isSameLook(draft(), saved()),
    discard: () => setDraft(saved()),
    pair: (variable: string) => colourIn(draft(), variable),
  };
}

export type Draft = ReturnType<typeof createDraft>;
