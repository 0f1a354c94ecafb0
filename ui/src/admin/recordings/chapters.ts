/** Chapters of a recording: titles of the stream, and marks that the operator sets. */
import { api } from '../../api.ts';
import { explained, pathOf } from './requests.ts';

export interface Chapter {
  /** Seconds from where viewers see the recording begin. */
  at: number;
  title: string;
  kind: 'title' | 'mark';
}

const marksOf = (id: string) => `${pathOf(id)}/marks`;

export const chaptersOf = async (id: string): Promise<Chapter[]> =>
  (await explained(api.get<{ chapters: Chapter[] }>(pathOf(id)))).chapters;
/** A mark that is there at that very place gets this title. */
export const setMark = (id: string, at: number, title: string) =>
  explained(api.post<Chapter>(marksOf(id), { at, title }));
export const removeChapter = async (id: string, { at, kind }: Chapter): Promise<void> => {
  await explained(api.delete(`${marksOf(id)}?at=${at}&kind=${kind}`));
};
/** Marks what is live now. */
export const markMoment = () => explained(api.post<Chapter>('/api/admin/record/mark', {}));
