import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Admin } from '../src/admin/Admin.tsx';
import { navigate } from '../src/router.tsx';
import { answerWith, dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
beforeEach(() => {
  localStorage.removeItem('rillcast.menu-groups');
  window.scrollTo = () => {};
});
afterEach(cleanup);

function open(address: string) {
  vi.stubGlobal('fetch', answerWith({ 'GET /api/admin/settings': { body: { settings: [] } } }).fakeFetch);
  navigate(address, 'replace');
  return render(() => <Admin boot={{ session: { authenticated: true, setupRequired: false }, version: '0.3.0' }} />);
}

const nav = () => document.getElementById('menu') as HTMLElement;
const group = (name: string) => within(nav()).getByRole('button', { name });
const isOpen = (name: string) => group(name).getAttribute('aria-expanded');
/** What a person can see: entries of folded groups are not there for them. */
const entries = () =>
  within(nav())
    .getAllByRole('link')
    .map((link) => link.textContent);

test('only the group of the page that is shown is open, and its entry is marked', () => {
  open('/admin/help');
  expect(entries()).toEqual(['Home', 'Viewers', 'Plugins', 'Help']);
  navigate('/admin/config/server');
  expect(isOpen('Configuration')).toBe('true');
  expect(isOpen('Utilities')).toBe('false');
  expect(within(nav()).getByText('Server').closest('a')?.getAttribute('aria-current')).toBe('page');
  navigate('/admin/help');
  expect(isOpen('Configuration')).toBe('false');
});

test('what somebody opened stays open, also at the next visit', () => {
  const visit = open('/admin/help');
  fireEvent.click(group('Integrations'));
  navigate('/admin/');
  expect(entries()).toContain('Webhooks');
  visit.unmount();
  open('/admin/help');
  expect(isOpen('Integrations')).toBe('true');
});

test('a group that was folded opens when one of its pages is shown', () => {
  open('/admin/config/server');
  fireEvent.click(group('Configuration'));
  expect(entries()).not.toContain('Server');
  navigate('/admin/config/general');
  expect(isOpen('Configuration')).toBe('true');
});

test('the page of one plugin marks the entry of all of them', () => {
  open('/admin/plugins/dice');
  expect(within(nav()).getByText('Plugins').closest('a')?.getAttribute('aria-current')).toBe('true');
});

test('the drawer takes the focus, keeps the page out of reach, and Escape gives it back', () => {
  open('/admin/help');
  const button = screen.getByRole('button', { name: 'Menu' });
  fireEvent.click(button);
  expect(nav().classList.contains('is-open')).toBe(true);
  expect(document.querySelector('main')?.inert).toBe(true);
  expect(nav().contains(document.activeElement)).toBe(true);
  fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
  expect(nav().classList.contains('is-open')).toBe(false);
  expect(document.querySelector('main')?.inert).toBe(false);
  expect(document.activeElement).toBe(button);
});

test('the search gives the focus to the button of the drawer that it was opened from', () => {
  open('/admin/help');
  const button = screen.getByRole('button', { name: 'Menu' });
  fireEvent.click(button);
  fireEvent.click(within(nav()).getByRole('button', { name: 'Search' }));
  expect(nav().classList.contains('is-open')).toBe(false);
  const field = screen.getByRole('combobox', { name: 'Search pages and settings' });
  // As a browser does: the button that opened it is in the drawer, and takes no focus any more.
  (document.activeElement as HTMLElement).blur();
  fireEvent(field.closest('dialog') as Element, new Event('close'));
  expect(screen.queryByRole('combobox', { name: 'Search pages and settings' })).toBeNull();
  expect(document.activeElement).toBe(button);
});

test('an entry is scrolled to, also when its group has to unfold first', () => {
  const shown: (string | null)[] = [];
  Element.prototype.scrollIntoView = function show(this: Element) {
    if (!this.closest('[hidden]')) shown.push(this.textContent);
  };
  try {
    open('/admin/config/server');
    fireEvent.click(group('Configuration'));
    navigate('/admin/help');
    shown.length = 0;
    navigate('/admin/config/general');
    expect(shown.at(-1)).toBe('General');
  } finally {
    Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
  }
});

test('choosing a page closes the drawer', () => {
  open('/admin/');
  fireEvent.click(screen.getByRole('button', { name: 'Menu' }));
  fireEvent.click(within(nav()).getByText('Help'));
  expect(nav().classList.contains('is-open')).toBe(false);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Help');
});

test('choosing the page that is shown closes it too', () => {
  open('/admin/help');
  fireEvent.click(screen.getByRole('button', { name: 'Menu' }));
  fireEvent.click(within(nav()).getByText('Help'));
  expect(nav().classList.contains('is-open')).toBe(false);
});
