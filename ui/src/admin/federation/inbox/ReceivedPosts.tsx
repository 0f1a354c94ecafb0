/** Replies to the stream's posts, and posts that mention it. */
import { For, type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { dateTime, relativeTime } from '../../../i18n/format.ts';
import { Body } from '../../../viewer/chat/Body.tsx';
import { hostOf, webAddress } from '../../../viewer/fediverse/account.ts';
import { PagedList } from '../../lists/ListView.tsx';
import { createPaged } from '../../lists/paged.ts';
import { Account } from '../Account.tsx';
import { ActionButton } from '../ActionButton.tsx';
import { handleOf } from '../account.ts';
import { deleteInboundPost } from '../requests.ts';
import type { InboundPost } from '../wire.ts';
import { OutLink } from './OutLink.tsx';

export function ReceivedPosts(): JSX.Element {
  const posts = createPaged<InboundPost>(() => '/api/admin/federation/inbox');
  return (
    <section class="card">
      <p class="muted small">{ta('inbox.posts.text')}</p>
      <PagedList
        list={posts}
        empty={{ icon: 'chat', title: ta('inbox.posts.empty'), text: ta('inbox.posts.empty.text') }}
      >
        {(entries) => (
          <ul class="post-rows" aria-label={ta('inbox.posts')}>
            <For each={entries}>{(post) => <Post post={post} onDone={posts.refresh} />}</For>
          </ul>
        )}
      </PagedList>
    </section>
  );
}

function Post(props: { post: InboundPost; onDone: () => Promise<void> }): JSX.Element {
  const at = () => props.post.postedAt ?? props.post.receivedAt;
  const isForFew = () => props.post.visibility === 'direct' || props.post.visibility === 'followers';
  return (
    <li class="post-row" data-id={props.post.id} data-kind={props.post.kind}>
      <div class="post-head">
        <Account
          name={props.post.actor.name}
          handle={handleOf(props.post.actor.handle)}
          link={props.post.actor.url ?? props.post.actor.actorIRI}
          image={props.post.actor.image}
        />
        <span class="row">
          <span class="badge">{ta(`inbox.kind.${props.post.kind}` as AdminKey)}</span>
          <Show when={isForFew()}>
            <span class="badge" data-tone="warning">
              {ta(`inbox.visibility.${props.post.visibility}` as AdminKey)}
            </span>
          </Show>
          <time class="muted small" datetime={at()} title={dateTime(at())}>
            {relativeTime(at(), new Date().toISOString())}
          </time>
        </span>
      </div>
      <div class="post-text" lang={props.post.language ?? undefined} dir="auto">
        <Body html={props.post.content} />
      </div>
      <Show when={props.post.attachments.some(({ url }) => webAddress(url))}>
        {/* Not loaded: the picture's server would learn who reads this, and when. */}
        <ul class="tag-row" aria-label={ta('inbox.attachments')}>
          <For each={props.post.attachments.filter(({ url }) => webAddress(url))}>
            {(attachment) => (
              <li>
                <OutLink href={attachment.url}>{attachment.alt || ta('inbox.attachment')}</OutLink>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <div class="row">
        <OutLink href={props.post.url}>{ta('inbox.open', { host: hostOf(props.post.url) })}</OutLink>
        <ActionButton
          label={ta('inbox.delete')}
          icon="trash"
          of={props.post.actor.name || props.post.actor.handle}
          done={ta('inbox.deleted')}
          run={() => deleteInboundPost(props.post.id)}
          onDone={props.onDone}
        />
      </div>
    </li>
  );
}
