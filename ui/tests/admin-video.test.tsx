import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Video } from '../src/admin/pages/Video.tsx';
import { verdictOf } from '../src/admin/video/CostCard.tsx';
import { draftOf, errorsOf, isSame, nameOf, PRESETS, remarksOn, SOURCE, variantOf } from '../src/admin/video/draft.ts';
import type { Cost, EncoderList, Variant } from '../src/admin/video/wire.ts';
import type { AdminStatus, Setting } from '../src/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const preset = (name: string): Variant => {
  const found = PRESETS.find((one) => one.name === name);
  if (!found) throw new Error(`no preset ${name}`);
  return found;
};
const [hd, sd] = [preset('720p'), preset('480p')];

const encoders: EncoderList = {
  ffmpeg: { found: true, version: 'ffmpeg version 5.1.6', message: '' },
  chosen: 'libx264',
  encoders: [
    { name: 'libx264', tried: true, usable: true, reason: '' },
    { name: 'h264_nvenc', tried: true, usable: false, reason: 'it does not work here: Cannot load libcuda.so.1' },
    { name: 'h264_new', tried: true, usable: true, reason: '' },
  ],
};

const SAVE = 'POST /api/admin/config/video/streamoutputvariants';
const MEASURE = 'POST /api/admin/video/measure';

function show(list: Variant[], routes: Routes = {}, change: Partial<Setting> = {}, status?: Partial<AdminStatus>) {
  const variants = setting({
    key: 'video/streamoutputvariants',
    path: 'video/streamoutputvariants',
    kind: 'json',
    value: list,
    applies: 'stream',
    ...change,
  });
  const codec = setting({ key: 'video/codec', path: 'video/codec', value: 'libx264', applies: 'stream' });
  const path = setting({ key: 'ffmpegpath', path: 'ffmpegpath', value: '' });
  return showPage(
    () => <Video status={status as AdminStatus | undefined} />,
    { 'GET /api/admin/video/encoders': { body: encoders }, [SAVE]: OK, ...routes },
    [variants, codec, path],
  );
}

/** The server stores what it is sent, so the next load has it. */
function storing(shown: ReturnType<typeof show>) {
  const list = shown.routes['GET /api/admin/settings']?.body as { settings: Setting[] };
  return (value: Variant[]) => {
    const settings = list.settings.map((one) => (one.path === 'video/streamoutputvariants' ? { ...one, value } : one));
    shown.routes['GET /api/admin/settings'] = { body: { settings } };
  };
}

const names = () => [...document.querySelectorAll('.quality-row strong')].map((name) => name.textContent);

