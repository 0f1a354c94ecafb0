import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { actionOf, draftOf, errorsOf } from '../src/admin/integrations/actions/draft.ts';
import { ExternalActions } from '../src/admin/integrations/actions/ExternalActions.tsx';
import type { ExternalAction, Setting } from '../src/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const shop: ExternalAction = {
  url: 'https://shop.example/',
  html: '',
  title: 'Shop',
  description: '',
  icon: '',
  color: '#8b1e3f',
  openExternally: true,
};
const form: ExternalAction = { ...shop, url: 'https://form.example/', title: 'Questions', openExternally: false };
const thanks: ExternalAction = { ...shop, url: '', html: '<p>Thanks</p>', title: 'Thanks' };
const SAVE = 'POST /api/admin/config/externalactions';

const show = (actions: unknown, save: { status?: number; body: unknown } = OK, settings: Setting[] = []) =>
  showPage(
    () => <ExternalActions />,
    { 'GET /api/admin/serverconfig': { body: { externalActions: actions } }, [SAVE]: save },
    settings,
  );
const titles = () => [...document.querySelectorAll('.action-row strong')].map((title) => title.textContent);

describe('the list of actions', () => {
  test('shows each with its button and what it does', async () => {
    show([shop, form, thanks]);
    const row = (await screen.findByText('https://shop.example/')).closest('li') as HTMLElement;
    expect(within(row).getByText('Opens a page in a new tab')).toBeTruthy();
    const button = row.querySelector<HTMLElement>('.action-button');
    expect(button?.style.getPropertyValue('--action-color')).toBe('#8b1e3f');
    expect(button?.closest('[inert]')).not.toBeNull();
    expect(screen.getByText('Shows a page over the stream')).toBeTruthy();
    expect(screen.getByText('Shows your own text')).toBeTruthy();
  });

  test.each([[[]], [undefined]])('none yet has words of its own', async (none) => {
    show(none);
    expect(await screen.findByText('No buttons yet')).toBeTruthy();
  });

  test('is put into another order by keyboard, with the focus and a word on where it went', async () => {
    const { posted } = show([shop, form, thanks]);
    fireEvent.click(await screen.findByLabelText('Move down: Shop'));
    expect(titles()).toEqual(['Questions', 'Shop', 'Thanks']);
    expect(document.activeElement).toBe(screen.getByLabelText('Move down: Shop'));
    expect(screen.getByText('Shop is now number 2 of 3.')).toBeTruthy();
    fireEvent.click(screen.getByLabelText('Move down: Shop'));
    expect(document.activeElement).toBe(screen.getByLabelText('Move up: Shop'));
    await screen.findByText('Saved');
    expect(posted().at(-1)?.body).toEqual({ value: [form, thanks, shop] });
  });

  test('goes back to what holds when the server refuses', async () => {
    show([shop, form], { status: 400, body: { success: false, message: 'not now' } });
    fireEvent.click(await screen.findByLabelText('Move down: Shop'));
    expect(await screen.findByText('not now')).toBeTruthy();
    expect(titles()).toEqual(['Shop', 'Questions']);
  });

  test('loses one only after a question', async () => {
    const { posted } = show([shop, form]);
    fireEvent.click(await screen.findByLabelText('Remove: Shop'));
    expect(posted()).toEqual([]);
    const question = screen.getByText('Remove “Shop”?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Remove'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: [form] }));
    expect(titles()).toEqual(['Questions']);
  });

  test('cannot be changed here when it was set elsewhere', async () => {
    show([shop], OK, [setting({ path: 'externalactions', locked: true, sourceName: '/etc/rillcast.toml' })]);
    expect(await screen.findByText('set by /etc/rillcast.toml')).toBeTruthy();
    expect(screen.getByLabelText<HTMLButtonElement>('Edit: Shop').disabled).toBe(true);
    expect(screen.getByText('Add an action').closest('button')?.disabled).toBe(true);
  });

  test('a failed load says so', async () => {
    const broken = { status: 503, body: { success: false, message: 'the database is busy' } };
    showPage(() => <ExternalActions />, { 'GET /api/admin/serverconfig': broken });
    expect(await screen.findByText('the database is busy')).toBeTruthy();
  });
});

describe('the form of an action', () => {
  const submit = (button: string) => fireEvent.submit(screen.getByText(button).closest('form') as HTMLFormElement);

  test('a new one is added at the end', async () => {
    const { posted } = show([form]);
    await screen.findByText('Questions', { selector: 'strong' });
    fireEvent.click(screen.getByText('Add an action'));
    fireEvent.input(screen.getByLabelText('Text on the button'), { target: { value: 'Shop' } });
    fireEvent.input(screen.getByLabelText('Address'), { target: { value: 'https://shop.example/' } });
    fireEvent.input(screen.getByLabelText('Colour (optional)'), { target: { value: '#8b1e3f' } });
    submit('Add this action');
    await screen.findByText('Saved');
    expect(posted()[0]?.body).toEqual({ value: [form, shop] });
    await vi.waitFor(() => expect(screen.queryByText('Add this action')).toBeNull());
  });

  test('changing one keeps its place; a text takes the place of the address', async () => {
    const { posted } = show([shop, form]);
    fireEvent.click(await screen.findByLabelText('Edit: Shop'));
    fireEvent.click(screen.getByLabelText(/Shows your own text/));
    fireEvent.input(screen.getByLabelText('Text (HTML)'), { target: { value: '<p>Mugs</p>' } });
    submit('Save');
    await screen.findByText('Saved');
    const changed = { ...shop, url: '', html: '<p>Mugs</p>', openExternally: false };
    expect(posted()[0]?.body).toEqual({ value: [changed, form] });
  });

  test('what is missing is said at its field', async () => {
    const { posted } = show([]);
    await screen.findByText('No buttons yet');
    fireEvent.click(screen.getByText('Add an action'));
    submit('Add this action');
    expect(screen.getByText('Enter a text for the button.')).toBeTruthy();
    expect(screen.getByText(/Enter a full address/)).toBeTruthy();
    expect(posted()).toEqual([]);
  });

  test('the reason of the server stays in the form, and nothing is added', async () => {
    show([], { status: 400, body: { success: false, message: 'too many buttons' } });
    await screen.findByText('No buttons yet');
    fireEvent.click(screen.getByText('Add an action'));
    fireEvent.input(screen.getByLabelText('Text on the button'), { target: { value: 'Shop' } });
    fireEvent.input(screen.getByLabelText('Address'), { target: { value: 'https://shop.example/' } });
    submit('Add this action');
    expect((await screen.findByText('too many buttons')).closest('dialog')).not.toBeNull();
    expect(screen.getByText('No buttons yet')).toBeTruthy();
  });
});

describe('rules', () => {
  test('a draft and back is the same action', () => {
    for (const action of [shop, form]) expect(actionOf(draftOf(action))).toEqual(action);
    expect(actionOf(draftOf(thanks))).toEqual({ ...thanks, openExternally: false });
  });

  test('a text without words is missing', () => {
    expect(errorsOf({ ...draftOf(thanks), html: '  ' })).toHaveProperty('html');
    expect(errorsOf(draftOf(shop))).toEqual({});
    expect(errorsOf({ ...draftOf(shop), url: 'javascript:alert(1)' })).toHaveProperty('url');
  });
});
