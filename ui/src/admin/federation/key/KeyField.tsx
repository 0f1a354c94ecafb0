/** The key of the account: how to make another one, how far that has come, and the way back. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { Banner, LoadError } from '../../../design/Feedback.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { dateTime } from '../../../i18n/format.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { createPolled } from '../../polled.ts';
import { takeBackKey } from '../requests.ts';
import type { AccountKey } from '../wire.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { isUnderWay, progressOf } from './progress.ts';

const INTERVAL_MS = 5_000;

export function KeyField(): JSX.Element {
  const key = createPolled<AccountKey>('/api/admin/federation/key', INTERVAL_MS, { goesOn: isUnderWay });
  const [isMaking, setMaking] = createSignal(false);
  const [question, setQuestion] = createSignal<Question>();
  let makeButton: HTMLButtonElement | undefined;
  let backButton: HTMLElement | undefined;

  const askBack = (button: HTMLElement) => {
    backButton = button;
    setQuestion({
      title: ta('fedi.key.back.title'),
      text: ta('fedi.key.back.text'),
      action: ta('fedi.key.back'),
      run: async () => {
        await takeBackKey().finally(key.refresh);
        toast(ta('fedi.key.back.done'));
      },
    });
  };
  const close = () => {
    setQuestion(undefined);
    if (!backButton?.isConnected) makeButton?.focus();
  };

  return (
    <div class="field">
      <span class="field-label">{ta('fedi.key')}</span>
      <p class="field-help">{ta('fedi.key.help')}</p>
      <Show when={key.failing() && !key.value()}>
        <LoadError title={ta('error.load')} onRetry={() => void key.refresh()} />
      </Show>
      <Show when={key.value()?.handoverUntil}>
        {(until) => <Handover accountKey={key.value()} until={until()} onTakeBack={askBack} />}
      </Show>
      <div class="row">
        <button
          type="button"
          class="button"
          data-size="small"
          ref={(button) => {
            makeButton = button;
          }}
          onClick={() => setMaking(true)}
        >
          {ta('fedi.key.action')}
        </button>
      </div>
      <Show when={isMaking()}>
        <NewKeyDialog knownTo={key.value()?.knownTo} onChanged={key.refresh} onClose={() => setMaking(false)} />
      </Show>
      <Confirm question={question()} onClose={close} />
    </div>
  );
}

/** Which servers know the newest key, and which do not yet. */
function Handover(props: {
  accountKey: AccountKey | undefined;
  until: string;
  onTakeBack: (button: HTMLElement) => void;
}): JSX.Element {
  const waitingFor = () => props.accountKey?.waitingFor ?? [];
  const underWay = () => props.accountKey?.underWay ?? 0;
  const when = () => dateTime(props.until);
  return (
    <Banner>
      <strong>{props.accountKey && progressOf(props.accountKey)}</strong>
      <Show when={waitingFor().length > 0}>
        <p>
          <time datetime={props.until}>{ta('fedi.key.until', { when: when() })}</time>
        </p>
        <ul class="host-tags" aria-label={ta('fedi.key.waiting')}>
          <For each={waitingFor()}>{(host) => <li class="tag">{host}</li>}</For>
        </ul>
        <p>{underWay() > 0 ? ta('fedi.key.telling', { count: underWay() }) : ta('fedi.key.telling.none')}</p>
      </Show>
      <Show when={props.accountKey?.canTakeBack}>
        <p>
          <time datetime={props.until}>{ta('fedi.key.back.until', { when: when() })}</time>
        </p>
        <div class="row">
          <button
            type="button"
            class="button"
            data-size="small"
            onClick={(event) => props.onTakeBack(event.currentTarget)}
          >
            {ta('fedi.key.back')}
          </button>
        </div>
      </Show>
    </Banner>
  );
}
