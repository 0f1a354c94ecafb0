/** How the stream is doing: for how long, for whom, and what arrives. What could be better is said above it. */
import { For, type JSX, Show } from 'solid-js';
import { createServerClock } from '../../clock.ts';
import { Banner } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { decimal, number, stopwatch } from '../../i18n/format.ts';
import type { AdminStatus, AdminStream } from '../../wire.ts';
import { RecordThisStream } from '../recordings/LiveRecord.tsx';
import { BitrateChart } from './Chart.tsx';
import { Disconnect } from './Disconnect.tsx';

export function LiveCard(props: { stream: AdminStream; status?: AdminStatus }): JSX.Element {
  const waiting = () => props.stream.state === 'waiting';
  return (
    <section class="card card-wide live-card" data-state={props.stream.state}>
      <div class="card-head">
        <h2>{ta(waiting() ? 'live.waiting.title' : 'home.live.title')}</h2>
        <Disconnect />
      </div>
      <Show when={waiting()}>
        <Banner tone="warning">
          <p>{ta('live.waiting.text')}</p>
        </Banner>
      </Show>
      <RecordThisStream />
      <Audience stream={props.stream} status={props.status} />
      <div class="live-columns">
        <BitrateChart samples={props.stream.inbound.samples} />
        <Inbound stream={props.stream} />
      </div>
    </section>
  );
}

function Audience(props: { stream: AdminStream; status?: AdminStatus }): JSX.Element {
  const now = createServerClock(() => props.stream.inbound.samples.at(-1)?.at ?? new Date().toISOString());
  return (
    <dl class="facts">
      <Show when={props.stream.session}>
        {(session) => <Fact label={ta('live.duration')} value={stopwatch(session().startedAt, now())} />}
      </Show>
      <Show when={props.status}>
        {(status) => (
          <>
            <Fact label={ta('home.live.now')} value={number(status().viewerCount)} />
            <Fact
              label={ta('home.live.peak')}
              value={number(props.stream.session?.peakViewers ?? status().sessionPeakViewerCount)}
            />
            <Fact label={ta('home.live.record')} value={number(status().overallPeakViewerCount)} />
          </>
        )}
      </Show>
    </dl>
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

/** What an operator compares with the settings of the broadcasting program, line by line. */
export function inboundFacts(stream: AdminStream): { label: string; value: string; detail?: string }[] {
  const { video, audio, publisher, inbound, output } = stream;
  const facts: { label: string; value: string; detail?: string }[] = [];
  if (video) {
    const rate = ta('live.fps', { fps: decimal(video.frameRate) });
    facts.push({
      label: ta('live.video'),
      value: `${video.width} × ${video.height}, ${rate}, ${video.codec}`,
      detail: video.codecString,
    });
  }
  if (audio) {
    facts.push({
      label: ta('live.audio'),
      value: `${audio.codec}, ${decimal(audio.sampleRate / 1000)} kHz, ${channels(audio.channels)}`,
      detail: audio.codecString,
    });
  }
  if (inbound.keyframeSeconds !== null) {
    facts.push({
      label: ta('live.keyframes'),
      value: ta('live.keyframes.every', { seconds: decimal(inbound.keyframeSeconds) }),
    });
  }
  if (output) facts.push({ label: ta('live.output'), value: outputOf(output) });
  if (publisher) {
    facts.push({ label: ta('live.encoder'), value: publisher.encoder || ta('live.unknown') });
    facts.push({ label: ta('live.key'), value: publisher.keyName || ta('editor.keys.unnamed') });
    facts.push({ label: ta('live.from'), value: `${publisher.address} (${publisher.protocol.toUpperCase()})` });
  }
  return facts;
}

function channels(count: number): string {
  if (count === 1) return ta('live.mono');
  return count === 2 ? ta('live.stereo') : ta('live.channels', { count });
}

function outputOf(output: NonNullable<AdminStream['output']>): string {
  const segment = decimal(output.segmentSeconds);
  return output.partSeconds
    ? ta('live.output.parts', { part: decimal(output.partSeconds), segment })
    : ta('live.output.segments', { segment });
}

function Inbound(props: { stream: AdminStream }): JSX.Element {
  return (
    <dl class="inbound">
      <For each={inboundFacts(props.stream)}>
        {(fact) => (
          <div>
            <dt>{fact.label}</dt>
            <dd title={fact.detail}>{fact.value}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}
