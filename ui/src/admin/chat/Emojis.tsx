/** The emoji of the chat: what there is, by pack, and how more get in. */
import { createMemo, createResource, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { explain } from '../session.ts';
import { deleteEmoji } from './actions.ts';
import { Confirm, type Question } from './Confirm.tsx';
import { type EmojiGroup, emojiGroups, pathOf } from './emoji/files.ts';
import { UploadCard } from './emoji/UploadCard.tsx';
import { SearchField } from './SearchField.tsx';
import type { Emoji } from './wire.ts';

export function Emojis(): JSX.Element {
  const [emojis, { refetch }] = createResource(() => api.get<Emoji[]>('/api/emoji'));
  const [query, setQuery] = createSignal('');
  const [question, setQuestion] = createSignal<Question>();
  const all = () => (emojis.error ? [] : (emojis.latest ?? []));
  const found = createMemo(() => emojiGroups(all(), query()));
  const packs = createMemo(() =>
    emojiGroups(all(), '').flatMap((group) => (group.kind === 'pack' ? [group.pack] : [])),
  );

  const askDelete = (emoji: Emoji) =>
    setQuestion({
      title: ta('emojis.delete.title', { name: emoji.name }),
      text: ta('emojis.delete.text'),
      action: ta('emojis.delete'),
      run: async () => {
        await deleteEmoji(pathOf(emoji));
        await refetch();
      },
    });

  return (
    <>
      <UploadCard packs={packs()} onAdded={() => void refetch()} />
      <section class="card">
        <div class="toolbar">
          <SearchField label={ta('emojis.search')} value={query()} onInput={setQuery} />
          <span class="muted small" role="status">
            {ta('emojis.count', { count: found().reduce((sum, group) => sum + group.emojis.length, 0) })}
          </span>
        </div>
        <Switch fallback={<Skeleton lines={6} />}>
          <Match when={emojis.error}>
            <LoadError title={ta('error.load')} text={explain(emojis.error)} onRetry={() => void refetch()} />
          </Match>
          <Match when={found().length > 0}>
            <For each={found()}>{(group) => <EmojiGroupView group={group} onDelete={askDelete} />}</For>
          </Match>
          <Match when={all().length > 0}>
            <EmptyState icon="search" title={ta('emojis.nothing.title')}>
              <p>{ta('emojis.nothing.text')}</p>
            </EmptyState>
          </Match>
          <Match when={emojis.latest}>
            <EmptyState icon="smile" title={ta('emojis.empty.title')}>
              <p>{ta('emojis.empty.text')}</p>
            </EmptyState>
          </Match>
        </Switch>
      </section>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}

function EmojiGroupView(props: { group: EmojiGroup; onDelete: (emoji: Emoji) => void }): JSX.Element {
  const title = () => {
    if (props.group.kind === 'pack') return props.group.pack;
    return props.group.kind === 'own' ? ta('emojis.own') : ta('emojis.builtin');
  };
  return (
    <section class="shelf" data-kind={props.group.kind}>
      <div class="row">
        <h2>{title()}</h2>
        <span class="muted small">{props.group.emojis.length}</span>
        <Show when={props.group.kind === 'builtin'}>
          <span class="badge">
            <Icon name="lock" />
            {ta('emojis.builtin.note')}
          </span>
        </Show>
      </div>
      <ul class="emoji-grid">
        <For each={props.group.emojis}>{(emoji) => <Tile emoji={emoji} onDelete={props.onDelete} />}</For>
      </ul>
    </section>
  );
}

function Tile(props: { emoji: Emoji; onDelete: (emoji: Emoji) => void }): JSX.Element {
  const [size, setSize] = createSignal('');
  const measure = (picture: HTMLImageElement) => setSize(`${picture.naturalWidth} × ${picture.naturalHeight}`);
  return (
    <li class="emoji-tile" data-builtin={props.emoji.builtin ? 'true' : undefined}>
      <img src={props.emoji.url} alt="" loading="lazy" onLoad={(event) => measure(event.currentTarget)} />
      <code title={`:${props.emoji.name}:`}>:{props.emoji.name}:</code>
      {/* A drawing has no size of its own worth telling. */}
      <Show when={!props.emoji.url.endsWith('.svg')}>
        <span class="muted">{size()}</span>
      </Show>
      <Show when={!props.emoji.builtin}>
        <button
          type="button"
          class="icon-button"
          aria-label={ta('emojis.delete.one', { name: props.emoji.name })}
          title={ta('emojis.delete')}
          onClick={() => props.onDelete(props.emoji)}
        >
          <Icon name="trash" />
        </button>
      </Show>
    </li>
  );
}
