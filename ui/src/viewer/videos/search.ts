/** What the list of past streams is asked for, kept in the address, and what came back. */
import { createSignal, onCleanup } from 'solid-js';
import { api } from '../../api.ts';
import { type Search, searchAddress, searchOf } from './address.ts';
import type { VideosPage } from './wire.ts';

export const PER_PAGE = 24;
/** Whoever types is not done yet. */
const TYPING_MS = 300;

export function createSearch() {
  const [search, setSearch] = createSignal<Search>(searchOf(location.search));
  const [answer, setAnswer] = createSignal<VideosPage>();
  const [loading, setLoading] = createSignal(true);
  const [failed, setFailed] = createSignal(false);
  let typing: ReturnType<typeof setTimeout> | undefined;
  /** Answers to earlier questions come late and are not wanted any more. */
  let question = 0;

  const load = async () => {
    question += 1;
    const mine = question;
    setLoading(true);
    const { words, tag, page } = search();
    const query = new URLSearchParams({ offset: String((page - 1) * PER_PAGE), limit: String(PER_PAGE) });
    if (words) query.set('q', words);
    if (tag) query.set('tag', tag);
    const found = await api.get<VideosPage>(`/api/videos?${query}`).catch(() => undefined);
    if (mine !== question) return;
    setLoading(false);
    setFailed(found === undefined);
    if (found) setAnswer(found);
  };

  const go = (next: Search, how: 'push' | 'replace') => {
    clearTimeout(typing);
    const address = searchAddress(next);
    if (address !== location.pathname + location.search) {
      if (how === 'push') history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    }
    setSearch(next);
    void load();
  };

  const follow = () => {
    clearTimeout(typing);
    setSearch(searchOf(location.search));
    void load();
  };
  window.addEventListener('popstate', follow);
  onCleanup(() => {
    question += 1;
    clearTimeout(typing);
    window.removeEventListener('popstate', follow);
  });
  void load();

  return {
    search,
    answer,
    loading,
    failed,
    load,
    go,
    /** Asked for when no more letters come; the way back leads to before the search, not through its letters. */
    type: (words: string) => {
      clearTimeout(typing);
      typing = setTimeout(() => {
        const { tag, words: before } = search();
        const next = words.trim();
        if (next !== before) go({ words: next, tag, page: 1 }, before ? 'replace' : 'push');
      }, TYPING_MS);
    },
    pages: () => Math.max(Math.ceil((answer()?.total ?? 0) / PER_PAGE), 1),
  };
}

export type VideoSearch = ReturnType<typeof createSearch>;
