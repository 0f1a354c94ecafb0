/** How much of the server waits behind the sign-in of a plugin. */
import { createResource, createUniqueId, type JSX, Match, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { ChoiceCards } from '../../../design/setting/choices.tsx';
import { SaveMark } from '../../../design/setting/SettingField.tsx';
import { createSaver } from '../../../design/setting/saver.ts';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { loadAccessMode, saveAccessMode } from '../requests.ts';
import { ACCESS_MODES, type AccessMode } from '../wire.ts';

export function AccessModeCard(props: { slug: string }): JSX.Element {
  const id = createUniqueId();
  const [mode, { mutate, refetch }] = createResource(() => loadAccessMode(props.slug));
  const saver = createSaver(async (value) => {
    await saveAccessMode(props.slug, value as AccessMode);
    mutate(value as AccessMode);
  });
  const options = () =>
    ACCESS_MODES.map((value) => ({
      value,
      label: ta(`plugins.access.${value}` as AdminKey),
      text: ta(`plugins.access.${value}.text` as AdminKey),
    }));
  return (
    <section class="card" data-state={saver.state()}>
      <header>
        <div class="row">
          <h2>{ta('plugins.access')}</h2>
          <SaveMark state={saver.state()} />
        </div>
        <p class="muted small">{ta('plugins.access.text')}</p>
      </header>
      <Switch fallback={<Skeleton lines={3} />}>
        <Match when={mode.error}>
          <LoadError title={ta('error.load')} text={String(mode.error.message)} onRetry={() => void refetch()} />
        </Match>
        <Match when={mode()}>
          {(now) => (
            <ChoiceCards
              id={id}
              label={ta('plugins.access')}
              options={options()}
              value={now()}
              disabled={false}
              invalid={saver.state() === 'error'}
              describedBy={`${id}-error`}
              onCommit={(value: AccessMode) => void saver.save(value)}
            />
          )}
        </Match>
      </Switch>
      <div class="field-error" id={`${id}-error`} role="alert">
        {saver.state() === 'error' ? saver.error() : ''}
      </div>
    </section>
  );
}
