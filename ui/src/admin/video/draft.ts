/** A quality while it is being edited: what can be chosen, and what is wrong with it. */
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { bitrate, number } from '../../i18n/format.ts';
import type { Variant } from './wire.ts';

export type Kind = 'source' | 'encoded';

/** Numbers as they are typed. */
export interface Draft {
  kind: Kind;
  name: string;
  width: string;
  height: string;
  framerate: string;
  bitrate: string;
  /** Empty leaves the sound as it is. */
  sound: string;
  level: number;
}

/** What the server takes; it would refuse more. */
const LIMITS = {
  width: [16, 8192],
  height: [16, 8192],
  framerate: [1, 240],
  bitrate: [64, 100_000],
  sound: [32, 320],
} as const;

export const MAX_VARIANTS = 20;
export const LEVELS = [0, 1, 2, 3, 4, 5];
const MAX_NAME_CHARS = 60;

export const SOURCE: Variant = {
  name: '',
  videoPassthrough: true,
  audioPassthrough: true,
  videoBitrate: 0,
  audioBitrate: 0,
  framerate: 0,
  cpuUsageLevel: 0,
};

const encoded = (name: string, scaledHeight: number, videoBitrate: number): Variant => ({
  name,
  videoPassthrough: false,
  audioPassthrough: true,
  videoBitrate,
  audioBitrate: 0,
  scaledHeight,
  framerate: 30,
  cpuUsageLevel: 2,
});

/** What most ladders are made of. */
export const PRESETS: Variant[] = [
  encoded('1080p', 1080, 5000),
  encoded('720p', 720, 2500),
  encoded('480p', 480, 1200),
  encoded('360p', 360, 700),
];

const typed = (value: number | undefined): string => (value ? String(value) : '');

export function draftOf(variant: Variant): Draft {
  return {
    kind: variant.videoPassthrough ? 'source' : 'encoded',
    name: variant.name,
    width: typed(variant.scaledWidth),
    height: typed(variant.scaledHeight),
    framerate: typed(variant.framerate) || '30',
    bitrate: typed(variant.videoBitrate),
    sound: variant.audioPassthrough ? '' : typed(variant.audioBitrate),
    level: variant.cpuUsageLevel,
  };
}

/** What goes to the server, with the keys it would answer with. */
export function variantOf(draft: Draft): Variant {
  const name = draft.name.trim();
  if (draft.kind === 'source') return { ...SOURCE, name };
  const [width, height, sound] = [Number(draft.width), Number(draft.height), Number(draft.sound)];
  return {
    name,
    videoPassthrough: false,
    audioPassthrough: sound === 0,
    videoBitrate: Number(draft.bitrate),
    audioBitrate: sound,
    ...(width > 0 ? { scaledWidth: width } : {}),
    ...(height > 0 ? { scaledHeight: height } : {}),
    framerate: Number(draft.framerate),
    cpuUsageLevel: draft.level,
  };
}

export type DraftErrors = Partial<Record<keyof Draft, string>>;

const OPTIONAL: ReadonlySet<string> = new Set(['width', 'height', 'bitrate', 'sound']);

export function errorsOf(draft: Draft): DraftErrors {
  const errors: DraftErrors = {};
  if (draft.name.trim().length > MAX_NAME_CHARS) errors.name = ta('quality.name.long', { count: MAX_NAME_CHARS });
  if (draft.kind === 'source') return errors;
  for (const [field, [min, max]] of Object.entries(LIMITS)) {
    const key = field as keyof typeof LIMITS;
    const text = draft[key].trim();
    if (text === '' && OPTIONAL.has(key)) continue;
    const value = Number(text);
    if (text !== '' && Number.isInteger(value) && value >= min && value <= max) continue;
    errors[key] = ta('quality.number', { min: number(min), max: number(max) });
  }
  return errors;
}

/** "800Kbps", as the server writes it into names. */
function rateName(kbps: number): string {
  if (kbps < 1000) return `${kbps}Kbps`;
  return kbps % 1000 === 0 ? `${kbps / 1000}Mbps` : `${(kbps / 1000).toFixed(1)}Mbps`;
}

/**
 * A name as people read it. For programs the server calls a quality without a name after one side, "360h" or "640w",
 * which says nothing to anybody else.
 */
export function readable(name: string): string {
  const width = /^(\d+)w$/.exec(name)?.[1];
  return width ? ta('quality.wide', { count: width }) : name.replace(/^(\d+)h$/, '$1p');
}

/** The name viewers read where none is given too. */
export function nameOf(variant: Variant): string {
  if (variant.name) return variant.name;
  if (variant.videoPassthrough) return 'Source';
  const [width, height] = [variant.scaledWidth ?? 0, variant.scaledHeight ?? 0];
  const rate = rateName(variant.videoBitrate);
  if (width === 1080 && height === 720) return `720p @${rate}`;
  if (width === 1920 && height === 1080) return `1080p @${rate}`;
  if (height > 0) return readable(`${height}h`);
  return width > 0 ? readable(`${width}w`) : `${rate}@${variant.framerate}fps`;
}

/** All of it in a line: how large, how often, how much. */
export function describe(variant: Variant): string {
  if (variant.videoPassthrough) return ta('quality.source.text');
  const [width, height] = [variant.scaledWidth ?? 0, variant.scaledHeight ?? 0];
  const pixels = (key: AdminKey, count: number) => ta(key, { count: String(count) });
  const sizes = [width > 0 ? pixels('quality.wide', width) : '', height > 0 ? pixels('quality.high', height) : ''];
  const size = sizes.filter(Boolean).join(', ') || ta('quality.size.source');
  // Without one the server chooses it by the size.
  const rate = variant.videoBitrate > 0 ? bitrate(variant.videoBitrate) : ta('quality.bitrate.chosen');
  const parts = [size, ta('live.fps', { fps: number(variant.framerate) }), rate];
  if (!variant.audioPassthrough) parts.push(ta('quality.sound.at', { rate: bitrate(variant.audioBitrate) }));
  return parts.join(' · ');
}

const flat = (one: Variant) =>
  [
    one.name,
    one.videoPassthrough,
    one.audioPassthrough,
    one.videoBitrate,
    one.audioBitrate,
    one.scaledWidth ?? 0,
    one.scaledHeight ?? 0,
    one.framerate,
    one.cpuUsageLevel,
  ].join('\n');

/** Whether two lists are the same to the server, whatever the order of their keys. */
export const isSame = (one: Variant[], other: Variant[]): boolean =>
  one.length === other.length && one.every((variant, index) => flat(variant) === flat(other[index] as Variant));

/** What is odd about a list as a whole; each is worth a word, none is refused. */
export function remarksOn(list: Variant[]): string[] {
  const remarks: string[] = [];
  const sources = list.filter((variant) => variant.videoPassthrough).length;
  if (sources === 0) remarks.push(ta('quality.noSource'));
  if (sources > 1) remarks.push(ta('quality.manySources'));
  const names = list.map(nameOf);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) remarks.push(ta('quality.sameName', { name: twin }));
  return remarks;
}
