import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Room } from '../../src/viewer/chat/room.ts';
import { SignInDialog } from '../../src/viewer/chat/SignInDialog.tsx';
import { fetchParts } from '../../src/viewer/fediverse/parts.tsx';
import type { SiteConfig } from '../../src/wire.ts';
import { answerWith, dialogsOpen, speakEnglish } from '../helpers.ts';
import { chatConfig } from './fakes.ts';

beforeEach(async () => {
  await speakEnglish();
  await fetchParts();
  dialogsOpen();
});
afterEach(cleanup);

const ASK = 'POST /api/auth/fediverse?accessToken=t';
const VERIFY = 'POST /api/auth/fediverse/verify?accessToken=t';

function show(routes: Parameters<typeof answerWith>[0] = {}, change: Partial<SiteConfig> = {}) {
  const { sent, fakeFetch } = answerWith(routes);
  vi.stubGlobal('fetch', fakeFetch);
  const config = { ...chatConfig, federation: { enabled: true }, ...change };
  const reconnect = vi.fn();
  const onClose = vi.fn();
  const room = { config: () => config, token: () => 't', reconnect } as unknown as Room;
  render(() => <SignInDialog room={room} onClose={onClose} />);
  return { sent, reconnect, onClose };
}
const write = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });
const submit = (button: string) => fireEvent.submit(screen.getByText(button).closest('form') as HTMLFormElement);

describe('signing in', () => {
  test('offers both ways where there are two, and only one where there is one', () => {
    show();
    expect(screen.getByText('Fediverse account').getAttribute('aria-pressed')).toBe('true');
    fireEvent.click(screen.getByText('Your site', { selector: 'button' }));
    expect(screen.getByText(/Any site that supports IndieAuth/)).toBeTruthy();
    cleanup();
    show({}, { federation: { enabled: false } });
    expect(screen.queryByText('Fediverse account')).toBeNull();
    expect(screen.getByLabelText('Your site')).toBeTruthy();
    cleanup();
    show({}, { authentication: { indieAuthEnabled: false } });
    expect(screen.queryByText('Your site')).toBeNull();
    expect(screen.getByLabelText('Your account')).toBeTruthy();
  });

  test('a code is sent, entered, and the room is entered anew', async () => {
    const { sent, reconnect, onClose } = show({ [ASK]: { body: { success: true } }, [VERIFY]: { body: {} } });
    write('Your account', ' https://social.example/@ada ');
    submit('Send me a code');
    expect(await screen.findByText(/on its way to @ada@social.example/)).toBeTruthy();
    expect(sent[0]?.body).toEqual({ account: 'ada@social.example' });
    write('Code', 'your code: 123 456');
    expect(screen.getByLabelText<HTMLInputElement>('Code').value).toBe('123456');
    submit('Confirm');
    await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(sent[1]?.body).toEqual({ code: '123456' });
    expect(reconnect).toHaveBeenCalledOnce();
  });

  test('a wrong code can be tried again, or the account changed', async () => {
    const { reconnect } = show({ [ASK]: { body: {} }, [VERIFY]: { status: 403, body: '' } });
    write('Your account', '@ada@social.example');
    submit('Send me a code');
    await screen.findByLabelText('Code');
    write('Code', '12');
    submit('Confirm');
    expect(screen.getByRole('alert').textContent).toBe('The code has 6 digits.');
    write('Code', '000000');
    submit('Confirm');
    expect(await screen.findByText(/This code is wrong or no longer valid/)).toBeTruthy();
    expect(reconnect).not.toHaveBeenCalled();
    fireEvent.click(screen.getByText('Use another account'));
    expect(screen.getByLabelText('Your account')).toBeTruthy();
  });

  test('what is no account is not sent, and the server’s reason is shown', async () => {
    const message = 'a code is already on its way';
    const { sent } = show({ [ASK]: { status: 400, body: { success: false, message } } });
    write('Your account', 'ada');
    submit('Send me a code');
    expect(screen.getByText(/Enter your account with its server/)).toBeTruthy();
    expect(sent).toEqual([]);
    write('Your account', 'ada@social.example');
    submit('Send me a code');
    expect(await screen.findByText(message)).toBeTruthy();
  });
});
