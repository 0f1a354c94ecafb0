/** What the list of qualities costs: measured on the machine of the server, and said in words. */
import { createEffect, createSignal, createUniqueId, For, type JSX, Match, on, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { Banner } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { bitrate, decimal } from '../../i18n/format.ts';
import { said } from '../../i18n/said.ts';
import { Confirm, type Question } from '../chat/Confirm.tsx';
import { AdminIcon } from '../icons.tsx';
import { explain } from '../session.ts';
import { readable } from './draft.ts';
import type { AssumedSource, Cost, Variant } from './wire.ts';

const MEASURE = '/api/admin/video/measure';

/** What people broadcast; the first is what most do. */
export const SOURCES: AssumedSource[] = [
  { width: 1920, height: 1080, framerate: 30 },
  { width: 1920, height: 1080, framerate: 60 },
  { width: 1280, height: 720, framerate: 30 },
  { width: 1280, height: 720, framerate: 60 },
  { width: 2560, height: 1440, framerate: 60 },
  { width: 3840, height: 2160, framerate: 30 },
];

const sourceName = (source: AssumedSource) =>
  `${source.width} × ${source.height}, ${ta('live.fps', { fps: source.framerate })}`;

/** "2.3 times as fast as needed", or what stands in the way. */
export function verdictOf(cost: Cost): string {
  const times = decimal((cost.speedPercent ?? 0) / 100);
  if (cost.verdict === 'failed' || (cost.verdict === 'slow' && cost.speedPercent === null))
    return said(cost, cost.message);
  if (cost.verdict === 'slow') return ta('cost.slow', { percent: cost.speedPercent ?? 0 });
  if (cost.verdict === 'free') return ta('cost.free');
  return ta(cost.verdict === 'tight' ? 'cost.tight' : 'cost.comfortable', { times });
}

const TONES = { free: 'info', comfortable: 'info', tight: 'warning', slow: 'error', failed: 'error' } as const;

export function CostCard(props: { list: Variant[]; encoder: string; isLive: boolean }): JSX.Element {
  const id = createUniqueId();
  const [source, setSource] = createSignal(0);
  const [busy, setBusy] = createSignal(false);
  const [cost, setCost] = createSignal<Cost>();
  const [failure, setFailure] = createSignal('');
  const [question, setQuestion] = createSignal<Question>();
  /** A change in between makes the answer one about something else. */
  let asked = 0;

  const forget = () => {
    asked += 1;
    setCost(undefined);
    setFailure('');
  };
  createEffect(on([() => props.list, () => props.encoder, source], forget, { defer: true }));

  const measure = async (whileLive: boolean) => {
    forget();
    const mine = asked;
    setBusy(true);
    try {
      const body = { variants: props.list, source: SOURCES[source()], whileLive };
      const answer = await api.post<Cost>(MEASURE, body);
      if (mine === asked) setCost(answer);
    } catch (problem) {
      if (mine === asked) setFailure(explain(problem));
    } finally {
      setBusy(false);
    }
  };
  const ask = () => {
    if (!props.isLive) {
      void measure(false);
      return;
    }
    setQuestion({
      title: ta('cost.live.title'),
      text: ta('cost.live.text'),
      action: ta('cost.live.action'),
      look: 'primary',
      run: async () => void measure(true),
    });
  };

  return (
    <section class="card">
      <header>
        <h2>{ta('cost.title')}</h2>
        <p class="muted small">{ta('cost.text')}</p>
      </header>
      <div class="cost-ask">
        <div class="field">
          <label class="field-label" for={id}>
            {ta('cost.source')}
          </label>
          <select
            id={id}
            class="select"
            disabled={busy()}
            onChange={(event) => setSource(Number(event.currentTarget.value))}
          >
            <For each={SOURCES}>{(one, index) => <option value={index()}>{sourceName(one)}</option>}</For>
          </select>
        </div>
        <button
          type="button"
          class="button"
          data-look="primary"
          disabled={busy() || props.list.length === 0}
          aria-busy={busy()}
          onClick={ask}
        >
          <AdminIcon name="pulse" />
          {ta('cost.measure')}
        </button>
      </div>
      <div class="cost-answer" role="status">
        <Switch>
          <Match when={busy()}>
            <progress aria-label={ta('cost.busy')} />
            <p class="muted small">{ta('cost.busy')}</p>
          </Match>
          <Match when={failure()}>
            <Banner tone="error">{failure()}</Banner>
          </Match>
          <Match when={cost()}>{(answer) => <Answer cost={answer()} />}</Match>
        </Switch>
      </div>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </section>
  );
}

function Answer(props: { cost: Cost }): JSX.Element {
  return (
    <>
      <Banner tone={TONES[props.cost.verdict]}>
        <strong>{verdictOf(props.cost)}</strong>
        <Show when={props.cost.verdict === 'tight' || props.cost.verdict === 'comfortable'}>
          <p>{ta(props.cost.verdict === 'tight' ? 'cost.tight.text' : 'cost.comfortable.text')}</p>
        </Show>
        <Show when={props.cost.verdict === 'slow' && props.cost.speedPercent !== null}>
          <p>{ta('cost.slow.text')}</p>
        </Show>
      </Banner>
      <Show when={props.cost.rungs.length > 0 || props.cost.leftOut.length > 0}>
        <dl class="inbound">
          <For each={props.cost.rungs}>
            {(rung) => (
              <div>
                <dt>{readable(rung.name)}</dt>
                <dd>
                  {rung.width} × {rung.height}, {ta('live.fps', { fps: decimal(rung.framerate) })}, {bitrate(rung.kbps)}
                </dd>
              </div>
            )}
          </For>
          <For each={props.cost.leftOut}>
            {(left) => (
              <div>
                <dt>{readable(left.name)}</dt>
                <dd class="left-out">{ta('quality.leftOut', { reason: said(left, left.reason) })}</dd>
              </div>
            )}
          </For>
        </dl>
      </Show>
    </>
  );
}
