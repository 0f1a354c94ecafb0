/** What the operator calls the qualities. The playlist has only their sizes; the server knows both. */
import { api } from '../../api.ts';
import type { Quality } from './engine.ts';

export interface Variant {
  name: string;
  /** Both absent while the server does not know. */
  height?: number;
  /** Absent for the broadcaster's own picture. */
  kbps?: number;
}

/** The server's own, of one side, "480h": the height of the picture says more. */
const MADE_UP = /^\d+[hw]$/;

const rank = (variant: Variant) => variant.kbps ?? Number.POSITIVE_INFINITY;

/**
 * By height, and the better one first where there are several. Where one of several is missing right now, nobody can
 * tell which, and they keep the names made of their sizes.
 */
export function withNames(qualities: Quality[], variants: Variant[]): Quality[] {
  return qualities.map((quality) => {
    const same = qualities.filter((one) => one.height === quality.height);
    const known = variants.filter((one) => one.height === quality.height);
    if (quality.height === 0 || same.length !== known.length) return quality;
    const place = same.filter((one) => one.kbps > quality.kbps).length;
    const name = known.toSorted((one, other) => rank(other) - rank(one))[place]?.name;
    return { ...quality, name: MADE_UP.test(name ?? '') ? undefined : name };
  });
}

/** None where the server does not answer: the menu works without. */
export async function askVariants(): Promise<Variant[]> {
  const answer = await api.get<Variant[]>('/api/video/variants').catch(() => []);
  return Array.isArray(answer) ? answer : [];
}

/** Whether the server means to offer pictures that are not listed, or not yet. */
export function isMissingSome(qualities: Quality[], variants: Variant[]): boolean {
  const pictures = qualities.filter(({ height }) => height > 0).length;
  return pictures > 0 && pictures < variants.length;
}
