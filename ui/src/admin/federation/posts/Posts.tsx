/** What the stream says to its followers: one more post, and those that were. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, number, relativeTime } from '../../../i18n/format.ts';
import { ownPicture } from '../../../pictures.ts';
import { Body } from '../../../viewer/chat/Body.tsx';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { AdminIcon } from '../../icons.tsx';
import { PagedList } from '../../lists/ListView.tsx';
import { createPaged } from '../../lists/paged.ts';
import { Frame } from '../Frame.tsx';
import { OutLink } from '../inbox/OutLink.tsx';
import { deletePost } from '../requests.ts';
import type { OwnPost } from '../wire.ts';
import { Compose } from './Compose.tsx';

export function Posts(): JSX.Element {
  const posts = createPaged<OwnPost>(() => '/api/admin/federation/posts');
  const [question, setQuestion] = createSignal<Question>();
  const askDelete = (post: OwnPost) =>
    setQuestion({
      title: ta('posts.delete.title'),
      text: ta('posts.delete.text'),
      action: ta('posts.delete'),
      run: async () => {
        await deletePost(post.id);
        await posts.refresh();
      },
    });
  const sent = async () => {
    // The new one is at the beginning.
    if (posts.page() > 0) posts.setPage(0);
    else await posts.refresh();
  };
  return (
    <Frame>
      <Compose onSent={sent} />
      <section class="card">
        <h2>{ta('posts.list')}</h2>
        <PagedList list={posts} empty={{ icon: 'chat', title: ta('posts.empty'), text: ta('posts.empty.text') }}>
          {(entries) => (
            <ul class="post-rows" aria-label={ta('posts.list')}>
              <For each={entries}>{(post) => <Post post={post} onDelete={() => askDelete(post)} />}</For>
            </ul>
          )}
        </PagedList>
      </section>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </Frame>
  );
}

function Post(props: { post: OwnPost; onDelete: () => void }): JSX.Element {
  return (
    <li class="post-row" data-id={props.post.id}>
      <div class="post-head">
        <span class="row">
          <time class="muted small" datetime={props.post.timestamp} title={dateTime(props.post.timestamp)}>
            {relativeTime(props.post.timestamp, new Date().toISOString())}
          </time>
          <Show when={props.post.isLiveNotification}>
            <span class="badge">{ta('posts.live')}</span>
          </Show>
          <Show when={!props.post.isPublic}>
            <span class="badge">{ta('posts.private')}</span>
          </Show>
        </span>
        <button
          type="button"
          class="icon-button"
          aria-label={`${ta('posts.delete')}: ${dateTime(props.post.timestamp)}`}
          title={ta('posts.delete')}
          onClick={() => props.onDelete()}
        >
          <AdminIcon name="trash" />
        </button>
      </div>
      <div class="post-text" dir="auto">
        <Body html={props.post.content} />
      </div>
      <Show when={props.post.image}>
        {(image) => (
          <Show when={ownPicture(image().url)} fallback={<OutLink href={image().url}>{image().description}</OutLink>}>
            {(source) => <img class="post-image" src={source()} alt={image().description} loading="lazy" />}
          </Show>
        )}
      </Show>
      <Counts post={props.post} />
    </li>
  );
}

const COUNTS = ['likes', 'reposts', 'replies', 'quotes'] as const;

function Counts(props: { post: OwnPost }): JSX.Element {
  return (
    <ul class="post-counts" aria-label={ta('posts.counts')}>
      <For each={COUNTS}>
        {(kind) => (
          <li data-count={kind}>
            <strong>{number(props.post[kind])}</strong> {ta(`posts.${kind}`, { count: props.post[kind] })}
          </li>
        )}
      </For>
    </ul>
  );
}
