import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { obstacle } from '../src/admin/plugins/UploadCard.tsx';
import { LIST, permission, plugin, running, showPlugins } from './admin-plugins-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);
afterEach(() => vi.unstubAllGlobals());

const row = async (name: string) => (await screen.findByText(name)).closest('li') as HTMLElement;

describe('the list of plugins', () => {
  test('says what each is, how it is and what went wrong last', async () => {
    showPlugins([
      running({ hasIcon: true }),
      plugin({ slug: 'bad', name: 'Bad', enabled: true, lastError: 'Traceback:\n  line 3\nNameError: nope\n' }),
    ]);
    const good = await row('Echo Bot');
    expect(within(good).getByText('1.2.0')).toBeTruthy();
    expect(within(good).getByText('Running')).toBeTruthy();
    expect(good.querySelector('img')?.getAttribute('src')).toBe('/api/plugins/echo-bot/icon?v=1.2.0');
    const bad = await row('Bad');
    expect(within(bad).getByText('Failed')).toBeTruthy();
    expect(within(bad).getByText('NameError: nope')).toBeTruthy();
    expect(bad.querySelector('img')).toBeNull();
  });

  test('none yet has words of its own', async () => {
    showPlugins([]);
    expect(await screen.findByText('No plugins yet')).toBeTruthy();
  });

  test('a failed load can be tried again', async () => {
    const { routes } = showPlugins([], { [LIST]: { status: 503, body: {} } });
    await screen.findByText('This could not be loaded');
    routes[LIST] = { body: [plugin()] };
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByText('Echo Bot')).toBeTruthy();
  });

  test('a name leads to the plugin, whose heading takes the focus', async () => {
    showPlugins([plugin()]);
    fireEvent.click(await screen.findByText('Echo Bot'));
    expect(location.pathname).toBe('/admin/plugins/echo-bot');
    const heading = await screen.findByText('Echo Bot', { selector: 'h2' });
    await vi.waitFor(() => expect(document.activeElement).toBe(heading));
    fireEvent.click(screen.getByText('← All plugins'));
    expect(await screen.findByText('Installed plugins')).toBeTruthy();
  });

  test('an address of a plugin that is gone says so', async () => {
    showPlugins([], {}, '/no-such');
    expect(await screen.findByText(/no plugin “no-such”/)).toBeTruthy();
  });
});

/** A request whose progress and answer the test decides. */
class FakeUpload {
  static last: FakeUpload;
  upload: { onprogress?: (event: Partial<ProgressEvent>) => void } = {};
  onload = () => {};
  onerror = () => {};
  status = 0;
  responseText = '';
  headers: Record<string, string> = {};
  form?: FormData;
  constructor() {
    FakeUpload.last = this;
  }
  open() {}
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  send(form: FormData) {
    this.form = form;
  }
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload();
  }
}

const file = (name: string) => new File(['package'], name);
const drop = (...files: File[]) =>
  fireEvent.drop(document.querySelector('.drop-zone') as Element, { dataTransfer: { files } });

