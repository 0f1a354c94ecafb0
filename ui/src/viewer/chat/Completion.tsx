/** The list that opens while an emoji or a name is being typed. The focus stays in the field. */
import { createEffect, For, type JSX, Show } from 'solid-js';
import { t } from '../../i18n/index.ts';
import type { Emoji } from '../../wire.ts';
import { matching, type Token } from './completion.ts';

export interface Choice {
  name: string;
  /** Of an emoji. */
  url?: string;
}

/** `people` is asked only when it is needed. */
export function choicesFor(token: Token | undefined, emoji: Emoji[], people: () => string[]): Choice[] {
  if (!token) return [];
  if (token.kind === 'emoji') return matching(emoji, token.query, ({ name }) => name);
  return matching(people(), token.query, (name) => name).map((name) => ({ name }));
}

export interface CompletionProps {
  id: string;
  choices: Choice[];
  chosen: number;
  onChoose: (index: number) => void;
}

export function Completion(props: CompletionProps): JSX.Element {
  return (
    <Show when={props.choices.length > 0}>
      <div class="chat-completion" role="listbox" id={props.id} aria-label={t('chat.completion')} tabindex="-1">
        <For each={props.choices}>
          {(choice, index) => (
            <button
              ref={(option) =>
                createEffect(() => {
                  // On a low screen the list scrolls, and the keyboard goes on to what is out of sight.
                  if (index() === props.chosen) option.scrollIntoView?.({ block: 'nearest' });
                })
              }
              type="button"
              role="option"
              id={`${props.id}-${index()}`}
              tabindex="-1"
              aria-selected={index() === props.chosen}
              // The field must not lose the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => props.onChoose(index())}
            >
              <Show when={choice.url} fallback={`@${choice.name}`}>
                {(url) => (
                  <>
                    <img class="emoji" src={url()} alt="" />
                    {`:${choice.name}:`}
                  </>
                )}
              </Show>
            </button>
          )}
        </For>
      </div>
    </Show>
  );
}