describe('the list of qualities', () => {
  test('shows each by its name and in numbers', async () => {
    show([SOURCE, hd, { ...sd, name: '', videoBitrate: 0, audioPassthrough: false, audioBitrate: 96 }]);
    await screen.findByText('Source');
    expect(names()).toEqual(['Source', '720p', '480p']);
    expect(screen.getByText('As your encoder sends it')).toBeTruthy();
    expect(screen.getByText('720 pixels high · 30 frames/s · 2.5 Mbit/s')).toBeTruthy();
    const small = '480 pixels high · 30 frames/s · bitrate chosen by size · audio 96 kbit/s';
    expect(screen.getByText(small)).toBeTruthy();
  });

  test('is put into another order by keyboard, and keeps the focus when the server has stored it', async () => {
    const shown = show([SOURCE, hd, sd]);
    const store = storing(shown);
    fireEvent.click(await screen.findByLabelText('Move down: Source'));
    store([hd, SOURCE, sd]);
    expect(names()).toEqual(['720p', 'Source', '480p']);
    expect(document.activeElement).toBe(screen.getByLabelText('Move down: Source'));
    expect(screen.getByText('Source is now number 2 of 3.')).toBeTruthy();
    await screen.findByText('Saved');
    expect(document.activeElement).toBe(screen.getByLabelText('Move down: Source'));
    expect(shown.posted()[0]?.body).toEqual({ value: [hd, SOURCE, sd] });
  });

  test('is put into another order by dragging', async () => {
    const { posted } = show([SOURCE, hd, sd]);
    const row = (await screen.findByText('480p', { selector: 'strong' })).closest('li') as HTMLElement;
    fireEvent.dragStart(row);
    const first = screen.getByText('Source').closest('li') as HTMLElement;
    fireEvent.dragOver(first);
    fireEvent.drop(first);
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [sd, SOURCE, hd] }));
  });

  test('gets a usual one with one press', async () => {
    const { posted } = show([SOURCE]);
    fireEvent.click(await screen.findByRole('button', { name: '720p' }));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [SOURCE, hd] }));
    expect(screen.queryByRole('button', { name: 'Source' })).toBeNull();
  });

  test('offers the own picture where it is missing, and says what that means', async () => {
    const { posted } = show([hd]);
    expect(await screen.findByText(/The source stands last/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Source' }));
    expect(document.activeElement).toBe(screen.getByLabelText('Edit: Source'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [SOURCE, hd] }));
  });

  test('loses one only after a question', async () => {
    const { posted } = show([SOURCE, hd]);
    fireEvent.click(await screen.findByLabelText('Remove: 720p'));
    expect(posted()).toEqual([]);
    const question = screen.getByText('Remove “720p”?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Remove'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [SOURCE] }));
  });

  test('keeps the focus near what was removed', async () => {
    const shown = show([SOURCE, hd]);
    fireEvent.click(await screen.findByLabelText('Remove: 720p'));
    storing(shown)([SOURCE]);
    const question = screen.getByText('Remove “720p”?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Remove'));
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Remove: Source')));
    expect(names()).toEqual(['Source']);
  });

  test('sends quick changes one after another, and loses none of them', async () => {
    const shown = show([SOURCE]);
    fireEvent.click(await screen.findByRole('button', { name: '720p' }));
    fireEvent.click(screen.getByRole('button', { name: '480p' }));
    storing(shown)([SOURCE, hd, sd]);
    expect(names()).toEqual(['Source', '720p', '480p']);
    await vi.waitFor(() => expect(shown.posted()).toHaveLength(2));
    expect(shown.posted().map(({ body }) => body)).toEqual([{ value: [SOURCE, hd] }, { value: [SOURCE, hd, sd] }]);
    // The second went out when all about the first was done.
    const after = shown.sent.slice(shown.sent.findIndex(({ method }) => method === 'POST'));
    expect(after.map(({ method }) => method).slice(0, 3)).toEqual(['POST', 'GET', 'POST']);
    await screen.findByText('Saved');
    expect(names()).toEqual(['Source', '720p', '480p']);
  });

  test('shows what is stored when quick changes are refused', async () => {
    const shown = show([SOURCE, hd], { [SAVE]: { status: 400, body: { success: false, message: 'not now' } } });
    fireEvent.click(await screen.findByLabelText('Move down: Source'));
    fireEvent.click(screen.getByRole('button', { name: '480p' }));
    await vi.waitFor(() => expect(names()).toEqual(['Source', '720p']));
    expect(shown.posted()).toHaveLength(2);
    expect(await screen.findByText('not now')).toBeTruthy();
  });

  test('goes back to what holds when the server refuses', async () => {
    show([SOURCE, hd], { [SAVE]: { status: 400, body: { success: false, message: 'not now' } } });
    fireEvent.click(await screen.findByLabelText('Move down: Source'));
    expect(await screen.findByText('not now')).toBeTruthy();
    expect(names()).toEqual(['Source', '720p']);
  });

  test('cannot be changed here when it was set elsewhere', async () => {
    show([SOURCE], {}, { locked: true, sourceName: '/etc/rillcast.toml' });
    expect(await screen.findByText('set by /etc/rillcast.toml')).toBeTruthy();
    expect(screen.getByLabelText<HTMLButtonElement>('Edit: Source').disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: '720p' }).disabled).toBe(true);
  });
});

