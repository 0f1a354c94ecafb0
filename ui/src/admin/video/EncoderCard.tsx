/** Who encodes: what works on the machine of the server, why the rest does not, and what to install. */
import { createMemo, For, type JSX, Match, type Resource, Show, Switch } from 'solid-js';
import { CopyField } from '../../design/CopyField.tsx';
import { Banner, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { afterRefusal } from '../../design/setting/choices.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { said } from '../../i18n/said.ts';
import { explain } from '../session.ts';
import { SettingByKey } from '../settings.tsx';
import type { EncoderList, EncoderState } from './wire.ts';

/** For those who run it where most do. */
const INSTALL = 'sudo apt install ffmpeg';

export interface EncoderCardProps {
  encoders: Resource<EncoderList>;
  /** Asks anew, because something about the machine has changed. */
  onAgain: () => void;
}

export function EncoderCard(props: EncoderCardProps): JSX.Element {
  /** What is shown stays while it is asked for again. */
  const list = createMemo(() => (props.encoders.error ? undefined : props.encoders.latest));
  const Choice = (editor: EditorProps<unknown>) => <EncoderChoice {...editor} encoders={list()?.encoders ?? []} />;
  return (
    <section class="card">
      <header>
        <div class="card-head">
          <h2>{ta('encoder.title')}</h2>
          <button
            type="button"
            class="button"
            data-size="small"
            disabled={props.encoders.loading}
            aria-busy={props.encoders.loading}
            onClick={() => props.onAgain()}
          >
            <Icon name="refresh" />
            {ta('encoder.again')}
          </button>
        </div>
        <p class="muted small">{ta('encoder.text')}</p>
      </header>
      <Switch fallback={<Skeleton lines={5} />}>
        <Match when={props.encoders.error}>
          <LoadError title={ta('error.load')} text={explain(props.encoders.error)} onRetry={() => props.onAgain()} />
        </Match>
        <Match when={list()}>
          {(now) => (
            <>
              <Show
                when={now().ffmpeg.found}
                fallback={
                  <Banner tone="warning">
                    <strong>{ta('encoder.missing')}</strong>
                    <p>{ta('encoder.missing.text')}</p>
                    <CopyField label={ta('encoder.install')} value={INSTALL} />
                    <p class="small">{said(now().ffmpeg, now().ffmpeg.message)}</p>
                  </Banner>
                }
              >
                <p class="muted small">{now().ffmpeg.version}</p>
                <SettingByKey key="video/codec" editor={Choice} />
              </Show>
            </>
          )}
        </Match>
      </Switch>
      <SettingByKey key="ffmpegpath" />
    </section>
  );
}

function stateOf(encoder: EncoderState): string {
  if (!encoder.tried) return ta('encoder.untried');
  return encoder.usable ? ta('encoder.usable') : ta('encoder.refused', { reason: said(encoder, encoder.reason) });
}

/** One that is refused cannot be chosen; one that is chosen and refused says so. */
function EncoderChoice(props: EditorProps<unknown> & { encoders: EncoderState[] }): JSX.Element {
  const encoderName = (encoder: EncoderState) => {
    const text = ta(`encoder.${encoder.name}` as AdminKey);
    return text === `encoder.${encoder.name}` ? encoder.name : text;
  };
  return (
    <div
      class="choices"
      role="radiogroup"
      aria-label={ta('setting.video/codec.label')}
      aria-describedby={props.describedBy}
    >
      <For each={props.encoders}>
        {(encoder) => (
          <label class="choice" data-refused={!encoder.usable}>
            <input
              type="radio"
              name={props.id}
              checked={props.value === encoder.name}
              disabled={props.disabled || !encoder.usable}
              ref={(input) =>
                afterRefusal(props, () => {
                  input.checked = props.value === encoder.name;
                })
              }
              onChange={() => props.onCommit(encoder.name)}
            />
            <span>
              <strong>{encoderName(encoder)}</strong>
              <span class="muted small">{stateOf(encoder)}</span>
            </span>
          </label>
        )}
      </For>
    </div>
  );
}
