/** Names the account had before. They lead to it until they are deleted. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { dateTime } from '../../i18n/format.ts';
import { Confirm, type Question } from '../chat/Confirm.tsx';
import { AdminIcon } from '../icons.tsx';
import { addressOf } from './account.ts';
import { deleteFormerName } from './requests.ts';
import type { FormerName } from './wire.ts';

export interface FormerNamesProps {
  names: FormerName[];
  host: string;
  onChanged: () => Promise<void>;
}

export function FormerNames(props: FormerNamesProps): JSX.Element {
  const [question, setQuestion] = createSignal<Question>();
  let pressed: HTMLElement | undefined;
  let card: HTMLElement | null | undefined;

  const ask = (name: string, button: HTMLElement) => {
    pressed = button;
    card = button.closest<HTMLElement>('.card');
    setQuestion({
      title: ta('fedi.former.title', { address: addressOf(name, props.host) }),
      text: ta('fedi.former.delete.text'),
      action: ta('fedi.former.delete'),
      run: async () => {
        await deleteFormerName(name);
        await props.onChanged();
      },
    });
  };
  const close = () => {
    setQuestion(undefined);
    if (pressed?.isConnected) return;
    const find = (selector: string) => card?.querySelector<HTMLElement>(selector);
    (find('.former-names button') ?? find('.username-form input'))?.focus();
  };

  return (
    <>
      <Show when={props.names.length > 0}>
        <div class="field">
          <span class="field-label">{ta('fedi.former')}</span>
          <p class="field-help">{ta('fedi.former.help')}</p>
          <ul class="account-rows former-names" aria-label={ta('fedi.former')}>
            <For each={props.names}>
              {(former) => (
                <li>
                  <span class="account-text">{addressOf(former.name, props.host)}</span>
                  <time class="muted small" datetime={former.until}>
                    {ta('fedi.former.until', { when: dateTime(former.until) })}
                  </time>
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={`${ta('fedi.former.delete')}: ${addressOf(former.name, props.host)}`}
                    title={ta('fedi.former.delete')}
                    onClick={(event) => ask(former.name, event.currentTarget)}
                  >
                    <AdminIcon name="trash" />
                  </button>
                </li>
              )}
            </For>
          </ul>
        </div>
      </Show>
      <Confirm question={question()} onClose={close} />
    </>
  );
}
