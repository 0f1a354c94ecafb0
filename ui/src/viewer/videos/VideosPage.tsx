/** `/videos`: everything there is to watch, with a search. */
import { createEffect, createUniqueId, For, type JSX, Match, Show, Switch } from 'solid-js';
import { EmptyState, LoadError } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { isPlainClick } from '../../router.tsx';
import type { SiteConfig, Status } from '../../wire.ts';
import { Footer, Header } from '../Frame.tsx';
import { createSite } from '../site.ts';
import { type Search, searchAddress } from './address.ts';
import { LiveHint } from './LiveHint.tsx';
import { createSearch, type VideoSearch } from './search.ts';
import { t } from './texts.ts';
import { CardPlaces, VideoCard } from './VideoCard.tsx';
import type { VideoBoot } from './wire.ts';

const PLACES = 8;

export function VideosPage(props: { boot?: VideoBoot }): JSX.Element {
  const site = createSite(props.boot, { hasPicture: false, subject: () => t('videos.title') });
  return (
    <Show
      when={site.loaded()}
      fallback={
        <main class="viewer-waiting">
          <Show when={site.failed()}>
            <LoadError
              title={t('viewer.failed.title')}
              text={t('viewer.failed.text')}
              onRetry={() => void site.load()}
            />
          </Show>
        </main>
      }
    >
      {(page) => <Page config={page().config} status={page().status} />}
    </Show>
  );
}

function Page(props: { config: SiteConfig; status: Status }): JSX.Element {
  const search = createSearch();
  return (
    <div class="viewer" data-page="videos">
      <a class="skip-link" href="#main">
        {t('common.skip')}
      </a>
      <Header config={props.config} state={props.status.streamState} />
      <main id="main" tabindex="-1">
        <div class="videos">
          <div class="videos-head">
            <h1>{t('videos.title')}</h1>
            <SearchField search={search} />
          </div>
          <LiveHint status={props.status} />
          <Found search={search} />
        </div>
      </main>
      <Footer version={props.status.versionNumber} />
    </div>
  );
}

function SearchField(props: { search: VideoSearch }): JSX.Element {
  const inputId = createUniqueId();
  let input: HTMLInputElement | undefined;
  createEffect(() => {
    const { words } = props.search.search();
    // Not the space that somebody has just typed behind a word.
    if (input && input.value.trim() !== words) input.value = words;
  });
  const submit = (event: Event) => {
    event.preventDefault();
    const { words, tag } = props.search.search();
    const next = input?.value.trim() ?? '';
    props.search.go({ words: next, tag, page: 1 }, words && next !== words ? 'replace' : 'push');
  };
  return (
    <search>
      {/* Works as a form too: the address is the same. */}
      <form class="videos-search" action="/videos" onSubmit={submit}>
        <label class="visually-hidden" for={inputId}>
          {t('videos.search')}
        </label>
        <Icon name="search" />
        <input
          id={inputId}
          class="input"
          type="search"
          name="q"
          autocomplete="off"
          enterkeyhint="search"
          maxlength="100"
          placeholder={t('videos.search')}
          ref={(element) => {
            input = element;
          }}
          onInput={(event) => props.search.type(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}

function Found(props: { search: VideoSearch }): JSX.Element {
  const { search } = props;
  const asked = () => search.search();
  const isNarrowed = () => asked().words !== '' || asked().tag !== '';
  const everything: Search = { words: '', tag: '', page: 1 };
  return (
    <>
      <div class="videos-facts">
        <Show when={asked().tag}>
          {(tag) => (
            <button
              type="button"
              class="tag videos-tag"
              aria-label={t('videos.tag.remove', { tag: tag() })}
              onClick={() => search.go({ ...asked(), tag: '', page: 1 }, 'push')}
            >
              <span dir="auto">#{tag()}</span>
              <Icon name="cross" />
            </button>
          )}
        </Show>
        <p class="muted small" role="status">
          <Show when={!search.failed() && search.answer()}>
            {(answer) => <>{t(isNarrowed() ? 'videos.found' : 'videos.count', { count: answer().total })}</>}
          </Show>
        </p>
      </div>
      <Switch>
        <Match when={search.failed()}>
          <LoadError title={t('videos.failed')} text={t('viewer.failed.text')} onRetry={() => void search.load()} />
        </Match>
        <Match when={!search.answer()}>
          <CardPlaces count={PLACES} />
          <p class="visually-hidden" role="status">
            {t('common.loading')}
          </p>
        </Match>
        <Match when={search.answer()?.results.length === 0}>
          <Show
            when={isNarrowed() || asked().page > 1}
            fallback={
              <EmptyState icon="video" title={t('videos.none.title')}>
                <p>{t('videos.none.text')}</p>
              </EmptyState>
            }
          >
            <EmptyState icon="search" title={t('videos.notFound.title')}>
              <p>{t('videos.notFound.text')}</p>
              <button type="button" class="button" onClick={() => search.go(everything, 'push')}>
                {t('videos.all')}
              </button>
            </EmptyState>
          </Show>
        </Match>
        <Match when={search.answer()}>
          {(answer) => (
            <>
              <ul class="video-cards" aria-busy={search.loading()}>
                <For each={answer().results}>{(video) => <VideoCard video={video} />}</For>
              </ul>
              <Pages search={search} />
            </>
          )}
        </Match>
      </Switch>
    </>
  );
}

function Pages(props: { search: VideoSearch }): JSX.Element {
  const { search } = props;
  const current = () => search.search().page;
  const toPage = (page: number) => ({
    href: searchAddress({ ...search.search(), page }),
    onClick: (event: MouseEvent) => {
      if (!isPlainClick(event)) return;
      event.preventDefault();
      search.go({ ...search.search(), page }, 'push');
      // To the beginning of what is new, also for those who listen.
      document.getElementById('main')?.focus();
      window.scrollTo(0, 0);
    },
  });
  return (
    <Show when={search.pages() > 1}>
      <nav class="videos-pages" aria-label={t('videos.pages')}>
        <Show when={current() > 1}>
          <a class="button" rel="prev" {...toPage(current() - 1)}>
            {t('videos.previous')}
          </a>
        </Show>
        <span class="muted small">{t('videos.page', { page: current(), count: search.pages() })}</span>
        <Show when={current() < search.pages()}>
          <a class="button" rel="next" {...toPage(current() + 1)}>
            {t('videos.next')}
          </a>
        </Show>
      </nav>
    </Show>
  );
}
