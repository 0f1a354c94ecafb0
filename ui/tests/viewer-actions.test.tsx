import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sandboxFor } from '../src/viewer/ActionDialog.tsx';
import { Actions, kindOf } from '../src/viewer/Actions.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

describe('the operator’s buttons', () => {
  test('without any there is no row', () => {
    render(() => <Actions actions={[]} />);
    expect(document.querySelector('.action-buttons')).toBeNull();
  });

  test('one that opens a tab is a link', () => {
    render(() => <Actions actions={[{ title: 'Shop', url: 'https://shop.example/', openExternally: true }]} />);
    const link = screen.getByText('Shop').closest('a');
    expect(link?.getAttribute('href')).toBe('https://shop.example/');
    expect(link?.getAttribute('target')).toBe('_blank');
    expect(link?.getAttribute('rel')).toContain('noopener');
  });

  test('one that opens over the page shows the other site in a sandbox, and a way out of it', async () => {
    render(() => <Actions actions={[{ title: 'Questions', url: 'https://form.example/', description: 'Ask us' }]} />);
    fireEvent.click(screen.getByText('Questions'));
    const frame = await screen.findByTitle<HTMLIFrameElement>('Questions');
    expect(frame.src).toBe('https://form.example/');
    expect(frame.getAttribute('sandbox')).not.toContain('allow-top-navigation');
    expect(screen.getByText('Open in a new tab').getAttribute('href')).toBe('https://form.example/');
    expect(screen.getByText('Ask us')).toBeTruthy();
    fireEvent.click(screen.getByText('Close'));
    expect(document.querySelector('dialog')).toBeNull();
  });

  test('a text is shown without what could run', async () => {
    const html =
      '<h2>Thanks</h2><script>window.hurt = true</script><img src=x onerror="hurt()"><p onclick="x()">You</p>';
    render(() => <Actions actions={[{ title: 'Support us', html }]} />);
    fireEvent.click(screen.getByText('Support us'));
    const place = (await screen.findByText('Thanks')).closest('.action-text');
    expect(place?.querySelector('script, [onclick], [onerror]')).toBeNull();
    expect(place?.textContent).toBe('ThanksYou');
    expect(screen.queryByText('Open in a new tab')).toBeNull();
  });

  test('the colour is no style attribute in the markup, and none is set without one', () => {
    const where = { url: 'https://a.example/', openExternally: true };
    render(() => (
      <Actions
        actions={[
          { title: 'Red', color: '#ff0000', ...where },
          { title: 'Plain', ...where },
        ]}
      />
    ));
    expect(screen.getByText('Red').closest('a')?.style.getPropertyValue('--action-color')).toBe('#ff0000');
    expect(screen.getByText('Plain').closest('a')?.hasAttribute('data-coloured')).toBe(false);
  });

  test.each([
    [{ title: 'a', url: 'https://a.example/', openExternally: true }, 'tab'],
    [{ title: 'a', url: 'https://a.example/' }, 'frame'],
    [{ title: 'a', url: '/public/page.html' }, 'frame'],
    [{ title: 'a', url: 'https://a.example/', html: '<p>x</p>', openExternally: true }, 'html'],
    [{ title: 'a', url: 'javascript:alert(1)', openExternally: true }, undefined],
    [{ title: 'a', url: 'data:text/html,x' }, undefined],
    [{ title: 'a', url: '' }, undefined],
  ])('%o opens as %s', (action, kind) => {
    expect(kindOf(action)).toBe(kind);
  });

  test('a page of this server never gets scripts and its origin together', () => {
    expect(sandboxFor('/public/page.html')).not.toContain('allow-same-origin');
    expect(sandboxFor('https://other.example/')).toContain('allow-same-origin');
  });
});
