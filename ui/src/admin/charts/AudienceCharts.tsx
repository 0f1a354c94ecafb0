/** Viewers, and what goes on in the chat, over the periods the server tells of. */
import type { JSX } from 'solid-js';
import type { AudiencePoint } from '../../api-types.d.ts';
import { ta } from '../../i18n/admin.ts';
import { decimal, number } from '../../i18n/format.ts';
import type { Point } from './draw.ts';
import { type Line, TimeChart } from './TimeChart.tsx';

export interface Periods {
  points: AudiencePoint[];
  stepSeconds: number;
  between: [from: number, to: number];
}

const MINUTE_SECONDS = 60;

const pick = (points: AudiencePoint[], value: (point: AudiencePoint) => number): Point[] =>
  points.map((point) => ({ at: Date.parse(point.time), value: value(point) }));

/** Within a minute the peak is what there was; over a longer period it is not, and the average says the rest. */
export function viewerLines({ points, stepSeconds }: Periods): Line[] {
  const peak = pick(points, (point) => point.peakViewers);
  if (stepSeconds <= MINUTE_SECONDS) return [{ label: ta('viewers.count'), points: peak }];
  return [
    { label: ta('viewers.most'), points: peak },
    { label: ta('viewers.average'), points: pick(points, (point) => point.viewers) },
  ];
}

/** The first period may have begun before the time that is told, which is in it. */
export function wholePeriods({ points, between: [from, to] }: Periods): [from: number, to: number] {
  const [first] = points;
  return [first ? Math.min(Date.parse(first.time), from) : from, to];
}

export function ViewersChart(props: Periods & { text?: string }): JSX.Element {
  return (
    <TimeChart
      title={ta('viewers.chart')}
      text={props.text}
      lines={viewerLines(props)}
      format={decimal}
      between={wholePeriods(props)}
      everyMs={props.stepSeconds * 1000}
    />
  );
}

export function ChatClientsChart(props: Periods): JSX.Element {
  return (
    <TimeChart
      title={ta('viewers.clients')}
      lines={[{ label: ta('viewers.clients'), points: pick(props.points, (point) => point.peakChatClients) }]}
      format={number}
      between={wholePeriods(props)}
      everyMs={props.stepSeconds * 1000}
    />
  );
}

export function ChatMessagesChart(props: Periods): JSX.Element {
  return (
    <TimeChart
      title={ta('streams.chat.chart')}
      lines={[{ label: ta('streams.messages'), points: pick(props.points, (point) => point.messages) }]}
      format={number}
      between={wholePeriods(props)}
      everyMs={props.stepSeconds * 1000}
    />
  );
}
