import { cleanup, fireEvent, render, screen, waitFor } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OfflinePictureUpload } from '../src/admin/OfflinePictureUpload.tsx';
import { answerWith, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const PATH = '/api/admin/config/offlinepicture';
const choose = (file: File) => {
  const input = screen.getByLabelText('Choose a picture');
  Object.defineProperty(input, 'files', { value: [file], configurable: true });
  fireEvent.change(input);
};

test('a picture is uploaded, shown, and can be removed', async () => {
  const config: { offlinePicture?: string } = {};
  const { sent, fakeFetch } = answerWith({
    'GET /api/config': { body: config },
    [`POST ${PATH}`]: { body: {} },
    [`DELETE ${PATH}`]: { body: {} },
  });
  vi.stubGlobal('fetch', fakeFetch);
  render(() => <OfflinePictureUpload />);
  expect(screen.queryByRole('button', { name: 'Remove' })).toBeNull();
  config.offlinePicture = '/offline-picture?v=1';
  choose(new File(['x'], 'wide.png', { type: 'image/png' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(sent.map(({ method }) => method)).toContain('DELETE'));
  expect(sent.find(({ method }) => method === 'POST')?.body).toEqual({ value: 'data:image/png;base64,eA==' });
});

test('a file that is no picture is refused before it is sent', async () => {
  const { sent, fakeFetch } = answerWith({ 'GET /api/config': { body: {} } });
  vi.stubGlobal('fetch', fakeFetch);
  render(() => <OfflinePictureUpload />);
  choose(new File(['x'], 'notes.txt', { type: 'text/plain' }));
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('not a PNG'));
  expect(sent.map(({ method }) => method)).not.toContain('POST');
});
