/** What can be done with recordings. Each rejects with an error whose message is for the operator. */
import { api } from '../../api.ts';
import { explain } from '../session.ts';
import type { Recording, RecordingChange } from './wire.ts';

export const RECORDINGS = '/api/admin/videos';
const RECORD = `${RECORDINGS}/record`;

export async function explained<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (problem) {
    throw new Error(explain(problem));
  }
}

export const pathOf = (id: string) => `${RECORDINGS}/${encodeURIComponent(id)}`;

export const changeRecording = (id: string, change: RecordingChange) =>
  explained(api.patch<Recording>(pathOf(id), change));
export const deleteRecording = async (id: string): Promise<void> => {
  await explained(api.delete(pathOf(id)));
};
/** The stream that is on, from what is kept of it already. */
export const recordThisStream = async (): Promise<void> => {
  await explained(api.post(RECORD, {}));
};
export const stopRecording = async (): Promise<void> => {
  await explained(api.delete(RECORD));
};