describe('the form of a quality', () => {
  const BITRATE = 'Bitrate in kbit/s (optional)';
  const SOUND = 'Audio in kbit/s (optional)';
  const submit = (button: string) => fireEvent.submit(screen.getByText(button).closest('form') as HTMLFormElement);
  const type = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });

  test('changing one keeps its place', async () => {
    const { posted } = show([SOURCE, hd]);
    fireEvent.click(await screen.findByLabelText('Edit: 720p'));
    type(BITRATE, '3000');
    type(SOUND, '96');
    fireEvent.change(screen.getByLabelText('Encoder effort'), { target: { value: '4' } });
    submit('Save');
    const changed = { ...hd, videoBitrate: 3000, audioPassthrough: false, audioBitrate: 96, cpuUsageLevel: 4 };
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [SOURCE, changed] }));
  });

  test('the focus is back at the quality that was changed', async () => {
    const shown = show([SOURCE, hd]);
    fireEvent.click(await screen.findByLabelText('Edit: 720p'));
    type(BITRATE, '3000');
    storing(shown)([SOURCE, { ...hd, videoBitrate: 3000 }]);
    submit('Save');
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Edit: 720p')));
    expect(document.querySelector('.quality-row:last-child')?.textContent).toContain('3 Mbit/s');
  });

  test('a bitrate that the server chooses stays one', async () => {
    const { posted } = show([SOURCE, { ...hd, videoBitrate: 0 }]);
    fireEvent.click(await screen.findByLabelText('Edit: 720p'));
    expect(screen.getByLabelText<HTMLInputElement>(BITRATE).value).toBe('');
    type('Maximum frames per second', '25');
    submit('Save');
    const changed = { ...hd, videoBitrate: 0, framerate: 25 };
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [SOURCE, changed] }));
  });

  test('sound that is left as it comes stays so, and so does a smaller one', async () => {
    const { posted } = show([SOURCE, { ...hd, audioPassthrough: false, audioBitrate: 64 }]);
    fireEvent.click(await screen.findByLabelText('Edit: 720p'));
    expect(screen.getByLabelText<HTMLInputElement>(SOUND).value).toBe('64');
    type(SOUND, '');
    submit('Save');
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [SOURCE, hd] }));
  });

  test('what is wrong is said at its field, in words', async () => {
    const { posted } = show([SOURCE]);
    fireEvent.click(await screen.findByRole('button', { name: 'Custom…' }));
    type('Height in pixels', '9');
    type('Maximum frames per second', '');
    type(BITRATE, '2.5');
    submit('Add this quality');
    expect(screen.getByText('Enter a whole number from 16 to 8,192.')).toBeTruthy();
    expect(screen.getByText('Enter a whole number from 1 to 240.')).toBeTruthy();
    expect(screen.getByText('Enter a whole number from 64 to 100,000.')).toBeTruthy();
    expect(posted()).toEqual([]);
  });

  test('the reason of the server stays in the form', async () => {
    show([SOURCE], { [SAVE]: { status: 400, body: { success: false, message: 'too many' } } });
    fireEvent.click(await screen.findByRole('button', { name: 'Custom…' }));
    submit('Add this quality');
    expect((await screen.findByText('too many')).closest('dialog')).not.toBeNull();
    expect(names()).toEqual(['Source']);
  });
});

const cost: Cost = {
  encoder: 'libx264',
  source: { width: 1920, height: 1080, framerate: 30 },
  verdict: 'comfortable',
  speedPercent: 230,
  message: '2.3 times as fast as needed.',
  rungs: [{ variant: 1, name: '720p', width: 1280, height: 720, framerate: 30, kbps: 2500 }],
  leftOut: [{ variant: 2, name: 'Twin', reason: 'for this stream it is the same as quality 2' }],
};

describe('what it costs', () => {
  test('is measured for what is on the page, and said in words', async () => {
    const { posted } = show([SOURCE, hd], { [MEASURE]: { body: cost } });
    await screen.findByText('Source');
    fireEvent.click(screen.getByText('Measure on this machine'));
    expect(screen.getByRole('progressbar')).toBeTruthy();
    expect(await screen.findByText('2.3 times as fast as needed.')).toBeTruthy();
    expect(screen.getByText(/1280 × 720, 30 frames\/s, 2.5 Mbit\/s/)).toBeTruthy();
    expect(screen.getByText(/left out: for this stream it is the same/)).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ variants: [SOURCE, hd], source: cost.source, whileLive: false });
  });

  test('is forgotten when the list changes', async () => {
    show([SOURCE, hd], { [MEASURE]: { body: cost } });
    await screen.findByText('Source');
    fireEvent.click(screen.getByText('Measure on this machine'));
    await screen.findByText('2.3 times as fast as needed.');
    fireEvent.click(screen.getByRole('button', { name: '480p' }));
    await vi.waitFor(() => expect(screen.queryByText('2.3 times as fast as needed.')).toBeNull());
  });

  test('while live it is asked first, because it disturbs', async () => {
    const { posted } = show([SOURCE, hd], { [MEASURE]: { body: cost } }, {}, { streamState: 'live' });
    await screen.findByText('Source');
    fireEvent.click(screen.getByText('Measure on this machine'));
    expect(posted()).toEqual([]);
    fireEvent.click(screen.getByText('Measure anyway'));
    await screen.findByText('2.3 times as fast as needed.');
    expect(posted()[0]?.body).toMatchObject({ whileLive: true });
  });

  test('what stands in the way is said', async () => {
    show([SOURCE, hd], { [MEASURE]: { status: 409, body: { success: false, message: 'another one is running' } } });
    await screen.findByText('Source');
    fireEvent.click(screen.getByText('Measure on this machine'));
    expect(await screen.findByText('another one is running')).toBeTruthy();
  });

  test.each([
    [{ verdict: 'tight', speedPercent: 120 }, 'Only 1.2 times as fast as needed.'],
    [{ verdict: 'slow', speedPercent: 61 }, 'Too slow: in 100 seconds this machine encodes 61 seconds of the stream.'],
    [{ verdict: 'slow', speedPercent: null, message: 'not within 15s' }, 'not within 15s'],
    [{ verdict: 'failed', speedPercent: null, message: 'ffmpeg cannot be started' }, 'ffmpeg cannot be started'],
    [{ verdict: 'free', speedPercent: null }, 'Costs nothing: there is only the source, and nothing to encode.'],
  ] as [Partial<Cost>, string][])('%o', (change, words) => {
    expect(verdictOf({ ...cost, ...change })).toBe(words);
  });
});