describe('uploading a plugin', () => {
  beforeEach(() => vi.stubGlobal('XMLHttpRequest', FakeUpload));

  test('tells how far it is, then that it is tried, and then shows the plugin', async () => {
    const { routes } = showPlugins([]);
    await screen.findByText('No plugins yet');
    drop(file('echo.ocpkg'));
    const request = FakeUpload.last;
    expect(request.headers['X-Rillcast-CSRF']).toBe('1');
    expect(request.form?.get('plugin')).toMatchObject({ name: 'echo.ocpkg' });
    request.upload.onprogress?.({ lengthComputable: true, loaded: 3, total: 4 });
    expect(screen.getByText('echo.ocpkg: 75% sent')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Choose a file').disabled).toBe(true);
    request.upload.onprogress?.({ lengthComputable: true, loaded: 4, total: 4 });
    expect(screen.getByText(/the server is checking it/)).toBeTruthy();
    routes[LIST] = { body: [plugin()] };
    request.answer(200, plugin());
    expect(await screen.findByText('Echo Bot', { selector: 'h2' })).toBeTruthy();
    expect(location.pathname).toBe('/admin/plugins/echo-bot');
  });

  test('a refusal stays with its reason until the next try', async () => {
    showPlugins([]);
    drop(file('echo.ocpkg'));
    FakeUpload.last.answer(400, { success: false, message: 'the manifest has no "name"' });
    expect((await screen.findByText(/the manifest has no "name"/)).closest('[role=alert]')).not.toBeNull();
    expect(screen.getByText('echo.ocpkg')).toBeTruthy();
    drop(file('other.zip'));
    expect(await screen.findByText(/does not end with .ocpkg/)).toBeTruthy();
    expect(screen.queryByText(/the manifest has no/)).toBeNull();
  });

  test('one that fails does not hold up the others', async () => {
    showPlugins([]);
    drop(file('one.ocpkg'), file('two.ocpkg'));
    const first = FakeUpload.last;
    first.onerror();
    await vi.waitFor(() => expect(FakeUpload.last).not.toBe(first));
    FakeUpload.last.answer(200, plugin());
    expect(await screen.findByText(/Echo Bot was added/)).toBeTruthy();
    expect(screen.getByText(/The server did not answer/)).toBeTruthy();
    expect(location.pathname).toBe('/admin/plugins');
  });

  test.each([
    [{ name: 'a.ocpkg', size: 10 }, /^$/],
    [{ name: 'a.zip', size: 10 }, /ocpkg/],
    [{ name: 'a.ocpkg', size: 0 }, /empty/],
    [{ name: 'a.ocpkg', size: 52_428_801 }, /50 MB/],
  ])('%o is refused with %s before it is sent', (what, reason) => {
    expect(obstacle(what)).toMatch(reason);
  });
});

describe('what can be done to a plugin', () => {
  const confirm = (title: string, action: string) => {
    const dialog = screen.getByText(title).closest('dialog') as HTMLElement;
    fireEvent.click(within(dialog).getByText(action));
    return dialog;
  };

  test('enabling asks first and names everything it will be allowed to do', async () => {
    const { posted, routes } = showPlugins(
      [plugin()],
      { 'POST /api/admin/plugins/echo-bot/enable': { body: { status: 'ok' } } },
      '/echo-bot',
    );
    fireEvent.click(await screen.findByText('Enable'));
    expect(posted()).toEqual([]);
    const dialog = screen.getByText('Enable Echo Bot?').closest('dialog') as HTMLElement;
    expect(within(dialog).getByText('Write in the chat as a bot, and as the server')).toBeTruthy();
    routes[LIST] = { body: [running()] };
    confirm('Enable Echo Bot?', 'Enable');
    expect(await screen.findByText('Disable')).toBeTruthy();
    expect(screen.getByText('Running')).toBeTruthy();
  });

  test('a refusal stays in the question, and what it left behind is shown', async () => {
    const message = 'gate-two is the sign-in already; disable it first';
    const { routes } = showPlugins(
      [plugin()],
      { 'POST /api/admin/plugins/echo-bot/enable': { status: 400, body: { message, error: message } } },
      '/echo-bot',
    );
    fireEvent.click(await screen.findByText('Enable'));
    routes[LIST] = { body: [plugin({ lastError: 'it was refused' })] };
    const dialog = confirm('Enable Echo Bot?', 'Enable');
    expect(await within(dialog).findByText(message)).toBeTruthy();
    expect(await screen.findByText('it was refused')).toBeTruthy();
  });

  test.each([
    ['Disable', 'Disable Echo Bot?', 'disable'],
    ['Reload', 'Reload Echo Bot?', 'reload'],
  ])('%s asks first', async (button, title, action) => {
    const { posted } = showPlugins(
      [running()],
      { [`POST /api/admin/plugins/echo-bot/${action}`]: { body: {} } },
      '/echo-bot',
    );
    fireEvent.click(await screen.findByText(button));
    expect(posted()).toEqual([]);
    confirm(title, button);
    await vi.waitFor(() => expect(posted()[0]?.path).toBe(`/api/admin/plugins/echo-bot/${action}`));
  });

  test('removing asks first and leads back to the list', async () => {
    const { routes } = showPlugins(
      [running()],
      { 'POST /api/admin/plugins/echo-bot/uninstall': { body: {} } },
      '/echo-bot',
    );
    fireEvent.click(await screen.findByText('Remove'));
    routes[LIST] = { body: [] };
    confirm('Remove Echo Bot?', 'Remove');
    expect(await screen.findByText('No plugins yet')).toBeTruthy();
    expect(location.pathname).toBe('/admin/plugins');
  });

  test('a newer version that wants more shows only what is new, and waits for a yes', async () => {
    const waiting = running({
      version: '2.0.0',
      permissions: ['chat.send', 'users.moderate'],
      pendingPermissions: ['users.moderate'],
      permissionDetails: [permission('chat.send'), permission('users.moderate', true)],
    });
    const { routes } = showPlugins(
      [waiting],
      { 'POST /api/admin/plugins/echo-bot/approve': { body: {} } },
      '/echo-bot',
    );
    const banner = (await screen.findByText('Version 2.0.0 asks for more')).closest('.banner') as HTMLElement;
    expect(within(banner).getByText(/Ban people and addresses/)).toBeTruthy();
    expect(within(banner).queryByText(/Write in the chat/)).toBeNull();
    expect(screen.getByText('Waiting for approval')).toBeTruthy();
    routes[LIST] = { body: [running({ version: '2.0.0' })] };
    fireEvent.click(within(banner).getByText('Approve'));
    await vi.waitFor(() => expect(screen.queryByText('Version 2.0.0 asks for more')).toBeNull());
    expect(screen.getByText('Echo Bot now runs its new version.')).toBeTruthy();
  });
});
