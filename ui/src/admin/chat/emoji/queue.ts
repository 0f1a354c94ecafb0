/** Pictures that are about to be uploaded: looked at first, then sent one after the other. */
import { createSignal } from 'solid-js';
import { createStore, produce } from 'solid-js/store';
import { checkPicture, readAsDataUrl } from '../../pictures.ts';
import { uploadEmoji } from '../actions.ts';
import { emojiName, fileNameOf, nameFromFile } from './files.ts';

export interface Upload {
  id: number;
  name: string;
  type: string;
  bytes: number;
  /** The picture itself; empty when the file is none. */
  data: string;
  state: 'ready' | 'sending' | 'refused';
  error: string;
}

const sentence = (problem: unknown) => (problem instanceof Error ? problem.message : String(problem));

export function createQueue() {
  const [state, setState] = createStore<{ uploads: Upload[] }>({ uploads: [] });
  const [progress, setProgress] = createSignal<{ done: number; total: number }>();
  let nextId = 0;

  const change = (id: number, values: Partial<Upload>) => setState('uploads', (one) => one.id === id, values);
  const remove = (id: number) => setState('uploads', (all) => all.filter((one) => one.id !== id));

  const prepare = async (file: File): Promise<Upload> => {
    nextId += 1;
    const upload = { id: nextId, name: nameFromFile(file.name), type: file.type, bytes: file.size };
    try {
      checkPicture(file);
      return { ...upload, data: await readAsDataUrl(file), state: 'ready', error: '' };
    } catch (problem) {
      return { ...upload, data: '', state: 'refused', error: sentence(problem) };
    }
  };
  const add = async (files: Iterable<File>) => {
    const prepared = await Promise.all([...files].map(prepare));
    setState(produce((now) => now.uploads.push(...prepared)));
  };

  const sendOne = async (upload: Upload, pack: string): Promise<boolean> => {
    change(upload.id, { state: 'sending', error: '' });
    const name = fileNameOf(emojiName(upload.name) || 'emoji', upload.type);
    try {
      await uploadEmoji({ name, data: upload.data, pack: pack || undefined });
      remove(upload.id);
      return true;
    } catch (problem) {
      change(upload.id, { state: 'refused', error: sentence(problem) });
      return false;
    }
  };
  /** Sends everything that is a picture; what was refused stays with the reason. Returns how many are up. */
  const send = async (pack: string): Promise<number> => {
    const waiting = state.uploads.filter((upload) => upload.data !== '');
    let added = 0;
    for (const [done, upload] of waiting.entries()) {
      setProgress({ done, total: waiting.length });
      if (await sendOne(upload, pack)) added += 1;
    }
    setProgress(undefined);
    return added;
  };

  return {
    uploads: () => state.uploads,
    /** How many could be sent. */
    sendable: () => state.uploads.filter((upload) => upload.data !== '').length,
    progress,
    add,
    rename: (id: number, name: string) => change(id, { name }),
    remove,
    clear: () => setState('uploads', []),
    send,
  };
}

export type Queue = ReturnType<typeof createQueue>;