describe('who encodes', () => {
  test('one that does not work here cannot be chosen and says why', async () => {
    const { posted } = show([SOURCE], { 'POST /api/admin/config/video/codec': OK });
    const refused = await screen.findByLabelText<HTMLInputElement>(/NVIDIA/);
    expect(refused.disabled).toBe(true);
    expect(screen.getByText(/Cannot load libcuda/)).toBeTruthy();
    expect(screen.getByText('ffmpeg version 5.1.6')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/Software/).checked).toBe(true);
    // One this page has no words for speaks for itself.
    fireEvent.click(screen.getByLabelText(/h264_new/));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: 'h264_new' }));
  });

  test('without ffmpeg it says how to get it, and looks again', async () => {
    const missing = { found: false, version: '', message: 'ffmpeg cannot be started (No such file or directory)' };
    const { routes } = show([SOURCE], { 'GET /api/admin/video/encoders': { body: { ...encoders, ffmpeg: missing } } });
    expect(await screen.findByText('ffmpeg is missing')).toBeTruthy();
    expect(screen.getByText('sudo apt install ffmpeg')).toBeTruthy();
    // Without it none can be chosen, and five times the same reason helps nobody.
    expect(screen.queryByLabelText(/Software/)).toBeNull();
    routes['GET /api/admin/video/encoders?again=true'] = { body: encoders };
    fireEvent.click(screen.getByText('Test again'));
    expect(await screen.findByText('ffmpeg version 5.1.6')).toBeTruthy();
  });

  test('one that was not tried yet says why, and is tried when it is asked for', async () => {
    const untried = { ...encoders, encoders: [{ name: 'libx264', tried: false, usable: false, reason: 'not yet' }] };
    const { routes } = show([SOURCE], { 'GET /api/admin/video/encoders': { body: untried } });
    expect(await screen.findByText(/Not tested yet, because you are live/)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/Software/).disabled).toBe(true);
    routes['GET /api/admin/video/encoders?again=true'] = { body: encoders };
    fireEvent.click(screen.getByText('Test again'));
    await vi.waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(/Software/).disabled).toBe(false));
  });

  test('a failed load says so, and the list of qualities works on', async () => {
    const broken = { status: 503, body: { success: false, message: 'the server is busy' } };
    show([SOURCE, hd], { 'GET /api/admin/video/encoders': broken });
    expect(await screen.findByText('the server is busy')).toBeTruthy();
    expect(names()).toEqual(['Source', '720p']);
  });
});

describe('rules', () => {
  test('a draft and back is the same quality', () => {
    for (const one of [SOURCE, ...PRESETS]) expect(variantOf(draftOf(one))).toEqual(one);
  });

  test('what may be empty is no mistake, and the own picture needs no numbers', () => {
    expect(errorsOf({ ...draftOf(hd), height: '', width: '', bitrate: '', sound: '' })).toEqual({});
    expect(errorsOf({ ...draftOf(SOURCE), bitrate: 'much' })).toEqual({});
    expect(errorsOf({ ...draftOf(hd), name: 'n'.repeat(61) })).toHaveProperty('name');
  });

  test('a quality without a name is called what viewers call it', () => {
    const unnamed = (change: Partial<Variant>) => nameOf({ ...hd, name: '', scaledHeight: undefined, ...change });
    expect(nameOf(SOURCE)).toBe('Source');
    expect(unnamed({ scaledWidth: 1080, scaledHeight: 720, videoBitrate: 800 })).toBe('720p @800Kbps');
    expect(unnamed({ scaledWidth: 1920, scaledHeight: 1080, videoBitrate: 2000 })).toBe('1080p @2Mbps');
    expect(unnamed({ scaledHeight: 480 })).toBe('480p');
    expect(unnamed({ scaledWidth: 640 })).toBe('640 pixels wide');
    expect(unnamed({ videoBitrate: 1200, framerate: 24 })).toBe('1.2Mbps@24fps');
  });

  test('two lists are the same whatever the order of their keys', () => {
    const turned = Object.fromEntries(Object.entries(hd).toReversed()) as unknown as Variant;
    expect(isSame([SOURCE, hd], [SOURCE, turned])).toBe(true);
    expect(isSame([SOURCE, hd], [hd, SOURCE])).toBe(false);
    expect(isSame([SOURCE], [SOURCE, hd])).toBe(false);
  });

  test('what is odd about a list is worth a word', () => {
    expect(remarksOn([SOURCE, hd])).toEqual([]);
    expect(remarksOn([SOURCE, SOURCE, hd])).toHaveLength(2);
    expect(remarksOn([hd, hd])).toHaveLength(2);
  });
});
