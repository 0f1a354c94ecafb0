/** What the author wrote for the operator. A long text shows its beginning, so that what follows is found. */
import { createMemo, createResource, createSignal, createUniqueId, type JSX, Match, Show, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import { loadInstructions } from '../requests.ts';
import { type Block, blocksOf, lengthOf } from './blocks.ts';
import { Blocks } from './Markdown.tsx';

/** Characters up to which a text is shown whole: about a screen. */
const SHORT = 2_000;
/** Characters of a longer one that are shown at first. */
const BEGINNING = 800;

/** The blocks to begin with; all of them where little would be left out. */
export function beginningOf(blocks: Block[]): Block[] {
  let length = 0;
  let end = blocks.length;
  for (const [index, block] of blocks.entries()) {
    // The block that reaches over the mark is still shown: half a text is none.
    if (length >= BEGINNING) end = Math.min(end, index);
    length += lengthOf(block);
  }
  return length > SHORT ? blocks.slice(0, end) : blocks;
}

export function Instructions(props: { slug: string }): JSX.Element {
  const [text, { refetch }] = createResource(() => loadInstructions(props.slug));
  return (
    <section class="card">
      <h2>{ta('plugins.instructions')}</h2>
      <Switch fallback={<Skeleton lines={6} />}>
        <Match when={text.error}>
          <LoadError title={ta('error.load')} text={String(text.error.message)} onRetry={() => void refetch()} />
        </Match>
        <Match when={text() !== undefined}>
          <FoldedText text={text() ?? ''} />
        </Match>
      </Switch>
    </section>
  );
}

function FoldedText(props: { text: string }): JSX.Element {
  const id = createUniqueId();
  const [isWhole, setWhole] = createSignal(false);
  const blocks = createMemo(() => blocksOf(props.text));
  const beginning = createMemo(() => beginningOf(blocks()));
  return (
    <>
      <div id={id}>
        <Blocks blocks={isWhole() ? blocks() : beginning()} />
      </div>
      <Show when={beginning().length < blocks().length}>
        <div class="row">
          <button
            type="button"
            class="button"
            data-size="small"
            aria-expanded={isWhole()}
            aria-controls={id}
            onClick={() => setWhole(!isWhole())}
          >
            {ta(isWhole() ? 'plugins.instructions.less' : 'plugins.instructions.more')}
          </button>
        </div>
      </Show>
    </>
  );
}
