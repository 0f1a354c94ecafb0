/** How the encoder is doing while the stream is on. */
import './video.css';
import { createMemo, For, type JSX, Match, Show, Switch } from 'solid-js';
import { Banner, LoadError } from '../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { percent } from '../../i18n/format.admin.ts';
import { bitrate, decimal, number } from '../../i18n/format.ts';
import { said } from '../../i18n/said.ts';
import { TimeChart } from '../charts/TimeChart.tsx';
import { createPolled } from '../polled.ts';
import { readable } from './draft.ts';
import type { LadderReport, LadderState } from './wire.ts';

const INTERVAL_MS = 3_000;
const SPAN_MS = 5 * 60_000;
/** The server looks once in a second. */
const MEASURED_EVERY_MS = 1_000;
/** A little slower for a moment is no news. */
const SLOW_PERCENT = 95;

export type Doing = 'fine' | 'starting' | 'hurries' | 'slow' | 'down';

export function doingOf(ladder: LadderState): Doing {
  // Hardware is tried before it begins, which takes a while.
  if (!ladder.running) return ladder.lastFailure === null ? 'starting' : 'down';
  if (ladder.hurries) return 'hurries';
  if (ladder.speedPercent === null) return 'starting';
  return ladder.speedPercent < SLOW_PERCENT ? 'slow' : 'fine';
}

const seconds = (value: number): string => ta('health.seconds', { seconds: decimal(value) });

/** Nothing while nothing is encoded. */
export function LadderCard(): JSX.Element {
  const report = createPolled<LadderReport>('/api/admin/video/ladder', INTERVAL_MS, { key: 'variant' });
  return (
    <Switch>
      <Match when={report.value()?.ladder}>{(ladder) => <Card ladder={ladder()} raw={report.raw} />}</Match>
      <Match when={report.failing() && !report.value()}>
        <LoadError title={ta('error.load')} onRetry={() => void report.refresh()} />
      </Match>
    </Switch>
  );
}

function Card(props: { ladder: LadderState; raw: () => LadderReport | undefined }): JSX.Element {
  const doing = () => doingOf(props.ladder);
  const isWell = () => doing() === 'fine' || doing() === 'starting';
  const encoderName = (name: string) => {
    const key = `encoder.${name}`;
    const text = ta(key as AdminKey);
    return text === key ? name : text;
  };
  const samples = createMemo(() => {
    const all = props.raw()?.ladder?.samples ?? [];
    return all.map((sample) => ({ ...sample, time: Date.parse(sample.at) }));
  });
  const speed = () =>
    samples().flatMap(({ time, speedPercent }) => (speedPercent === null ? [] : [{ at: time, value: speedPercent }]));
  const behind = () => samples().map(({ time, behindMs }) => ({ at: time, value: behindMs / 1000 }));
  return (
    <section class="card">
      <h2>{ta('ladder.title')}</h2>
      <div role="status">
        <Banner tone={isWell() ? 'info' : 'warning'}>
          <p>{ta(`ladder.${doing()}` as AdminKey)}</p>
        </Banner>
      </div>
      <dl class="facts">
        <Fact label={ta('ladder.by')} value={encoderName(props.ladder.encoder)} />
        <Fact
          label={ta('ladder.speed')}
          value={props.ladder.speedPercent === null ? ta('ladder.unknown') : percent(props.ladder.speedPercent)}
        />
        <Fact label={ta('ladder.behind')} value={seconds(props.ladder.behindMs / 1000)} />
        <Fact label={ta('ladder.restarts')} value={number(props.ladder.restarts)} />
      </dl>
      <Show when={props.ladder.lastFailure}>
        {(failure) => (
          <p class="small">
            <span class="muted">{ta('ladder.failure')}</span>{' '}
            {said({ code: props.ladder.failureCode, params: props.ladder.failureParams }, failure())}
          </p>
        )}
      </Show>
      <h3>{ta('ladder.rungs')}</h3>
      <Rungs ladder={props.ladder} />
      <div class="chart-grid">
        <TimeChart
          title={ta('ladder.speed')}
          text={ta('ladder.speed.text')}
          lines={[{ label: ta('ladder.speed'), points: speed() }]}
          format={percent}
          spanMs={SPAN_MS}
          everyMs={MEASURED_EVERY_MS}
        />
        <TimeChart
          title={ta('ladder.behind')}
          text={ta('ladder.behind.text')}
          lines={[{ label: ta('ladder.behind'), points: behind() }]}
          format={seconds}
          spanMs={SPAN_MS}
          everyMs={MEASURED_EVERY_MS}
        />
      </div>
    </section>
  );
}

function Fact(props: { label: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

function Rungs(props: { ladder: LadderState }): JSX.Element {
  return (
    <dl class="inbound">
      <For each={props.ladder.rungs}>
        {(rung) => (
          <div>
            <dt>{readable(rung.name)}</dt>
            <dd>
              {rung.width} × {rung.height}, {bitrate(rung.kbps)} · <Offered offered={rung.offered} />
            </dd>
          </div>
        )}
      </For>
      <Show when={props.ladder.sound}>
        {(sound) => (
          <div>
            <dt>{ta('ladder.sound')}</dt>
            <dd>
              AAC, {bitrate(sound().kbps)} ·{' '}
              <Show when={sound().givenUp} fallback={<Offered offered={sound().offered} />}>
                <span class="left-out">{ta('ladder.sound.givenUp')}</span>
              </Show>
            </dd>
          </div>
        )}
      </Show>
      <For each={props.ladder.leftOut}>
        {(left) => (
          <div>
            <dt>{readable(left.name)}</dt>
            <dd class="left-out">{ta('quality.leftOut', { reason: said(left, left.reason) })}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}

function Offered(props: { offered: boolean }): JSX.Element {
  return (
    <span class="rung-state" data-offered={props.offered}>
      {ta(props.offered ? 'ladder.offered' : 'ladder.hidden')}
    </span>
  );
}
