/** What the operator can set for a plugin. */
import {
  createEffect,
  createResource,
  createSignal,
  createUniqueId,
  For,
  type JSX,
  Match,
  Show,
  Switch,
} from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { Banner, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { loadValues, saveValues } from '../requests.ts';
import type { PluginSetting, Values } from '../wire.ts';
import { changesIn, type Draft, draftOf, type Problems, type Schema } from './draft.ts';

export function SettingsForm(props: { slug: string; schema: Schema }): JSX.Element {
  const [values, { refetch }] = createResource(() => loadValues(props.slug));
  return (
    <section class="card settings">
      <h2>{ta('plugins.settings')}</h2>
      <Switch fallback={<Skeleton lines={4} />}>
        <Match when={values.error}>
          <LoadError title={ta('error.load')} text={String(values.error.message)} onRetry={() => void refetch()} />
        </Match>
        <Match when={values()}>{(stored) => <Form slug={props.slug} schema={props.schema} values={stored()} />}</Match>
      </Switch>
    </section>
  );
}

function Form(props: { slug: string; schema: Schema; values: Values }): JSX.Element {
  const [draft, setDraft] = createStore<Draft>({});
  const [problems, setProblems] = createSignal<Problems>({});
  const [refusal, setRefusal] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  createEffect(() => setDraft(draftOf(props.schema, props.values)));
  const keys = () => Object.keys(props.schema).sort();

  const save = async (event: Event) => {
    event.preventDefault();
    const changes = changesIn(props.schema, unwrap(draft), props.values);
    setProblems(changes.problems);
    setRefusal('');
    if (Object.keys(changes.problems).length > 0) return;
    setBusy(true);
    try {
      await saveValues(props.slug, changes.values);
      toast(ta('plugins.settings.saved'));
    } catch (problem) {
      setRefusal(problem instanceof Error ? problem.message : String(problem));
    }
    setBusy(false);
  };

  return (
    <form class="stack" novalidate onSubmit={(event) => void save(event)}>
      <For each={keys()}>
        {(key) => (
          <Show when={props.schema[key]}>
            {(field) => (
              <Field
                name={key}
                field={field()}
                value={draft[key] ?? ''}
                problem={problems()[key]}
                onInput={(value) => setDraft(key, value)}
              />
            )}
          </Show>
        )}
      </For>
      <Show when={refusal()}>
        <Banner tone="error">{refusal()}</Banner>
      </Show>
      <div class="row">
        <button type="submit" class="button" data-look="primary" disabled={busy()} aria-busy={busy()}>
          {ta('plugins.settings.save')}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: string;
  field: PluginSetting;
  value: string | boolean;
  problem?: string;
  onInput: (value: string | boolean) => void;
}

function Field(props: FieldProps): JSX.Element {
  const label = () => props.field.description || props.name;
  const kind = () => {
    if (props.field.secret) return 'password';
    return props.field.type === 'number' ? 'number' : 'text';
  };
  const standard = () => {
    const value = props.field.default;
    if (value === undefined || value === '' || props.field.secret) return '';
    return ta('plugins.settings.default', { value: typeof value === 'string' ? value : JSON.stringify(value) });
  };
  return (
    <Show
      when={typeof props.value === 'boolean'}
      fallback={
        <TextField
          label={label()}
          type={kind()}
          autocomplete={props.field.secret ? 'new-password' : 'off'}
          value={String(props.value)}
          error={props.problem}
          help={[label() === props.name ? '' : props.name, standard()].filter(Boolean).join(' · ')}
          onInput={props.onInput}
        />
      }
    >
      <SwitchField label={label()} checked={props.value === true} onChange={props.onInput} />
    </Show>
  );
}

function SwitchField(props: { label: string; checked: boolean; onChange: (value: boolean) => void }): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="setting" data-kind="bool">
      <div class="setting-head">
        <label class="field-label" for={id}>
          {props.label}
        </label>
        <input
          id={id}
          class="switch"
          type="checkbox"
          role="switch"
          checked={props.checked}
          aria-checked={props.checked}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
      </div>
    </div>
  );
}
